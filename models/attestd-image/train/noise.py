#!/usr/bin/python3
"""How far the whole view's logit moves on the sample pictures by the noise of its arithmetic alone.

    python3 noise.py                    every pixel moved by a millionth
    python3 noise.py --logits FILE      writes the logits that this processor gives
    python3 noise.py --beside FILE      compares with those that another one gave
    python3 noise.py --work WORK        how far the features lie from arithmetic in floats, with channels as they are and evened

Each layer's activations are rounded to 256 steps of their own range, so a change far too small to see rounds some of them
otherwise, and every layer behind follows. What one processor computes differs from what another does by about as much.
Another one can be had by emulation, 17 s a picture (Debian's qemu-user; EPYC has AVX2 and no VNNI):

    qemu-x86_64 -cpu EPYC $(readlink -f $(command -v python3)) noise.py --logits FILE
"""

import argparse
import gzip
import json
import pathlib

import numpy as np
import onnxruntime
from PIL import Image

import encoder
import heads
import prepare

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
MOVED = np.float32(1 + 1e-6)


def pictures(mean, std):
    """The sample pictures by name, as the whole view's network takes them."""
    for file in sorted(file for file in (PACKAGE.parents[1] / "samples").iterdir() if file.suffix in (".jpg", ".png", ".webp")):
        yield file.name, heads.pixels(prepare.square(np.asarray(Image.open(file).convert("RGB"))), mean, std)


def told(before, after):
    """Prints how far logits lie from others of the same pictures."""
    before, after = np.array(before), np.array(after)
    moved = np.abs(after - before)
    print(f"{len(before)} pictures, deviation of their logits {before.std():.2f}")
    print(f"moved by {moved.mean():.2f} on average, {np.median(moved):.2f} in the middle, {moved.max():.2f} at most")


class Floats(encoder.Graph):
    """The same graph with its weights as they are and every product in floats."""

    def linear(self, x, matrix, bias):
        return self.node("Add", self.node("MatMul", x, self.floats(matrix)), self.floats(bias))


def from_floats(work, mean, std):
    """Prints how far the features of pictures that set no size lie from those in floats, by their spread over pictures."""
    of, usable = encoder.weights(work), json.loads((work / "squares.json").read_text())
    pixels = lambda rows: heads.some_pixels(work, rows, mean, std)
    # Drawn from other rows, so that hardly one of them tells a size.
    sized, judged = pixels(usable), pixels(usable[1::3])
    evened = encoder.evened(of, heads.LAYERS, mean, std, sized)

    def features(graph, sizes):
        found = encoder.blocks(graph, of, heads.LAYERS, mean, std, sizes)
        session = onnxruntime.InferenceSession(graph.model({found: None}))
        return np.concatenate([session.run(None, {"pixels": given})[0] for given in judged])

    exact = features(Floats(), {})
    for name, sizes in (("as they are", {}), ("evened", evened)):
        apart = (features(encoder.Graph(), sizes) - exact) / (exact.std(0) + 1e-3)
        print(f"channels {name}: {np.sqrt((apart**2).mean()):.2f} of the spread")


def main():
    parser = argparse.ArgumentParser()
    for name in ("logits", "beside", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    options = parser.parse_args()
    manifest = json.loads((PACKAGE / "detector.json").read_text())
    mean, std = (np.array(manifest["preprocessing"]["normalize"][name], np.float32) for name in ("mean", "std"))
    if options.work:
        from_floats(options.work, mean, std)
        return
    threads = onnxruntime.SessionOptions()
    threads.intra_op_num_threads = 1
    files = gzip.decompress((PACKAGE / manifest["runtime"]["whole"]).read_bytes()), (PACKAGE / manifest["runtime"]["head"]).read_bytes()
    encode, judge = (onnxruntime.InferenceSession(file, threads, providers=["CPUExecutionProvider"]) for file in files)
    features = lambda given: encode.run(["features"], {"pixels": given})[0]
    logit = lambda given: float(judge.run(None, {"features": features(given)})[0].ravel()[0])
    seen = dict(pictures(mean, std))
    found = {name: logit(pixels) for name, pixels in seen.items()}
    if options.logits:
        options.logits.write_text(json.dumps(found))
    elif options.beside:
        others = json.loads(options.beside.read_text())
        told([others[name] for name in found], list(found.values()))
    else:
        told(list(found.values()), [logit(pixels * MOVED) for pixels in seen.values()])


if __name__ == "__main__":
    main()
