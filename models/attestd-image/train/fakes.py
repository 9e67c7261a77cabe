#!/usr/bin/python3
"""Makes content-aligned fakes: real pictures put through a network or a smoothing filter, nothing else changed.

    npm pack @upscalerjs/esrgan-slim@1.0.0 && tar xzf upscalerjs-esrgan-slim-1.0.0.tgz    (MIT)
    python3 fakes.py --data PACK --extra DIR --esrgan package

Appends to DIR/index.csv (the output of collect.py) rows with `made` = network or filter, whose `source`
is that of the real picture, so that leaving out a source leaves out its fakes. Without --esrgan
only filters are made.
"""

import argparse
import csv
import json
import pathlib
import random

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageFilter

import data

# Real pictures of each source that are made into fakes, by each of the two ways.
PER_SOURCE = {
    "celeba": 130, "ffhq": 130, "imagenet": 110, "clothing": 110, "graphics": 20, "tabler": 90, "opencv": 60,
    "gcompris": 50, "tuxpaint": 30, "endless": 40, "wesnoth": 60, "freeorion": 15, "wallpaper": 25,
}


class Upscaler:
    """The ESRGAN generator of npm @upscalerjs/esrgan-slim, from its TensorFlow.js files."""

    def __init__(self, folder):
        description = json.loads((folder / "model.json").read_text())
        flat, offset = np.fromfile(folder / "group1-shard1of1.bin", np.float32), 0
        self.tensors = {}
        for weight in description["weightsManifest"][0]["weights"]:
            count = int(np.prod(weight["shape"]))
            self.tensors[weight["name"]] = torch.from_numpy(flat[offset:offset + count].reshape(weight["shape"]).copy())
            offset += count
        self.layers = description["modelTopology"]["model_config"]["config"]["layers"]

    def __call__(self, x):
        values = {}
        for layer in self.layers:
            config, kind = layer["config"], layer["class_name"]
            inputs = [values[node[0]] for node in layer["inbound_nodes"][0]] if layer["inbound_nodes"] else [x]
            values[config["name"]] = self.apply(kind, config, inputs)
        return values[self.layers[-1]["config"]["name"]]

    def apply(self, kind, config, inputs):
        if kind == "Conv2D":
            kernel = self.tensors[config["name"] + "/kernel"].permute(3, 2, 0, 1)
            y = F.conv2d(inputs[0], kernel, self.tensors.get(config["name"] + "/bias"), padding=kernel.shape[-1] // 2)
            return F.relu(y) if config["activation"] == "relu" else y
        if kind == "Activation":
            return F.relu(inputs[0])
        if kind == "Add":
            return inputs[0] + inputs[1]
        if kind == "Concatenate":
            return torch.cat(inputs, 1)
        if kind == "UpSampling2D":
            return F.interpolate(inputs[0], scale_factor=config["size"][0], mode="nearest")
        if kind == "InputLayer":
            return inputs[0]
        raise ValueError(f"layer {kind} is not known")


def enlarge_again(image, upscalers, rng):
    """Shrinks the picture two to four times and lets the network enlarge it to what it was."""
    times = rng.choice(sorted(upscalers))
    small = image.resize([side // times for side in image.size], rng.choice([Image.BOX, Image.LANCZOS, Image.BICUBIC]))
    x = torch.from_numpy(np.array(small)).permute(2, 0, 1).float()[None] / 255
    with torch.no_grad():
        y = upscalers[times](x)[0].clamp(0, 1)
    large = Image.fromarray((y.permute(1, 2, 0).numpy() * 255).round().astype(np.uint8))
    return large if large.size == image.size else large.resize(image.size, Image.BICUBIC)


def self_blend(image, other, rng):
    """A slightly warped, recolored copy laid over the picture through a soft ellipse."""
    if rng.random() < 0.5:
        gains = np.array([rng.uniform(0.9, 1.1) for _ in range(3)])
        other = Image.fromarray(np.clip(np.asarray(other, np.float32) * gains, 0, 255).astype(np.uint8))
    matrix = (rng.uniform(0.97, 1.03), 0, rng.randint(-3, 3), 0, rng.uniform(0.97, 1.03), rng.randint(-3, 3))
    other = other.transform(other.size, Image.AFFINE, matrix, Image.BICUBIC)
    width, height = image.size
    y, x = np.mgrid[:height, :width]
    cx, cy = width * rng.uniform(0.3, 0.7), height * rng.uniform(0.3, 0.7)
    rx, ry = width * rng.uniform(0.2, 0.45), height * rng.uniform(0.2, 0.45)
    mask = np.clip(1.5 - ((x - cx) / rx) ** 2 - ((y - cy) / ry) ** 2, 0, 1)
    soft = Image.fromarray((mask * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(width / 30))
    return Image.composite(other, image, soft)


def by_network(image, upscalers, rng):
    other = enlarge_again(image, upscalers, rng)
    return self_blend(image, other, rng) if rng.random() < 0.2 else other


def box_mean(x, radius):
    """Mean over a square window, edges repeated."""
    for axis in (0, 1):
        padding = [(radius + 1, radius) if a == axis else (0, 0) for a in range(3)]
        sums = np.cumsum(np.pad(x, padding, mode="edge"), axis=axis)
        count = 2 * radius + 1
        x = (np.take(sums, range(count, sums.shape[axis]), axis) - np.take(sums, range(sums.shape[axis] - count), axis))
        x = x / count
    return x


def guided(image, radius, epsilon):
    """Edge-keeping smoothing (guided filter, He et al. 2010), the picture guiding itself."""
    x = np.asarray(image, np.float64) / 255
    mean = box_mean(x, radius)
    variance = box_mean(x * x, radius) - mean * mean
    slope = variance / (variance + epsilon)
    y = box_mean(slope, radius) * x + box_mean(mean - slope * mean, radius)
    return Image.fromarray((np.clip(y, 0, 1) * 255).round().astype(np.uint8))


def by_filter(image, rng):
    """The too smooth texture of generators: median, guided or mode filter, sharpened or not."""
    kind = rng.choice(["median", "median", "guided", "guided", "mode", "sharpened"])
    if kind == "mode":
        other = image.filter(ImageFilter.ModeFilter(3)).filter(ImageFilter.GaussianBlur(0.4))
    elif kind == "guided":
        other = guided(image, rng.choice([1, 2, 3]), 10 ** rng.uniform(-3.3, -2))
    else:
        other = image.filter(ImageFilter.MedianFilter(rng.choice([3, 3, 5])))
        if kind == "sharpened":
            other = other.filter(ImageFilter.UnsharpMask(rng.uniform(0.8, 2), rng.randint(60, 160), 0))
    return Image.blend(image, other, rng.uniform(0.6, 1))


def chosen_rows(pack, extra, rng):
    """(path, source) of the real pictures that become fakes."""
    rows = [(path, group) for path, group, label in zip(pack.paths, pack.groups, pack.labels) if label == 0]
    rows += [(str(extra / row["path"]), row["source"]) for row in read_index(extra) if row["label"] == "real"]
    rng.shuffle(rows)
    taken = {}
    for path, source in rows:
        taken[source] = taken.get(source, 0) + 1
        if taken[source] <= PER_SOURCE.get(source, 0):
            yield path, source


def read_index(folder):
    with open(folder / "index.csv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if not row["made"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--extra", type=pathlib.Path, required=True)
    parser.add_argument("--esrgan", type=pathlib.Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    make(data.Pack(args.data), args.extra, args.esrgan)


def make(pack, extra, esrgan=None):
    """Writes the fakes and the index; run twice, it makes the same ones again."""
    upscalers = {n: Upscaler(esrgan / "models" / f"x{n}") for n in (2, 3, 4)} if esrgan else {}
    collected = read_index(extra)
    ways = {"network": lambda image, rng: by_network(image, upscalers, rng), "filter": by_filter}
    (extra / "made").mkdir(exist_ok=True)
    rows = []
    for way in ways if esrgan else ["filter"]:
        for number, (path, source) in enumerate(chosen_rows(pack, extra, random.Random(way))):
            rng = random.Random(f"{way}:{pathlib.Path(path).name}")
            image = ways[way](Image.open(path).convert("RGB"), rng)
            sizes = [size for size in data.SIZES if size * 1.1 <= image.width]
            if sizes and rng.random() < 0.6:
                image = image.resize([rng.choice(sizes)] * 2, rng.choice([Image.LANCZOS, Image.BICUBIC, Image.BOX]))
            name = f"made/{way}-{number:05d}.jpg"
            image.save(extra / name, "JPEG", quality=rng.randint(72, 96), subsampling=rng.choice([0, 2, 2]))
            rows.append({"path": name, "label": "fake", "source": source, "made": way, "original": path})
        print(f"{way}: {len(rows)} rows so far", flush=True)
    with open(extra / "index.csv", "w", newline="", encoding="utf-8") as file:
        index = csv.DictWriter(file, ["path", "label", "source", "made", "original"])
        index.writeheader()
        index.writerows(collected + rows)


if __name__ == "__main__":
    main()
