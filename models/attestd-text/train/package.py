"""Writes detector.json, evaluation/metrics.json and evaluation/report.md from the left-out predictions."""

import hashlib
import json

import numpy as np

import data
import features
import metrics
import published
import report

# Human texts of the worst left-out inner domain that may reach risk 50, by edition; the calibration is chosen by it. The aim is 2 % in any
# domain: with these, more pass only of one of the seventeen kinds of prose that are never trained on, by which they were chosen.
MOST_FLAGGED = {"all": 0.018, "open": 0.012}
VERSION = "1.6.0"
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


def is_inner(pair):
    return pair["source"] not in data.OUTER


def pooled(pack, pairs, chosen=lambda pair: True):
    """Labels, logits, lengths and weights of the chosen pairs' predictions; every pair and both classes weigh the same."""
    columns = [[], [], [], []]
    for pair in filter(chosen, pairs):
        labels = pack.labels[pair["rows"]]
        for column, values in zip(columns, (labels, pair["logits"], pack.lengths[pair["rows"]], metrics.balance(labels))):
            column.append(values)
    return [np.concatenate(column) for column in columns]


class Calibrations:
    """Lines for a stream of which half is machine-made: the shipped ones, and one set per inner domain without it."""

    def __init__(self, pack, pairs):
        self.pack = pack
        inner = [pair for pair in pairs if is_inner(pair)]
        self.shipped = metrics.fit_by_length(*pooled(pack, inner))
        self.without = {
            domain: metrics.fit_by_length(*pooled(pack, inner, lambda pair, d=domain: pair["source"] != d))
            for domain in dict.fromkeys(pair["source"] for pair in inner)
        }

    def risks(self, scores, domain, share):
        """Risks of rows of a left-out domain; the outer ones had no part in the shipped lines."""
        lines = metrics.at_share(self.without.get(domain, self.shipped), share)
        return metrics.apply_by_length(lines, scores["logits"], self.pack.lengths[scores["rows"]])


def with_risks(calibrations, shipped, share):
    """The predictions with the risks that they get at a share of machine-made texts."""
    pairs = [{**pair, "risks": calibrations.risks(pair, pair["source"], share)} for pair in shipped["pairs"]]
    people = [{**some, "risks": calibrations.risks(some, some["beside"], share)} for some in shipped["people"]]
    return pairs, people


def false_positives(pack, pairs, people, chosen=lambda rows: np.ones(len(rows), bool)):
    """Share of people's texts of each left-out domain at risk >= 50, how many there are, and whether the domain is an outer one."""
    found = {}
    for some in [*pairs, *people]:
        of = some.get("source", some.get("beside"))
        names = np.full(len(some["rows"]), of) if "source" in some else pack.domain[some["rows"]]
        human = (pack.labels[some["rows"]] == 0) & chosen(some["rows"])
        for name in sorted(set(names[human])):
            inside = human & (names == name)
            entry = found.setdefault(str(name), {"count": int(inside.sum()), "rates": [], "outer": of in data.OUTER})
            entry["rates"].append(float((some["risks"][inside] >= 0.5).mean()))
    return {
        name: {"count": entry["count"], "flaggedAt50": float(np.mean(entry["rates"])), "outer": entry["outer"]}
        for name, entry in found.items()
    }


def choose_share(pack, shipped, calibrations, most_flagged):
    """The largest share of machine-made texts that keeps false positives low enough in every inner domain."""
    for share in metrics.SHARES:
        pairs, people = with_risks(calibrations, shipped, share)
        rates = [entry["flaggedAt50"] for entry in false_positives(pack, pairs, people).values() if not entry["outer"]]
        if max(rates) <= most_flagged:
            break
    return share, pairs, people


def outside(pack, shipped, calibrations, share):
    """Share of people's prose that the shipped network was never trained on at risk >= 50, by domain."""
    scores = shipped["outside"]
    names, risks = pack.domain[scores["rows"]], calibrations.risks(scores, None, share)
    return {
        str(name): {"count": int((names == name).sum()), "flaggedAt50": float((risks[names == name] >= 0.5).mean())}
        for name in sorted(set(names))
    }


