"""Writes detector.json, evaluation/metrics.json and evaluation/report.md from the runs' logits."""

import hashlib
import json

import numpy as np

import data
import metrics

TRAINING_NOTE = (
    "5,597 pictures of 112 to 256 pixels (2,828 real: clothing photographs, CelebA, ImageNet samples, FFHQ, "
    "Debian graphics; 2,769 machine-made: StyleGAN-family faces, Stable Diffusion 1.5 fine-tunes, Nano Banana "
    "Pro posts), on top of the first seven blocks of the ImageNet-trained MobileNetV2 from npm nsfwjs 4.3.0. "
    "The shipped weights saw all sources; the published figures come from networks that did not."
)
LICENSE_NOTE = (
    "Part of the data is for research or non-commercial use only (CelebA, ImageNet samples, some of FFHQ) or "
    "has no stated license (StyleGAN faces, Nano Banana posts); treat the weights as for research and evaluation."
)
WEIGHTS_LICENSE = (
    "Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the "
    "training data; backbone layers: MIT (nsfwjs)"
)


def read_package_file(path):
    """Digest and size of one package file, as the manifest wants them."""
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def pooled(pack, pairs, condition, chosen=lambda pair: True):
    """Labels, logits and weights of the chosen pairs' predictions; every pair weighs the same."""
    labels, logits, weights = [], [], []
    for pair in filter(chosen, pairs):
        rows, scores = pair["logits"][condition]
        labels.append(pack.labels[rows])
        logits.append(scores)
        weights.append(balanced(pack.labels[rows]) * data.GROUP_WEIGHT.get(pair["source"], 1.0))
    return np.concatenate(labels), np.concatenate(logits), np.concatenate(weights)


def balanced(labels):
    """Weights under which both classes sum to one half."""
    return np.where(labels == 1, 0.5 / (labels == 1).sum(), 0.5 / (labels == 0).sum())


def cross_calibrate(pack, pairs):
    """Adds to every pair its risks, calibrated on the pairs that share neither of its sources."""
    for pair in pairs:
        labels, logits, weights = pooled(
            pack, pairs, "clean",
            lambda other: other["generator"] != pair["generator"] and other["source"] != pair["source"],
        )
        slope, intercept = metrics.fit_platt(logits, labels, weights)
        pair["risks"] = {
            condition: metrics.sigmoid(slope * scores + intercept)
            for condition, (_, scores) in pair["logits"].items()
        }


def pair_row(pack, pair):
    """Ranking per condition of one generator against one real source."""
    row = {"generator": pair["generator"], "source": pair["source"], "conditions": {}}
    for condition, (rows, scores) in pair["logits"].items():
        row["conditions"][condition] = metrics.ranking(pack.labels[rows], scores, balanced(pack.labels[rows]))
    return row


def source_row(pack, pairs, group):
    """How one left-out group is scored, over all pairs that leave it out."""
    mine = [pair for pair in pairs if group in (pair["generator"], pair["source"])]
    risks = {
        condition: np.concatenate([
            pair["risks"][condition][pack.groups[pair["logits"][condition][0]] == group] for pair in mine
        ])
        for condition in data.CONDITIONS
    }
    return {
        "label": "machine-made" if group in data.GENERATORS else "real",
        "count": int((pack.groups == group).sum()),
        "meanRisk": float(risks["clean"].mean()),
        "shareAtRisk50": {condition: float((r >= 0.5).mean()) for condition, r in risks.items()},
    }


def main_pairs(rows):
    """The pairs that count in the mean: all but those against the 57 graphics."""
    return [row for row in rows if row["source"] not in data.GROUP_WEIGHT]


def mean_auc(rows, condition):
    return float(np.mean([row["conditions"][condition]["auc"] for row in rows]))


