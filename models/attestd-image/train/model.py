"""The detector network: MobileNetV2's first seven blocks, pooled texture statistics, one linear unit.

Only the early, texture-level blocks are used: later blocks name objects, and what is in the
picture is exactly the leak of the training pack (see card.md). Run as a script, this module packs
the output of export-backbone.mjs into backbone.npz.
"""

import json
import pathlib
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

HERE = pathlib.Path(__file__).parent
# (expanded channels, output channels, stride) of MobileNetV2 (alpha 1.0) blocks 1..6.
BLOCKS = [(96, 24, 2), (144, 24, 1), (144, 32, 2), (192, 32, 1), (192, 32, 1), (192, 64, 2)]
# Blocks whose outputs are pooled; picked by the mean left-out AUC over the folds.
TAPS = (3, 4, 5, 6)
FEATURES = 2 * sum(BLOCKS[i - 1][1] for i in TAPS)


def pack_backbone(prefix):
    """Joins PREFIX.json and PREFIX.bin (uint8 codes with scale and minimum) into backbone.npz."""
    tensors = json.loads(pathlib.Path(f"{prefix}.json").read_text())
    codes = np.fromfile(f"{prefix}.bin", np.uint8)
    arrays, offset = {}, 0
    for tensor in tensors:
        count = int(np.prod(tensor["shape"]))
        arrays[tensor["name"]] = codes[offset:offset + count].reshape(tensor["shape"])
        arrays[tensor["name"] + "/range"] = np.array([tensor["scale"], tensor["min"]], np.float64)
        offset += count
    np.savez_compressed(HERE / "backbone.npz", **arrays)


def read_backbone():
    """Returns the dequantized backbone tensors by Keras name."""
    stored = np.load(HERE / "backbone.npz")
    tensors = {}
    for name in stored.files:
        if not name.endswith("/range"):
            scale, minimum = stored[name + "/range"]
            tensors[name] = torch.from_numpy((stored[name] * scale + minimum).astype(np.float32))
    return tensors


class ConvUnit(nn.Module):
    """Convolution, batch normalization, optional ReLU6, with Keras's asymmetric padding."""

    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, relu=True):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, 0, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs, eps=1e-3)
        self.padding = None if kernel == 1 else ((0, 1, 0, 1) if stride == 2 else (1, 1, 1, 1))
        self.relu = relu

    def forward(self, x):
        if self.padding:
            x = F.pad(x, self.padding)
        x = self.norm(self.conv(x))
        return F.relu6(x) if self.relu else x

    def load(self, tensors, conv, norm):
        """Copies one Keras convolution and its normalization."""
        depthwise = f"{conv}/depthwise_kernel" in tensors
        kernel = tensors[f"{conv}/depthwise_kernel" if depthwise else f"{conv}/kernel"]
        order = (2, 3, 0, 1) if depthwise else (3, 2, 0, 1)
        self.conv.weight.data = kernel.permute(*order).contiguous()
        self.norm.weight.data = tensors[f"{norm}/gamma"]
        self.norm.bias.data = tensors[f"{norm}/beta"]


class Block(nn.Module):
    """MobileNetV2 inverted residual block."""

    def __init__(self, inputs, expanded, outputs, stride):
        super().__init__()
        self.expand = ConvUnit(inputs, expanded, 1) if expanded != inputs else None
        self.depthwise = ConvUnit(expanded, expanded, 3, stride, expanded)
        self.project = ConvUnit(expanded, outputs, 1, relu=False)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x):
        y = self.expand(x) if self.expand else x
        y = self.project(self.depthwise(y))
        return x + y if self.residual else y

    def load(self, tensors, name):
        if self.expand:
            self.expand.load(tensors, f"{name}_expand", f"{name}_expand_BN")
        self.depthwise.load(tensors, f"{name}_depthwise", f"{name}_depthwise_BN")
        self.project.load(tensors, f"{name}_project", f"{name}_project_BN")


class Detector(nn.Module):
    """Pixels [N,3,S,S] in -1..1 to one logit [N,1]; positive means machine-made."""

    def __init__(self):
        super().__init__()
        self.stem = ConvUnit(3, 32, 3, 2)
        self.first = Block(32, 32, 16, 1)
        channels, blocks = 16, []
        for expanded, outputs, stride in BLOCKS:
            blocks.append(Block(channels, expanded, outputs, stride))
            channels = outputs
        self.blocks = nn.ModuleList(blocks)
        self.head = nn.Linear(FEATURES, 1)
        self.load_backbone()

    def load_backbone(self):
        tensors = read_backbone()
        self.stem.load(tensors, "Conv1", "bn_Conv1")
        self.first.load(tensors, "expanded_conv")
        for number, block in enumerate(self.blocks, 1):
            block.load(tensors, f"block_{number}")

    def features(self, x):
        """Mean and standard deviation over the picture of every tapped channel, [N,FEATURES]."""
        x = self.first(self.stem(x))
        pooled = []
        for number, block in enumerate(self.blocks, 1):
            x = block(x)
            if number in TAPS:
                mean = x.mean((2, 3), keepdim=True)
                deviation = ((x - mean).square().mean((2, 3)) + 1e-6).sqrt()
                pooled += [mean[:, :, 0, 0], deviation]
        return torch.cat(pooled, 1)

    def forward(self, x):
        return self.head(self.features(x))

    def recalibrate(self, batches):
        """Measures the normalization statistics anew.

        The published ones are quantized to 8 bits over the whole range of a layer, which turns
        small variances into zero.
        """
        norms = [m for m in self.modules() if isinstance(m, nn.BatchNorm2d)]
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None
        self.train()
        with torch.no_grad():
            for batch in batches:
                self.features(batch)
        self.eval()

    def set_head(self, mean, deviation, coefficients, intercept):
        """Folds the standardization of the features into the linear unit."""
        weight = coefficients / deviation
        self.head.weight.data = torch.tensor(weight, dtype=torch.float32)[None]
        self.head.bias.data = torch.tensor([intercept - float(weight @ mean)], dtype=torch.float32)


if __name__ == "__main__":
    pack_backbone(sys.argv[1])
