#!/usr/bin/python3
"""Writes human.jsonl.gz: formal and technical prose by people, from seven Debian 12 packages, all openly licensed.

    apt-get download anarchism debian-handbook debian-history debian-policy developers-reference harden-doc perl-doc
    for deb in *.deb; do dpkg-deb -x $deb packages/${deb%%_*}; done
    python3 human-texts.py --packages packages --norm DIR/norm.py --out human.jsonl.gz

With --outside it takes jargon-text and fortunes instead, which are never trained on, and writes JSON for evaluate.mjs --texts.

All of it predates language models that write. It keeps the detector from taking formality for a machine: left out of
training, abstracts of papers looked machine-made without it.
"""

import argparse
import gzip
import html
import importlib.util
import json
import pathlib
import random
import re

import data

PER_PACKAGE = 300
# Characters at which a passage is closed, drawn for each.
LENGTHS = (250, 400, 700, 1100)
LONGEST = 2000
# Where each package keeps its English text, and how that is read.
PLACES = {
    "anarchism": ("html", "usr/share/doc/anarchism/html/sec*.html", "GPL-2"),
    "debian-handbook": ("html", "usr/share/doc/debian-handbook/html/en-US/*.html", "GPL-2+ or CC BY-SA 3.0"),
    "debian-history": ("text", "usr/share/doc/debian-history/docs/project-history.en.txt.gz", "GPL-2+"),
    "debian-policy": ("html", "usr/share/doc/debian-policy/policy.html/ch-*.html", "GPL-2+"),
    "developers-reference": ("html", "usr/share/developers-reference/[a-z]*.html", "GPL-2"),
    "harden-doc": ("html", "usr/share/doc/harden-doc/html/en-US/*.html", "GPL-2"),
    "perl-doc": ("pod", "usr/share/perl/*/pod/*.pod", "GPL-1+ or Artistic"),
}
# Never trained on: what people wrote that resembles nothing in the pack.
OUTSIDE = {
    "jargon-text": ("text", "usr/share/doc/jargon-text/jargon.txt.gz", "public domain"),
    "fortunes": ("fortunes", "usr/share/games/fortunes/*", "various"),
}


def spaced(text):
    return re.sub(r"\s+", " ", text).strip()


def html_paragraphs(text):
    text = re.sub(r"(?is)<(script|style|head|pre).*?</\1>", "", text)
    # DocBook's pages have <div class="para"> for a paragraph.
    found = re.findall(r"(?is)<(?:p\b|div class=\"para\")[^>]*>(.*?)(?=<p[ >]|</p>|<h\d|<div|</div>)", text)
    return [spaced(html.unescape(re.sub("<[^>]+>", "", one))) for one in found]


def text_paragraphs(text):
    return [spaced(one) for one in re.split(r"\n\s*\n", text)]


def pod_paragraphs(text):
    prose = [one for one in re.split(r"\n\s*\n", text) if not one.startswith(("=", " ", "\t"))]
    return [spaced(re.sub(r"[A-Z]<+\s*(?:[^>|]*\|)?([^>]*?)\s*>+", r"\1", one)) for one in prose]


def fortunes(text):
    return [spaced(one) for one in text.split("\n%\n")]


READ = {"fortunes": fortunes, "html": html_paragraphs, "text": text_paragraphs, "pod": pod_paragraphs}


def passages(paragraphs, rng):
    """Paragraphs joined until a passage is long enough."""
    joined, wanted = "", rng.choice(LENGTHS)
    for paragraph in paragraphs:
        if len(paragraph) < 60 or paragraph.count(" ") < 9:
            continue
        joined = f"{joined} {paragraph}".strip()
        if len(joined) >= wanted:
            yield joined
            joined, wanted = "", rng.choice(LENGTHS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("packages", "norm", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--outside", action="store_true")
    args = parser.parse_args()
    spec = importlib.util.spec_from_file_location("norm", args.norm)
    norm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(norm)
    rows = []
    for package, (kind, pattern, licence) in (OUTSIDE if args.outside else PLACES).items():
        rng = random.Random(f"{data.SEED} {package}")
        paragraphs = []
        for file in sorted((args.packages / package).glob(pattern)):
            # Beside each file of fortunes lie its index and a link to it.
            if not file.is_file() or file.suffix in (".dat", ".u8"):
                continue
            raw = gzip.open(file).read() if file.suffix == ".gz" else file.read_bytes()
            paragraphs += READ[kind](raw.decode("utf-8", "ignore"))
        texts = [norm.normalise(text)[:LONGEST] for text in passages(dict.fromkeys(paragraphs), rng)]
        texts = [text for text in texts if len(text) >= data.MIN_CHARACTERS]
        rng.shuffle(texts)
        rows += [{
            "text": text, "label": "human", "generator": "human", "domain": package, "language": "en", "source": "debian",
            "licence": licence, "licence_class": "declared-open", "attack": "none", "balanced": True,
            "pair": f"debian:{package}:{number}",
        } for number, text in enumerate(texts[:PER_PACKAGE])]
        print(package, len(texts), "passages")
    if args.outside:
        args.out.write_text(json.dumps([{"source": row["domain"], "text": row["text"]} for row in rows]))
        return
    with gzip.open(args.out, "wt") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    print(len(rows), "texts in", args.out)


if __name__ == "__main__":
    main()