def written(pack, shipped, calibrations, share):
    """
    Texts of written.jsonl.gz by group, told from people's prose that is never trained on: by a network that learned from the other
    groups, and by one that learned from none of them.
    """
    def figures(scores):
        labels = np.repeat([0, 1], [len(scores["people"]), len(scores["made"])])
        made = {"rows": scores["rows"], "logits": scores["made"]}
        return {
            **metrics.ranking(labels, np.concatenate([scores["people"], scores["made"]])),
            "flaggedAt50": float((calibrations.risks(made, None, share) >= 0.5).mean()),
        }

    return {
        name: {"count": len(entry["others"]["rows"]), "others": figures(entry["others"]), "none": figures(entry["none"])}
        for name, entry in shipped["written"].items()
    }


def pair_row(pack, pair):
    labels = pack.labels[pair["rows"]]
    row = {
        "generator": pair["generator"], "source": pair["source"], "trainedOn": pair["trainedOn"],
        "outer": not is_inner(pair), "sourceInTraining": pair["source"] not in data.WHOLE_SOURCE,
        "human": int((labels == 0).sum()), "machine": int((labels == 1).sum()),
        "interval": metrics.interval(labels, pair["logits"], pack.pair[pair["rows"]]),
        "conditions": {"clean": metrics.ranking(labels, pair["logits"])},
        "tprAt50": float((pair["risks"][labels == 1] >= 0.5).mean()),
    }
    row["conditions"]["short"] = metrics.ranking(*pair["short"])
    return row


def mean_of(rows, condition="clean", figure="auc"):
    return float(np.mean([row["conditions"][condition][figure] for row in rows]))


def mean_ranking(pack, pairs):
    """Mean figures of a variant over all pairs."""
    found = [metrics.ranking(pack.labels[pair["rows"]], pair["logits"]) for pair in pairs]
    return {key: float(np.mean([each[key] for each in found])) for key in found[0]}


def by_length(pack, pairs):
    """Ranking and error rates of the left-out predictions in each length bin, mean over the pairs that fill it."""
    edges = [data.MIN_CHARACTERS, *metrics.LENGTH_BINS, None]
    found = []
    for number, (low, high) in enumerate(zip(edges, edges[1:])):
        ranks, false, true = [], [], []
        for pair in pairs:
            inside = metrics.length_bin(pack.lengths[pair["rows"]]) == number
            labels, risks = pack.labels[pair["rows"]][inside], pair["risks"][inside]
            if min((labels == 0).sum(), (labels == 1).sum()) < 15:
                continue
            ranks.append(metrics.ranking(labels, pair["logits"][inside]))
            false.append(float((risks[labels == 0] >= 0.5).mean()))
            true.append(float((risks[labels == 1] >= 0.5).mean()))
        if ranks:
            found.append({
                "from": low, "to": high, "pairs": len(ranks),
                **{key: float(np.mean([rank[key] for rank in ranks])) for key in ranks[0]},
                "fprAt50": float(np.mean(false)), "tprAt50": float(np.mean(true)),
            })
    return found


def by_band(pack, pairs, low, high):
    """Coverage and share of right verdicts outside the band by inner and outer set, domain, generator family and length."""
    def figures(chosen, inside=lambda pair: np.ones(len(pair["rows"]), bool)):
        columns = [[], [], []]
        for pair in filter(chosen, pairs):
            some = inside(pair)
            labels = pack.labels[pair["rows"]][some]
            if min((labels == 0).sum(), (labels == 1).sum()) < 15:
                continue
            for column, values in zip(columns, (labels, pair["risks"][some], metrics.balance(labels))):
                column.append(values)
        return metrics.band_figures(*(np.concatenate(column) for column in columns), low, high) if columns[0] else None

    def bin_of(number):
        return lambda pair: metrics.length_bin(pack.lengths[pair["rows"]]) == number

    found = {"inner": figures(is_inner), "outer": figures(lambda pair: not is_inner(pair))}
    found |= {f"domain {name}": figures(lambda pair, n=name: pair["source"] == n) for name in data.DOMAINS}
    found |= {f"generator {name}": figures(lambda pair, n=name: pair["generator"] == n) for name in data.GENERATORS}
    ends = ["180", *map(str, metrics.LENGTH_BINS), "any"]
    found |= {f"{ends[n]} to {ends[n + 1]} characters": figures(lambda pair: True, bin_of(n)) for n in range(len(ends) - 1)}
    return {name: value for name, value in found.items() if value is not None}


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
    """Languages other than English, on the development split: the same one source and generator as in training."""
    figures = {}
    for language, entry in found.items():
        labels = pack.labels[entry["rows"]]
        risk = metrics.apply_by_length(lines, entry["logits"], pack.lengths[entry["rows"]])
        figures[language] = {
            "count": len(labels), **metrics.ranking(labels, entry["logits"]),
            "fprAt50": float((risk[labels == 0] >= 0.5).mean()), "tprAt50": float((risk[labels == 1] >= 0.5).mean()),
        }
    return figures


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