def evaluate(pack, pairs, held):
    """All figures of the package, and the calibration and band that they support."""
    cross_calibrate(pack, pairs)
    labels, logits, weights = pooled(pack, pairs, "clean")
    risks = np.concatenate([pair["risks"]["clean"] for pair in pairs])
    slope, intercept = metrics.fit_platt(logits, labels, weights)
    low, high = metrics.choose_band(labels, risks, weights)
    rows = [pair_row(pack, pair) for pair in pairs]
    held_labels, held_weights = pack.labels[held[0]], data.balanced_weights(pack.labels[held[0]], pack.groups[held[0]])
    return {
        "shortSide": data.SHORT_SIDE,
        "crop": data.CROP,
        "calibration": {"slope": slope, "intercept": intercept},
        "meanLeftOutAuc": {c: mean_auc(main_pairs(rows), c) for c in data.CONDITIONS},
        "meanLeftOutAucByGenerator": {
            generator: mean_auc([r for r in main_pairs(rows) if r["generator"] == generator], "clean")
            for generator in data.GENERATORS
        },
        "meanLeftOutAucBySource": {
            source: mean_auc([r for r in rows if r["source"] == source], "clean") for source in data.REAL_SOURCES
        },
        "pairs": rows,
        "sources": {group: source_row(pack, pairs, group) for group in data.REAL_SOURCES + data.GENERATORS},
        "pooled": {
            "ranking": metrics.ranking(labels, risks, weights),
            "beforeCalibration": metrics.quality(labels, metrics.sigmoid(logits), weights),
            "afterCrossCalibration": metrics.quality(labels, risks, weights),
            "reliability": metrics.reliability(labels, risks, weights),
        },
        "band": metrics.band_figures(labels, risks, weights, low, high),
        "randomSplit": {
            "note": "15 % of the rows drawn at random; same sources as in training, so flattering",
            **metrics.ranking(held_labels, held[1], held_weights),
        },
    }


