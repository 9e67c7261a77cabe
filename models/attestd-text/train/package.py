"""Calibration, band, figures, manifest and report of the package, from left-out logits."""

import hashlib
import json

import numpy as np

import data
import features
import lengths
import published
import report
import verdicts

VERSION = "1.9.0"
# Files for the published detector's n-grams; a character has at most four bytes, each of which may be a token.
TOKEN_FILES = {"tokenizer": published.TOKENIZER, "tokenizerConfig": published.TOKENIZER_CONFIG}
MAX_TOKENS = 4 * data.WINDOW
DEFAULT = "attestd-text"
TITLES = {
    "all": "Hashed n-grams, style measures and a published detector's token n-grams of prose",
    "open": "Hashed n-grams and style measures of prose, openly licensed data only",
}
TRAINING_NOTES = {
    "open": (
        "English, Arabic, Bulgarian, Russian and Indonesian prose, openly licensed rows of the text pack only: L2R (CC BY 3.0; "
        "GPT-3.5, GPT-4o), OUTFOX essays (Apache-2.0; GPT-3.5, davinci-003, FLAN-T5), M4 by way of Glimpse (MIT; GPT-3.5); and "
        "people's prose of packages of Debian, PyPI and npm; and texts that a model of 2026 wrote for this recipe. The published left-out "
        "figures come from networks that saw neither the domain nor the generator."
    ),
    "all": (
        "English, Arabic, Bulgarian, Russian and Indonesian prose, the balanced rows of the text pack: BiScope (Claude 3, "
        "Gemini 1.0, GPT-3.5, GPT-4-turbo), DetectRL (Claude-instant, GPT-3.5, Llama 2, PaLM), L2R (GPT-3.5, GPT-4o), OUTFOX "
        "essays (GPT-3.5, davinci-003, FLAN-T5), M4 by way of Glimpse (GPT-3.5); and people's prose of packages of Debian, PyPI and npm; "
        f"texts that a model of 2026 wrote for this recipe. It carries weights of the published detector {published.NAME} (MIT; its training data is "
        "not named). The published left-out figures come from networks that saw neither the domain nor the generator; what that detector saw is not known."
    ),
}
DATA_LICENSES = {
    "open": "Every source declares an open license: CC BY 3.0 (L2R), Apache-2.0 (OUTFOX), MIT (Glimpse/M4), CC0 (the texts in train/written.jsonl.gz), and the free licenses of the packages of Debian, PyPI and npm that train/registers.py names.",
    "all": (
        "Part of the data states no license (DetectRL) or one that its upstream may contradict (BiScope over Yelp and "
        "arXiv); treat the weights as for research and evaluation."
    ),
}
WEIGHTS_LICENSES = {
    "open": "Apache-2.0 for code, recipe and weights; trained on openly licensed data only, credits in card.md",
    "all": (
        "Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the training data; those of "
        f"{published.NAME} and the tokens of o200k_base are under the MIT license (train/LICENSE-published)"
    ),
}


