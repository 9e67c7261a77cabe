"""The head over what is heard and seen of a window: comparisons with the rows trained on, and the graphs of the package."""
import itertools
import warnings
from dataclasses import dataclass, replace

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import nn
from torch.nn import functional as F

from frontend import PARTS, SAMPLES, Statistics
from view import SEEN, View

CLIP = 4.0
# A system or source weighs as this power of its clips.
POWER = 0.5
# How much the mean row weighs against the penalty on the comparisons.
STRENGTH = 30.0
NEWTON_STEPS, SETTLED = 12, 1e-2
# Share of each class that the further clips make up, where a recipe has them.
FURTHER_SHARE = 0.15
# Of each part of the statistics only so many principal components are compared.
COMPONENTS = 25
# Of the quadratic form of a wider part than WHOLE only the RANK greatest eigenvectors are kept.
WHOLE, RANK = 1000, 64


@dataclass(frozen=True)
class Way:
    """
    One way of comparing: the shares of all statistics together, of their PARTS, and of what the encoder sees; whether further
    clips take part; how many principal components of what is heard are compared (None: all of it, as it is).
    """

    together: float = 0.0
    parts: float = 0.0
    seen: float = 0.0
    further: bool = False
    components: int | None = COMPONENTS


# The files of the package, between which the encoder runs (encoder.py).
NETWORKS = VIEW, MODEL = 'view.onnx', 'model.onnx'
# Ways of comparing whose mean a head is.
PACK_ALONE = Way(parts=0.5, seen=0.5)
WITH_FURTHER = replace(PACK_ALONE, further=True)
FORMER = 'statistics (2.0)'
RECIPES = {
    FORMER: (Way(together=1, components=None), Way(together=0.5, parts=0.5, further=True, components=None)),
    'parts and seen': (PACK_ALONE,),
    'parts and seen, further clips': (WITH_FURTHER,),
    'both': (PACK_ALONE, WITH_FURTHER),
}


def take_further(ways):
    return any(way.further for way in ways)


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
    """Values less their mean, over their deviation, clipped."""

    def __init__(self, rows):
        super().__init__()
        self.register_buffer('mean', torch.tensor(rows.mean(0)))
        self.register_buffer('scale', torch.tensor(1 / (rows.std(0) + 1e-6)))

    def forward(self, values):
        return torch.clamp((values - self.mean) * self.scale, -CLIP, CLIP)


class Part(nn.Module):
    """
    Some of the scaled values as a direction, and what is learned of it: comparisons ((1 + cosine) / 2) squared with every row
    trained on, weighed and summed, are a linear and a quadratic form of the direction.
    """

    def __init__(self, span, components, rows):
        super().__init__()
        self.low, self.high = span
        rows = rows[:, self.low:self.high]
        if components is not None:
            center = rows.mean(0)
            _, _, basis = np.linalg.svd(rows - center, full_matrices=False)
            self.register_buffer('center', torch.tensor(center))
            self.register_buffer('basis', torch.tensor(basis[:components].T.copy()))

    def directions(self, scaled):
        part = scaled[:, self.low:self.high]
        return F.normalize((part - self.center) @ self.basis if hasattr(self, 'basis') else part)

    def learn(self, rows, heights):
        """`rows` [rows, width] to compare with, and how much each counts."""
        rows, heights = rows.astype(np.float32), heights.astype(np.float32)
        width = rows.shape[1]
        square = LinearOperator((width, width), matvec=lambda v: rows.T @ (heights * (rows @ v.ravel())) / 4, dtype=np.float32)
        values, vectors = eigsh(square, k=RANK, which='LM', v0=np.ones(width, np.float32)) if width > WHOLE \
            else np.linalg.eigh((rows.T * heights) @ rows / 4)
        self.register_buffer('line', torch.tensor(heights @ rows / 2)[:, None])
        self.register_buffer('values', torch.tensor(values)[:, None])
        self.register_buffer('vectors', torch.tensor(np.ascontiguousarray(vectors)))

    def forward(self, scaled):
        direction = self.directions(scaled)
        return direction @ self.line + (direction @ self.vectors) ** 2 @ self.values


