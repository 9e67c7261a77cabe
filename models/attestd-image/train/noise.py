#!/usr/bin/python3
"""How far the whole view's logit moves when every pixel moves by a millionth, on the sample pictures: the noise of its arithmetic.

    python3 noise.py

Each layer's activations are rounded to 256 steps of their own range, so a change far too small to see rounds some of them
otherwise, and every layer behind follows. What one processor computes differs from what another does by about as much.
"""

import gzip
import json
import pathlib

import numpy as np
import onnxruntime
from PIL import Image

import prepare

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
MOVED = np.float32(1 + 1e-6)


def main():
    manifest = json.loads((PACKAGE / "detector.json").read_text())
    preprocessing = manifest["preprocessing"]
    mean, std = (np.array(preprocessing["normalize"][name], np.float32) for name in ("mean", "std"))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    network = gzip.decompress((PACKAGE / manifest["runtime"]["whole"]).read_bytes())
    session = onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"])
    logits = []
    for file in sorted(file for file in (PACKAGE.parents[1] / "samples").iterdir() if file.suffix in (".jpg", ".png", ".webp")):
        bytes_of = prepare.square(np.asarray(Image.open(file).convert("RGB"))).astype(np.float32)
        pixels = np.ascontiguousarray(((bytes_of / 255 - mean) / std).transpose(2, 0, 1)[None])
        logits.append([float(session.run(None, {"pixels": given})[0].ravel()[0]) for given in (pixels, pixels * MOVED)])
    before, after = np.array(logits).T
    moved = np.abs(after - before)
    print(f"{len(logits)} pictures, deviation of their logits {before.std():.2f}")
    print(f"moved by {moved.mean():.2f} on average, {np.median(moved):.2f} in the middle, {moved.max():.2f} at most")


if __name__ == "__main__":
    main()
