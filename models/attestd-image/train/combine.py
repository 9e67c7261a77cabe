"""What the views give becomes one risk: calibration, band and probe, and figures by crossed halves.

Reads the .jsonl files of branches.mjs; writes the manifest's fusion, calibration, decisionBand and stabilityProbe,
evaluation/metrics.json and evaluation/report.md. The files of each half were scored by networks that learned from the
other one. What is fitted on one half judges the other for the figures; what ships is fitted on both.
"""

import csv
import json
import pathlib
import sys

import numpy as np

import figures
import report
import sources

# What is alike in the recipes lies with attestd-audio; behind this folder, whose names come first.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "attestd-audio" / "train"))
from verdicts import RIGHT, choose_band, fit_platt

# The share of machine-made media that risks are stated for.
PRIOR = 0.5
# Share of re-encodings whose effect the probe's margin covers.
PROBE_SHARE = 0.95
# By their spreads the worst face counts 0.3 of the whole. Weights fitted on one half ranked the other worse than fixed ones: they
# take what a few sources have in common for a rule, the absence of faces above all.
# By heads that saw nothing of their source, real portraits are flagged no more than other photographs from this shift on (NOTES.md).
FUSION = {
    "withoutFaces": {"intercept": 0, "whole": 1}, "withFaces": {"intercept": 0, "whole": 1, "face": 0.55},
    "portraits": {"minShare": 0.1, "shift": 1.5},
}
# How far beyond the band, in logits of the fusion, the whole view may lie until no look is taken for faces. On the crossed halves
# of 4.1.0 this changes no verdict and 0.001 of AUC; of real pictures 61 % need no look then, of machine-made ones 24 %.
BEYOND = (1.5, 2.0)
VIEWS = ("whole", "face")
GROUPS = ("family", "kind", "form", "source", "generator")


def read(branches, index):
    """Rows of the index joined with what the views gave."""
    with open(index) as file:
        rows = {row["path"]: row for row in csv.DictReader(file)}
    joined = []
    for line in open(branches):
        seen = json.loads(line)
        joined.append({**rows[seen["path"]], **seen, "fake": rows[seen["path"]]["label"] == "fake"})
    return joined


def fused(row, fusion):
    low, high = fusion.get("facesBetween", (-np.inf, np.inf))
    sought = row["face"] is not None and low <= row["whole"] <= high
    plan, portraits = fusion["withFaces" if sought else "withoutFaces"], fusion["portraits"]
    logit = plan["intercept"] + sum(plan[name] * row[name] for name in VIEWS if name in plan)
    return max(min(logit, 0), logit - portraits["shift"]) if sought and row["share"] >= portraits["minShare"] else logit


def labels_of(rows):
    return np.array([int(row["fake"]) for row in rows])


def fit_calibration(rows):
    """Platt at even odds, sources weighed by the root of their size."""
    slope, intercept = fit_platt(np.array([row["logit"] for row in rows]), labels_of(rows), figures.weights(rows))
    # Files that rank the wrong way round, as those of --small may, give a flat line instead of none.
    return {"kind": "platt", "prior": PRIOR, "slope": round(max(0.001, slope), 6), "intercept": round(intercept, 6)}


def risk_of(row, calibration):
    return float(1 / (1 + np.exp(-(calibration["slope"] * row["logit"] + calibration["intercept"]))))


def fit_band(rows):
    """The band by the rule for verdicts; risks up to `low` say real, from `high` on machine-made."""
    low, high = choose_band(labels_of(rows), np.array([row["risk"] for row in rows]), figures.weights(rows))
    return {"low": low, "high": high}


def fit_probe(rows, fusion, calibration, band):
    """Whether verdicts are probed by re-encodings, and within which logit of the risk.

    Not at all where the verdicts that a re-encoding flips are right as often as the others shall be: the probe would only
    cost them. Otherwise within what re-encodings move the logit in 95 of 100 files.
    """
    moved, flipped = [], []
    for row in rows:
        variants = [dict(variant, logit=fused(variant, fusion)) for variant in row.get("variants", ())]
        moved += [calibration["slope"] * abs(variant["logit"] - row["logit"]) for variant in variants]
        sure = not band["low"] < row["risk"] < band["high"]
        if sure and any((risk_of(variant, calibration) > 0.5) != (row["risk"] > 0.5) for variant in variants):
            flipped.append((row["risk"] > 0.5) == row["fake"])
    if not flipped or np.mean(flipped) >= RIGHT:
        return False
    return {"withinLogit": max(0.01, round(float(np.quantile(moved, PROBE_SHARE)), 2))}