def manifest(out, figures, self_test_logit):
    """The detector.json of the package."""
    calibration, band = figures["calibration"], figures["band"]
    risk = metrics.sigmoid(calibration["slope"] * self_test_logit + calibration["intercept"])
    return {
        "schema": 1,
        "id": "attestd-image",
        "version": "1.0.0",
        "title": "Image texture statistics over a small pretrained backbone",
        "mediaTypes": ["image"],
        "runtime": {"kind": "onnx", "model": "model.onnx", "input": "pixels", "output": "logit"},
        "files": {name: read_package_file(out / name) for name in ("model.onnx", "selftest.jpg")},
        "preprocessing": {
            "kind": "image",
            "resize": {"shortSide": data.SHORT_SIDE, "kernel": "lanczos3"},
            "crops": {"size": data.CROP, "positions": "five"},
            "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]},
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
        "training": {"data": TRAINING_NOTE, "license": LICENSE_NOTE},
        "license": WEIGHTS_LICENSE,
    }


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def report(figures):
    """A readable page of the same figures."""
    pooled_ranking = figures["pooled"]["ranking"]
    lines = [
        "# Evaluation of attestd-image",
        "",
        "Written by train/train.py; do not edit. Every figure but the random split is on a generator and a real source",
        "that the scoring network never saw: one fit per pair, same recipe. The two classes weigh the same. Degraded",
        "conditions use at most 200 pictures per source. The means leave out the pairs against the 57 graphics.",
        "",
        f"- Mean left-out AUC: **{figures['meanLeftOutAuc']['clean']:.3f}**"
        f" (JPEG 75 {figures['meanLeftOutAuc']['jpeg75']:.3f}, JPEG 50 {figures['meanLeftOutAuc']['jpeg50']:.3f},"
        f" 0.5x {figures['meanLeftOutAuc']['half']:.3f})",
        "- By left-out generator: "
        + ", ".join(f"{g} {auc:.3f}" for g, auc in figures["meanLeftOutAucByGenerator"].items()),
        "- By left-out real source: "
        + ", ".join(f"{s} {auc:.3f}" for s, auc in figures["meanLeftOutAucBySource"].items()),
        f"- Random split, for contrast only: {figures['randomSplit']['auc']:.3f}",
        f"- Mean left-out AUC without the overlap weights: {figures['meanLeftOutAucWithoutOverlapWeights']:.3f}",
        "",
        "## Left-out generator against left-out real source",
        "",
        "| generator | real source | AUC | TPR at 5 % FPR | TPR at 1 % FPR | AUC JPEG 75 | AUC JPEG 50 | AUC 0.5x |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in figures["pairs"]:
        clean = row["conditions"]["clean"]
        aucs = " | ".join(f"{row['conditions'][c]['auc']:.3f}" for c in data.CONDITIONS[1:])
        lines.append(
            f"| {row['generator']} | {row['source']} | {clean['auc']:.3f} | {percent(clean['tprAtFpr5'])} |"
            f" {percent(clean['tprAtFpr1'])} | {aucs} |"
        )
    lines += [
        "",
        f"All pairs pooled, cross-calibrated: AUC {pooled_ranking['auc']:.3f},"
        f" TPR {percent(pooled_ranking['tprAtFpr5'])} at 5 % FPR, {percent(pooled_ranking['tprAtFpr1'])} at 1 % FPR.",
        "",
        "## Share called machine-made at risk >= 50",
        "",
        "For a real source this is the false-positive rate. Calibration fit on pairs that share no source with it.",
        "",
        "| left-out source | class | images | mean risk | clean | JPEG 75 | JPEG 50 | 0.5x |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for source, entry in figures["sources"].items():
        shares = " | ".join(percent(entry["shareAtRisk50"][c]) for c in data.CONDITIONS)
        lines.append(f"| {source} | {entry['label']} | {entry['count']} | {entry['meanRisk']:.2f} | {shares} |")
    lines += [
        "",
        "## Calibration (pooled left-out predictions)",
        "",
        "| | Brier | ECE | false positives at 50 | true positives at 50 |",
        "|---|---|---|---|---|",
    ]
    for title, key in (
        ("before (sigmoid of the logit)", "beforeCalibration"),
        ("after (Platt, fit on other sources)", "afterCrossCalibration"),
    ):
        q = figures["pooled"][key]
        lines.append(
            f"| {title} | {q['brier']:.3f} | {q['ece']:.3f} | {percent(q['fprAt50'])} | {percent(q['tprAt50'])} |"
        )
    lines += ["", "| risk from | mean risk | share machine-made | predictions |", "|---|---|---|---|"]
    lines += [
        f"| {r['from']:.1f} | {r['meanRisk']:.2f} | {r['shareMachineMade']:.2f} | {r['count']} |"
        for r in figures["pooled"]["reliability"]
    ]
    band = figures["band"]
    lines += [
        "",
        "## Decision band",
        "",
        f"Unsure from {band['low']} to {band['high']}. Outside it: {percent(band['decided'])} of the left-out predictions,",
        f"{percent(band['accuracyDecided'])} of them right; above the band {percent(band['precisionAbove'])} are machine-made,",
        f"below it {percent(band['precisionBelow'])} are real; {percent(band['realFlaggedAbove'])} of real pictures land above it.",
        "",
    ]
    return "\n".join(lines)


def rounded(value):
    """Figures to four decimals, recursively."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return round(value, 6) if isinstance(value, float) else value


def write(out, pack, pairs, held, without, self_test_logit):
    """Writes manifest, metrics and report into the package folder."""
    figures = evaluate(pack, pairs, held)
    figures["meanLeftOutAucWithoutOverlapWeights"] = without
    (out / "evaluation").mkdir(exist_ok=True)
    (out / "evaluation" / "metrics.json").write_text(json.dumps(rounded(figures), indent=2) + "\n")
    (out / "evaluation" / "report.md").write_text(report(figures))
    content = manifest(out, figures, self_test_logit)
    (out / "detector.json").write_text(json.dumps(content, indent=2) + "\n")
    print(report(figures))
