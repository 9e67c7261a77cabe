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
# Ridge penalty as a share of the mean eigenvalue, and what brings its scores (targets -1 and 1) to the scale of logits.
RIDGE, RIDGE_SCALE = 1.0, 2.0
# How much a row weighs by the clips of its system or source: at 0.5 a source weighs as the square root, at 1 all the same.
RECIPES = {
    'networks': {'power': 0.5, 'networks': True, 'ridge': False},
    'networks, sources even': {'power': 1.0, 'networks': True, 'ridge': False},
    'ridge': {'power': 0.5, 'networks': False, 'ridge': True},
    'networks and ridge': {'power': 0.5, 'networks': True, 'ridge': True},
}
FORMER = 'networks'  # what version 1.0.0 was


def balance(labels, units, power):
    """What each row weighs: classes the same, systems and sources within a class by `power`."""
    weights = np.zeros(len(labels))
    for label in (0, 1):
        inside = labels == label
        _, which, counts = np.unique(units[inside], return_inverse=True, return_counts=True)
        share = counts[which].astype(float) ** -power
        weights[inside] = share / share.sum() / 2
    return weights


class Head(nn.Module):
    """Several small networks and, where the recipe has it, a ridge, with the same scaling; their mean logit."""

    def __init__(self, mean, deviation, count, with_ridge=False, hidden=HIDDEN):
        super().__init__()
        self.register_buffer('mean', torch.tensor(mean))
        self.register_buffer('scale', torch.tensor(1 / deviation))
        self.members = nn.ModuleList(
            nn.Sequential(nn.Dropout(INPUT_DROP), nn.Linear(len(mean), hidden), nn.BatchNorm1d(hidden), nn.ReLU(),
                          nn.Dropout(HIDDEN_DROP), nn.Linear(hidden, 1))
            for _ in range(count))
        self.ridge = nn.Linear(len(mean), 1) if with_ridge else None

    def scaled(self, statistics):
        return torch.clamp((statistics - self.mean) * self.scale, -CLIP, CLIP)

    def forward(self, statistics):
        scaled = self.scaled(statistics)
        parts = [torch.stack([member(scaled) for member in self.members]).mean(0)] if len(self.members) else []
        return torch.stack(parts + ([] if self.ridge is None else [self.ridge(scaled)])).mean(0)


def fit(views, shares, labels, units, recipe, seeds, epochs, device='cpu'):
    """
    A head as one of RECIPES says, on `views`: arrays [rows, count] of the same rows heard differently, drawn by `shares`.
    `labels` and `units` are of the rows.
    """
    terms = RECIPES[recipe]
    every = np.vstack(views)
    seeds = seeds if terms['networks'] else ()
    head = Head(every.mean(0), every.std(0) + 1e-6, len(seeds), terms['ridge']).to(device)
    scaled = torch.stack([head.scaled(torch.tensor(view, device=device)) for view in views])
    chance = balance(labels, units, terms['power'])
    for seed, member in zip(seeds, head.members):
        fit_one(member, scaled, shares, labels, chance, seed, epochs)
    if terms['ridge']:
        fit_ridge(head.ridge, scaled, shares, labels, chance)
    return head.eval()


def fit_ridge(layer, scaled, shares, labels, chance):
    """Weighted least squares on targets of -1 and 1, in closed form."""
    rows = scaled.flatten(0, 1)
    weights = torch.tensor(np.outer(shares, chance).ravel() / np.sum(shares), dtype=torch.float32, device=rows.device)
    targets = torch.tensor(np.tile(2.0 * labels - 1, len(shares)), dtype=torch.float32, device=rows.device)
    mean, middle = weights @ rows, weights @ targets
    rest = (rows - mean) * weights[:, None]
    scatter = rest.T @ (rows - mean)
    count = scatter.shape[0]
    scatter += RIDGE * torch.trace(scatter) / count * torch.eye(count, device=rows.device)
    slopes = torch.linalg.solve(scatter, rest.T @ (targets - middle))
    with torch.no_grad():
        layer.weight.copy_(RIDGE_SCALE * slopes[None])
        layer.bias.copy_(RIDGE_SCALE * (middle - mean @ slopes)[None])


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
