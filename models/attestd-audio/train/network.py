"""The classifier over the statistics: fitting, several in one, and the whole as ONNX."""
import warnings

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from frontend import SAMPLES, Statistics

HIDDEN, INPUT_DROP, HIDDEN_DROP, NOISE = 192, 0.2, 0.5, 0.4
BATCH, RATE, DECAY, SMOOTH = 256, 3e-3, 0.05, 0.05
CLIP = 4.0
# Systems and sources weigh as the square root of their clips, classes the same.
UNIT_POWER = 0.5


def balance(labels, units):
    weights = np.zeros(len(labels))
    for label in (0, 1):
        inside = labels == label
        _, which, counts = np.unique(units[inside], return_inverse=True, return_counts=True)
        share = counts[which].astype(float) ** -UNIT_POWER
        weights[inside] = share / share.sum() / 2
    return weights


class Head(nn.Module):
    """Several small networks with the same scaling; their mean logit."""

    def __init__(self, mean, deviation, count, hidden=HIDDEN):
        super().__init__()
        self.register_buffer('mean', torch.tensor(mean))
        self.register_buffer('scale', torch.tensor(1 / deviation))
        self.members = nn.ModuleList(
            nn.Sequential(nn.Dropout(INPUT_DROP), nn.Linear(len(mean), hidden), nn.BatchNorm1d(hidden), nn.ReLU(),
                          nn.Dropout(HIDDEN_DROP), nn.Linear(hidden, 1))
            for _ in range(count))

    def scaled(self, statistics):
        return torch.clamp((statistics - self.mean) * self.scale, -CLIP, CLIP)

    def forward(self, statistics):
        scaled = self.scaled(statistics)
        return torch.stack([member(scaled) for member in self.members]).mean(0)


def fit(views, shares, labels, units, seeds, epochs, device='cpu'):
    """
    A head on `views`, arrays [rows, count] of the same rows heard differently, drawn by `shares`.
    `labels` and `units` are of the rows.
    """
    every = np.vstack(views)
    head = Head(every.mean(0), every.std(0) + 1e-6, len(seeds)).to(device)
    scaled = torch.stack([head.scaled(torch.tensor(view, device=device)) for view in views])
    chance = balance(labels, units)
    for seed, member in zip(seeds, head.members):
        fit_one(member, scaled, shares, labels, chance, seed, epochs)
    return head.eval()


def fit_one(member, scaled, shares, labels, chance, seed, epochs):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    for layer in member:
        if hasattr(layer, 'reset_parameters'):
            layer.reset_parameters()
    steps = max(8, int(epochs * 2 * len(labels) / BATCH))
    optimizer = torch.optim.AdamW(member.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    targets = torch.tensor(labels, dtype=torch.float32, device=scaled.device) * (1 - 2 * SMOOTH) + SMOOTH
    member.train()
    for _ in range(steps):
        rows = rng.choice(len(labels), BATCH, p=chance)
        batch = scaled[rng.choice(len(shares), BATCH, p=shares), rows]
        logits = member(batch + NOISE * torch.randn_like(batch))[:, 0]
        loss = F.binary_cross_entropy_with_logits(logits, targets[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


def score(head, statistics):
    with torch.no_grad():
        device = head.mean.device
        return head(torch.tensor(statistics, device=device))[:, 0].cpu().numpy()


class Detector(nn.Module):
    """Samples of one window to one logit."""

    def __init__(self, head):
        super().__init__()
        self.statistics, self.head = Statistics(), head

    def forward(self, samples):
        return self.head(self.statistics(samples))


def export(head, path):
    detector = Detector(head.cpu()).eval()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        torch.onnx.export(detector, torch.randn(1, SAMPLES), str(path), opset_version=13,
                          input_names=['samples'], output_names=['logit'])
    return detector