def describe(rows):
    tables = {"all": figures.summary(rows)}
    for group in GROUPS:
        for name in sorted({row[group] for row in rows}):
            part = [row for row in rows if row[group] == name]
            # A group of one class is ranked against all files of the other.
            fakes = {row["fake"] for row in part}
            others = [row for row in rows if row["fake"] not in fakes and (group in ("source", "generator", "family"))]
            tables[f"{group}: {name}"] = {**figures.summary(part + others), "own": len(part)}
    faces = [row for row in rows if row["kind"] == "face"]
    branches = {}
    for name in VIEWS:
        part = [row for row in rows if row.get(name) is not None]
        branches[name] = {"all": figures.auc([r["fake"] for r in part], [r[name] for r in part])}
        part = [row for row in faces if row.get(name) is not None]
        branches[name]["faces"] = figures.auc([r["fake"] for r in part], [r[name] for r in part])
    return {"tables": tables, "branches": branches}


def judge(rows, fitted):
    """Each row with its `logit`, the `risk` that `fitted` gives it and whether that is a verdict (`sure`); None where refused."""
    judged = []
    for row in rows:
        if "reason" in row:
            judged.append({**row, "logit": None, "risk": None, "sure": False})
            continue
        seen = {**row, "logit": fused(row, fitted["fusion"])}
        risk = risk_of(seen, fitted["calibration"])
        judged.append({**seen, "risk": risk, "sure": not fitted["band"]["low"] < risk < fitted["band"]["high"]})
    return judged


def fit_all(rows):
    """Calibration, band and probe on rows of read(), and the fusion."""
    kept = [dict(row) for row in rows if "reason" not in row]
    for row in kept:
        row["logit"] = fused(row, FUSION)
    calibration = fit_calibration(kept)
    for row in kept:
        row["risk"] = risk_of(row, calibration)
    band = fit_band(kept)
    fusion = {**FUSION, "facesBetween": faces_between(calibration, band)}
    return {"fusion": fusion, "calibration": calibration, "band": band, "probe": fit_probe(kept, FUSION, calibration, band)}


def faces_between(calibration, band):
    """The logits of the whole view between which faces are looked for: those of the band, and BEYOND."""
    # A band without end, where no verdict could be right often enough, ends far out.
    low, high = np.clip([band["low"], band["high"]], 1e-6, 1 - 1e-6)
    at = lambda risk: float((np.log(risk / (1 - risk)) - calibration["intercept"]) / calibration["slope"])
    return [round(at(low) - BEYOND[0], 2), round(at(high) + BEYOND[1], 2)]


def state(package, fitted):
    """Writes what was fitted into the manifest of a package folder; the whole manifest."""
    manifest = json.loads((package / "detector.json").read_text())
    manifest.update(
        fusion=fitted["fusion"], calibration=fitted["calibration"], decisionBand=fitted["band"], stabilityProbe=fitted["probe"]
    )
    (package / "detector.json").write_text(json.dumps(manifest, indent=2) + "\n")
    return manifest


def combine(package, judging, seen, risks):
    """Fits and judges the rows of read() of each half, and writes manifest and evaluation of the package folder.

    `judging[half]` is the folder of the package that judges a half and saw nothing of it; `risks` the CSV file that
    the risk of every file is written to: by networks that had not seen it, and the shipped calibration.
    """
    fits = {half: fit_all(rows) for half, rows in seen.items()}
    crossed = []
    for half, rows in seen.items():
        unseen = fits[sources.other(half)]
        state(judging[half], unseen)
        crossed += judge(rows, unseen)
    fitted = fit_all(seen["A"] + seen["B"])
    manifest = state(package, fitted)
    with open(risks, "w") as file:
        shipped = judge(seen["A"] + seen["B"], fitted)
        csv.writer(file).writerows([("path", "risk"), *((row["path"], "" if row["risk"] is None else row["risk"]) for row in shipped)])
    metrics = {**fitted, "crossed": describe(crossed)}
    (package / "evaluation").mkdir(exist_ok=True)
    (package / "evaluation" / "metrics.json").write_text(json.dumps(rounded(metrics), indent=1) + "\n")
    (package / "evaluation" / "report.md").write_text(report.page(manifest, metrics))
    return metrics


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return round(value, 4) if isinstance(value, float) else value
