"""Writes detector.json, evaluation/metrics.json and evaluation/report.md from the left-out predictions."""

import hashlib
import json

import numpy as np

import data
import features
import metrics
import report

# Human texts of a left-out domain that may reach risk 50, mean over the domains; the calibration is chosen by it.
MAX_FALSE_POSITIVES = 0.05
DEFAULT = "attestd-text"
TITLES = {
    "all": "Hashed n-grams and style measures of prose",
    "open": "Hashed n-grams and style measures of prose, openly licensed data only",
}
TRAINING_NOTES = {
    "open": (
        "English, Arabic, Bulgarian, Russian and Indonesian prose, openly licensed rows of the text pack only: L2R (CC BY 3.0; "
        "GPT-3.5, GPT-4o), OUTFOX essays (Apache-2.0; GPT-3.5, davinci-003, FLAN-T5), M4 by way of Glimpse (MIT; GPT-3.5); and "
        "human prose of seven Debian packages. The published left-out figures come from networks that saw neither the domain "
        "nor the generator."
    ),
    "all": (
        "English, Arabic, Bulgarian, Russian and Indonesian prose, the balanced rows of the text pack: BiScope (Claude 3, "
        "Gemini 1.0, GPT-3.5, GPT-4-turbo), DetectRL (Claude-instant, GPT-3.5, Llama 2, PaLM), L2R (GPT-3.5, GPT-4o), OUTFOX "
        "essays (GPT-3.5, davinci-003, FLAN-T5), M4 by way of Glimpse (GPT-3.5); and human prose of seven Debian packages. The "
        "published left-out figures come from networks that saw neither the domain nor the generator."
    ),
}
DATA_LICENSES = {
    "open": "Every source declares an open license: CC BY 3.0 (L2R), Apache-2.0 (OUTFOX), MIT (Glimpse/M4), GPL, Artistic or CC BY-SA (Debian packages).",
    "all": (
        "Part of the data states no license (DetectRL) or one that its upstream may contradict (BiScope over Yelp and "
        "arXiv); treat the weights as for research and evaluation."
    ),
}
WEIGHTS_LICENSES = {
    "open": "Apache-2.0 for code, recipe and weights; trained on openly licensed data only, credits in card.md",
    "all": "Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the training data",
}


def pooled(pack, pairs, chosen=lambda pair: True):
    """Labels, logits, lengths and weights of the chosen pairs' predictions; every pair and both classes weigh the same."""
    columns = [[], [], [], []]
    for pair in filter(chosen, pairs):
        labels = pack.labels[pair["rows"]]
        for column, values in zip(columns, (labels, pair["logits"], pack.lengths[pair["rows"]], metrics.balance(labels))):
            column.append(values)
    return [np.concatenate(column) for column in columns]


def cross_calibrate(pack, pairs, share):
    """Risks of every pair, calibrated on the pairs that share neither its domain nor its generator."""
    risks = []
    for pair in pairs:
        others = pooled(pack, pairs, lambda o: o["source"] != pair["source"] and o["generator"] != pair["generator"])
        labels, logits, lengths, weights = others
        lines = metrics.fit_by_length(labels, logits, lengths, weights, share)
        risks.append(metrics.apply_by_length(lines, pair["logits"], pack.lengths[pair["rows"]]))
    return risks


def false_positives(pack, pairs, risks, chosen=lambda rows: np.ones(len(rows), bool)):
    """Share of the human texts of each left-out domain at risk >= 50, and how many there are."""
    found = {}
    for domain in dict.fromkeys(pair["source"] for pair in pairs):
        flagged, count = [], 0
        for pair, risk in zip(pairs, risks):
            human = (pack.labels[pair["rows"]] == 0) & chosen(pair["rows"])
            if pair["source"] == domain and human.any():
                flagged.append(float((risk[human] >= 0.5).mean()))
                count = int(human.sum())
        if flagged:
            found[domain] = {"count": count, "flaggedAt50": float(np.mean(flagged))}
    return found


def choose_share(pack, pairs):
    """The largest share of machine-made texts whose calibration keeps false positives low enough."""
    for share in metrics.SHARES:
        risks = cross_calibrate(pack, pairs, share)
        rates = [entry["flaggedAt50"] for entry in false_positives(pack, pairs, risks).values()]
        if np.mean(rates) <= MAX_FALSE_POSITIVES:
            break
    return share, risks


def pair_row(pack, pair):
    labels = pack.labels[pair["rows"]]
    row = {
        "generator": pair["generator"], "source": pair["source"], "trainedOn": pair.get("trainedOn"),
        "human": int((labels == 0).sum()), "machine": int((labels == 1).sum()),
        "interval": metrics.interval(labels, pair["logits"], pack.pair[pair["rows"]]),
        "conditions": {"clean": metrics.ranking(labels, pair["logits"])},
    }
    for name, (some, logits) in pair["changed"].items():
        row["conditions"][name] = metrics.ranking(some, logits)
    return row


