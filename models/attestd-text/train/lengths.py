"""Calibration by length: a line for each bin of length, all of one slope, at even odds."""

import numpy as np
from sklearn.linear_model import LogisticRegression

import verdicts

# Upper ends of the length bins, normalized characters; the last bin has none.
ENDS = [300, 500, 800, 1200]


def bin_of(lengths):
    return np.searchsorted(ENDS, lengths)


def names(shortest):
    """What the bins are called, in order."""
    edges = [shortest, *ENDS]
    return [f"{low} to {high}" for low, high in zip(edges, edges[1:])] + [f"over {ENDS[-1]}"]


def fit(labels, logits, lengths, weights):
    """Slope and intercept of each bin; in each the classes weigh the same."""
    bins, count = bin_of(lengths), len(ENDS) + 1
    both = [number for number in range(count) if len(set(labels[bins == number])) == 2]
    each = np.zeros(len(labels))
    for number in both:
        inside = bins == number
        for label in (0, 1):
            side = inside & (labels == label)
            each[side] = weights[side] / weights[side].sum() * inside.sum() / 2
    columns = np.column_stack([logits, np.eye(count)[bins]])
    model = LogisticRegression(C=1e6, fit_intercept=False, max_iter=1000).fit(columns, labels, each)
    slope, intercepts = max(float(model.coef_[0, 0]), 1e-3), model.coef_[0, 1:]
    # A bin without one of the classes takes the mean of the others.
    return [(slope, float(intercepts[number] if number in both else intercepts[both].mean())) for number in range(count)]


def risks(lines, logits, lengths):
    slopes, intercepts = np.array(lines).T
    bins = bin_of(lengths)
    return verdicts.sigmoid(slopes[bins] * logits + intercepts[bins])


def reliability(labels, scores, weights, bins=10):
    """Rows (low edge, mean risk, share machine-made, count) of the bins of risk that hold anything."""
    which = np.minimum((scores * bins).astype(int), bins - 1)
    return [{
        "from": b / bins,
        "meanRisk": float(np.average(scores[which == b], weights=weights[which == b])),
        "shareMachineMade": float(np.average(labels[which == b], weights=weights[which == b])),
        "count": int((which == b).sum()),
    } for b in np.unique(which).tolist()]
