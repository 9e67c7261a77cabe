#!/usr/bin/env python3
"""Measures published detectors and our packages on the same labeled rows.

    python3 .ci/peers/measure.py --media image --index WORK/evaluation/index.csv --by form --limit 120 \
        --package attestd-image --risks WORK/crossed.csv --about "..." --out models/attestd-image/evaluation/peers.json
    npm run docs

Installs each peer by name and version into --work, scores in a process of its own, and ours through
`npx attestd models eval`. Network is needed for pip only. Peers that run on torch use the one of this Python.
With --only, what the file at --out has of the other detectors is kept, if it was measured on the same rows.
"""

import argparse
import csv
import gzip
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from figures import SEED, figures
from peers import PEERS

HERE = pathlib.Path(__file__).resolve().parent
FAKE = {"fake", "machine"}


def read_rows(index, where):
    """Rows of a CSV or of JSON lines (.gz too) whose columns hold one of the values that `where` says; JSON's true is `true`."""
    opened = gzip.open(index, "rt") if index.suffix == ".gz" else open(index, newline="")
    with opened as file:
        rows = [json.loads(line) for line in file] if ".jsonl" in index.suffixes else list(csv.DictReader(file))
    wanted = [pair.split("=", 1) for pair in where]
    return [row for row in rows if all(said(row.get(column)) in values.split(",") for column, values in wanted)]


def said(value):
    return json.dumps(value) if isinstance(value, bool) else value or ""


def drawn(rows, limit, by):
    """At most `limit` rows of each label and group, the same ones each time."""
    cells = {}
    for row in random.Random(SEED).sample(rows, len(rows)):
        cells.setdefault((row["label"], row[by] if by else ""), []).append(row)
    return [row for cell in cells.values() for row in cell[:limit]]


def installed(peer, work):
    """Folder that the peer's package is in, installed once."""
    folder = work / peer.package.split()[0].replace("==", "-")
    if not folder.exists():
        flags = ["--no-deps"] if peer.uses_environment else []
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), *flags, *peer.package.split()]
        subprocess.run(pip, check=True)
    return folder


def peer_scores(name, inputs, work, jobs):
    """A score or null for each input, computed by `jobs` processes."""
    paths = [str(installed(PEERS[name], work))] if PEERS[name].package else []
    env = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}

    def scored(share):
        with tempfile.NamedTemporaryFile("r") as scores:
            shell = f'exec "$0" "$1" "$2" 3> "{scores.name}" > /dev/null'
            command = ["bash", "-c", shell, sys.executable, str(HERE / "score.py"), name]
            subprocess.run(command, input=json.dumps(share), text=True, check=True, env=env)
            return [json.loads(line) for line in scores]

    found = [None] * len(inputs)
    with ThreadPoolExecutor(jobs) as pool:
        for job, part in enumerate(pool.map(scored, [inputs[job::jobs] for job in range(jobs)])):
            found[job::jobs] = part
    return found


def package_scores(package, rows, root):
    """Risks that `attestd models eval` gives the rows, null where it refuses, and the package's version."""
    with tempfile.TemporaryDirectory() as folder:
        index, out = pathlib.Path(folder, "rows.jsonl"), pathlib.Path(folder, "eval")
        given = [{"text": row["text"], "id": str(i)} if "text" in row else {"path": row["path"]} for i, row in enumerate(rows)]
        lines = [{"label": row["label"], **content} for row, content in zip(rows, given)]
        index.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        command = ["npx", "attestd", "models", "eval", package, "--data", str(index), "--root", str(root), "--out", str(out)]
        subprocess.run(command, check=True, cwd=HERE.parent.parent, stdout=sys.stderr)
        with open(out / "scores.csv", newline="") as file:
            risks = {row["path"]: float(row["risk"]) if row["risk"] else None for row in csv.DictReader(file)}
        detector = json.loads((out / "eval.json").read_text())["detector"]
    return [risks.get(line.get("path", line.get("id"))) for line in lines], detector["version"]


def crossed_scores(package, rows, risks):
    """Risks of the rows that a recipe gave with networks which had not seen them, and the package's version."""
    with open(risks, newline="") as file:
        given = {row["path"]: float(row["risk"]) if row["risk"] else None for row in csv.DictReader(file)}
    manifest = json.loads((HERE.parents[1] / "models" / package / "detector.json").read_text())
    return [given[row["path"]] for row in rows], manifest["version"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--media", choices=["image", "audio", "text"], required=True)
    parser.add_argument("--index", type=pathlib.Path, nargs="+", required=True, help="CSV or JSON lines: label, and path or text")
    parser.add_argument("--root", type=pathlib.Path, help="folder that paths are relative to (the index's)")
    parser.add_argument("--where", action="append", default=[], metavar="COLUMN=VALUE,...", help="rows to take")
    parser.add_argument("--by", metavar="COLUMN", help="figures for each value of this column, not for all rows")
    parser.add_argument("--limit", type=int, help="at most so many rows of each label and group")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="measure these only: a peer, or a --package")
    parser.add_argument("--package", action="append", default=[], help="package of ours to set beside them")
    parser.add_argument("--risks", type=pathlib.Path, help="CSV of path and risk that stand for the --package: it has learned from the rows since")
    parser.add_argument("--about", required=True, help="what the rows are, for the table")
    parser.add_argument("--jobs", type=int, default=2, help="processes that a peer is run in")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir(), "attestd-peers"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()

    root = (args.root or args.index[0].parent).resolve()
    rows = [row for index in args.index for row in read_rows(index, args.where)]
    rows = drawn(rows, args.limit, args.by) if args.limit else rows
    taken = [[row["label"], row.get("path", row.get("text")), row[args.by] if args.by else ""] for row in rows]
    digest = hashlib.sha256(json.dumps(taken).encode()).hexdigest()
    is_fake = [row["label"] in FAKE for row in rows]
    inputs = [row["text"] if args.media == "text" else str(root / row["path"]) for row in rows]
    before = json.loads(args.out.read_text()) if args.only and args.out.exists() else {}
    detectors = before["detectors"] if before.get("rowsDigest") == digest else []
    groups = {}
    for index, row in enumerate(rows):
        groups.setdefault(row[args.by] if args.by else "all", []).append(index)

    def add(name, scores, threshold, **more):
        found = {
            group: figures([scores[i] for i in members], [is_fake[i] for i in members], threshold)
            for group, members in groups.items()
        }
        others = [one for one in detectors if one["name"].split()[0] != name.split()[0]]
        detectors[:] = [*others, {"name": name, **more, "groups": found}]
        result = {"media": args.media, "about": args.about, "rowsDigest": digest, "rows": len(rows), "detectors": detectors}
        args.out.write_text(f"{json.dumps(result, indent=2)}\n")
        print(name, {group: one["auc"] for group, one in found.items()}, flush=True)

    for package in args.package:
        if not args.only or package in args.only:
            scores, version = package_scores(package, rows, root) if args.risks is None else crossed_scores(package, rows, args.risks)
            add(f"{package} {version}", scores, 0.5, what="ours; every risk counts, also inside the band", license=None)
    for name, peer in PEERS.items():
        if peer.media == args.media and (not args.only or name in args.only):
            add(name, peer_scores(name, inputs, args.work, args.jobs), peer.threshold, what=peer.what, license=peer.license)


if __name__ == "__main__":
    main()
