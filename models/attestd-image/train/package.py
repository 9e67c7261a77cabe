"""Writes detector.json, evaluation/metrics.json and evaluation/report.md from the runs' logits."""

import hashlib
import json

import numpy as np

import data
import metrics
from report import report

VERSION = "2.0.0"
# Of real pictures of a left-out source, at most this share may get risk 50 or more, in the mean over sources.
MOST_REAL_FLAGGED = 0.02
# Shares of machine-made pictures that the calibration may suppose; the largest that keeps the limit is taken.
PRIORS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)
IDENTITY = {
    "full": ("attestd-image", "Image texture statistics over a small pretrained backbone"),
    "open": ("attestd-image-open", "Image texture statistics, trained on openly licensed pictures only"),
}
TRAINING_NOTE = {
    "full": (
        "The image pack (2,828 real: clothing photographs, CelebA, ImageNet samples, FFHQ, Debian graphics; 2,769 "
        "machine-made: StyleGAN-family faces, Stable Diffusion 1.5 fine-tunes, Nano Banana Pro posts), about 2,000 real "
        "pictures from Debian packages and the npm packages of Tabler, and about 1,700 fakes made from those real "
        "pictures by an ESRGAN upscaler and smoothing filters, on top of the first seven blocks of the ImageNet-trained "
        "MobileNetV2 from npm nsfwjs. The shipped weights saw all but the three unseen sources; the published figures "
        "come from networks that did not."
    ),
    "open": (
        "Stable Diffusion 1.5 fine-tunes (MIT), clothing photographs (CC0), Debian graphics, real pictures from Debian "
        "packages (GPL, CC BY-SA, CC0, public domain), and fakes made from those real pictures by an ESRGAN upscaler (MIT) "
        "and smoothing filters, on top of the first seven blocks of the ImageNet-trained MobileNetV2 from npm nsfwjs."
    ),
}
LICENSE_NOTE = {
    "full": (
        "Part of the data is for research or non-commercial use only (CelebA, ImageNet samples, some of FFHQ) or "
        "has no stated license (StyleGAN faces, Nano Banana posts); treat the weights as for research and evaluation."
    ),
    "open": "All training pictures are under open licenses (MIT, CC0, public domain, CC BY-SA, GPL as Debian packages).",
}
WEIGHTS_LICENSE = {
    "full": (
        "Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the "
        "training data; backbone layers: MIT (nsfwjs)"
    ),
    "open": "Apache-2.0 for code, recipe and weights; backbone layers: MIT (nsfwjs, ImageNet-trained)",
}


def read_package_file(path):
    """Digest and size of one package file, as the manifest wants them."""
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def balanced(labels, prior=0.5):
    """Weights under which the machine-made rows sum to `prior` and the real ones to the rest."""
    fakes = labels == 1
    return np.where(fakes, prior / max(1, fakes.sum()), (1 - prior) / max(1, (~fakes).sum()))


def logits_of(pack, pair, condition, *groups):
    """Labels and logits of one pair's head on some groups."""
    rows, scores = pair["logits"][condition]
    inside = np.isin(pack.groups[rows], groups)
    return pack.labels[rows[inside]], scores[inside]


def pooled(pack, pairs, prior, chosen=lambda pair: True):
    """Labels, logits and weights of the chosen pairs' predictions; every pair weighs the same."""
    parts = []
    for pair in filter(chosen, pairs):
        labels, scores = logits_of(pack, pair, "clean", pair["generator"], pair["source"])
        parts.append((labels, scores, balanced(labels, prior) * data.GROUP_WEIGHT.get(pair["source"], 1.0)))
    return [np.concatenate(column) for column in zip(*parts)]


def ranking_of(pack, pair, generator, source, condition="clean"):
    labels, scores = logits_of(pack, pair, condition, generator, source)
    return metrics.ranking(labels, scores, balanced(labels))


def pair_row(pack, pair):
    """Ranking per condition of one generator against one real source."""
    names = pair["generator"], pair["source"]
    return {
        "generator": names[0],
        "source": names[1],
        "conditions": {c: ranking_of(pack, pair, *names, condition=c) for c in pair["logits"]},
    }


def main_pairs(rows):
    """The pairs that count in the mean: all but those against the 57 graphics."""
    return [row for row in rows if row["source"] not in data.GROUP_WEIGHT]


def mean_auc(rows, condition="clean"):
    return float(np.mean([row["conditions"][condition]["auc"] for row in rows]))


