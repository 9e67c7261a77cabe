#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the text detector.

    python3 train.py --data DIR --human FILE    the package (about 15 minutes on one CPU core)
    python3 train.py --small                    smoke check on made-up texts, under 2 minutes, no data

DIR holds train.jsonl.gz and dev.jsonl.gz of the text pack, FILE what human-texts.py wrote. Everything is seeded and runs on one thread. The package is
written to --out (default: the folder above), its other edition beside it; what evaluate.mjs compares with goes to --work.
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np

import data
import features
import fitting
import metrics
import package
import style

HERE = pathlib.Path(__file__).resolve().parent
# Texts of each class and pair that are scored after they were changed.
CHANGED_PER_CLASS = 80
# The variant that is shipped: openly licensed rows alone, if their mean left-out AUC is at most this much lower.
OPEN_MAY_LOSE = 0.02


class Scored:
    """A pack with its counts and style measures."""

    def __init__(self, pack, hasher):
        self.pack = pack
        self.counts = hasher.matrix(pack.texts)
        self.styles = np.stack([style.style(text) for text in pack.texts])
        self.cells = pack.cells()

    def fit(self, rows):
        rows = np.where(rows)[0]
        return fitting.Model(self.counts[rows], self.styles[rows], self.pack.labels[rows], self.cells[rows])

    def logits(self, model, rows):
        return model.logits(self.counts[rows], self.styles[rows])


def score_texts(model, texts, hasher):
    return model.logits(hasher.matrix(texts), np.stack([style.style(text) for text in texts]))


def changed_logits(model, pack, rows, hasher):
    """Labels and logits of some of the rows after each change."""
    rng = np.random.default_rng(data.SEED)
    some = np.concatenate([
        rng.permutation(rows[pack.labels[rows] == label])[:CHANGED_PER_CLASS] for label in (0, 1)
    ])
    return {
        name: (pack.labels[some], score_texts(model, [change(pack.texts[row]) for row in some], hasher))
        for name, change in data.CONDITIONS.items() if name != "clean"
    }


def left_out(scored, hasher, among):
    """One run per pair of domain and generator; `among` says which rows may train at all."""
    found = []
    for domain, family, training, testing in data.left_out_pairs(scored.pack):
        usable = training & among
        if not usable.any() or len(set(scored.pack.labels[usable])) < 2:
            continue
        model, rows = scored.fit(usable), np.where(testing)[0]
        halves = model.halves(scored.counts[rows], scored.styles[rows])
        found.append({
            "source": domain, "generator": family, "trainedOn": int(usable.sum()), "rows": rows,
            "logits": scored.logits(model, rows), "halves": halves,
            "changed": changed_logits(model, scored.pack, rows, hasher),
        })
        print(domain, family, round(metrics.auc(scored.pack.labels[rows], found[-1]["logits"]), 3),
              [round(metrics.auc(scored.pack.labels[rows], half), 3) for half in halves],
              "spreads", [round(float(np.std(half)), 2) for half in halves], flush=True)
    return found


def floor(scored):
    """The pack's floor on the same pairs: character n-grams and a logistic regression on the balanced rows."""
    found = []
    characters = scored.counts[:, :features.BUCKETS]
    for domain, family, training, testing in data.left_out_pairs(scored.pack):
        rows, tests = np.where(training & scored.pack.balanced)[0], np.where(testing)[0]
        idf = fitting.byte_idf(characters[rows])
        coefficients, _ = fitting.fit_logistic(
            fitting.weigh(characters[rows], idf), scored.pack.labels[rows], np.ones(len(rows))
        )
        found.append({
            "source": domain, "generator": family, "rows": tests,
            "logits": fitting.weigh(characters[tests], idf) @ coefficients,
        })
    return found