def mean_of(rows, condition="clean", figure="auc"):
    return float(np.mean([row["conditions"][condition][figure] for row in rows]))


def mean_ranking(pack, pairs):
    """Mean figures of a variant over all pairs."""
    found = [metrics.ranking(pack.labels[pair["rows"]], pair["logits"]) for pair in pairs]
    return {key: float(np.mean([each[key] for each in found])) for key in found[0]}


def by_length(pack, pairs, risks):
    """Ranking and error rates of the left-out predictions in each length bin, mean over the pairs that fill it."""
    edges = [data.MIN_CHARACTERS, *metrics.LENGTH_BINS, None]
    found = []
    for number, (low, high) in enumerate(zip(edges, edges[1:])):
        ranks, false, true = [], [], []
        for pair, risk in zip(pairs, risks):
            inside = metrics.length_bin(pack.lengths[pair["rows"]]) == number
            labels = pack.labels[pair["rows"]][inside]
            if min((labels == 0).sum(), (labels == 1).sum()) < 15:
                continue
            ranks.append(metrics.ranking(labels, pair["logits"][inside]))
            false.append(float((risk[inside][labels == 0] >= 0.5).mean()))
            true.append(float((risk[inside][labels == 1] >= 0.5).mean()))
        if ranks:
            found.append({
                "from": low, "to": high, "pairs": len(ranks),
                **{key: float(np.mean([rank[key] for rank in ranks])) for key in ranks[0]},
                "fprAt50": float(np.mean(false)), "tprAt50": float(np.mean(true)),
            })
    return found


def by_attack(pack, pairs):
    """Each attack against the human texts of its pair, mean over the pairs."""
    found = {}
    for attack in sorted(set(pack.attack[pack.labels == 1])):
        values, count = [], 0
        for pair in pairs:
            labels = pack.labels[pair["rows"]]
            inside = (labels == 0) | (pack.attack[pair["rows"]] == attack)
            if (labels[inside] == 1).sum() >= 10:
                values.append(metrics.auc(labels[inside], pair["logits"][inside]))
                count += int((labels[inside] == 1).sum())
        if values:
            found[attack] = {"machine": count, "auc": float(np.mean(values))}
    return found


def languages(pack, found, lines):
    """Languages other than English, with the share of human and machine-made texts at risk >= 50."""
    folds = {}
    for language, entry in found["folds"].items():
        rows, logits = np.array(entry["rows"]), np.array(entry["logits"])
        labels, risk = pack.labels[rows], metrics.apply_by_length(lines, logits, pack.lengths[rows])
        folds[language] = {
            "count": len(rows), **metrics.ranking(labels, logits),
            "fprAt50": float((risk[labels == 0] >= 0.5).mean()), "tprAt50": float((risk[labels == 1] >= 0.5).mean()),
        }
    return {"leftOutSource": found["leftOutSource"], "folds": folds}


def by_source(pack, pairs):
    """Each source of the pack, where its domain and the generator were left out; mean over the pairs."""
    found = {}
    for source in sorted(set(pack.source)):
        ranks = []
        for pair in pairs:
            inside = pack.source[pair["rows"]] == source
            labels = pack.labels[pair["rows"]][inside]
            if min((labels == 0).sum(), (labels == 1).sum()) >= 15:
                ranks.append(metrics.ranking(labels, pair["logits"][inside]))
        if ranks:
            found[source] = {
                "pairs": len(ranks), **{key: float(np.mean([rank[key] for rank in ranks])) for key in ranks[0]},
            }
    return found