def unseen_rows(pack, pairs):
    """Left-out generators against the never trained sources, and the never trained generator against left-out sources.

    Each figure is the mean over the heads that leave out the named generator or source.
    """
    rows = []
    for source in data.UNSEEN_REAL:
        for generator in data.GENERATORS:
            mine = [pair for pair in pairs if pair["generator"] == generator]
            rows.append(mean_row(pack, mine, generator, source))
    knowing = [pair for pair in pairs if pair["generator"] != "stylegan"]
    for source in data.REAL_SOURCES:
        rows.append(mean_row(pack, [p for p in knowing if p["source"] == source], data.UNSEEN_FAKE, source))
    rows.append(mean_row(pack, knowing, data.UNSEEN_FAKE, data.UNSEEN_REAL[0]))
    without = [pair for pair in pairs if pair["generator"] == "stylegan"]
    rows.append({**mean_row(pack, without, data.UNSEEN_FAKE, data.UNSEEN_REAL[0]), "note": "no GAN face in training"})
    return rows


def mean_row(pack, pairs, generator, source):
    """Mean ranking per condition over several heads."""
    conditions = {}
    for condition in pairs[0]["logits"]:
        figures = [ranking_of(pack, pair, generator, source, condition) for pair in pairs]
        conditions[condition] = {key: float(np.mean([f[key] for f in figures])) for key in figures[0]}
    return {"generator": generator, "source": source, "conditions": conditions}


def headline(pack, pairs):
    """The four figures by which the recipe was chosen."""
    left_out = mean_auc(main_pairs([pair_row(pack, pair) for pair in pairs]))
    rows = unseen_rows(pack, pairs)
    unseen = {source: mean_auc([r for r in rows if r["source"] == source and r["generator"] in data.GENERATORS])
              for source in data.UNSEEN_REAL}
    known_family = [r for r in rows if r["generator"] == data.UNSEEN_FAKE and "note" not in r]
    return {"leftOutPairs": left_out, **unseen, "stylegan2": mean_auc(known_family)}


def risks_of(pack, pairs, prior):
    """Every pair's risks on its own two groups, calibrated on pairs that share neither, and on the unseen, on all pairs."""
    everywhere = metrics.fit_platt(*pooled(pack, pairs, prior))
    results = []
    for pair in pairs:
        apart = metrics.fit_platt(*pooled(
            pack, pairs, prior,
            lambda other: other["generator"] != pair["generator"] and other["source"] != pair["source"],
        ))
        risks = {}
        for condition, (rows, scores) in pair["logits"].items():
            unseen = np.isin(pack.groups[rows], [*data.UNSEEN_REAL, data.UNSEEN_FAKE])
            slope = np.where(unseen, everywhere[0], apart[0])
            intercept = np.where(unseen, everywhere[1], apart[1])
            risks[condition] = metrics.sigmoid(slope * scores + intercept)
        results.append(risks)
    return results


def choose_prior(pack, pairs):
    """The largest prior under which at most MOST_REAL_FLAGGED of left-out real pictures are flagged."""
    for prior in PRIORS:
        risks = risks_of(pack, pairs, prior)
        shares = [source_row(pack, pairs, risks, s)["shareAtRisk50"]["clean"] for s in data.REAL_SOURCES]
        if np.mean(shares) <= MOST_REAL_FLAGGED:
            return prior, risks
    return prior, risks


def source_row(pack, pairs, risks, group):
    """How one left-out or unseen group is scored, over all pairs that leave it out."""
    unseen = group in (*data.UNSEEN_REAL, data.UNSEEN_FAKE)
    mine = [(p, r) for p, r in zip(pairs, risks) if unseen or group in (p["generator"], p["source"])]
    by_condition = {
        c: np.concatenate([r[c][pack.groups[p["logits"][c][0]] == group] for p, r in mine]) for c in data.CONDITIONS
    }
    return {
        "label": "machine-made" if group in (*data.GENERATORS, data.UNSEEN_FAKE) else "real",
        "count": int(pack.of(group).sum()),
        "meanRisk": float(by_condition["clean"].mean()),
        "shareAtRisk50": {c: float((r >= 0.5).mean()) for c, r in by_condition.items()},
    }


def shipped_rows(pack, shipped, slope, intercept):
    """Shares at risk 50 of the shipped head on the sources that it never saw."""
    risks = metrics.sigmoid(slope * shipped + intercept)
    return {g: float((risks[pack.of(g)] >= 0.5).mean()) for g in (*data.UNSEEN_REAL, data.UNSEEN_FAKE)}


