"""From samples to statistics, all in operations that ONNX has: what the network sees of a window."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SAMPLES = 48000
LEVEL = 0.1  # RMS that every window is brought to
FRAME, HOP, FFT, BANDS = 400, 160, 512, 128
COARSE, CEPSTRA = 32, 100
SYLLABLES_HZ = (1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48)
# The envelopes of 8 bands, 1,000 values a second: pitch and its harmonics.
SHORT, SHORT_HOP, ENVELOPES, PITCH = 64, 16, 8, 128
PITCH_BINS = ((1, 2), (2, 3), (3, 5), (5, 8), (8, 12), (12, 17), (17, 24), (24, 32), (32, 44), (44, 63))
VOICED_BINS = slice(8, 50)  # of 7.8 Hz: 70 to 390 Hz, counted from bin 1
# The same envelopes, 200 values a second: syllables and roughness.
SLOW_STEP, SLOW = 5, 128
# What the statistics are of, in their order, and how many of each.
PARTS = {'bands': 224, 'cepstrum': 359, 'neighbors': 109, 'syllables': 96, 'pitch': 136, 'roughness': 72}
SLOW_BINS = ((1, 2), (2, 3), (3, 5), (5, 8), (8, 13), (13, 20), (20, 32), (32, 46), (46, 63))


def hann(count):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(count) / count)


def fourier(window, size, bins):
    """Convolution kernels [2 * bins, 1, len(window)]: real parts, then imaginary ones."""
    angle = 2 * np.pi * np.outer(bins, np.arange(len(window))) / size
    return torch.tensor(np.concatenate([np.cos(angle), -np.sin(angle)]) * window, dtype=torch.float32)[:, None]


def centered(kernels):
    """The same kernels on a stretch less its mean."""
    return kernels - kernels.sum(-1, keepdim=True) / kernels.shape[-1]


def triangles(count):
    hertz, edges = np.arange(FFT // 2 + 1) * 16000 / FFT, np.linspace(0, 8000, count + 2)
    up = (hertz - edges[:-2, None]) / np.diff(edges)[:-1, None]
    down = (edges[2:, None] - hertz) / np.diff(edges)[1:, None]
    bank = np.maximum(0, np.minimum(up, down))
    return torch.tensor(bank / bank.sum(1, keepdims=True), dtype=torch.float32).T


def pools(edges, count):
    """[count, len(edges)]: the mean of each span of bins; bin 1 is row 0."""
    matrix = np.zeros((count, len(edges)), np.float32)
    for column, (low, high) in enumerate(edges):
        matrix[low - 1:high - 1, column] = 1 / (high - low)
    return torch.tensor(matrix)


def spread(values):
    """Mean, standard deviation and what is left of the mean, along axis 1."""
    mean = values.mean(1, keepdim=True)
    rest = values - mean
    return mean[:, 0], ((rest * rest).mean(1, keepdim=True)).sqrt() + 1e-3, rest


def leveled(samples):
    """[n, samples] around zero, at an RMS of LEVEL."""
    samples = samples - samples.mean(1, keepdim=True)
    return samples * (LEVEL / ((samples * samples).mean(1, keepdim=True) + 1e-10).sqrt())


class Statistics(nn.Module):
    """[n, 48000] samples to [n, sum of PARTS] statistics."""

    def __init__(self):
        super().__init__()
        k, n = np.arange(BANDS), np.arange(BANDS) + 0.5
        cosines = np.cos(np.pi * np.outer(n, k) / BANDS) * np.sqrt(np.where(k, 2, 1) / BANDS)
        frames = 1 + (SAMPLES - FRAME) // HOP
        seconds = np.arange(frames) * HOP / 16000
        angle = 2 * np.pi * np.outer(SYLLABLES_HZ, seconds)
        slow = np.concatenate([np.cos(angle), np.sin(angle)]) * hann(frames) / frames
        tables = {
            'frame': fourier(hann(FRAME), FFT, np.arange(FFT // 2 + 1)),
            'bank': triangles(BANDS) / FRAME,
            'cosines': torch.tensor(cosines[:, :CEPSTRA], dtype=torch.float32),
            'slow': torch.tensor(slow, dtype=torch.float32),
            'short': fourier(hann(SHORT), SHORT, np.arange(1, 33)),
            'pitch': centered(fourier(hann(PITCH), PITCH, np.arange(1, 64))),
            'pitch_pools': pools(PITCH_BINS, 63),
            'syllable': centered(fourier(hann(SLOW), SLOW, np.arange(1, 64))),
            'slow_pools': pools(SLOW_BINS, 63),
        }
        for name, table in tables.items():
            self.register_buffer(name, table, persistent=False)

    def forward(self, samples):
        samples = leveled(samples)
        return torch.cat([*self.spectral(samples), *self.envelopes(samples)], 1)

    def power(self, samples, kernels, hop):
        parts = F.conv1d(samples[:, None], kernels, stride=hop)
        half = kernels.shape[0] // 2
        return parts[:, :half] ** 2 + parts[:, half:] ** 2

    def spectral(self, samples):
        power = self.power(samples, self.frame, HOP).transpose(1, 2)
        fine = torch.log(power @ self.bank + 1e-7)  # [n, frames, 128]
        coarse = F.avg_pool1d(fine, BANDS // COARSE)
        _, deviation, rest = spread(coarse)
        scaled = rest / deviation
        found = [torch.log(deviation[:, 0]), torch.log((scaled ** 4).mean(1))]
        for lag in (1, 2, 4, 8):
            _, moved, away = spread(coarse[:, lag:] - coarse[:, :-lag])
            found.append(torch.log(moved / deviation)[:, 0])
            if lag == 1:
                found.append(torch.log(((away / moved) ** 4).mean(1)))
        found += self.cepstral(fine)
        found += self.neighbours(fine)
        waves = torch.matmul(self.slow, rest)
        half = len(SYLLABLES_HZ)
        waves = F.avg_pool1d(waves[:, :half] ** 2 + waves[:, half:] ** 2, 4)
        found.append((torch.log(waves + 1e-4) - torch.log(waves.mean(1, keepdim=True) + 1e-4)).flatten(1))
        return found

    def cepstral(self, fine):
        cepstra = fine @ self.cosines
        mean, deviation, rest = spread(cepstra)
        steps = cepstra[:, 1:] - cepstra[:, :-1]
        speed = (steps * steps).mean(1).sqrt()
        tails = ((rest / deviation) ** 4).mean(1)
        return [torch.log(deviation[:, 0]), mean[:, 1:], torch.log(tails[:, :60]),
                torch.log(speed / deviation[:, 0] + 1e-3)]

    def neighbours(self, fine):
        _, deviation, rest = spread(fine)
        scaled = rest / deviation
        found = []
        for gap in (1, 2, 8):
            together = (scaled[:, :, gap:] * scaled[:, :, :-gap]).mean(1)
            found.append(F.avg_pool1d(together[:, None], 8, 8, ceil_mode=False)[:, 0])
        smooth = F.avg_pool1d(fine, 9, 1, 4, count_include_pad=False)
        rough = F.avg_pool1d((fine - smooth).abs(), BANDS // COARSE)
        mean, deviation, _ = spread(rough)
        return [*found, torch.log(mean + 1e-3), torch.log(deviation[:, 0])]

    def envelopes(self, samples):
        power = self.power(samples, self.short, SHORT_HOP).transpose(1, 2)
        envelope = 0.5 * torch.log(F.avg_pool1d(power, 32 // ENVELOPES) + 1e-7).transpose(1, 2)  # [n, 8, time]
        pitch = self.modulation(envelope, self.pitch, PITCH // 2)  # [n, 8, 63, segments]
        pooled = torch.matmul(pitch.transpose(2, 3), self.pitch_pools)  # [n, 8, segments, 10]
        loud = torch.log(pooled + 1e-2)
        wander = loud - loud.mean(2, keepdim=True)
        voiced = pitch[:, :, VOICED_BINS]
        peak = torch.log(voiced.max(2)[0] + 1e-2) - torch.log(voiced.mean(2) + 1e-2)  # [n, 8, segments]
        unsteady = peak - peak.mean(2, keepdim=True)
        slow = self.modulation(F.avg_pool1d(envelope, SLOW_STEP), self.syllable, SLOW // 2)
        slow = torch.matmul(slow.transpose(2, 3), self.slow_pools).mean(2)
        return [
            torch.log(pooled.mean(2) + 1e-3).flatten(1),
            ((wander * wander).mean(2) + 1e-6).sqrt()[:, :, 1::2].flatten(1),
            peak.mean(2), ((unsteady * unsteady).mean(2) + 1e-6).sqrt(),
            torch.log(slow + 1e-3).flatten(1),
        ]

    def modulation(self, envelope, kernels, hop):
        count, bands, length = envelope.shape
        power = self.power(envelope.reshape(-1, length), kernels, hop)
        return power.reshape(-1, bands, power.shape[1], power.shape[2])