def other_languages(scored, among):
    """Chinese by left-out source, and cross-validation over the documents of the languages that have one source only."""
    pack, found = scored.pack, {"leftOutSource": {}, "folds": {}}
    for source in sorted(set(pack.source[pack.language == "zh"])):
        rows = np.where((pack.language == "zh") & (pack.source == source))[0]
        training = (pack.language == "zh") & (pack.source != source) & (among | ~pack.open)
        if len(set(pack.labels[training])) == 2:
            logits = scored.logits(scored.fit(training), rows)
            found["leftOutSource"][f"zh, {source}"] = {"count": len(rows), **metrics.ranking(pack.labels[rows], logits)}
    single = np.isin(pack.language, data.LANGUAGES) & (pack.language != "en")
    fold = np.unique(pack.pair, return_inverse=True)[1] % data.FOLDS
    for number in range(data.FOLDS if single.any() else 0):
        rows = np.where(single & (fold == number))[0]
        logits = scored.logits(scored.fit(among & ~(single & (fold == number))), rows)
        for language in sorted(set(pack.language[rows])):
            inside = pack.language[rows] == language
            entry = found["folds"].setdefault(language, {"rows": [], "logits": []})
            entry["rows"] += rows[inside].tolist()
            entry["logits"] += logits[inside].tolist()
    return found


def development(dev, model):
    """The development split in the languages that are scored; its sources were trained on, so it flatters."""
    rows = np.where(np.isin(dev.pack.language, data.LANGUAGES))[0]
    labels, logits = dev.pack.labels[rows], dev.logits(model, rows)
    return {
        "note": "documents not trained on, of the same sources, domains and generators; flattering",
        "count": len(rows), **metrics.ranking(labels, logits),
        "interval": metrics.interval(labels, logits, dev.pack.pair[rows]),
    }


def run_variant(name, scored, dev, hasher, rows):
    """Left-out predictions and the model that would be shipped."""
    among = rows & np.isin(scored.pack.language, data.LANGUAGES)
    print(f"== {name}: {int(among.sum())} rows", flush=True)
    pairs = left_out(scored, hasher, among)
    model = scored.fit(among)
    return {
        "name": name, "rows": int(among.sum()), "model": model, "pairs": pairs,
        "languages": other_languages(scored, among), "development": development(dev, model),
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path)
    parser.add_argument("--human", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "attestd-text-work")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    if not args.small and (args.data is None or args.human is None):
        parser.error("--data and --human are needed, unless --small")
    args.work.mkdir(parents=True, exist_ok=True)
    if args.out is None:
        args.out = args.work / "attestd-text" if args.small else HERE.parent
    args.out.mkdir(parents=True, exist_ok=True)
    return args


def main():
    args = parse_arguments()
    hasher = features.Hasher()
    if args.small:
        fitting.TREES["max_iter"] = 10
        scored = dev = Scored(data.fixture(), hasher)
    else:
        rows = data.read_rows(args.data / "train.jsonl.gz") + data.read_rows(args.human)
        scored = Scored(data.Pack(rows), hasher)
        dev = Scored(data.Pack(data.read_rows(args.data / "dev.jsonl.gz")), hasher)
    print("features ready", flush=True)
    variants = {
        name: run_variant(name, scored, dev, hasher, rows)
        for name, rows in (("open", scored.pack.open), ("all", scored.pack.balanced))
    }
    floors = floor(scored)
    loss = package.mean_ranking(scored.pack, variants["all"]["pairs"])["auc"]
    loss -= package.mean_ranking(scored.pack, variants["open"]["pairs"])["auc"]
    order = ("open", "all") if loss <= OPEN_MAY_LOSE else ("all", "open")
    print(f"default: {order[0]} (open rows alone lose {loss:.4f})", flush=True)
    sample = (HERE.parent / "selftest.txt").read_text().strip()
    for name, other, folder in zip(order, order[::-1], (args.out, args.out.with_name(f"{args.out.name}-{order[1]}"))):
        folder.mkdir(parents=True, exist_ok=True)
        variant = variants[name]
        fitting.export(variant["model"], folder / "model.onnx")
        (folder / "selftest.txt").write_text(f"{sample}\n")
        logit = float(score_texts(variant["model"], [sample], hasher)[0])
        package.write(folder, scored.pack, variant, variants[other], floors, (len(sample), logit))
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
