#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the image detector.

    python3 train.py --data DIR            the package (about 10 minutes on 2 CPU cores)
    python3 train.py --small               smoke check on a noise fixture, under 2 minutes, no data

DIR holds index.csv (path, label, source) and the pictures. Everything is seeded. The package is
written to --out (default: the folder above); what evaluate.mjs compares with goes to --work.
"""

import argparse
import hashlib
import json
import multiprocessing
import pathlib
import shutil
import tempfile
import warnings

import numpy as np
import torch

import data
import fitting
import metrics
import package
from model import Detector

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parents[2] / "src" / "sandbox" / "samples"
BATCH = 64
HELD_BACK = 0.15
# Pictures per source in the degraded test conditions; the clean one takes all.
DEGRADED_PER_GROUP = 200

# Shared with forked workers.
detector = None


def chunk_training_features(task):
    paths, seed = task
    torch.set_num_threads(1)
    with torch.no_grad():
        return detector.features(data.training_crops(paths, seed)).numpy()


def chunk_test_features(task):
    """Mean features over the five crops; the head is linear, so its mean logit is the logit of these."""
    paths, condition = task
    torch.set_num_threads(1)
    with torch.no_grad():
        return np.stack([detector.features(data.five_crops(p, condition)).mean(0).numpy() for p in paths])


def parallel(function, paths, extra, workers):
    """Maps a chunk function over `paths` in order, in forked workers."""
    tasks = [(paths[i:i + BATCH], extra) for i in range(0, len(paths), BATCH)]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        return np.concatenate(pool.map(function, tasks, chunksize=1))


def calibrated_backbone():
    """The network with normalization statistics from the repository's own free photographs.

    Taking them from outside the pack lets every left-out figure share one set of features.
    """
    torch.manual_seed(fitting.SEED)
    samples = json.loads((SAMPLES / "samples.json").read_text())
    paths = [str(SAMPLES / s["file"]) for s in samples if s["made"] == "real"]
    network = Detector()
    network.recalibrate(data.training_crops(paths * 2, f"norm{n}") for n in range(8))
    return network


def all_features(pack, variants, workers):
    """Training features [variants, rows, n] and test features by condition with their rows."""
    seeds = [None] + list(range(variants))
    training = np.stack([parallel(chunk_training_features, pack.paths, s, workers) for s in seeds])
    few = np.concatenate([np.where(pack.groups == g)[0][:DEGRADED_PER_GROUP] for g in sorted(set(pack.groups))])
    test = {}
    for condition in data.CONDITIONS:
        rows = np.arange(len(pack)) if condition == "clean" else few
        paths = [pack.paths[i] for i in rows]
        test[condition] = (rows, parallel(chunk_test_features, paths, condition, workers))
        print(f"features: {condition} done", flush=True)
    return training, test


def left_out_pairs(pack, training, thumbnails, test, **measures):
    """For every generator and real source: a head that saw neither, and its logits on both."""
    pairs = []
    for generator in data.GENERATORS:
        for source in data.REAL_SOURCES:
            out = np.isin(pack.groups, [generator, source])
            head = fitting.fit_head(
                training[:, ~out], thumbnails[~out], pack.labels[~out], pack.groups[~out], **measures
            )
            logits = {}
            for condition, (rows, features) in test.items():
                inside = out[rows]
                logits[condition] = (rows[inside], fitting.apply_head(head, features[inside]))
            pairs.append({"generator": generator, "source": source, "logits": logits})
    return pairs


def auc_without_overlap_weights(pack, training, thumbnails, test):
    """Mean left-out AUC when pictures weigh the same whatever their thumbnail gives away."""
    pairs = left_out_pairs(pack, training, thumbnails, {"clean": test["clean"]}, overlap_power=0)
    return package.mean_auc(package.main_pairs([package.pair_row(pack, pair) for pair in pairs]), "clean")


def export(path):
    """Writes the current detector as ONNX, opset 13, any number of crops."""
    with warnings.catch_warnings():
        # The exporter announces every constant that it does not fold.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            detector, torch.zeros(1, 3, data.CROP, data.CROP), str(path), opset_version=13,
            input_names=["pixels"], output_names=["logit"],
            dynamic_axes={"pixels": {0: "n"}, "logit": {0: "n"}},
        )


def write_expected(work, model, pack, rows, logits, root):
    """What evaluate.mjs compares the Node runtime with."""
    expected = {
        "sha256": hashlib.sha256(model.read_bytes()).hexdigest(),
        "files": [
            {
                "path": str(pathlib.Path(pack.paths[row]).relative_to(root)),
                "logit": float(logit),
                "label": int(pack.labels[row]),
            }
            for row, logit in zip(rows, logits)
        ],
    }
    (work / "torch-logits.json").write_text(json.dumps(expected))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder with index.csv and img/")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "attestd-image")
    parser.add_argument("--out", type=pathlib.Path, help="package folder to write")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="smoke check; never touches the package")
    args = parser.parse_args()
    if not args.small and not args.data:
        parser.error("--data DIR is needed (or --small)")
    args.out = args.out or (args.work / "package" if args.small else HERE.parent)
    args.work.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.small and not args.data:
        args.data = args.work / "fixture"
        data.write_fixture(args.data)
    if not (args.out / "selftest.jpg").exists():
        shutil.copy(HERE.parent / "selftest.jpg", args.out / "selftest.jpg")
    return args


def main():
    global detector
    args = parse_arguments()
    torch.set_num_threads(1)
    pack = data.Pack(args.data, per_group=24 if args.small else None)
    thumbnails = np.stack([data.thumbnail(path) for path in pack.paths])
    detector = calibrated_backbone()
    training, test = all_features(pack, 1 if args.small else data.VARIANTS, args.workers)
    pairs = left_out_pairs(pack, training, thumbnails, test)

    held = np.random.default_rng(fitting.SEED).random(len(pack)) < HELD_BACK
    head = fitting.fit_head(training[:, ~held], thumbnails[~held], pack.labels[~held], pack.groups[~held])
    detector.set_head(*head)
    export(args.out / "model.onnx")
    held_rows = np.where(held)[0]
    held_logits = fitting.apply_head(head, test["clean"][1][held])
    write_expected(args.work, args.out / "model.onnx", pack, held_rows[:300], held_logits[:300], args.data)
    with torch.no_grad():
        self_test_logit = float(detector(data.five_crops(args.out / "selftest.jpg")).mean())
    without = auc_without_overlap_weights(pack, training, thumbnails, test)
    package.write(args.out, pack, pairs, (held_rows, held_logits), without, self_test_logit)


if __name__ == "__main__":
    main()
