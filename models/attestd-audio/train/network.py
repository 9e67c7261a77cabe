"""The classifier over the statistics: comparisons with the rows trained on, or small networks, and the whole as ONNX."""
import itertools
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from scipy.linalg import cho_factor, cho_solve
from torch import nn
from torch.nn import functional as F

from frontend import PARTS, SAMPLES, Statistics

HIDDEN, INPUT_DROP, HIDDEN_DROP, NOISE = 192, 0.2, 0.5, 0.4
BATCH, RATE, DECAY, SMOOTH = 256, 3e-3, 0.05, 0.05
CLIP = 4.0
# A system or source weighs as this power of its clips.
POWER = 0.5
# How much the mean row weighs against the penalty on the comparisons.
STRENGTH = 30.0
NEWTON_STEPS, SETTLED = 12, 1e-2
# Share of each class that the further clips make up, where a recipe has them.
FURTHER_SHARE = 0.15
# The ways of comparing whose mean a head is: (by part too, with the further clips). None: networks.
RECIPES = {
    'networks': (),
    'comparisons': ((False, False),),
    'comparisons, by part too': ((True, False),),
    'comparisons, by part too, further clips': ((True, True),),
    'both: comparisons of the pack, and by part with further clips': ((False, False), (True, True)),
}
FORMER = 'networks'  # what version 1.0.0 was


def takes_further(recipe):
    return any(further for _, further in RECIPES[recipe])


def balance(labels, units, further):
    """
    What each row weighs: classes the same, systems and sources within a class by POWER, rows of the mask `further` FURTHER_SHARE
    of each class that has any; all together 1.
    """
    weights = np.zeros(len(labels))
    for label in (0, 1):
        mine = labels == label
        for part, part_share in ((mine & ~further, 1 - FURTHER_SHARE), (mine & further, FURTHER_SHARE)):
            if part.any():
                _, which, counts = np.unique(units[part], return_inverse=True, return_counts=True)
                share = counts[which].astype(float) ** (POWER - 1)
                weights[part] = part_share * share / share.sum()
        weights[mine] /= 2 * weights[mine].sum()
    return weights


class Scaled(nn.Module):
    """Statistics less their mean, over their deviation, clipped."""

    def __init__(self, rows):
        super().__init__()
        self.register_buffer('mean', torch.tensor(rows.mean(0)))
        self.register_buffer('scale', torch.tensor(1 / (rows.std(0) + 1e-6)))

    def forward(self, statistics):
        return torch.clamp((statistics - self.mean) * self.scale, -CLIP, CLIP)


class Networks(nn.Module):
    """Several small networks; their mean logit."""

    def __init__(self, scaled, count):
        super().__init__()
        self.scaled = scaled
        self.members = nn.ModuleList(
            nn.Sequential(nn.Dropout(INPUT_DROP), nn.Linear(len(scaled.mean), HIDDEN), nn.BatchNorm1d(HIDDEN), nn.ReLU(),
                          nn.Dropout(HIDDEN_DROP), nn.Linear(HIDDEN, 1))
            for _ in range(count))

    def forward(self, statistics):
        scaled = self.scaled(statistics)
        return torch.stack([member(scaled) for member in self.members]).mean(0)


class Comparisons(nn.Module):
    """
    A window against every row trained on: ((1 + cosine) / 2) squared, over all statistics and over each of PARTS. Summed over
    the rows this is a linear and a square form of each direction, which is what is kept.
    """

    def __init__(self, scaled):
        super().__init__()
        self.scaled = scaled
        edges = [0, *itertools.accumulate(PARTS.values())]
        self.spans = [(0, edges[-1]), *zip(edges[:-1], edges[1:])]
        self.lines = nn.ParameterList(nn.Parameter(torch.zeros(b - a, 1)) for a, b in self.spans)
        self.squares = nn.ParameterList(nn.Parameter(torch.zeros(b - a, b - a)) for a, b in self.spans)
        self.offset = nn.Parameter(torch.zeros(1))

    def directions(self, statistics):
        scaled = self.scaled(statistics)
        return [F.normalize(scaled[:, a:b]) for a, b in self.spans]

    def forward(self, statistics):
        total = self.offset
        for direction, line, square in zip(self.directions(statistics), self.lines, self.squares):
            total = total + direction @ line + ((direction @ square) * direction).sum(1, keepdim=True)
        return total

    def learn(self, rows, labels, weights, by_part, part):
        """
        Adds `part` of a logistic regression over the comparisons among `rows`: over all statistics or, `by_part`, half of that
        and half over the parts. `weights` of mean 1.
        """
        count = len(self.spans) - 1
        shares = [0.5, *[0.5 / count] * count] if by_part else [1.0, *[0.0] * count]
        with torch.no_grad():
            directions = [d.numpy() for d in self.directions(torch.tensor(rows))]
        used = [(i, d, share) for i, (d, share) in enumerate(zip(directions, shares)) if share]
        alike = sum(share / 4 * (1 + d @ d.T) ** 2 for _, d, share in used)
        heights, offset = regress(alike, labels.astype(float), STRENGTH * weights)
        heights, offset = part * heights, part * offset
        with torch.no_grad():
            self.offset += float(offset)
            for i, d, share in used:
                self.offset += float(share / 4 * heights.sum())
                self.lines[i] += torch.tensor(share / 2 * (heights @ d), dtype=torch.float32)[:, None]
                self.squares[i] += torch.tensor(share / 4 * ((d * heights[:, None]).T @ d), dtype=torch.float32)