class Judged(verdicts.Judged):
    """
    Texts of each pair of left-out domain and generator family, with the logit of the network that saw neither. A page is a source's domain:
    what two left-out domains share lies in one half.
    """

    def __init__(self, pack, pairs):
        self.pairs, self.places = pairs, np.concatenate([pair["rows"] for pair in pairs])
        self.pair = np.repeat(np.arange(len(pairs)), [len(pair["rows"]) for pair in pairs])
        self.lengths, self.attacks = pack.lengths[self.places], pack.attack[self.places]
        pages = np.array([f"{source}, {domain}" for source, domain in zip(pack.source[self.places], pack.domain[self.places])])
        super().__init__(pack.labels[self.places], np.concatenate([pair["logits"] for pair in pairs]), pages)

    def even(self, mask):
        """Left-out domains weigh the same in each class, and so do the pairs of one."""
        weights = np.zeros(len(self.labels))
        for label in (0, 1):
            side = mask & (self.labels == label)
            weights[side] = 1 / np.bincount(self.pair[side])[self.pair[side]]
            _, domains = np.unique(self.of("source")[side], return_inverse=True)
            weights[side] /= np.bincount(domains, weights[side])[domains]
            weights[side] /= 2 * weights[side].sum()
        return weights

    def line(self, mask):
        return lengths.fit(self.labels[mask], self.logits[mask], self.lengths[mask], self.even(mask)[mask])

    def risks_by(self, line, mask):
        return lengths.risks(line, self.logits[mask], self.lengths[mask])

    def promised(self):
        """All, and the outer domains alone, by which nothing was chosen."""
        outer = np.isin(self.of("source"), data.OUTER)
        return [self.every, outer] if outer.any() else [self.every]

    def of(self, key):
        """`source` (left-out domain) or `generator` (family) of each row."""
        return np.array([pair[key] for pair in self.pairs])[self.pair]

    def tables(self):
        domains, families, bins = self.of("source"), self.of("generator"), lengths.bin_of(self.lengths)
        outer = np.isin(domains, data.OUTER)
        masks = {"all": self.every, "form: inner domains": ~outer, "form: outer domains": outer}
        masks |= {f"kind: {name}": domains == name for name in data.DOMAINS}
        masks |= {f"family: {name}": families == name for name in data.GENERATORS}
        masks |= {f"length: {name}": bins == number for number, name in enumerate(lengths.names(data.MIN_CHARACTERS))}
        for attack in sorted(set(self.attacks[self.labels == 1])):
            mine = (self.labels == 1) & (self.attacks == attack)
            masks[f"attack: {attack}"] = mine | ((self.labels == 0) & np.isin(self.pair, self.pair[mine]))
        return {name: self.figures(mask) for name, mask in masks.items() if mask.any()}

    def pair_row(self, number, documents):
        """Figures of a pair; whole documents are drawn for its interval."""
        pair, mask = self.pairs[number], self.pair == number
        each = (self.labels, self.logits, self.risks, self.even(mask), self.low, self.high, documents[self.places])
        found = verdicts.figures(*(values[mask] for values in each))
        return {
            "generator": pair["generator"], "source": pair["source"], "trainedOn": pair["trainedOn"],
            "outer": pair["source"] in data.OUTER, "sourceInTraining": pair["source"] not in data.WHOLE_SOURCE,
            **found, "conditions": {"clean": {"auc": found["auc"]}, "short": verdicts.ranking(*pair["short"])},
        }


class Shipped:
    """The calibration and band of the manifest, for texts that had no part in them."""

    def __init__(self, pack, fitted):
        self.pack, (self.lines, (self.low, self.high)) = pack, fitted

    def called(self, rows, logits):
        """Which texts are called machine-made, and which real."""
        risks = lengths.risks(self.lines, logits, self.pack.lengths[rows])
        return risks >= self.high, risks <= self.low

    def people(self, rows, logits):
        """Shares of people's texts by domain."""
        made, real = self.called(rows, logits)
        names, short = self.pack.domain[rows], self.pack.lengths[rows] <= lengths.ENDS[1]
        return {
            str(name): {
                "count": int((names == name).sum()), "calledMade": float(made[names == name].mean()), "calledReal": float(real[names == name].mean()),
                "shortCalledMade": float(made[short & (names == name)].mean()) if (short & (names == name)).any() else None,
            }
            for name in sorted(set(names))
        }

    def written(self, groups):
        """
        Texts of written.jsonl.gz by group, told from people's prose that is never trained on: by a network that learned from the other
        groups, and by one that learned from none of them.
        """
        def figures(scores):
            labels = np.repeat([0, 1], [len(scores["people"]), len(scores["made"])])
            made, real = self.called(scores["rows"], scores["made"])
            ranking = verdicts.ranking(labels, np.concatenate([scores["people"], scores["made"]]))
            return {**ranking, "calledMade": float(made.mean()), "calledReal": float(real.mean())}

        return {name: {"count": len(group["others"]["rows"]), **{by: figures(group[by]) for by in ("others", "none")}} for name, group in groups.items()}

    def languages(self, found):
        """Languages other than English, on the development split: the same one source and generator as in training."""
        figures = {}
        for language, entry in found.items():
            labels, (made, _) = self.pack.labels[entry["rows"]], self.called(entry["rows"], entry["logits"])
            figures[language] = {
                "count": len(labels), **verdicts.ranking(labels, entry["logits"]),
                **{f"{name}CalledMade": float(made[labels == label].mean()) for label, name in enumerate(("real", "fake"))},
            }
        return figures


def mean_of(rows, condition="clean"):
    return float(np.mean([row["conditions"][condition]["auc"] for row in rows]))


