"""Adds further files of the pack's repositories to the originals, as rows without a crop.

    python3 further.py --clones DIR --pack DIR --originals DIR

CLONES holds bare clones named owner+name, PACK the pack's index.csv and origins.csv, ORIGINALS what the pack's originals.py
wrote. A file is taken when it lies in a folder of which the pack has three files or more, all of one class, source and generator:
then it is taken for one of them. Known files, small ones and long strips are left out, and more than MOST of a group.
"""

import argparse
import collections
import csv
import hashlib
import io
import os
import pathlib
import random
import subprocess

from PIL import Image

import sources

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
KNOWN, SMALLEST, LONGEST, LEAST_BYTES = 3, 200, 2.4, 8000
MOST = {"real": 220, "fake": 140}
# Their folders hold copies of the pack's own pictures, reduced or restored.
COPIES = ("jbhuang0604/SelfExSR", "cszn/BSRGAN")


def git(clone, *arguments):
    return subprocess.run(["git", "--git-dir", clone, *arguments], capture_output=True, check=True).stdout


def clone_of(clones, repository):
    """The folder of a bare clone, or None where it is not there."""
    for folder, below, files in os.walk(clones / repository.replace("/", "+")):
        if "HEAD" in files and "objects" in below:
            return folder
    return None


def pictures(clone):
    """Blob and path of every stored picture of a clone."""
    for line in git(clone, "ls-tree", "-r", "-l", "HEAD").decode().splitlines():
        described, path = line.split("\t", 1)
        _, kind, blob, size = described.split()
        if kind == "blob" and size.isdigit() and int(size) > LEAST_BYTES and path.lower().endswith(SUFFIXES):
            yield blob, path


def candidates(clone, known):
    """Files of the folders whose `known` pictures (pack rows by blob) agree: (blob, path, a pack row like it, its kind)."""
    folders, in_pack = collections.defaultdict(list), collections.defaultdict(list)
    for blob, path in pictures(clone):
        (in_pack if blob in known else folders)[os.path.dirname(path)].append((blob, path))
    for folder, files in folders.items():
        rows = [known[blob] for blob, _ in in_pack[folder]]
        if len(rows) >= KNOWN and len({(row["label"], row["source"], row["generator"], row["family"]) for row in rows}) == 1:
            kind = collections.Counter(row["kind"] for row in rows).most_common(1)[0][0]
            yield from ((blob, path, rows[0], kind) for blob, path in files)


def size_of(data):
    """Width and height, or None where the picture is not taken."""
    try:
        size = Image.open(io.BytesIO(data)).size
    except OSError:
        return None
    return size if min(size) >= SMALLEST and max(size) <= LONGEST * min(size) else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("clones", "pack", "originals"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    with open(options.pack / "index.csv") as file:
        pack = {row["path"]: row for row in csv.DictReader(file)}
    known = collections.defaultdict(dict)
    with open(options.pack / "origins.csv") as file:
        for row in csv.DictReader(file):
            known[row["repository"]][row["blob"]] = pack[row["path"]]
    index = options.originals / "index.csv"
    with open(index) as file:
        rows = [row for row in csv.DictReader(file) if row["crop"]]
    groups = collections.defaultdict(list)
    for repository in sorted(set(known) - set(COPIES)):
        clone = clone_of(options.clones, repository)
        for blob, path, like, kind in candidates(clone, known[repository]) if clone else ():
            groups[like["label"], like["source"], like["generator"]].append((clone, blob, path, like, kind))
    seen, added = {row["sha1"] for row in rows}, 0
    for (label, _, _), files in sorted(groups.items()):
        random.Random(1).shuffle(files)
        taken = 0
        for clone, blob, path, like, kind in files:
            if taken == MOST[label]:
                break
            data = git(clone, "cat-file", "blob", blob)
            sha1, size = hashlib.sha1(data).hexdigest(), size_of(data)
            if size is None or sha1 in seen:
                continue
            name = f"further{added:05d}{pathlib.Path(path).suffix.lower()}"
            (options.originals / name).write_bytes(data)
            seen.add(sha1)
            added, taken = added + 1, taken + 1
            rows.append({
                **like, "path": name, "kind": kind, "scale": "native", "pair": "", "native_w": size[0], "native_h": size[1],
                "orig_format": "", "orig_quality": "", "sha1": sha1, "crop": "",
            })
    with open(index, "w") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    counted = collections.Counter(sources.fold(row) for row in rows if not row["crop"])
    print(f"{added} further files: {dict(counted)}")


if __name__ == "__main__":
    main()