def evaluate(pack, pairs, random_split, shipped, parts):
    """All figures of the package, and the calibration and band that they support."""
    prior, risks = choose_prior(pack, pairs)
    labels, logits, weights = pooled(pack, pairs, prior)
    slope, intercept = metrics.fit_platt(labels=labels, logits=logits, weights=weights)
    own = np.concatenate([
        r["clean"][np.isin(pack.groups[p["logits"]["clean"][0]], [p["generator"], p["source"]])] for p, r in zip(pairs, risks)
    ])
    _, _, even = pooled(pack, pairs, 0.5)
    low, high = metrics.choose_band(labels, own, even)
    rows = [pair_row(pack, pair) for pair in pairs]
    split_labels = pack.labels[random_split[0]]
    groups = data.REAL_SOURCES + data.UNSEEN_REAL + data.GENERATORS + (data.UNSEEN_FAKE,)
    sources = {group: source_row(pack, pairs, risks, group) for group in groups}
    real = [sources[s]["shareAtRisk50"]["clean"] for s in data.REAL_SOURCES]
    return {
        "shortSide": data.SHORT_SIDE,
        "crop": data.CROP,
        "note": "clean and degraded figures are on the center crop; the daemon takes five (evaluation/runtime.json)",
        "calibration": {"slope": slope, "intercept": intercept, "prior": prior},
        "meanLeftOutAuc": {c: mean_auc(main_pairs(rows), c) for c in data.CONDITIONS},
        "meanLeftOutAucByGenerator": {
            g: mean_auc([r for r in main_pairs(rows) if r["generator"] == g]) for g in data.GENERATORS
        },
        "meanLeftOutAucBySource": {s: mean_auc([r for r in rows if r["source"] == s]) for s in data.REAL_SOURCES},
        "lowestPair": min(row["conditions"]["clean"]["auc"] for row in rows),
        "pairs": rows,
        "unseen": unseen_rows(pack, pairs),
        "headline": parts["asShipped"],
        "ablations": parts,
        "sources": sources,
        "realFlaggedAt50": {
            "meanOfLeftOutSources": float(np.mean(real)),
            "worstLeftOutSource": float(max(real)),
            "unseenSources": {s: sources[s]["shareAtRisk50"]["clean"] for s in data.UNSEEN_REAL},
        },
        "shippedOnUnseen": shipped_rows(pack, shipped, slope, intercept),
        "pooled": {
            "ranking": metrics.ranking(labels, own, even),
            "beforeCalibration": metrics.quality(labels, metrics.sigmoid(logits), weights),
            "afterCrossCalibration": metrics.quality(labels, own, weights),
            "reliability": metrics.reliability(labels, own, weights),
        },
        "band": metrics.band_figures(labels, own, even, low, high),
        "randomSplit": {
            "note": "15 % of the pack's rows drawn at random; same sources as in training, so flattering",
            **metrics.ranking(split_labels, random_split[1], balanced(split_labels)),
        },
    }


def manifest(out, variant, figures, self_test_logit):
    """The detector.json of the package; what others set there (faces, stability probe) is kept."""
    calibration, band = figures["calibration"], figures["band"]
    risk = metrics.sigmoid(calibration["slope"] * self_test_logit + calibration["intercept"])
    before = json.loads((out / "detector.json").read_text()) if (out / "detector.json").exists() else {}
    faces = before.get("preprocessing", {}).get("faces")
    names = ["model.onnx", "selftest.jpg"] + ([faces["model"]] if faces else [])
    identity, title = IDENTITY[variant]
    content = {
        "schema": 1,
        "id": identity,
        "version": VERSION,
        "title": title,
        "mediaTypes": ["image"],
        **({"variantOf": IDENTITY["full"][0]} if variant == "open" else {}),
        "runtime": {"kind": "onnx", "model": "model.onnx", "input": "pixels", "output": "logit"},
        "files": {name: read_package_file(out / name) for name in names},
        "preprocessing": {
            "kind": "image",
            "resize": {"shortSide": data.SHORT_SIDE, "kernel": "lanczos3"},
            "crops": {"size": data.CROP, "positions": "five"},
            "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]},
            **({"faces": faces} if faces else {}),
        },
        "outputKind": "logit",
        "aggregation": "mean",
        "calibration": {
            "kind": "platt",
            "slope": round(calibration["slope"], 6),
            "intercept": round(calibration["intercept"], 6),
        },
        "decisionBand": {"low": band["low"], "high": band["high"]},
        "selfTest": {"file": "selftest.jpg", "risk": round(float(risk), 4), "tolerance": 0.02},
        "training": {"data": TRAINING_NOTE[variant], "license": LICENSE_NOTE[variant]},
        "license": WEIGHTS_LICENSE[variant],
    }
    return {**content, **{key: value for key, value in before.items() if key not in content and key != "variantOf"}}


def rounded(value):
    """Figures to six decimals, recursively."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return round(value, 6) if isinstance(value, float) else value


def write(out, variant, pack, pairs, random_split, shipped, parts, self_test_logit):
    """Writes manifest, metrics and report into the package folder."""
    figures = evaluate(pack, pairs, random_split, shipped, parts)
    (out / "evaluation").mkdir(exist_ok=True)
    (out / "evaluation" / "metrics.json").write_text(json.dumps(rounded(figures), indent=2) + "\n")
    (out / "evaluation" / "report.md").write_text(report(IDENTITY[variant][0], figures))
    content = manifest(out, variant, figures, self_test_logit)
    (out / "detector.json").write_text(json.dumps(content, indent=2) + "\n")
    print(report(IDENTITY[variant][0], figures))