def evaluate(pack, shipped, other, floor_pairs):
    """All figures of the package, and the calibration and band that they support."""
    pairs = shipped["pairs"]
    share, risks = choose_share(pack, pairs)
    labels, logits, lengths, weights = pooled(pack, pairs)
    lines = metrics.fit_by_length(labels, logits, lengths, weights, share)
    risk = np.concatenate(risks)
    at_share = metrics.balance(labels, share, weights)
    low, high = metrics.choose_band(labels, risk, weights)
    rows = [pair_row(pack, pair) for pair in pairs]
    return {
        "variant": shipped["name"],
        "trainedOn": shipped["rows"],
        "calibration": {
            "machineShare": share,
            "lines": [{"slope": slope, "intercept": intercept} for slope, intercept in lines],
        },
        "conditions": {"short": "by the first 250 characters", "lowercase": "in lower case"},
        "meanLeftOutAuc": {name: mean_of(rows, name) for name in data.CONDITIONS},
        "meanLeftOut": mean_ranking(pack, pairs),
        "meanLeftOutAucByGenerator": {
            family: mean_of([row for row in rows if row["generator"] == family])
            for family in data.GENERATORS if any(row["generator"] == family for row in rows)
        },
        "meanLeftOutAucBySource": {
            domain: mean_of([row for row in rows if row["source"] == domain])
            for domain in data.DOMAINS if any(row["source"] == domain for row in rows)
        },
        "halves": {
            name: float(np.mean([metrics.auc(pack.labels[pair["rows"]], pair["halves"][half]) for pair in pairs]))
            for half, name in enumerate(("ngrams", "style"))
        },
        "floor": mean_ranking(pack, floor_pairs),
        "otherVariant": {
            "name": other["name"], "trainedOn": other["rows"], "meanLeftOut": mean_ranking(pack, other["pairs"]),
            "development": other["development"],
        },
        "pairs": rows,
        "floorPairs": [
            {"generator": pair["generator"], "source": pair["source"],
             **metrics.ranking(pack.labels[pair["rows"]], pair["logits"])} for pair in floor_pairs
        ],
        "falsePositives": false_positives(pack, pairs, risks),
        "falsePositivesShort": false_positives(pack, pairs, risks, lambda rows: pack.lengths[rows] <= 500),
        "byLength": by_length(pack, pairs, risks),
        "byAttack": by_attack(pack, pairs),
        "bySource": by_source(pack, pairs),
        "languages": languages(pack, shipped["languages"], lines),
        "pooled": {
            "ranking": metrics.ranking(labels, risk),
            "atShare": metrics.quality(labels, risk, at_share),
            "atHalf": metrics.quality(labels, risk, weights),
            "reliability": metrics.reliability(labels, risk, at_share),
        },
        "band": metrics.band_figures(labels, risk, weights, low, high),
        "randomSplit": shipped["development"],
    }


def read_package_file(path):
    """Digest and size of one package file, as the manifest wants them."""
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def bins(lines):
    """The calibration of the manifest."""
    ends = [{"upTo": end} for end in metrics.LENGTH_BINS] + [{}]
    return [
        {**end, "slope": round(line["slope"], 6), "intercept": round(line["intercept"], 6)}
        for end, line in zip(ends, lines)
    ]


def manifest(out, variant, figures, sample):
    """The detector.json of the package. sample: length and logit of the self-test text"""
    lines = [(line["slope"], line["intercept"]) for line in figures["calibration"]["lines"]]
    risk = metrics.apply_by_length(lines, np.array([sample[1]]), np.array([sample[0]]))[0]
    edition = {"variantOf": DEFAULT} if out.name != DEFAULT else {}
    return {
        "schema": 1,
        "id": out.name,
        "version": "1.0.0",
        "title": TITLES[variant],
        "mediaTypes": ["text"],
        **edition,
        "runtime": {"kind": "onnx", "model": "model.onnx", "input": ["index", "count", "style"], "output": "logit"},
        "files": {name: read_package_file(out / name) for name in ("model.onnx", "selftest.txt")},
        "preprocessing": {
            "kind": "text",
            "minCharacters": data.MIN_CHARACTERS,
            "windowCharacters": data.WINDOW,
            "maxWindows": 64,
            "languages": data.LANGUAGES,
            "features": {
                "kind": "hashed-ngrams", "characters": list(features.CHARACTERS), "words": list(features.WORDS),
                "buckets": features.BUCKETS, "style": True,
            },
        },
        "outputKind": "logit",
        "aggregation": "mean",
        "calibration": {"kind": "by-length", "bins": bins(figures["calibration"]["lines"])},
        "decisionBand": {"low": figures["band"]["low"], "high": figures["band"]["high"]},
        "stabilityProbe": True,
        "selfTest": {"file": "selftest.txt", "risk": round(float(risk), 4), "tolerance": 0.01},
        "training": {"data": TRAINING_NOTES[variant], "license": DATA_LICENSES[variant]},
        "license": WEIGHTS_LICENSES[variant],
    }


def rounded(value):
    """Figures to six decimals, recursively."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 6) if isinstance(value, float) else value


def write(out, pack, shipped, other, floor_pairs, sample):
    """Writes manifest, metrics and report into the package folder."""
    figures = evaluate(pack, shipped, other, floor_pairs)
    (out / "evaluation").mkdir(exist_ok=True)
    (out / "evaluation" / "metrics.json").write_text(json.dumps(rounded(figures), indent=2) + "\n")
    text = report.page(out.name, figures)
    (out / "evaluation" / "report.md").write_text(text)
    content = manifest(out, shipped["name"], figures, sample)
    (out / "detector.json").write_text(json.dumps(content, indent=2) + "\n")
    print(text)
