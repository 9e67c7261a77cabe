"""A speech-like sound made from formulas: pulses through moving formants, with pauses. Ours, free of rights."""
import wave

import numpy as np
from scipy.signal import lfilter

RATE = 16000
# Formants (Hz) of the syllables, and whether a hiss comes first.
SYLLABLES = (((730, 1090, 2440), 0), ((270, 2290, 3010), 1), ((570, 840, 2410), 0), ((530, 1840, 2480), 1),
             ((300, 870, 2240), 0), ((660, 1720, 2410), 1), ((440, 1020, 2240), 0), ((390, 1990, 2550), 0))


def resonated(signal, hertz, width):
    radius = np.exp(-np.pi * width / RATE)
    return lfilter([1 - radius], [1, -2 * radius * np.cos(2 * np.pi * hertz / RATE), radius ** 2], signal)


def made():
    rng = np.random.default_rng(3)
    parts = [np.zeros(1600)]
    for number, (formants, hiss) in enumerate(SYLLABLES):
        if hiss:
            noise = np.diff(rng.standard_normal(1121)) * np.hanning(1120) * 0.08
            parts.append(noise)
        count = 2900 + 300 * (number % 3)
        pitch = (118 + 14 * np.sin(number)) * (1 - 0.1 * np.arange(count) / count) * (1 + 0.01 * rng.standard_normal(count))
        phase = np.cumsum(pitch / RATE)
        pulses = np.r_[0, np.diff(np.floor(phase))] + 0.01 * rng.standard_normal(count)
        voiced = sum(resonated(pulses, f, 60 + f / 25) / (1 + k) for k, f in enumerate(formants))
        parts.append(voiced / np.abs(voiced).max() * np.hanning(count) ** 0.5 * 0.5)
        parts.append(np.zeros(1100 if number % 4 == 3 else 250))
    signal = np.concatenate(parts)
    return signal + 0.0007 * rng.standard_normal(len(signal))


def write(path):
    with wave.open(str(path), 'wb') as out:
        out.setparams((1, 2, RATE, 0, 'NONE', ''))
        out.writeframes((np.clip(made(), -1, 1) * 32767).astype('<i2').tobytes())


def read(path):
    with wave.open(str(path), 'rb') as source:
        return np.frombuffer(source.readframes(source.getnframes()), '<i2').astype(np.float32) / 32768
