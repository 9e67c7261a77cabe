#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the image detector.

    python3 train.py --data DIR            the package (about 15 minutes on 2 CPU cores)
    python3 train.py --small               smoke check on a noise fixture, under 2 minutes, no data

DIR holds index.csv (path, label, source) and the pictures. Everything is seeded. The package is
written to --out (default: the folder above); logits and fold networks go to --work.
"""

import argparse
import hashlib
import json
import multiprocessing
import pathlib
import shutil
import tempfile

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

import data
import metrics
import package
from model import Detector

SEED = 20261120
# Inverse L2 strength; strong on purpose: weaker fits gain on a random split and lose on unseen sources.
REGULARIZATION = 1e-3
BATCH = 64
HELD_BACK = 0.15

# Shared with forked workers; set just before each pool starts.
detector = None


def chunk_features(task):
    paths, seed = task
    torch.set_num_threads(1)
    with torch.no_grad():
        return detector.features(data.training_crops(paths, seed)).numpy()


def chunk_logits(task):
    paths, condition = task
    torch.set_num_threads(1)
    with torch.no_grad():
        return np.array([float(detector(data.five_crops(p, condition)).mean()) for p in paths])


def parallel(function, paths, extra, workers):
    """Maps a chunk function over `paths` in order, in forked workers."""
    tasks = [(paths[i:i + BATCH], extra) for i in range(0, len(paths), BATCH)]
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        return np.concatenate(pool.map(function, tasks, chunksize=1))


def fit_detector(pack, rows, variants, workers):
    """Recalibrates the backbone on the training rows and fits the linear unit; sets `detector`."""
    global detector
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    detector = Detector()
    weights = data.balanced_weights(pack.labels[rows], pack.groups[rows])
    paths = [pack.paths[i] for i in rows]
    sample = rng.choice(len(rows), (12, BATCH), p=weights / weights.sum())
    detector.recalibrate(
        data.training_crops([paths[i] for i in batch], f"norm{n}") for n, batch in enumerate(sample)
    )
    seeds = [None] + list(range(variants))
    features = np.concatenate([parallel(chunk_features, paths, seed, workers) for seed in seeds])
    labels, weights = np.tile(pack.labels[rows], len(seeds)), np.tile(weights, len(seeds))
    mean = np.average(features, axis=0, weights=weights)
    deviation = np.sqrt(np.average((features - mean) ** 2, axis=0, weights=weights)) + 1e-6
    fit = LogisticRegression(C=REGULARIZATION, max_iter=300)
    fit.fit((features - mean) / deviation, labels, weights)
    detector.set_head(mean, deviation, fit.coef_[0], float(fit.intercept_[0]))


def export(path):
    """Writes the current detector as ONNX, opset 13, any number of crops."""
    torch.onnx.export(
        detector, torch.zeros(1, 3, data.CROP, data.CROP), str(path), opset_version=13,
        input_names=["pixels"], output_names=["logit"],
        dynamic_axes={"pixels": {0: "n"}, "logit": {0: "n"}},
    )


def run(name, pack, test, args, variants):
    """Trains without the `test` rows and scores them in every condition."""
    rows = np.where(~test)[0]
    fit_detector(pack, rows, variants, args.workers)
    export(args.work / f"{name}.onnx")
    held = np.where(test)[0]
    paths = [pack.paths[i] for i in held]
    logits = {c: parallel(chunk_logits, paths, c, args.workers) for c in data.CONDITIONS}
    result = {"rows": held, **logits}
    np.savez(args.work / f"{name}.npz", **result)
    auc = metrics.ranking(pack.labels[held], logits["clean"], np.ones(len(held)))["auc"]
    print(f"run {name}: {len(rows)} training rows, {len(held)} left out, AUC {auc:.3f}", flush=True)
    return result


def parse_arguments():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="folder with index.csv and img/")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "attestd-image")
    parser.add_argument("--out", type=pathlib.Path, help="package folder to write")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--small", action="store_true", help="smoke check; never touches the package")
    args = parser.parse_args()
    if not args.small and not args.data:
        parser.error("--data DIR is needed (or --small)")
    args.out = args.out or (args.work / "package" if args.small else here.parent)
    args.work.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.small and not args.data:
        args.data = args.work / "fixture"
        data.write_fixture(args.data)
    if args.small and not (args.out / "selftest.jpg").exists():
        shutil.copy(here.parent / "selftest.jpg", args.out / "selftest.jpg")
    return args


def main():
    args = parse_arguments()
    torch.set_num_threads(1)
    pack = data.Pack(args.data, per_group=24 if args.small else None)
    variants = 1 if args.small else data.VARIANTS
    folds = {
        name: run(name, pack, np.isin(pack.groups, groups), args, variants)
        for name, groups in data.FOLDS.items()
    }
    held_back = np.random.default_rng(SEED).random(len(pack)) < HELD_BACK
    shipped = run("shipped", pack, held_back, args, variants)
    shutil.copy(args.work / "shipped.onnx", args.out / "model.onnx")
    digest = hashlib.sha256((args.out / "model.onnx").read_bytes()).hexdigest()
    parity = {
        "sha256": digest,
        "files": [
            {"path": str(pathlib.Path(pack.paths[row]).relative_to(args.data)), "logit": float(logit)}
            for row, logit in list(zip(shipped["rows"], shipped["clean"]))[:200]
        ],
        "folds": {
            name: [
                {
                    "path": str(pathlib.Path(pack.paths[row]).relative_to(args.data)),
                    "logit": float(logit),
                    "label": int(pack.labels[row]),
                }
                for row, logit in zip(result["rows"], result["clean"])
            ]
            for name, result in folds.items()
        },
    }
    (args.work / "torch-logits.json").write_text(json.dumps(parity))
    self_test_logit = float(chunk_logits(([str(args.out / "selftest.jpg")], "clean"))[0])
    package.write(args.out, pack, folds, shipped, self_test_logit)


if __name__ == "__main__":
    main()
