"""A window of sound as the picture that the encoder of attestd-image takes, in operations that ONNX has."""
import json
import pathlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from frontend import fourier, hann, leveled

# The package whose network is the encoder.
PACKAGE = pathlib.Path(__file__).resolve().parents[2] / 'attestd-image'
# Features that the encoder gives of a picture.
SEEN = 5376
SIDE = 224
# SIDE frames of FRAME samples every HOP fill the window; FFT: samples of a transform.
FRAME, HOP, FFT = 600, 212, 1024
FLOOR, CLIP = 1e-6, 3.0
# What CLIP takes a byte / 255 less, and over.
MEAN, STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)


def bands():
    """[SIDE, bins]: triangles over the bins of a frame, even in mels up to 8 kHz; the low ones as wide as a bin, so that none is empty."""
    hertz = np.arange(FFT // 2 + 1) * 16000 / FFT
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + 8000 / 700), SIDE + 2) / 2595) - 1)
    width = np.maximum((edges[2:] - edges[:-2]) / 2, 1.02 * hertz[1])
    bank = np.maximum(0, 1 - np.abs(hertz - edges[1:-1, None]) / width[:, None])
    return bank / bank.sum(1, keepdims=True)


class View(nn.Module):
    """
    [n, 48000] samples to [n, 3, SIDE, SIDE]: the logarithm of the power in each band and frame, high bands above, less its mean and
    over its deviation, the same in the three colors, as the `pixels` of the encoder.
    """

    def __init__(self):
        super().__init__()
        normalize = json.loads((PACKAGE / 'detector.json').read_text())['preprocessing']['normalize']
        # From CLIP's normalization to that of the package.
        gain = np.array(STD) / normalize['std']
        shift = (np.array(MEAN) - normalize['mean']) / normalize['std']
        tables = {
            'frame': fourier(hann(FRAME), FFT, np.arange(FFT // 2 + 1)),
            'bank': torch.tensor(bands()[::-1].copy(), dtype=torch.float32),
            'gain': torch.tensor(gain, dtype=torch.float32)[:, None, None],
            'shift': torch.tensor(shift, dtype=torch.float32)[:, None, None],
        }
        for name, table in tables.items():
            self.register_buffer(name, table, persistent=False)

    def forward(self, samples):
        parts = F.conv1d(leveled(samples)[:, None], self.frame, stride=HOP)[:, :, :SIDE]
        half = self.frame.shape[0] // 2
        power = self.bank @ (parts[:, :half] ** 2 + parts[:, half:] ** 2)
        loud = torch.log(power + FLOOR)
        loud = loud - loud.mean((1, 2), keepdim=True)
        seen = loud / ((loud * loud).mean((1, 2), keepdim=True).sqrt() + 1e-3)
        return torch.clamp(seen, -CLIP, CLIP)[:, None] * self.gain + self.shift
