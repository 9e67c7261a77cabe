#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the image detector.

    python3 train.py --data DIR --extra DIR2      the package (about 10 minutes on one free CPU core)
    python3 train.py --data DIR --extra DIR2 --variant open      attestd-image-open, openly licensed rows only
    python3 train.py --small                      smoke check on a noise fixture, under 2 minutes, no data

DIR is the image pack (index.csv and the pictures). DIR2 holds what collect.py gathers and fakes.py
makes; where it has no index.csv both are run first (they need apt-get and npm). Everything is seeded.
The package is written to --out (default: the folder above, or its neighbor attestd-image-open);
features are kept in --work, so that a second run takes seconds.
"""

import argparse
import hashlib
import json
import multiprocessing
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch

import data
import fakes
import fitting
import package
from model import Detector

HERE = pathlib.Path(__file__).resolve().parent
BATCH = 64
HELD_BACK = 0.15
# Pictures per source in the degraded test conditions; the clean one takes all.
DEGRADED_PER_GROUP = 70
PARITY_FILES = 200
ESRGAN = "@upscalerjs/esrgan-slim@1.0.0"

# Shared with forked workers.
detector = None


def chunk_features(task):
    paths, arguments = task
    torch.set_num_threads(1)
    with torch.no_grad():
        return detector.features(data.one_crop(paths, **arguments)).numpy()


def features(paths, work, workers, **arguments):
    """Features of one crop a picture, in order; kept in `work` under a digest of what they depend on."""
    state = b"".join(tensor.numpy().tobytes() for name, tensor in detector.state_dict().items() if "head" not in name)
    key = hashlib.sha256(state + json.dumps([paths, arguments]).encode()).hexdigest()[:16]
    kept = work / f"features-{key}.npy"
    if not kept.exists():
        tasks = [(paths[i:i + BATCH], arguments) for i in range(0, len(paths), BATCH)]
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            np.save(kept, np.concatenate(pool.map(chunk_features, tasks, chunksize=1)))
        print(f"features of {len(paths)} pictures {arguments} done", flush=True)
    return np.load(kept)


def calibrated_backbone(pack):
    """The network with normalization statistics from openly licensed photographs outside the pack.

    Every left-out figure then shares one set of features.
    """
    torch.manual_seed(fitting.SEED)
    paths = [path for path, use in zip(pack.paths, pack.of(*data.NORMALIZING)) if use]
    random.Random(0).shuffle(paths)
    network = Detector()
    network.recalibrate(data.one_crop(paths[32 * n:32 * n + 32], seed="norm") for n in range(8) if paths[32 * n:])
    return network


def all_features(pack, work, workers):
    """Training features [1 + VARIANTS, rows, n], and test features by condition with their rows."""
    seeds = [None, *range(1, data.VARIANTS + 1)]
    training = np.stack([features(pack.paths, work, workers, seed=seed) for seed in seeds])
    tested = [*data.GENERATORS, *data.REAL_SOURCES, *data.UNSEEN_REAL, data.UNSEEN_FAKE]
    few = np.concatenate([np.where(pack.of(group))[0][:DEGRADED_PER_GROUP] for group in tested])
    test = {"clean": (np.arange(len(pack)), training[0])}
    for condition in data.CONDITIONS[1:]:
        test[condition] = (few, features([pack.paths[i] for i in few], work, workers, condition=condition))
    return training, test


def trainable(pack, variant):
    """Mask of the rows that a variant may learn from; the unseen sources are in none."""
    seen = ~np.isin(pack.groups, [*data.UNSEEN_REAL, data.UNSEEN_FAKE])
    return seen & np.isin(pack.groups, data.OPEN) if variant == "open" else seen


def left_out_pairs(pack, training, content, test, allowed, **measures):
    """For every generator and real source: a head that saw neither, and its logits on both and on the unseen sources."""
    pairs = []
    for generator in data.GENERATORS:
        for source in data.REAL_SOURCES:
            out = np.isin(pack.groups, [generator, *data.KIN.get(source, (source,))])
            head = fitting.fit_head(training, pack, content, allowed & ~out, **measures)
            shown = pack.of(generator, source, *data.UNSEEN_REAL, data.UNSEEN_FAKE)
            logits = {}
            for condition, (rows, values) in test.items():
                inside = shown[rows]
                logits[condition] = (rows[inside], fitting.apply_head(head, values[inside]))
            pairs.append({"generator": generator, "source": source, "logits": logits})
    return pairs


def ablations(pack, training, content, test, allowed):
    """The same figures without one part of the recipe each."""
    extra = np.isin(pack.groups, [*data.GENERATORS, *data.REAL_SOURCES])
    variants = {
        "asShipped": (allowed, {}),
        "withoutCollectedSources": (allowed & extra, {}),
        "withoutHomeMadeFakes": (allowed & (pack.made == ""), {"made_share": {}}),
        "withoutOverlapWeights": (allowed, {"power": 0}),
        "overlapPower2": (allowed, {"power": 2}),
        "overlapPower8": (allowed, {"power": 8}),
    }
    clean = {"clean": test["clean"]}
    return {
        name: package.headline(pack, left_out_pairs(pack, training, content, clean, rows, **measures))
        for name, (rows, measures) in variants.items()
    }


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


def write_expected(args, model, pack):
    """What evaluate.mjs compares the Node runtime with: logits of some unseen and some known pictures."""
    rows = np.random.default_rng(fitting.SEED).permutation(np.where(pack.made == "")[0])[:PARITY_FILES]
    with torch.no_grad():
        logits = [float(detector(data.five_crops(pack.paths[row])).mean()) for row in rows]
    files = [{"path": pack.paths[row], "logit": logit, "label": int(pack.labels[row])} for row, logit in zip(rows, logits)]
    expected = {"sha256": hashlib.sha256(model.read_bytes()).hexdigest(), "files": files}
    (args.work / f"torch-logits-{args.variant}.json").write_text(json.dumps(expected))


def gather(args):
    """Runs collect.py and fakes.py where their output is not there yet."""
    if (args.extra / "index.csv").exists():
        return
    subprocess.run([sys.executable, str(HERE / "collect.py"), "--out", str(args.extra)], check=True)
    subprocess.run(["npm", "pack", ESRGAN], cwd=args.extra, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["tar", "xzf", "upscalerjs-esrgan-slim-1.0.0.tgz"], cwd=args.extra, check=True)
    fakes.make(data.Pack(args.data), args.extra, args.extra / "package")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, help="the image pack: index.csv and img/")
    parser.add_argument("--extra", type=pathlib.Path, help="collected pictures and home-made fakes; filled where empty")
    parser.add_argument("--variant", choices=["full", "open"], default="full")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "attestd-image")
    parser.add_argument("--out", type=pathlib.Path, help="package folder to write")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--small", action="store_true", help="smoke check; never touches the package")
    args = parser.parse_args()
    if not args.small and not (args.data and args.extra):
        parser.error("--data DIR and --extra DIR2 are needed (or --small)")
    shipped = HERE.parent if args.variant == "full" else HERE.parents[1] / "attestd-image-open"
    args.out = args.out or (args.work / "package" if args.small else shipped)
    for folder in (args.work, args.out):
        folder.mkdir(parents=True, exist_ok=True)
    if args.small:
        args.data, args.extra = args.work / "fixture", args.work / "fixture-extra"
        data.write_fixture(args.data, args.extra)
        fakes.make(data.Pack(args.data), args.extra)
    if not (args.out / "selftest.jpg").exists():
        shutil.copy(HERE.parent / "selftest.jpg", args.out / "selftest.jpg")
    return args


def main():
    global detector
    args = parse_arguments()
    torch.set_num_threads(1)
    gather(args)
    pack = data.Pack(args.data, args.extra)
    detector = calibrated_backbone(pack)
    training, test = all_features(pack, args.work, args.workers)
    allowed = trainable(pack, args.variant)
    content = fitting.components(np.stack([data.thumbnail(path) for path in pack.paths]), allowed)
    pairs = left_out_pairs(pack, training, content, test, allowed)

    held = np.random.default_rng(fitting.SEED).random(len(pack)) < HELD_BACK
    split_head = fitting.fit_head(training, pack, content, allowed & ~held)
    split = held & pack.of(*data.GENERATORS, *data.REAL_SOURCES)
    random_split = (split, fitting.apply_head(split_head, training[0][split]))

    head = fitting.fit_head(training, pack, content, allowed)
    detector.set_head(*head)
    export(args.out / "model.onnx")
    write_expected(args, args.out / "model.onnx", pack)
    with torch.no_grad():
        self_test_logit = float(detector(data.five_crops(args.out / "selftest.jpg")).mean())
    shipped = fitting.apply_head(head, training[0])
    parts = ablations(pack, training, content, test, allowed)
    package.write(args.out, args.variant, pack, pairs, random_split, shipped, parts, self_test_logit)


if __name__ == "__main__":
    main()
