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
    "has no stated licence (StyleGAN faces, Nano Banana posts); treat the weights as for research and evaluation."
)
WEIGHTS_LICENSE = (
    "Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the "
    "training data; backbone layers: MIT (nsfwjs)"
)


def read_package_file(path):
    """Digest and size of one package file, as the manifest wants them."""
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def pooled_predictions(pack, folds, condition):
    """Labels, groups, logits and fold names of every left-out prediction."""
    rows = np.concatenate([f["rows"] for f in folds.values()])
    logits = np.concatenate([f[condition] for f in folds.values()])
    names = np.concatenate([np.full(len(f["rows"]), n) for n, f in folds.items()])
    return pack.labels[rows], pack.groups[rows], logits, names


def cross_calibrated(pack, folds, condition):
    """Risks under a calibration fit on the clean pictures of the other folds, as in deployment."""
    labels, groups, clean, names = pooled_predictions(pack, folds, "clean")
    logits = pooled_predictions(pack, folds, condition)[2]
    risks = np.empty(len(logits))
    for name in sorted(set(names)):
        other = names != name
        weights = data.balanced_weights(labels[other], groups[other])
        slope, intercept = metrics.fit_platt(clean[other], labels[other], weights)
        risks[~other] = metrics.sigmoid(slope * logits[~other] + intercept)
    return risks


def fold_rows(pack, folds):
    """Per fold and condition: ranking over the left-out rows, sources weighing the same."""
    table = {}
    for name, fold in folds.items():
        labels, groups = pack.labels[fold["rows"]], pack.groups[fold["rows"]]
        weights = data.balanced_weights(labels, groups)
        table[name] = {
            "leftOut": data.FOLDS[name],
            "conditions": {c: metrics.ranking(labels, fold[c], weights) for c in data.CONDITIONS},
            "pairs": {},
        }
        for fake in sorted(set(groups[labels == 1])):
            for real in sorted(set(groups[labels == 0])):
                both = (groups == fake) | (groups == real)
                table[name]["pairs"][f"{fake} against {real}"] = {
                    c: metrics.ranking(labels[both], fold[c][both], weights[both]) for c in data.CONDITIONS
                }
    return table


def source_rows(labels, groups, risks_by_condition):
    """Share of each left-out group that reaches risk 0.5, per condition."""
    return {
        group: {
            "label": "machine-made" if labels[groups == group][0] else "real",
            "count": int((groups == group).sum()),
            "shareAtRisk50": {c: float((r[groups == group] >= 0.5).mean()) for c, r in risks_by_condition.items()},
            "meanRisk": float(risks_by_condition["clean"][groups == group].mean()),
        }
        for group in sorted(set(groups), key=lambda g: (labels[groups == g][0], g))
    }


def evaluate(pack, folds, shipped):
    """All figures of the package, and the calibration and band that they support."""
    labels, groups, logits, _ = pooled_predictions(pack, folds, "clean")
    weights = data.balanced_weights(labels, groups)
    slope, intercept = metrics.fit_platt(logits, labels, weights)
    crossed = {c: cross_calibrated(pack, folds, c) for c in data.CONDITIONS}
    low, high = metrics.choose_band(labels, crossed["clean"], weights)
    held = shipped["rows"]
    by_fold = fold_rows(pack, folds)
    return {
        "shortSide": data.SHORT_SIDE,
        "crop": data.CROP,
        "calibration": {"slope": slope, "intercept": intercept},
        "meanLeftOutAuc": {
            c: float(np.mean([f["conditions"][c]["auc"] for f in by_fold.values()])) for c in data.CONDITIONS
        },
        "folds": by_fold,
        "sources": source_rows(labels, groups, crossed),
        "pooled": {
            "ranking": {c: pooled_ranking(pack, folds, crossed, c) for c in data.CONDITIONS},
            "beforeCalibration": metrics.quality(labels, metrics.sigmoid(logits), weights),
            "afterCrossFoldCalibration": metrics.quality(labels, crossed["clean"], weights),
            "reliability": metrics.reliability(labels, crossed["clean"], weights),
        },
        "band": metrics.band_figures(labels, crossed["clean"], weights, low, high),
        "randomSplit": {
            "note": "15 % of the rows drawn at random; same sources as in training, so flattering",
            **metrics.ranking(
                pack.labels[held], shipped["clean"], data.balanced_weights(pack.labels[held], pack.groups[held])
            ),
        },
    }


