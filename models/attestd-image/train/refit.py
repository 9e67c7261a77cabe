"""Fits the head again with image list 3, over the encoder as it ships; and that of attestd-image-open, from openly licensed rows alone.

    python3 refit.py --originals DIR --pack DIR --list DIR --work DIR [--faces FILE.jsonl]

LIST is what ../shared/tools/take.py wrote, FILE what branches.mjs gave for its pictures: logits of faces. Of the logits of what ships, half are those of the head of 4.3.1, which learned from all of
the pack and its further files; it lies behind the features in whole.onnx.gz. The other half are those of a head that is fitted here.
Rewrites head.onnx and evaluation/ of both packages, and keeps the logits of left-out sources of the list in WORK/ID.csv, for
`npm run evaluate -- --package ID --logits FILE --accuracy AIM`, which writes calibration and band.
"""

import argparse
import csv
import gzip
import json
import pathlib
import random

import numpy as np
import onnxruntime

import augment
import combine
import heads
import judged
import listed
import prepare
import sources

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
OPEN = PACKAGE.parent / "attestd-image-open"
ENCODER, HEAD = PACKAGE / "whole.onnx.gz", "head.onnx"
# Rows whose features are kept at once, and by how much the logits of the fitted head count beside those of 4.3.1.
PART, SHARE = 48, 1.0


def pictures(options):
    """Rows with what opens their picture: those of the pack's originals, then those of the list."""
    for index, row in enumerate(sources.read_rows(options.originals)):
        yield {**row, "fold": listed.fold(row)}, lambda index=index, row=row: prepare.original(index, row, options.originals, options.pack)
    for row in listed.read_rows(options.list):
        yield row, lambda row=row: listed.picture(row, options.list)


def described(open_picture, seed, session, normal):
    """Features of a picture and of a web copy of it, half of them coded once more, as train.py learns from them; none without a picture."""
    found, picture = [], open_picture()
    for copy in range(heads.COPIES if picture is not None else 0):
        rng = random.Random(heads.COPIES * seed + copy)
        square = prepare.square(prepare.web_copy(picture, rng) if copy else picture)
        square = augment.coded(square, rng) if rng.random() < heads.CODED_SHARE else square
        found.append(session.run(["features"], {"pixels": heads.pixels(square, *normal)})[0][0].astype(np.float16))
    return found


def features(options):
    """Rows, one for each copy of a picture, and their features [rows, features]; kept in parts in `work`."""
    plan = json.loads((PACKAGE / "detector.json").read_text())["preprocessing"]["normalize"]
    session = onnxruntime.InferenceSession(gzip.decompress(ENCODER.read_bytes()))
    every = list(pictures(options))
    rows, found = [], []
    for first in range(0, len(every), PART):
        file = options.work / f"features-{first:05d}.npz"
        if not file.exists():
            each = [described(opened, first + at, session, (plan["mean"], plan["std"])) for at, (_, opened) in enumerate(every[first : first + PART])]
            of, copies = zip(*((first + at, copy) for at, those in enumerate(each) for copy in range(len(those))))
            np.savez(file, of=of, copies=copies, found=[one for those in each for one in those])
        part = np.load(file)
        rows += [{**every[index][0], "copy": int(copy)} for index, copy in zip(part["of"], part["copies"])]
        found += list(part["found"])
    return rows, np.array(found, np.float32)


def faces_of(file):
    """Logit of the worst face and share of the largest by the id of a picture of the list, where one was found."""
    seen = [json.loads(line) for line in file.read_text().splitlines()] if file else []
    return {pathlib.Path(row["path"]).stem: {"face": row["face"], "share": row["share"]} for row in seen if row.get("face") is not None}


def head_of(rows, found, folds, beside):
    """The head that learned from some folds, joined with the one `beside` it; without one, that of the open edition."""
    members = [place for place, row in enumerate(rows) if row["fold"] in folds and (beside is not None or row["open"] == "yes")]
    own = heads.fit(found[None, members], [rows[place] for place in members], beside)
    return own if beside is None else heads.joined(beside, own, SHARE)


def held_out(rows, found, beside, faces):
    """Judging rows with what a head gave which saw nothing of their half, and that fused with the worst face."""
    seen = []
    for half in listed.HALVES:
        head = head_of(rows, found, ("train", sources.other(half)), beside)
        members = [place for place, row in enumerate(rows) if row["fold"] == half and listed.judges(row)]
        for place, whole in zip(members, heads.logits(head, found[members])):
            each = {**rows[place], "whole": float(whole), **faces.get(rows[place]["id"], {"face": None})}
            seen.append({**each, "logit": combine.fused(each, combine.FUSION)})
    return seen


def ship(package, rows, found, beside, faces, work):
    """Writes the head of a package, from all rows, its evaluation, and what left-out rows got."""
    heads.export(head_of(rows, found, ("train", *listed.HALVES), beside), package / HEAD)
    seen = held_out(rows, found, beside, faces)
    with open(work / f"{package.name}.csv", "w") as file:
        csv.writer(file).writerows([("label", "source", "logit"), *((row["label"], row["source"], row["logit"]) for row in seen)])
    whole = judged.Judged(seen)
    judged.write(package, whole)
    print(f"{package.name}: {len(seen)} left-out pictures, {whole.figures(whole.labels >= 0)}, --accuracy {whole.aim}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("originals", "pack", "list", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--faces", type=pathlib.Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    rows, found = features(options)
    ship(PACKAGE, rows, found, heads.behind(ENCODER), faces_of(options.faces), options.work)
    ship(OPEN, rows, found, None, {}, options.work)


if __name__ == "__main__":
    main()