def regress(alike, labels, weights):
    """Logistic regression on a table of likenesses by Newton's steps: how much each row counts, and the offset."""
    seen, heights, offset = np.zeros(len(labels)), None, 0.0
    for _ in range(NEWTON_STEPS):
        risk = 1 / (1 + np.exp(-seen))
        slope = np.maximum(weights * risk * (1 - risk), 1e-6)
        aim = seen + weights * (labels - risk) / slope
        root = np.sqrt(slope).astype(np.float32)[:, None]
        system = root * alike * root.T
        system[np.diag_indices_from(system)] += 1
        factor = cho_factor(system, overwrite_a=True, check_finite=False)
        found = root * cho_solve(factor, root * np.stack([aim, np.ones(len(aim))], 1).astype(np.float32))
        offset = found[:, 0].sum() / found[:, 1].sum()
        heights = found[:, 0] - offset * found[:, 1]
        before, seen = seen, alike @ heights + offset
        if np.abs(seen - before).max() < SETTLED:
            break
    return heights, offset


def fit(views, shares, labels, units, further, recipe, seeds, epochs, device='cpu'):
    """
    A head as one of RECIPES says, on `views`: arrays [rows, count] of the same rows heard differently. Networks draw from
    them by `shares`; comparisons take the first two, each row as it is and degraded once. `labels` and `units` are of the
    rows, `further` says which are no clips of the pack.
    """
    ways = RECIPES[recipe]
    if ways:
        head = Comparisons(Scaled(np.concatenate([view[~further] for view in views[:2]])))
        for by_part, with_further in ways:
            taken = np.ones(len(labels), bool) if with_further else ~further
            weights = balance(labels[taken], units[taken], further[taken])
            head.learn(np.concatenate([view[taken] for view in views[:2]]), np.tile(labels[taken], 2),
                       np.tile(weights / weights.mean(), 2) / 2, by_part, 1 / len(ways))
        return head.eval()
    head = Networks(Scaled(np.vstack(views)), len(seeds)).to(device)
    scaled = torch.stack([head.scaled(torch.tensor(view, device=device)) for view in views])
    chance = balance(labels, units, further)
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
        device = head.scaled.mean.device
        return head(torch.tensor(statistics, device=device))[:, 0].cpu().numpy()


class Detector(nn.Module):
    """Samples of one window to one logit."""

    def __init__(self, head):
        super().__init__()
        self.statistics, self.head = Statistics(), head

    def forward(self, samples):
        return self.head(self.statistics(samples))


def halve(graph):
    """Keeps the square forms of a graph at half precision, which moves a logit by less than 0.001, and casts them when it runs."""
    for tensor in [each for each in graph.initializer if '.squares.' in each.name]:
        values, half = numpy_helper.to_array(tensor).astype(np.float16), f'{tensor.name}.half'
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(values, half))
        graph.node.insert(0, helper.make_node('Cast', [half], [tensor.name], to=TensorProto.FLOAT))


def export(head, path):
    detector = Detector(head.cpu()).eval()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        torch.onnx.export(detector, torch.randn(1, SAMPLES), str(path), opset_version=13,
                          input_names=['samples'], output_names=['logit'])
    proto = onnx.load(str(path))
    halve(proto.graph)
    onnx.save(proto, str(path))
    return detector