def pooled_ranking(pack, folds, crossed, condition):
    labels, groups, _, _ = pooled_predictions(pack, folds, condition)
    return metrics.ranking(labels, crossed[condition], data.balanced_weights(labels, groups))


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
    lines = [
        "# Evaluation of attestd-image",
        "",
        "Written by train/train.py; do not edit. Every figure below, except the random split, is on a generator and",
        "real sources that the scoring network never saw in training (same recipe, three folds). Sources weigh the",
        "same within their class, the two classes weigh the same.",
        "",
        f"- Mean left-out AUC: **{figures['meanLeftOutAuc']['clean']:.3f}**",
        f"- Random split, for contrast only: {figures['randomSplit']['auc']:.3f}",
        "",
        "## Left-out generator against left-out real source",
        "",
        "| left out | AUC | TPR at 5 % FPR | TPR at 1 % FPR | AUC JPEG 75 | AUC JPEG 50 | AUC 0.5x |",
        "|---|---|---|---|---|---|---|",
    ]

    def row(title, conditions):
        clean = conditions["clean"]
        aucs = " | ".join(f"{conditions[c]['auc']:.3f}" for c in data.CONDITIONS[1:])
        return f"| {title} | {clean['auc']:.3f} | {percent(clean['tprAtFpr5'])} | {percent(clean['tprAtFpr1'])} | {aucs} |"

    for name, fold in figures["folds"].items():
        lines.append(row(f"**fold {name}: {', '.join(fold['leftOut'])}**", fold["conditions"]))
        lines += [row(title, conditions) for title, conditions in fold["pairs"].items()]
    lines.append(row("**all folds pooled, cross-fold calibrated**", figures["pooled"]["ranking"]))
    lines += [
        "",
        "## Share called machine-made at risk >= 50",
        "",
        "For a real source this is the false-positive rate. Calibration fit on the other folds.",
        "",
        "| left-out source | class | images | mean risk | clean | JPEG 75 | JPEG 50 | 0.5x |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for source, entry in figures["sources"].items():
        shares = " | ".join(percent(entry["shareAtRisk50"][c]) for c in data.CONDITIONS)
        lines.append(f"| {source} | {entry['label']} | {entry['count']} | {entry['meanRisk']:.2f} | {shares} |")
    before, after = figures["pooled"]["beforeCalibration"], figures["pooled"]["afterCrossFoldCalibration"]
    lines += [
        "",
        "## Calibration (pooled left-out predictions)",
        "",
        "| | Brier | ECE | false positives at 50 | true positives at 50 |",
        "|---|---|---|---|---|",
        f"| before (sigmoid of the logit) | {before['brier']:.3f} | {before['ece']:.3f} | {percent(before['fprAt50'])} | {percent(before['tprAt50'])} |",
        f"| after (Platt, fit on the other folds) | {after['brier']:.3f} | {after['ece']:.3f} | {percent(after['fprAt50'])} | {percent(after['tprAt50'])} |",
        "",
        "| risk from | mean risk | share machine-made | images |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {r['from']:.1f} | {r['meanRisk']:.2f} | {r['shareMachineMade']:.2f} | {r['count']} |"
        for r in figures["pooled"]["reliability"]
    ]
    band = figures["band"]
    lines += [
        "",
        "## Decision band",
        "",
        f"Unsure from {band['low']} to {band['high']}. Outside it: {percent(band['decided'])} of the left-out pictures,",
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
    return round(value, 4) if isinstance(value, float) else value


def write(out, pack, folds, shipped, self_test_logit):
    """Writes manifest, metrics and report into the package folder."""
    figures = evaluate(pack, folds, shipped)
    (out / "evaluation").mkdir(exist_ok=True)
    (out / "evaluation" / "metrics.json").write_text(json.dumps(rounded(figures), indent=2) + "\n")
    (out / "evaluation" / "report.md").write_text(report(figures))
    content = manifest(out, figures, self_test_logit)
    (out / "detector.json").write_text(json.dumps(content, indent=2) + "\n")
    print(report(figures))
