"""Degradations that both classes meet alike: room, noise, tone, band limit, level, codec round trips."""
import os
import subprocess
import tempfile
import wave

import numpy as np
from scipy.signal import fftconvolve, resample_poly

RATE = 16000
GAP = RATE // 2
CODECS = {
    'mp3-24': ('mp3', ['-c:a', 'libmp3lame', '-b:a', '24k']),
    'mp3-32': ('mp3', ['-c:a', 'libmp3lame', '-b:a', '32k']),
    'mp3-48': ('mp3', ['-c:a', 'libmp3lame', '-b:a', '48k']),
    'mp3-64': ('mp3', ['-c:a', 'libmp3lame', '-b:a', '64k']),
    'mp3-128': ('mp3', ['-c:a', 'libmp3lame', '-ar', '44100', '-b:a', '128k']),
    'aac-32': ('m4a', ['-c:a', 'aac', '-b:a', '32k']),
    'aac-64': ('m4a', ['-c:a', 'aac', '-b:a', '64k']),
    'aac-96': ('m4a', ['-c:a', 'aac', '-ar', '44100', '-b:a', '96k']),
    'opus-12': ('opus', ['-c:a', 'libopus', '-b:a', '12k']),
    'opus-16': ('opus', ['-c:a', 'libopus', '-b:a', '16k', '-application', 'voip']),
    'opus-24': ('opus', ['-c:a', 'libopus', '-b:a', '24k', '-application', 'voip']),
    'opus-48': ('opus', ['-c:a', 'libopus', '-b:a', '48k']),
    'opus-64': ('opus', ['-c:a', 'libopus', '-b:a', '64k']),
    'vorbis': ('ogg', ['-c:a', 'libvorbis', '-q:a', '2']),
    'speex': ('ogg', ['-c:a', 'libspeex']),
    'g722': ('wav', ['-c:a', 'g722']),
    'gsm': ('gsm', ['-c:a', 'libgsm', '-ar', '8000']),
    'alaw-8k': ('wav', ['-c:a', 'pcm_alaw', '-ar', '8000']),
    'mulaw-8k': ('wav', ['-c:a', 'pcm_mulaw', '-ar', '8000']),
}
TELEPHONE = ('gsm', 'alaw-8k', 'mulaw-8k')


def level(signal, decibels):
    rms = np.sqrt(np.mean(signal ** 2) + 1e-12)
    out = signal * (10 ** (decibels / 20) / rms)
    peak = np.abs(out).max()
    return (out / peak * 0.99 if peak > 0.99 else out).astype(np.float32)


def colored_noise(rng, count, slope):
    """Noise whose power falls by `slope` per octave power of 2, unit RMS."""
    spectrum = rng.standard_normal(count // 2 + 1) + 1j * rng.standard_normal(count // 2 + 1)
    spectrum *= np.maximum(np.arange(count // 2 + 1), 8) ** (-slope / 2)
    noise = np.fft.irfft(spectrum, count)
    return noise / (noise.std() + 1e-9)


def room(rng, signal):
    decay = rng.uniform(0.1, 0.7)
    count = int(decay * RATE)
    tail = rng.standard_normal(count) * np.exp(-6.9 * np.arange(count) / count)
    tail *= 10 ** (-rng.uniform(0, 15) / 20) / np.sqrt((tail ** 2).sum())
    delay = rng.integers(10, 200)
    response = np.concatenate([[1.0], np.zeros(delay), tail])
    return fftconvolve(signal, response)[:len(signal)]


def tone(rng, signal, deviation=5.0):
    """A smooth random equalizer: what microphones and mastering do."""
    spectrum = np.fft.rfft(signal)
    hertz = np.linspace(0, RATE / 2, len(spectrum))
    knots = np.array([0, 100, 250, 600, 1200, 2400, 4000, 5700, 8000.0])
    gain = np.interp(hertz, knots, np.cumsum(rng.normal(0, deviation / 2, len(knots))))
    return np.fft.irfft(spectrum * 10 ** ((gain - gain.mean()) / 20), len(signal))


def band(signal, low, high, steep=0.06):
    spectrum = np.fft.rfft(signal)
    hertz = np.linspace(0, RATE / 2, len(spectrum))
    gain = 1 / (1 + np.exp((hertz - high) / (steep * high / 4)))
    if low:
        gain = gain / (1 + (low / np.maximum(hertz, 1)) ** 6)
    return np.fft.irfft(spectrum * gain, len(signal))


def degrade(rng, signal, others):
    """One random chain; `others` are clips that may murmur in the background."""
    x = signal.astype(np.float64)
    if rng.random() < 0.25:
        rate = int(rng.integers(93, 108))
        x = resample_poly(x, 100, rate)
    if rng.random() < 0.3:
        x = room(rng, x)
    if rng.random() < 0.7:
        x = tone(rng, x)
    if rng.random() < 0.5:
        decibels = rng.uniform(8, 40)
        noise = colored_noise(rng, len(x), rng.uniform(0, 2))
        if rng.random() < 0.3:
            noise = sum(np.resize(others[i], len(x)) / (others[i].std() + 1e-9) for i in rng.integers(0, len(others), 4)) / 2
        x = x + noise * (x.std() * 10 ** (-decibels / 20))
    draw = rng.random()
    if draw < 0.3:
        x = band(x, 0, rng.choice([3400, 3800, 5000, 5500, 7000, rng.uniform(3500, 7900)]))
    if rng.random() < 0.2:
        x = band(x, rng.uniform(50, 300), 9000)
    x = level(x, rng.uniform(-32, -12))
    if rng.random() < 0.07:
        x = np.clip(x * rng.uniform(1.5, 4), -0.9, 0.9)
    if rng.random() < 0.1:
        steps = 2.0 ** rng.integers(7, 12)
        x = np.round(x * steps) / steps
    return x.astype(np.float32)


def round_trip(signals, codec):
    """The signals, one after the other with silence between, through an encoder and back."""
    extension, options = CODECS[codec]
    joined = np.concatenate([np.concatenate([s, np.zeros(GAP, np.float32)]) for s in signals])
    with tempfile.TemporaryDirectory() as folder:
        source, coded = os.path.join(folder, 'in.wav'), os.path.join(folder, 'coded.' + extension)
        with wave.open(source, 'wb') as out:
            out.setparams((1, 2, RATE, 0, 'NONE', ''))
            out.writeframes((np.clip(joined, -1, 1) * 32767).astype('<i2').tobytes())
        quiet = ['ffmpeg', '-nostdin', '-v', 'error', '-y', '-threads', '1']
        subprocess.run([*quiet, '-i', source, *options, coded], check=True)
        raw = subprocess.run([*quiet, '-i', coded, '-ac', '1', '-ar', str(RATE), '-f', 'f32le', '-'],
                             check=True, stdout=subprocess.PIPE).stdout
    decoded = np.frombuffer(raw, np.float32)
    decoded = np.pad(decoded, (0, max(0, len(joined) - len(decoded))))
    result, at = [], 0
    for signal in signals:
        result.append(decoded[at:at + len(signal) + 800].copy())
        at += len(signal) + GAP
    return result
