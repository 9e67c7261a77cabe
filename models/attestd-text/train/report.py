"""A readable page of the figures in metrics.json."""

# As the pack's README states them: AUC on news, fiction and medical texts, none of them trained on those.
PEERS = [("Glimpse", 0.963), ("Fast-DetectGPT", 0.912), ("the pack's floor", 0.882), ("RoBERTa-base (OpenAI)", 0.617)]
CHANGES = {"short": "first 250 characters", "lowercase": "lower case"}


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def table(head, rows):
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"] + [f"| {' | '.join(map(str, row))} |" for row in rows] + [""]


def three(ranking):
    return [f"{ranking['auc']:.3f}", percent(ranking["tprAtFpr5"]), percent(ranking["tprAtFpr1"])]


def summary(name, figures):
    mean, floor, other = figures["meanLeftOut"], figures["floor"], figures["otherVariant"]
    names = {"open": "openly licensed rows only", "all": "all sources"}
    return [
        f"# Evaluation of {name}",
        "",
        "Written by train/train.py; do not edit. Unless it says otherwise, every figure is on English texts of a domain and",
        "of a generator family that the scoring network never saw: one fit per pair, same recipe. Means are over pairs.",
        "",
        *table(["mean of all pairs", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR"], [
            [f"**{name}: {names[figures['variant']]}** ({figures['trainedOn']} texts)", *three(mean)],
            [f"{names[other['name']]} ({other['trainedOn']} texts)", *three(other["meanLeftOut"])],
            ["floor: hashed character n-grams, all balanced rows", *three(floor)],
        ]),
        *table(["development split, same sources as in training (flattering)", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR"], [
            [name, *three(figures["randomSplit"])],
            [names[other["name"]], *three(other["development"])],
            ["floor as the pack states it, all rows", "0.956", "-", "64 %"],
            ["floor as the pack states it, open rows", "0.903", "-", "43 %"],
        ]),
        *table(["published detectors, no training on the domain (AUC as the pack states it; other texts than here)", "AUC"],
               [[name, f"{auc:.3f}"] for name, auc in PEERS]),
        f"- The n-grams alone {figures['halves']['ngrams']:.3f}, the style measures alone {figures['halves']['style']:.3f}",
        "- By left-out generator: "
        + ", ".join(f"{name} {auc:.3f}" for name, auc in figures["meanLeftOutAucByGenerator"].items()),
        "- By left-out domain: "
        + ", ".join(f"{name} {auc:.3f}" for name, auc in figures["meanLeftOutAucBySource"].items()),
        "- After a change (at most 80 texts a class and pair): "
        + ", ".join(f"{CHANGES[name]} {auc:.3f}" for name, auc in figures["meanLeftOutAuc"].items() if name != "clean"),
        "",
    ]


def pair_tables(figures):
    floors = {(row["generator"], row["source"]): row["auc"] for row in figures["floorPairs"]}
    return [
        "## Left-out generator in a left-out domain",
        "",
        *table(
            ["generator", "domain", "human", "machine", "AUC", "95 % interval", "TPR at 5 % FPR", "TPR at 1 % FPR", "floor AUC"],
            [[
                row["generator"], row["source"], row["human"], row["machine"], f"{row['conditions']['clean']['auc']:.3f}",
                f"{row['interval'][0]:.3f} to {row['interval'][1]:.3f}", *three(row["conditions"]["clean"])[1:],
                f"{floors[row['generator'], row['source']]:.3f}",
            ] for row in figures["pairs"]],
        ),
        "Intervals by bootstrap over document groups. `rewriting` leaves out the whole source L2R, whose machine-made texts",
        "are human texts that a generator was asked to rewrite; its texts also stand in the other domains they belong to.",
        "",
        "## By source, attack and language",
        "",
        *table(["source", "pairs", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR"],
               [[name, row["pairs"], *three(row)] for name, row in figures["bySource"].items()]),
        *table(["attack", "texts", "AUC"],
               [[name, row["machine"], f"{row['auc']:.3f}"] for name, row in figures["byAttack"].items()]),
        *table(["language", "texts", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "human at risk >= 50", "machine at risk >= 50"], [
            *[[f"{name}, source left out; not shipped", row["count"], *three(row), "-", "-"]
              for name, row in figures["languages"]["leftOutSource"].items()],
            *[[f"{name}, cross-validated within its one source", row["count"], *three(row), percent(row["fprAt50"]),
               percent(row["tprAt50"])] for name, row in figures["languages"]["folds"].items()],
        ]),
    ]


def length_tables(figures):
    return [
        "## By length (normalized characters)",
        "",
        *table(["from", "to", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "human at risk >= 50", "machine at risk >= 50"], [
            [row["from"], row["to"] or "-", *three(row), percent(row["fprAt50"]), percent(row["tprAt50"])]
            for row in figures["byLength"]
        ]),
        "## Human texts of a left-out domain at risk >= 50",
        "",
        "Calibration fit on pairs that share neither domain nor generator.",
        "",
        *table(["domain", "texts", "flagged", "flagged, up to 500 characters"], [
            [name, row["count"], percent(row["flaggedAt50"]),
             percent(figures["falsePositivesShort"].get(name, {}).get("flaggedAt50"))]
            for name, row in figures["falsePositives"].items()
        ]),
    ]


def calibration_tables(figures):
    share, pooled, band = figures["calibration"]["machineShare"], figures["pooled"], figures["band"]
    return [
        "## Calibration (pooled left-out predictions)",
        "",
        f"Platt by length, for a stream in which {percent(share)} of the texts are machine-made: the largest share tried whose",
        "calibration flags at most 5 % of human texts of left-out domains. In a stream with more machine-made texts a risk is",
        "then too low; on formal prose of a kind not trained on it is too high.",
        "",
        *table(["machine-made", "Brier", "ECE", "human at risk >= 50", "machine at risk >= 50"], [
            [percent(of), f"{q['brier']:.3f}", f"{q['ece']:.3f}", percent(q["fprAt50"]), percent(q["tprAt50"])]
            for of, q in ((share, pooled["atShare"]), (0.5, pooled["atHalf"]))
        ]),
        *table(["risk from", "mean risk", "share machine-made", "predictions"], [
            [f"{row['from']:.1f}", f"{row['meanRisk']:.2f}", f"{row['shareMachineMade']:.2f}", row["count"]]
            for row in pooled["reliability"]
        ]),
        "## Decision band",
        "",
        f"Unsure between {band['low']} and {band['high']}. Outside it, both classes weighing the same: {percent(band['decided'])} of the",
        f"left-out predictions, {percent(band['accuracyDecided'])} of them right. From {band['high']} up {percent(band['precisionAbove'])} are machine-made",
        f"({percent(band['humanAbove'])} of human and {percent(band['machineAbove'])} of machine-made texts); up to {band['low']}"
        f" {percent(band['precisionBelow'])} are human",
        f"({percent(band['humanBelow'])} of human and {percent(band['machineBelow'])} of machine-made texts).",
        "",
    ]


def page(name, figures):
    """The whole report, Markdown."""
    return "\n".join(summary(name, figures) + pair_tables(figures) + length_tables(figures) + calibration_tables(figures))
