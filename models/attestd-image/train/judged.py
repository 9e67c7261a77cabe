"""Calibration, band and figures of pictures that a head judged which saw nothing of their half, in evaluation/ of a package."""

import json

import numpy as np

import combine
import figures
import verdicts

# What the band asks of all verdicts on the pictures that it is chosen by: the least at which crossed halves give what is promised.
AIMS = np.round(np.arange(verdicts.RIGHT, 0.96, 0.01), 2)
GROUPS = ("kind", "family", "source")


class Judged:
    """Rows with `fold`, `fake`, `source` and the fused `logit`."""

    def __init__(self, rows):
        self.rows, self.labels = rows, combine.labels_of(rows)
        self.logits, self.halves = np.array([row["logit"] for row in rows]), np.array([row["fold"] for row in rows])
        self.sources = np.array([row["source"] for row in rows])
        for self.aim in AIMS:
            self.risks, self.low, self.high = self.crossed()
            found = verdicts.verdicts(self.labels, self.risks, figures.weights(rows), self.low, self.high)
            sides = [found[name] for name in ("rightWhenFake", "rightWhenReal") if found[name] is not None]
            if found["right"] is not None and found["right"] >= verdicts.RIGHT and min(sides) >= verdicts.SIDE:
                break

    def crossed(self):
        """Risks and band of each row by calibration and band of the other half."""
        risks, low, high = (np.zeros(len(self.rows)) for _ in range(3))
        for half in sorted(set(self.halves)):
            mine, rows = self.halves == half, [row for row in self.rows if row["fold"] != half]
            weight, labels, logits = figures.weights(rows), combine.labels_of(rows), self.logits[~mine]
            slope, intercept = verdicts.fit_platt(logits, labels, weight)
            low[mine], high[mine] = verdicts.choose_band(labels, verdicts.sigmoid(slope * logits + intercept), weight, self.aim)
            risks[mine] = verdicts.sigmoid(slope * self.logits[mine] + intercept)
        return risks, low, high

    def figures(self, mask):
        """Of the rows of the mask; where one class is missing there, against all rows of the other."""
        made = self.labels == 1
        mask = (mask & made if (mask & made).any() else made) | (mask & ~made if (mask & ~made).any() else ~made)
        weight = figures.weights([row for row, one in zip(self.rows, mask) if one])
        each = (values[mask] for values in (self.labels, self.logits, self.risks))
        return verdicts.figures(*each, weight, self.low[mask], self.high[mask], self.sources[mask])

    def tables(self):
        found = {"all": self.figures(np.ones(len(self.rows), bool))}
        of = lambda name, wanted: np.array([wanted(row[name]) for row in self.rows])
        found |= {f"form: {form}": self.figures(of("copy", lambda copy: copy == number)) for number, form in enumerate(("native", "web"))}
        for group in GROUPS:
            for name in sorted({row[group] for row in self.rows} - {"-", ""}):
                found[f"{group}: {name}"] = self.figures(of(group, lambda value: value == name))
        return found


def write(package, judged):
    """Rewrites metrics.json and report.md of evaluation/."""
    tables, manifest = judged.tables(), json.loads((package / "detector.json").read_text())
    kept = package / "evaluation"
    (kept / "metrics.json").write_text(json.dumps(verdicts.rounded({"prior": combine.PRIOR, "aim": float(judged.aim), "crossed": {"tables": tables}}), indent=1) + "\n")
    (kept / "report.md").write_text("\n".join([
        f"# Evaluation of {manifest['id']}@{manifest['version']}", "",
        "Written by attestd-image/train/refit.py; do not edit. Pictures of image list 3 from sources that the pack lacks, each as found and as a web",
        "copy. What is fitted with the list saw nothing of the half that it judges, and the head of 4.3.1, half of attestd-image's logits, nothing of",
        "the list; calibration and band are of the other half. Classes weigh the same, sources by the root of their pictures. Intervals: 95 %, whole",
        "sources drawn. A kind, family or source with one class stands against all pictures of the other. The web copies are made by the recipe's own",
        "code, and faces count as the shipped package saw them, where it looked.", "",
        f"The band asks for {100 * judged.aim:.0f} % right: at less, crossed halves do not give 85 %, and 80 % on each side.", "",
        *verdicts.table(tables, 'pictures'), "",
    ]))
