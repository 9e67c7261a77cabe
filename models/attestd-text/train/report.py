"""A readable page of the figures in metrics.json."""

import data
import published

# As the pack's README states them: AUC on news, fiction and medical texts, none of them trained on those.
PEERS = [("Glimpse", 0.963), ("Fast-DetectGPT", 0.912), ("the pack's floor", 0.882), ("RoBERTa-base (OpenAI)", 0.617)]


def percent(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def table(head, rows):
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"] + [f"| {' | '.join(map(str, row))} |" for row in rows] + [""]


def three(ranking):
    return [f"{ranking['auc']:.3f}", percent(ranking["tprAtFpr5"]), percent(ranking["tprAtFpr1"])]


def summary(name, figures):
    data_used = {
        "open": "openly licensed texts alone",
        "all": f"all sources, beside the weights of {published.NAME} (train/published.py), which are the same in all fits; which texts these come from is not known",
    }[figures["variant"]]
    return [
        f"# Evaluation of {name}",
        "",
        "Written by train/train.py; do not edit. Unless it says otherwise, every figure is on English texts of a domain and",
        "of a generator family that the scoring network never saw: one fit for each domain and set of families left out",
        "together, same recipe. Means are over pairs of domain and family. Every setting was chosen on the inner domains;",
        "the outer ones (" + ", ".join(data.OUTER) + ") had no part in a choice and are scored by the calibration of the inner ones.",
        f"Trained on {figures['trainedOn']} texts, {data_used}.",
        "",
        *table(["set", "pairs", "AUC", "mean 95 % interval", "TPR at 5 % FPR", "TPR at 1 % FPR", "machine at risk >= 50"], [
            [name, row["pairs"], f"{row['auc']:.3f}", f"{row['interval'][0]:.3f} to {row['interval'][1]:.3f}", *three(row)[1:],
             percent(row["tprAt50"])]
            for name, row in (
                ("**inner domains** (settings chosen on them: flattering)", figures["inner"]),
                ("**outer domains**", figures["outer"]),
                *((f"generator family {family}", row) for family, row in figures["byGenerator"].items()),
            ) if row
        ]),
        *table(["development split, same sources as in training (flattering)", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR"], [
            [name, *three(figures["randomSplit"])],
            ["floor as the pack states it, all rows", "0.956", "-", "64 %"],
            ["floor as the pack states it, open rows", "0.903", "-", "43 %"],
        ]),
        *table(["published detectors, no training on the domain (AUC as the pack states it; other texts than here)", "AUC"],
               [[name, f"{auc:.3f}"] for name, auc in PEERS]),
        f"- The n-grams{', with those of the published detector,' if figures['variant'] == 'all' else ''} alone {figures['halves']['ngrams']:.3f}, the style measures alone {figures['halves']['style']:.3f}",
        "- By left-out domain: "
        + ", ".join(f"{name} {auc:.3f}" for name, auc in figures["meanLeftOutAucBySource"].items()),
        f"- By the first 200 characters alone: {figures['meanLeftOutAuc']['short']:.3f}",
        "",
    ]


def pair_tables(figures):
    return [
        "## Left-out generator in a left-out domain",
        "",
        *table(
            ["generator", "domain", "human", "machine", "AUC", "95 % interval", "TPR at 5 % FPR", "TPR at 1 % FPR", "machine at risk >= 50"],
            [[
                row["generator"], row["source"] + marks(row), row["human"], row["machine"], f"{row['conditions']['clean']['auc']:.3f}",
                f"{row['interval'][0]:.3f} to {row['interval'][1]:.3f}", *three(row["conditions"]["clean"])[1:],
                percent(row["tprAt50"]),
            ] for row in figures["pairs"]],
        ),
        "Intervals by bootstrap over document groups. (o): an outer domain. *: other domains of the same source trained the",
        "network, so the figure may flatter. `rewriting` and `everyday` leave out the whole source L2R, whose machine-made texts",
        "are human texts that a generator was asked to rewrite.",
        "",
        "## By source, attack and language",
        "",
        *table(["source", "pairs", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR"],
               [[name, row["pairs"], *three(row)] for name, row in figures["bySource"].items()]),
        *table(["attack", "texts", "AUC"],
               [[name, row["machine"], f"{row['auc']:.3f}"] for name, row in figures["byAttack"].items()]),
        *table(["language", "texts", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "human at risk >= 50", "machine at risk >= 50"], [
            [f"{name}, development split of its one source (flattering)", row["count"], *three(row), percent(row["fprAt50"]),
             percent(row["tprAt50"])] for name, row in figures["languages"].items()
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
        "## People's texts of a left-out domain at risk >= 50",
        "",
        "Calibration of the inner domains other than the one that is told; outer domains by the shipped calibration.",
        "",
        *table(["domain", "set", "texts", "flagged", "flagged, up to 500 characters"], [
            [name, "outer" if row["outer"] else "inner", row["count"], percent(row["flaggedAt50"]),
             percent(figures["falsePositivesShort"].get(name, {}).get("flaggedAt50"))]
            for name, row in figures["falsePositives"].items()
        ]),
        "Prose that no network here was trained on, by the shipped weights:",
        "",
        *table(["domain", "texts", "flagged"], [
            [name, row["count"], percent(row["flaggedAt50"])] for name, row in figures["outside"].items()
        ]),
    ]


def written_tables(figures):
    return [
        "## Texts of a model of 2026",
        "",
        "Written for this recipe (train/written.jsonl.gz), told from the prose of people of the table above. By a network that learned from",
        "the other groups, which one writer wrote too (flattering), and by one that learned from none of them. Risk by the shipped calibration.",
        "",
        *table(["group", "texts", "others learned: AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "at risk >= 50",
                "none learned: AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "at risk >= 50"], [
            [name, row["count"], *(cell for by in (row["others"], row["none"]) for cell in (*three(by), percent(by["flaggedAt50"])))]
            for name, row in figures["written"].items()
        ]),
    ]


def calibration_tables(figures):
    calibration, pooled, band = figures["calibration"], figures["pooled"], figures["band"]
    share, most = calibration["machineShare"], calibration["mostFlagged"]
    return [
        "## Calibration (pooled left-out predictions)",
        "",
        f"Platt, one slope and an intercept by length, for a stream in which {percent(share)} of the texts are machine-made: the largest share tried whose",
        f"calibration flags at most {percent(most)} of people's texts in the worst of the inner left-out domains. In a stream with more",
        "machine-made texts a risk is then too low. The two tables are over the inner domains.",
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
        f"Unsure between {band['low']} and {band['high']}: the smallest band below which 85 % of the verdicts are right in each",
        "left-out inner domain, both classes weighing the same (0.001 where there is none). Above it nearly all are.",
        "",
        *table(["left-out predictions", "decided", "of them right", "of people's above", "of machine-made above",
                "of people's below", "of machine-made below"], [
            [name, percent(row["decided"]), percent(row["accuracyDecided"]), percent(row["humanAbove"]), percent(row["machineAbove"]),
             percent(row["humanBelow"]), percent(row["machineBelow"])] for name, row in figures["bandBy"].items()
        ]),
    ]


def marks(row):
    return (" (o)" if row["outer"] else "") + (" *" if row["sourceInTraining"] else "")


def page(name, figures):
    """The whole report, Markdown."""
    return "\n".join(summary(name, figures) + pair_tables(figures) + length_tables(figures) + written_tables(figures) + calibration_tables(figures))