class Comparison(nn.Module):
    """
    One way of comparing, fitted: a logistic regression over the comparisons among `rows`, scaled. `base`: those of them that say
    what the principal components are (a mask); `weights` of mean 1.
    """

    def __init__(self, way, rows, base, labels, weights):
        super().__init__()
        entries = spans_of(way)
        self.parts = nn.ModuleList(Part(span, components, rows[base]) for span, components, _ in entries)
        shares = [share for _, _, share in entries]
        directions = [part.directions(torch.tensor(rows)).numpy() for part in self.parts]
        alike = sum(share / 4 * (1 + d @ d.T) ** 2 for share, d in zip(shares, directions))
        heights, offset = regress(alike, labels.astype(float), STRENGTH * weights)
        self.register_buffer('offset', torch.tensor([offset + heights.sum() * sum(shares) / 4], dtype=torch.float32))
        for part, share, d in zip(self.parts, shares, directions):
            part.learn(d, share * heights)

    def forward(self, scaled):
        return self.offset + sum(part(scaled) for part in self.parts)


class Head(nn.Module):
    """The mean of some comparisons; takes [n, statistics and features]."""

    def __init__(self, scaled, ways):
        super().__init__()
        self.scaled, self.ways = scaled, nn.ModuleList(ways)

    def forward(self, values):
        scaled = self.scaled(values)
        return sum(way(scaled) for way in self.ways) / len(self.ways)


def spans_of(way):
    """What a way compares: (from, to) among the values, principal components, share."""
    edges = [0, *itertools.accumulate(PARTS.values())]
    heard = edges[-1]
    parts = [(span, way.components, way.parts / len(PARTS)) for span in zip(edges[:-1], edges[1:])]
    entries = [((0, heard), way.components, way.together), *parts, ((heard, heard + SEEN), None, way.seen)]
    return [entry for entry in entries if entry[2]]


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


def fit(views, labels, units, further, ways):
    """
    A head of these ways on `views`: arrays [rows, statistics and features] of the same rows, as they are and degraded. `labels`
    and `units` are of the rows, `further` says which are no clips of the pack.
    """
    scaled, fitted = Scaled(np.concatenate([view[~further] for view in views])), []
    for way in ways:
        taken = np.ones(len(labels), bool) if way.further else ~further
        weights = balance(labels[taken], units[taken], further[taken])
        rows = scaled(torch.tensor(np.concatenate([view[taken] for view in views]))).numpy()
        fitted.append(Comparison(way, rows, np.tile(~further[taken], len(views)), np.tile(labels[taken], len(views)),
                                 np.tile(weights / weights.mean(), len(views)) / len(views)))
    return Head(scaled, fitted).eval()


def score(head, values):
    with torch.no_grad():
        return head(torch.tensor(values))[:, 0].numpy()


class Looking(nn.Module):
    """Samples of one window to what the encoder sees of it, and the statistics."""

    def __init__(self):
        super().__init__()
        self.view, self.statistics = View(), Statistics()

    def forward(self, samples):
        return self.view(samples), self.statistics(samples)


class Judging(nn.Module):
    """What the encoder made of the view, and the statistics, to one logit."""

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, features, statistics):
        return self.head(torch.cat([statistics, features], 1))


def halve(graph):
    """Keeps the large tables of a graph at half precision, and casts them when it runs."""
    for tensor in [each for each in graph.initializer if each.name.endswith('.vectors')]:
        values, half = numpy_helper.to_array(tensor).astype(np.float16), f'{tensor.name}.half'
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(values, half))
        graph.node.insert(0, helper.make_node('Cast', [half], [tensor.name], to=TensorProto.FLOAT))


def export(head, folder):
    """Writes NETWORKS."""
    statistics = sum(PARTS.values())
    write_graph(Looking(), (torch.randn(1, SAMPLES),), folder / VIEW, ['samples'], ['pixels', 'statistics'])
    write_graph(Judging(head), (torch.randn(1, SEEN), torch.randn(1, statistics)), folder / MODEL,
                ['features', 'statistics'], ['logit'])


def write_graph(network, inputs, path, input_names, output_names):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        torch.onnx.export(network.eval(), inputs, str(path), opset_version=13, input_names=input_names,
                          output_names=output_names)
    proto = onnx.load(str(path))
    halve(proto.graph)
    onnx.save(proto, str(path))