def evaluate(pack, shipped, dev):
    """All figures of the package, and the calibration and band that they support."""
    judged = Judged(pack, shipped["pairs"])
    fitted = judged.fitted(judged.every)
    told = Shipped(pack, fitted)
    rows = [judged.pair_row(number, pack.pair) for number in range(len(judged.pairs))]
    beside = [np.concatenate([some[key] for some in shipped["people"]]) if shipped["people"] else np.zeros(0, int) for key in ("rows", "logits")]
    outside = shipped["outside"]
    return fitted, {
        "variant": shipped["name"],
        "trainedOn": shipped["rows"],
        "fitted": {"pairs": len(rows), "of": shipped["possible"]},
        "aim": float(judged.aim),
        "conditions": {"short": "by the first 200 characters"},
        "meanLeftOutAuc": {name: mean_of(rows, name) for name in ("clean", "short")},
        "meanLeftOutAucBySource": {
            domain: mean_of([row for row in rows if row["source"] == domain])
            for domain in data.DOMAINS if any(row["source"] == domain for row in rows)
        },
        "meanLeftOutAucBySet": {
            name: mean_of(some) for name, outer in (("inner", False), ("outer", True)) if (some := [row for row in rows if row["outer"] == outer])
        },
        "halves": {
            name: float(np.mean([verdicts.auc(pack.labels[pair["rows"]], pair["halves"][half]) for pair in judged.pairs]))
            for half, name in enumerate(("ngrams", "style"))
        },
        "crossed": {"tables": judged.tables()},
        "pairs": rows,
        "people": {"leftOutWithADomain": told.people(*beside), "neverTrainedOn": told.people(outside["rows"], outside["logits"])},
        "written": told.written(shipped["written"]),
        "languages": Shipped(dev, fitted).languages(shipped["languages"]),
        "reliability": lengths.reliability(judged.labels, judged.risks, judged.even(judged.every)),
        "randomSplit": shipped["development"],
    }


def read_package_file(path):
    """Digest and size of one package file, as the manifest wants them."""
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def bins(lines):
    """The calibration of the manifest."""
    ends = [{"upTo": end} for end in lengths.ENDS] + [{}]
    return [{**end, "slope": round(slope, 6), "intercept": round(intercept, 6)} for end, (slope, intercept) in zip(ends, lines)]


def manifest(out, variant, fitted, sample):
    """The detector.json of the package. sample: length and logit of the self-test text"""
    lines, (low, high) = fitted
    risk = lengths.risks(lines, np.array([sample[1]]), np.array([sample[0]]))[0]
    edition = {"variantOf": DEFAULT} if out.name != DEFAULT else {}
    tokens = TOKEN_FILES if (out / published.TOKENIZER).exists() else {}
    return {
        "schema": 1,
        "id": out.name,
        "version": VERSION,
        "title": TITLES[variant],
        "mediaTypes": ["text"],
        **edition,
        "runtime": {"kind": "onnx", "model": "model.onnx", "input": ["index", "count", "style", *(["input_ids"] if tokens else [])], "output": "logit"},
        "files": {name: read_package_file(out / name) for name in ("model.onnx", "selftest.txt", *tokens.values())},
        "preprocessing": {
            "kind": "text",
            "minCharacters": data.MIN_CHARACTERS,
            "windowCharacters": data.WINDOW,
            "maxWindows": 64,
            "languages": data.LANGUAGES,
            "features": {
                "kind": "hashed-ngrams", "characters": list(features.CHARACTERS), "words": list(features.WORDS),
                "buckets": features.BUCKETS, "style": True,
                **({"tokens": {**tokens, "maxTokens": MAX_TOKENS}} if tokens else {}),
            },
        },
        "outputKind": "logit",
        "aggregation": "mean",
        "calibration": {"kind": "by-length", "prior": verdicts.PRIOR, "bins": bins(lines)},
        "decisionBand": {"low": low, "high": high},
        "stabilityProbe": True,
        "selfTest": {"file": "selftest.txt", "risk": round(float(risk), 4), "tolerance": 0.01},
        "training": {"data": TRAINING_NOTES[variant], "license": DATA_LICENSES[variant]},
        "license": WEIGHTS_LICENSES[variant],
        **({"openWeights": True} if variant == "open" else {}),
    }


def write(out, pack, shipped, dev, sample):
    """Writes manifest and evaluation into the package folder."""
    fitted, figures = evaluate(pack, shipped, dev)
    verdicts.write(out, figures, fitted[1], report.page(out.name, figures, fitted))
    (out / "detector.json").write_text(json.dumps(manifest(out, shipped["name"], fitted, sample), indent=2) + "\n")
