"""Figures of a detector: ranking with intervals, operating points, coverage and accuracy outside the band."""

import numpy as np

RESAMPLES = 400


def auc(fake, scores):
    """Area under the ROC curve, ties by half; None where a class is missing."""
    fake, scores = np.asarray(fake, bool), np.asarray(scores, float)
    if not fake.any() or fake.all():
        return None
    order = np.argsort(scores, kind="stable")
    _, first, inverse, counts = np.unique(scores[order], return_index=True, return_inverse=True, return_counts=True)
    ranks = np.empty(len(scores))
    ranks[order] = (first + (counts + 1) / 2)[inverse]
    fakes = fake.sum()
    return float((ranks[fake].sum() - fakes * (fakes + 1) / 2) / (fakes * (len(fake) - fakes)))


def interval(rows, score):
    """95 % of AUCs when sources are drawn anew, then rows in them: what other sources might have given."""
    rng = np.random.default_rng(1)
    groups = {}
    for row in rows:
        groups.setdefault((row["fake"], row["source"]), []).append((row["fake"], score(row)))
    sides = [[np.array(group, float) for key, group in groups.items() if key[0] == fake] for fake in (False, True)]
    if not all(sides):
        return None
    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([
            group[rng.integers(0, len(group), len(group))]
            for side in sides for group in (side[index] for index in rng.integers(0, len(side), len(side)))
        ])
        found.append(auc(drawn[:, 0], drawn[:, 1]))
    return [round(float(value), 3) for value in np.percentile(found, (2.5, 97.5))]


def tpr_at(rows, score, share):
    """Share of machine-made files above what `share` of real files exceed."""
    real = [score(row) for row in rows if not row["fake"]]
    fake = [score(row) for row in rows if row["fake"]]
    return float(np.mean(np.array(fake) > np.quantile(real, 1 - share))) if real and fake else None


def weights(rows, power=0.5):
    """Each class half of the whole; within it a source counts by the root of its size."""
    sizes = {}
    for row in rows:
        key = (row["fake"], row["source"])
        sizes[key] = sizes.get(key, 0) + 1
    raw = np.array([sizes[(row["fake"], row["source"])] ** (power - 1) for row in rows])
    fake = np.array([row["fake"] for row in rows])
    for side in (False, True):
        raw[fake == side] /= 2 * raw[fake == side].sum()
    return raw


def summary(rows):
    """Every figure of rows with `fake`, `source`, `logit`, `risk` and `sure`.

    Ranks are of the logits, shares of the risks and verdicts. A refused row has no risk and counts as uncovered.
    """
    scored = [row for row in rows if row["risk"] is not None]
    logit = lambda row: row["logit"]
    sure = [row for row in scored if row["sure"]]
    weight = weights(sure) if sure else []
    right = np.array([(row["risk"] > 0.5) == row["fake"] for row in sure])
    both = len({row["fake"] for row in sure}) == 2
    real, fake = ([row for row in scored if row["fake"] == side] for side in (False, True))
    share = lambda part: float(np.mean([row["risk"] >= 0.5 for row in part])) if part else None
    return {
        "files": len(rows), "real": sum(not row["fake"] for row in rows), "fake": sum(row["fake"] for row in rows),
        "auc": auc([row["fake"] for row in scored], [row["logit"] for row in scored]),
        "interval": interval(scored, logit),
        "tprAtFpr5": tpr_at(scored, logit, 0.05), "tprAtFpr1": tpr_at(scored, logit, 0.01),
        "realAt50": share(real), "fakeAt50": share(fake),
        "coverage": len(sure) / len(rows) if rows else None,
        "rightOutsideBand": float(right.mean()) if len(sure) else None,
        "rightOutsideBandBalanced": float((weight * right).sum() / weight.sum()) if both else None,
    }