def mean_figures(rows):
    """Mean ranking and share found at risk 50 over pairs, with the mean of the ends of their intervals."""
    if not rows:
        return None
    keys = rows[0]["conditions"]["clean"]
    return {
        "pairs": len(rows), **{key: mean_of(rows, figure=key) for key in keys},
        "tprAt50": float(np.mean([row["tprAt50"] for row in rows])),
        "interval": [float(np.mean([row["interval"][end] for row in rows])) for end in (0, 1)],
    }


def evaluate(pack, shipped, dev):
    """All figures of the package, and the calibration and band that they support."""
    calibrations = Calibrations(pack, shipped["pairs"])
    most_flagged = MOST_FLAGGED[shipped["name"]]
    share, pairs, people = choose_share(pack, shipped, calibrations, most_flagged)
    lines = metrics.at_share(calibrations.shipped, share)
    inner = [pair for pair in pairs if is_inner(pair)]
    labels, _, _, weights = pooled(pack, inner)
    risk = np.concatenate([pair["risks"] for pair in inner])
    at_share = metrics.balance(labels, share, weights)
    domains = np.concatenate([np.full(len(pair["rows"]), pair["source"]) for pair in inner])
    inside = [domains == domain for domain in calibrations.without]
    low, high = metrics.choose_band([(labels[rows], risk[rows], weights[rows]) for rows in inside])
    rows = [pair_row(pack, pair) for pair in pairs]
    return {
        "variant": shipped["name"],
        "trainedOn": shipped["rows"],
        "calibration": {
            "machineShare": share,
            "mostFlagged": most_flagged,
            "lines": [{"slope": slope, "intercept": intercept} for slope, intercept in lines],
        },
        "conditions": {"short": "by the first 200 characters"},
        "meanLeftOutAuc": {name: mean_of(rows, name) for name in ("clean", "short")},
        "meanLeftOut": mean_ranking(pack, pairs),
        "inner": mean_figures([row for row in rows if not row["outer"]]),
        "outer": mean_figures([row for row in rows if row["outer"]]),
        "byGenerator": {
            family: mean_figures([row for row in rows if row["generator"] == family])
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
        "pairs": rows,
        "falsePositives": false_positives(pack, pairs, people),
        "falsePositivesShort": false_positives(pack, pairs, people, lambda rows: pack.lengths[rows] <= 500),
        "outside": outside(pack, shipped, calibrations, share),
        "written": written(pack, shipped, calibrations, share),
        "byLength": by_length(pack, pairs),
        "byAttack": by_attack(pack, pairs),
        "bySource": by_source(pack, pairs),
        "languages": languages(dev, shipped["languages"], lines),
        "pooled": {
            "ranking": metrics.ranking(labels, risk),
            "atShare": metrics.quality(labels, risk, at_share),
            "atHalf": metrics.quality(labels, risk, weights),
            "reliability": metrics.reliability(labels, risk, at_share),
        },
        "band": metrics.band_figures(labels, risk, weights, low, high),
        "bandBy": by_band(pack, pairs, low, high),
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


def write(out, pack, shipped, dev, sample):
    """Writes manifest, metrics and report into the package folder."""
    figures = evaluate(pack, shipped, dev)
    (out / "evaluation").mkdir(exist_ok=True)
    (out / "evaluation" / "metrics.json").write_text(json.dumps(rounded(figures), indent=2) + "\n")
    text = report.page(out.name, figures)
    (out / "evaluation" / "report.md").write_text(text)
    content = manifest(out, shipped["name"], figures, sample)
    (out / "detector.json").write_text(json.dumps(content, indent=2) + "\n")
    print(text)
