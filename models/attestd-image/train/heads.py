"""The head of the whole view: what is learned over the frozen features of encoder.py.

The features of a picture, standardized and brought to length 1, are compared with those of the training pictures by
((1 + cosine) / 2) ** 2, and weights of these comparisons are fitted by logistic regression. That is a linear and a
quadratic form of the features; of the quadratic one the RANK greatest eigenvectors are kept. Against a linear head alone it
ranks sources that it has not seen by 0.01 of AUC better (card.md).
"""

import gzip
import pathlib
import random
from multiprocessing import Pool

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigsh

import augment
import encoder
import sources

LAYERS = (6, 7)
# Strength of the fit, the power of its size by which a picture of a group counts, and how much of the quadratic form is kept.
STRENGTH, POWER, RANK = 150.0, -0.4, 64
# Each row is learned from twice: by the square of the original and by that of its web copy. Share of these that are coded anew.
COPIES, CODED_SHARE = 2, 0.5
STEPS, CLOSE = 30, 1e-2
# Pictures that tell how large the encoder's channels are.
SIZED_BY = 40


def pixels(picture, mean, std):
    return np.ascontiguousarray(((picture / 255 - mean) / std).astype(np.float32).transpose(2, 0, 1)[None])


def some_pixels(work, usable, mean, std):
    """What SIZED_BY of the rows of `usable` show, as the encoder takes it."""
    pictures = np.load(pathlib.Path(work) / "squares.npy", mmap_mode="r")
    return [pixels(pictures[row, 0], mean, std) for row in random.Random(0).sample(usable, min(SIZED_BY, len(usable)))]


def described(job):
    """Features of one of the COPIES of some rows, [rows, features]."""
    graph, squares, indices, copy, mean, std = job
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(graph), options)
    pictures, found = np.load(squares, mmap_mode="r"), []
    for index in indices:
        rng = random.Random(COPIES * index + copy)
        picture = pictures[index, copy]
        picture = augment.coded(picture, rng) if rng.random() < CODED_SHARE else picture
        found.append(session.run(["features"], {"pixels": pixels(picture, mean, std)})[0][0])
    return np.array(found, np.float32)


