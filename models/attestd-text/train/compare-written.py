#!/usr/bin/python3
"""How well two trainings tell the texts of written/ that both had, each group by a network that learned from the other groups.

    python3 compare-written.py --before WORK --commit COMMIT --after WORK

WORK is what train.py was given as --work, COMMIT a commit of this repository whose written/ the first one trained on: the
files of written/ only grow at their ends. The people's prose is that of the table in evaluation/report.md.
"""

import argparse
import pathlib
import subprocess

import numpy as np

import metrics
import registers

WRITTEN = pathlib.Path(__file__).resolve().parent / "written"


def lines_at(commit, name):
    shown = subprocess.run(["git", "show", f"{commit}:./{name}"], cwd=WRITTEN, capture_output=True, text=True, check=True).stdout
    return len(shown.splitlines())


def in_both(commit, group):
    """For each text of a group, in the order in which data.py reads them, whether the commit had it."""
    kept = []
    for file in sorted(WRITTEN.glob("*.jsonl")):
        if file.stem in registers.WRITTEN_GROUPS[group]:
            kept.append(np.arange(len(file.read_text().splitlines())) < lines_at(commit, file.name))
    return np.concatenate(kept)


def figures(made, people):
    labels = np.r_[np.ones(len(made)), np.zeros(len(people))]
    ranking = metrics.ranking(labels, np.r_[made, people])
    return [f"{ranking['auc']:.3f}", *(f"{100 * ranking[name]:.0f} %" for name in ("tprAtFpr5", "tprAtFpr1"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("before", "after"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--commit", required=True)
    options = parser.parse_args()
    print("group: texts; AUC, found where 5 % and where 1 % of people's prose is flagged")
    for number, group in enumerate(registers.WRITTEN_GROUPS):
        before, after = (np.load(work / "all" / f"written-{number}.npz") for work in (options.before, options.after))
        both = in_both(options.commit, group)
        then, now = figures(before["made"], before["people"]), figures(after["made"][both], after["people"])
        print(f"{group}: {both.sum()}; {', '.join(f'{a} to {b}' for a, b in zip(then, now))}")


if __name__ == "__main__":
    main()
