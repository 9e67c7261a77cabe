"""The readable page of evaluation/metrics.json."""

import data

ABLATIONS = {
    "asShipped": "as shipped",
    "withoutCollectedSources": "without the collected sources",
    "withoutHomeMadeFakes": "without the home-made fakes",
    "withoutOverlapWeights": "without overlap weights",
    "overlapPower2": "overlap weights to the power 2",
    "overlapPower8": "overlap weights to the power 8",
}


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def table(head, rows):
    """Lines of a Markdown table."""
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)]


def ranking_table(rows):
    """One line a pair: AUC, operating points, and AUC in every degraded condition."""
    degraded = data.CONDITIONS[1:]
    lines = []
    for row in rows:
        clean = row["conditions"]["clean"]
        name = row["generator"] + (f" ({row['note']})" if "note" in row else "")
        lines.append([
            name, row["source"], f"{clean['auc']:.3f}", percent(clean["tprAtFpr5"]), percent(clean["tprAtFpr1"]),
            *(f"{row['conditions'][c]['auc']:.3f}" for c in degraded),
        ])
    return table(["generator", "real source", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", *degraded], lines)


def report(identity, figures):
    mean, flagged, head = figures["meanLeftOutAuc"], figures["realFlaggedAt50"], figures["headline"]
    quality = [
        [title, f"{q['brier']:.3f}", f"{q['ece']:.3f}", percent(q["fprAt50"]), percent(q["tprAt50"])]
        for title, q in (
            ("before (sigmoid of the logit)", figures["pooled"]["beforeCalibration"]),
            ("after (Platt, fit on other sources)", figures["pooled"]["afterCrossCalibration"]),
        )
    ]
    reliability = [
        [f"{r['from']:.1f}", f"{r['meanRisk']:.2f}", f"{r['shareMachineMade']:.2f}", str(r["count"])]
        for r in figures["pooled"]["reliability"]
    ]
    sources = [
        [name, s["label"], str(s["count"]), f"{s['meanRisk']:.2f}", *(percent(s["shareAtRisk50"][c]) for c in data.CONDITIONS)]
        for name, s in figures["sources"].items()
    ]
    parts = [
        [ABLATIONS[name], *(f"{part[key]:.3f}" for key in ("leftOutPairs", *data.UNSEEN_REAL, "stylegan2"))]
        for name, part in figures["ablations"].items()
    ]
    band, all_pairs = figures["band"], figures["pooled"]["ranking"]
    return "\n".join([
        f"# Evaluation of {identity}",
        "",
        "Written by train/train.py; do not edit. Every figure but the random split is on a generator and a real source",
        "that the scoring network never saw. The two classes weigh the same in AUC. Degraded conditions use at most 70",
        "pictures per source. The mean leaves out the pairs against the 57 graphics.",
        "",
        f"- Mean left-out AUC: **{mean['clean']:.3f}** ("
        + ", ".join(f"{c} {mean[c]:.3f}" for c in data.CONDITIONS[1:]) + f"); lowest pair {figures['lowestPair']:.3f}",
        "- By left-out generator: "
        + ", ".join(f"{g} {auc:.3f}" for g, auc in figures["meanLeftOutAucByGenerator"].items()),
        "- By left-out real source: "
        + ", ".join(f"{s} {auc:.3f}" for s, auc in figures["meanLeftOutAucBySource"].items()),
        f"- Left-out generators against real sources that no fit of any kind saw: webtest {head['webtest']:.3f},"
        f" phonewall {head['phonewall']:.3f}; StyleGAN2 faces, another GAN's in training: {head['stylegan2']:.3f}",
        f"- Real pictures at risk >= 50: {percent(flagged['meanOfLeftOutSources'])} in the mean of left-out sources,"
        f" {percent(flagged['worstLeftOutSource'])} in the worst; "
        + ", ".join(f"{s} {percent(v)}" for s, v in flagged["unseenSources"].items()),
        f"- Random split, for contrast only: {figures['randomSplit']['auc']:.3f}",
        "",
        "## Left-out generator against left-out real source",
        "",
        *ranking_table(figures["pairs"]),
        "",
        f"All pairs pooled, cross-calibrated: AUC {all_pairs['auc']:.3f},"
        f" TPR {percent(all_pairs['tprAtFpr5'])} at 5 % FPR, {percent(all_pairs['tprAtFpr1'])} at 1 % FPR.",
        "",
        "## Sources that no network was trained on",
        "",
        "Means over the heads that leave out the generator, or the real source, of the row.",
        "",
        *ranking_table(figures["unseen"]),
        "",
        "## What each part is worth (AUC)",
        "",
        *table(["", "left-out pairs", *data.UNSEEN_REAL, "stylegan2"], parts),
        "",
        "## Share at risk >= 50",
        "",
        "For a real source this is the false-positive rate. Calibration fit on pairs that share no source with it.",
        "",
        *table(["source", "class", "images", "mean risk", *data.CONDITIONS], sources),
        "",
        "The shipped head on the sources it never saw: "
        + ", ".join(f"{name} {percent(share)}" for name, share in figures["shippedOnUnseen"].items()) + ".",
        "",
        f"## Calibration (pooled left-out predictions, prior {figures['calibration']['prior']})",
        "",
        *table(["", "Brier", "ECE", "false positives at 50", "true positives at 50"], quality),
        "",
        *table(["risk from", "mean risk", "share machine-made", "predictions"], reliability),
        "",
        "## Decision band",
        "",
        f"Unsure from {band['low']} to {band['high']}. Outside it, classes of equal weight: {percent(band['decided'])} of the",
        f"left-out predictions, {percent(band['accuracyDecided'])} of them right; above the band"
        f" {percent(band['precisionAbove'])} are machine-made,",
        f"below it {percent(band['precisionBelow'])} are real; {percent(band['realFlaggedAbove'])} of real pictures land above it.",
        "",
    ])