def features(work, graph, usable, mean, std, processes=2):
    """Features of the training pictures of each row of `usable`, [COPIES, rows, features]; kept in `work`."""
    file = pathlib.Path(work) / "features.npy"
    if not file.exists():
        parts = np.array_split(np.array(usable), max(1, len(usable) // 64))
        with Pool(processes) as pool:
            squares = pathlib.Path(work) / "squares.npy"
            jobs = [(graph, squares, part.tolist(), copy, mean, std) for copy in range(COPIES) for part in parts]
            found = np.concatenate(pool.map(described, jobs, chunksize=1))
            np.save(file, found.reshape(COPIES, len(usable), -1))
    return np.load(file)


def weights(rows):
    """Weights of pictures: groups evened out, then both classes of a kind, so that the kind of a picture is not the clue."""
    sizes, kinds = {}, {}
    for row in rows:
        key = (sources.group(row), row["fake"])
        sizes[key] = sizes.get(key, 0) + 1
    weight = np.array([sizes[sources.group(row), row["fake"]] ** POWER for row in rows])
    for index, row in enumerate(rows):
        kinds.setdefault(row["kind"], {}).setdefault(row["fake"], []).append(index)
    for sides in kinds.values():
        if len(sides) == 2:
            half = sum(weight[side].sum() for side in sides.values()) / 2
            for side in sides.values():
                weight[side] *= half / weight[side].sum()
    fake = np.array([row["fake"] for row in rows])
    for side in (fake, ~fake):
        weight[side] /= weight[side].mean()
    return weight


def unit(standard):
    return standard / np.linalg.norm(standard, axis=1, keepdims=True)


def fit(found, rows, like=None):
    """The head of `found` [copies, rows, features]: arrays by name, as `export` takes them; standardized as another head, if given."""
    fake, weight = np.array([row["fake"] for row in rows], float), weights(rows) * STRENGTH
    fake, weight, found = np.tile(fake, len(found)), np.tile(weight, len(found)), np.concatenate(found)
    mean, spread = (found.mean(0), found.std(0) + 1e-3) if like is None else (like["mean"], like["spread"])
    places = unit((found - mean) / spread)
    share, offset = regression(((1 + places @ places.T) / 2) ** 2, fake, weight)
    quadratic = LinearOperator((places.shape[1],) * 2, matvec=lambda v: places.T @ (share * (places @ v.ravel())) / 4)
    values, vectors = eigsh(quadratic, k=min(RANK, len(fake) - 1), which="LM", v0=np.ones(places.shape[1]))
    return {
        "mean": mean, "spread": spread, "linear": (share @ places) / 2, "offset": share.sum() / 4 + offset,
        "values": values, "vectors": vectors,
    }


def joined(first, second, share):
    """Half of each of two heads that standardize alike as one head, the second's logits multiplied by `share`."""
    parts = ((first, 0.5), (second, 0.5 * share))
    across, upper = np.linalg.qr(np.concatenate([head["vectors"] for head, _ in parts], 1).astype(np.float64))
    values, turned = np.linalg.eigh((upper * np.concatenate([by * head["values"] for head, by in parts])) @ upper.T)
    kept = np.argsort(-np.abs(values))[:RANK]
    sums = {name: sum(by * head[name] for head, by in parts) for name in ("linear", "offset")}
    return {**first, **sums, "values": values[kept], "vectors": across @ turned[:, kept]}


def logits(head, features):
    """What a head gives features [rows, features]."""
    places = unit((features - head["mean"]) / head["spread"])
    return places @ head["linear"] + (places @ head["vectors"]) ** 2 @ head["values"] + head["offset"]


def regression(kernel, fake, weight):
    """Shares of the training pictures and the offset that a logistic regression with weights gives them (Newton's method).

    In single precision, since the factors of a kernel of 16,000 pictures take most of the time and the memory.
    """
    ones, seen = np.ones(len(fake)), np.zeros(len(fake))
    for _ in range(STEPS):
        risk = 1 / (1 + np.exp(-seen))
        slope = np.maximum(weight * risk * (1 - risk), 1e-6)
        aim = seen + weight * (fake - risk) / slope
        root = np.sqrt(slope).astype(np.float32)[:, None]
        system = root * kernel * root.T
        system[np.diag_indices_from(system)] += 1
        factor = cho_factor(system, overwrite_a=True, check_finite=False)
        solved = cho_solve(factor, root * np.stack([aim, ones], 1).astype(np.float32)) * root
        offset = solved[:, 0].sum() / solved[:, 1].sum()
        share = solved[:, 0] - offset * solved[:, 1]
        before, seen = seen, kernel @ share + offset
        if np.abs(seen - before).max() < CLOSE:
            break
    return share, offset


def export(head, file):
    """Writes a head as the daemon runs it: `features` [1, n], as the encoder gives them, to `logit` [1]."""
    graph = encoder.Graph()
    standard = graph.node("Mul", graph.node("Sub", "features", graph.floats(head["mean"])), graph.floats(1 / head["spread"]))
    place = graph.node("LpNormalization", standard, axis=1, p=2)
    along = graph.node("MatMul", place, graph.half(head["vectors"]))
    quadratic = graph.node("MatMul", graph.node("Mul", along, along), graph.floats(head["values"][:, None]))
    linear = graph.node("MatMul", place, graph.floats(head["linear"][:, None]))
    logit = graph.node("Add", graph.node("Add", linear, quadratic), graph.floats([[head["offset"]]]))
    graph.nodes.append(helper.make_node("Reshape", [logit, graph.whole([1])], ["logit"]))
    given = helper.make_tensor_value_info("features", TensorProto.FLOAT, [1, len(head["mean"])])
    gives = helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1])
    model = helper.make_model(helper.make_graph(graph.nodes, "head", [given], [gives], graph.stored), opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 8
    pathlib.Path(file).write_bytes(model.SerializeToString())


def behind(file):
    """The head that the packed encoder of 4.3.1 has behind its features, as `fit` gives one."""
    graph = onnx.load_from_string(gzip.decompress(pathlib.Path(file).read_bytes())).graph
    stored = {each.name: numpy_helper.to_array(each).astype(np.float32) for each in graph.initializer}
    (made,) = [node.input[0] for node in graph.node if node.output[0] == "features"]
    first = next(number for number, node in enumerate(graph.node) if node.output[0] == made) + 1
    mean, slope, vectors, values, linear, offset = [
        stored[name] for node in graph.node[first:] if node.op_type != "Reshape" for name in node.input if name in stored
    ]
    return {
        "mean": mean, "spread": 1 / slope, "linear": linear[:, 0], "offset": offset.item(), "values": values[:, 0], "vectors": vectors,
    }
