"""The readable page of evaluation/metrics.json."""

HEAD = ["rows", "real", "fake", "AUC", "95 %", "TPR at 5 % FPR", "TPR at 1 % FPR", "real at risk 50", "fake at risk 50", "coverage", "right outside the band"]


def percent(value):
    return "–" if value is None else f"{100 * value:.1f} %"


def number(value):
    return "–" if value is None else f"{value:.3f}"


def line(name, row):
    between = "–" if row["interval"] is None else f"{row['interval'][0]:.2f} to {row['interval'][1]:.2f}"
    return [
        name, str(row["real"]), str(row["fake"]), number(row["auc"]), between, percent(row["tprAtFpr5"]), percent(row["tprAtFpr1"]),
        percent(row["realAt50"]), percent(row["fakeAt50"]), percent(row["coverage"]), percent(row["rightOutsideBand"]),
    ]


def table(head, rows):
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]


def section(title, figures):
    lines = [f"## {title}", "", *table(HEAD, [line("all", figures["tables"]["all"])]), ""]
    for group in ("form", "kind", "family", "source", "generator"):
        rows = [line(name.split(": ", 1)[1], row) for name, row in figures["tables"].items() if name.startswith(f"{group}: ")]
        note = " (each against all files of the other class)" if group in ("family", "source", "generator") else ""
        lines += [f"### By {group}{note}", "", *table(HEAD, rows), ""]
    views = [[name, number(row["all"]), number(row["faces"])] for name, row in figures["branches"].items()]
    return [*lines, "### Each view alone", "", *table(["view", "AUC, all files that have it", "AUC, kind face"], views), ""]


def page(manifest, metrics):
    return "\n".join([
        f"# Evaluation of {manifest['id']}@{manifest['version']}",
        "",
        "Written by train/train.py; do not edit. Scored by the daemon's own code (train/branches.mjs). The sources are in two",
        "halves: files of each are scored by networks that learned from the other half beside the training sources, with the",
        "calibration and band of the other half. So no figure rests on a source that was trained or fitted on. What ships learned",
        "from all sources: the head of the whole view from all at once, that of faces as the mean of both halves' networks.",
        "`web` files are the whole picture reduced to a short side of 112 to 448 px and coded as JPEG or WebP at 50 to 95. Intervals: sources drawn anew, then files in them.",
        "A file without a verdict counts as not covered.",
        "",
        *section("Both halves", metrics["crossed"]),
    ])
