"""The head over what is heard and seen of a window: comparisons with the rows trained on, and the graphs of the package."""
import itertools
import warnings
from dataclasses import dataclass

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from scipy.sparse.linalg import LinearOperator, eigsh
from torch import nn
from torch.nn import functional as F

from frontend import PARTS, SAMPLES, Statistics
from view import SEEN, View

CLIP = 4.0
# How much the mean row weighs against the penalty on the comparisons, and how much all pairs together against all rows.
STRENGTH, PAIRS = 30.0, 0.3
NEWTON_STEPS, SETTLED = 12, 2e-2
# With so many of the rows, drawn by their weight, every row is compared; directions in which these hardly differ are left out.
KNOWN, LEAST = 4000, 1e-5
# Of each part of the statistics only so many principal components are compared.
COMPONENTS = 25
# Of the quadratic form of a wider part than WHOLE only the RANK greatest eigenvectors are kept.
WHOLE, RANK = 500, 64


@dataclass(frozen=True)
class Way:
    """The shares, in a comparison, of all statistics together, of the principal components of each of PARTS, and of what the encoder sees."""

    together: float = 0.25
    parts: float = 0.25
    seen: float = 0.5


# The files of the package, between which the encoder runs (encoder.py).
NETWORKS = VIEW, MODEL = 'view.onnx', 'model.onnx'


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


class Head(nn.Module):
    """
    Fitted: a logistic regression over the comparisons of a window with some of `rows` [rows, statistics and features], of which each counts
    `weights` (mean 1); of `pairs`, places of a synthetic and a human row of one sentence and weights (mean 1), the first is to score higher.
    """

    def __init__(self, rows, labels, weights, pairs, way=Way()):
        super().__init__()
        self.scaled = Scaled(rows)
        rows = self.scaled(torch.tensor(rows))
        chance = weights / weights.sum()
        known = np.random.default_rng(5).choice(len(labels), min(KNOWN, len(labels)), replace=False, p=chance)
        entries = spans_of(way)
        self.parts = nn.ModuleList(Part(span, components, rows.numpy()) for span, components, _ in entries)
        shares = [share for _, _, share in entries]
        alike, directions = torch.zeros(len(labels), len(known)), []
        for share, part in zip(shares, self.parts):
            each = part.directions(rows)
            directions.append(each[known].numpy())
            alike += (each @ each[known].T).add_(1).square_().mul_(share / 4)
        heights, offset = regress(alike, known, Terms(labels, weights, pairs))
        self.register_buffer('offset', torch.tensor([offset + heights.sum() * sum(shares) / 4], dtype=torch.float32))
        for part, share, each in zip(self.parts, shares, directions):
            part.learn(each, share * heights)

    def forward(self, values):
        scaled = self.scaled(values)
        return self.offset + sum(part(scaled) for part in self.parts)


def spans_of(way):
    """What a way compares: (from, to) among the values, principal components, share."""
    edges = [0, *itertools.accumulate(PARTS.values())]
    heard = edges[-1]
    parts = [(span, COMPONENTS, way.parts / len(PARTS)) for span in zip(edges[:-1], edges[1:])]
    entries = [((0, heard), None, way.together), *parts, ((heard, heard + SEEN), None, way.seen)]
    return [entry for entry in entries if entry[2]]


class Terms:
    """What a regression is fitted to: rows, of which the offset is a part, and differences of pairs of them, of which it is none."""

    def __init__(self, labels, weights, pairs):
        self.first, self.second, pair_weights = (torch.as_tensor(np.asarray(each)) for each in pairs)
        count, more = len(labels), len(self.first)
        self.labels = torch.cat([torch.tensor(labels, dtype=torch.float32), torch.ones(more)])
        shares = pair_weights.float() * (PAIRS * count / max(more, 1))
        self.weights = STRENGTH * torch.cat([torch.tensor(weights, dtype=torch.float32), shares])
        self.ones = torch.cat([torch.ones(count), torch.zeros(more)])

    def of(self, rows):
        """The values of each term, from those of the rows."""
        return torch.cat([rows, rows[self.first] - rows[self.second]])


def regress(alike, known, terms):
    """Logistic regression by Newton's steps on likenesses to the known rows: how much each of these counts, and the offset."""
    values, vectors = torch.linalg.eigh(alike[known].double())
    kept = values > LEAST * values.max()
    whiten = vectors[:, kept] * values[kept] ** -0.5
    table = terms.of(torch.cat([alike @ whiten.float(), torch.ones(len(alike), 1)], 1))
    penalty = torch.ones(table.shape[1], dtype=torch.float64)
    penalty[-1] = 1e-6
    seen = torch.zeros(len(table))
    for step in range(NEWTON_STEPS):
        risk = torch.sigmoid(seen)
        slope = (terms.weights * risk * (1 - risk)).clamp(min=1e-6)
        aim = slope * seen + terms.weights * (terms.labels - risk)
        system = (table.T @ (slope[:, None] * table)).double() + torch.diag(penalty)
        found = torch.linalg.solve(system, (table.T @ aim).double())
        before, seen = seen, table @ found.float()
        print(f'step {step}: moved {(seen - before).abs().max():.3f}', flush=True)
        if (seen - before).abs().max() < SETTLED:
            break
    return (whiten @ found[:-1]).float().numpy(), float(found[-1])


def score(head, values):
    with torch.no_grad():
        return torch.cat([head(part)[:, 0] for part in torch.tensor(values).split(2000)]).numpy()


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


def export(head, folder, is_open=False):
    """Writes NETWORKS; of the open edition the second alone, since it looks as the other does."""
    statistics = sum(PARTS.values())
    if not is_open:
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
