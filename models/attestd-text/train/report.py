"""A readable page of the figures in metrics.json."""

import data
import lengths
import published
from verdicts import percent, table as verdicts_table

# As the pack's README states them: AUC on news, fiction and medical texts, none of them trained on those.
PEERS = [("Glimpse", 0.963), ("Fast-DetectGPT", 0.912), ("the pack's floor", 0.882), ("RoBERTa-base (OpenAI)", 0.617)]


def table(head, rows):
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"] + [f"| {' | '.join(map(str, row))} |" for row in rows] + [""]


def three(ranking):
    return [f"{ranking['auc']:.3f}", percent(ranking["tprAtFpr5"]), percent(ranking["tprAtFpr1"])]


def summary(name, figures, band):
    data_used = {
        "open": "openly licensed texts alone",
        "all": f"all sources, beside the weights of {published.NAME} (train/published.py), which are the same in all fits; which texts these come from is not known",
    }[figures["variant"]]
    sets = {**figures["meanLeftOutAucBySet"], **figures["meanLeftOutAucBySource"]}
    return [
        f"# Evaluation of {name}",
        "",
        "Written by train/train.py; do not edit. Unless it says otherwise, every figure is on English texts of a domain and of a generator",
        "family that the scoring network never saw: one fit for each domain and set of families left out together, same recipe. Settings of",
        f"the network were chosen on the inner domains, not on the outer ones ({', '.join(data.OUTER)}). Risks and band of a text are of the other half",
        "of the sources and their domains. Classes weigh the same, left-out domains, and the pairs of one. Intervals: 95 %, whole sources drawn.",
        f"Trained on {figures['trainedOn']} texts, {data_used}. {figures['fitted']['pairs']} of {figures['fitted']['of']} pairs were fitted.",
        "",
        f"Band of all rows: {band[0]} to {band[1]} at even odds, where {percent(figures['aim'])} of the verdicts on all rows are right: at less, crossed halves do not give",
        "85 %, and 80 % on each side, both on all pairs and on the outer domains." + one_sided(band),
        "",
        *verdicts_table(figures["crossed"]["tables"], "texts"),
        "",
        f"Mean AUC of the pairs: {figures['meanLeftOutAuc']['clean']:.3f} ({', '.join(f'{which} {auc:.3f}' for which, auc in sets.items())}).",
        f"By the first 200 characters alone {figures['meanLeftOutAuc']['short']:.3f}. The n-grams{', with those of the published detector,' if figures['variant'] == 'all' else ''} alone "
        f"{figures['halves']['ngrams']:.3f}, the style measures alone {figures['halves']['style']:.3f}.",
        "",
        *table(["development split, same sources as in training (flattering)", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR"], [
            [name, *three(figures["randomSplit"])],
            ["floor as the pack states it, all rows", "0.956", "-", "64 %"],
            ["floor as the pack states it, open rows", "0.903", "-", "43 %"],
        ]),
        *table(["published detectors, no training on the domain (AUC as the pack states it; other texts than here)", "AUC"],
               [[peer, f"{auc:.3f}"] for peer, auc in PEERS]),
    ]


def one_sided(band):
    """Which verdict the band never gives."""
    never = {0: "real", 1: "machine-made"}.get(band[0] if band[0] == 0 else band[1])
    return "" if never is None else f' No band does so with verdicts "{never}": it gives none.'


def pair_tables(figures):
    return [
        "## Left-out generator in a left-out domain",
        "",
        *table(
            ["generator", "domain", "human", "machine", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "decided", "right", "right when machine-made", "right when real"],
            [[
                row["generator"], row["source"] + marks(row), row["real"], row["fake"],
                f"{row['auc']:.3f} ({row['interval'][0]:.2f} to {row['interval'][1]:.2f})", *three(row)[1:],
                *(percent(row[name]) for name in ("decided", "right", "rightWhenFake", "rightWhenReal")),
            ] for row in figures["pairs"]],
        ),
        "Intervals here by bootstrap over document groups. (o): an outer domain. *: other domains of the same source trained the",
        "network, so the figure may flatter. `rewriting` and `everyday` leave out the whole source L2R, whose machine-made texts",
        "are human texts that a generator was asked to rewrite.",
        "",
        *table(["language", "texts", "AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "human called machine-made", "machine-made called so"], [
            [f"{name}, development split of its one source (flattering)", row["count"], *three(row), percent(row["realCalledMade"]),
             percent(row["fakeCalledMade"])] for name, row in figures["languages"].items()
        ]),
    ]


def people_tables(figures):
    roles = (("leftOutWithADomain", "left out with a domain"), ("neverTrainedOn", "never trained on; by the shipped weights"))
    return [
        "## People's prose of other kinds",
        "",
        "By the shipped calibration and band, in which none of it had a part.",
        "",
        *table(["kind", "", "texts", "called machine-made", f"the same up to {lengths.ENDS[1]} characters", "called real"], [
            [name, title, row["count"], *(tenths(row[key]) for key in ("calledMade", "shortCalledMade", "calledReal"))]
            for role, title in roles for name, row in figures["people"][role].items()
        ]),
    ]


def written_tables(figures):
    if not figures["written"]:
        return []
    return [
        "## Texts of a model of 2026",
        "",
        "Written for this recipe (train/written.jsonl.gz), told from the prose that is never trained on (table above). By a network that learned from",
        "the other groups, which one writer wrote too (flattering), and by one that learned from none of them. Verdicts by the shipped calibration and band.",
        "",
        *table(["group", "texts", *(f"{by}: {name}" for by in ("others learned", "none learned") for name in ("AUC", "TPR at 5 % FPR", "TPR at 1 % FPR", "called machine-made", "called real"))], [
            [name, row["count"], *(cell for by in (row["others"], row["none"]) for cell in (*three(by), percent(by["calledMade"]), percent(by["calledReal"])))]
            for name, row in figures["written"].items()
        ]),
    ]


def calibration_tables(figures, lines):
    bins = zip(lengths.names(data.MIN_CHARACTERS), lines)
    return [
        "## Calibration",
        "",
        f"One slope and an intercept by length, for even odds: slope {lines[0][0]:.3f}, intercepts " + ", ".join(f"{line[1]:.2f} ({name} characters)" for name, line in bins) + ".",
        "",
        *table(["risk from", "mean risk", "share machine-made", "predictions"], [
            [f"{row['from']:.1f}", f"{row['meanRisk']:.2f}", f"{row['shareMachineMade']:.2f}", row["count"]]
            for row in figures["reliability"]
        ]),
    ]


def tenths(value):
    return "-" if value is None else f"{100 * value:.1f} %"


def marks(row):
    return (" (o)" if row["outer"] else "") + (" *" if row["sourceInTraining"] else "")


def page(name, figures, fitted):
    """The whole report, Markdown. `fitted`: calibration lines and band."""
    lines, band = fitted
    return "\n".join(summary(name, figures, band) + pair_tables(figures) + people_tables(figures) + written_tables(figures) + calibration_tables(figures, lines))
