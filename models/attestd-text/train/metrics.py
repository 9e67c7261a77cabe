"""Figures of merit: ranking with bootstrap intervals, calibration by length, and the choice of the decision band."""

import numpy as np
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression

# Upper ends of the length bins, normalized characters; the last bin has none.
LENGTH_BINS = [300, 500, 800, 1200]
RESAMPLES = 200
# Shares of machine-made texts for which a calibration is tried, most first.
SHARES = [round(0.5 * 0.95**step, 4) for step in range(90)]
# Share of the verdicts below the decision band that must be right in each inner domain; of those above it more are.
RIGHT = 0.85


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def auc(labels, scores):
    """Area under the ROC curve; ties count half."""
    ranks, machine = rankdata(scores), labels == 1
    pairs = machine.sum() * (~machine).sum()
    return float((ranks[machine].sum() - machine.sum() * (machine.sum() + 1) / 2) / pairs)


def tpr_at(labels, scores, fpr):
    """Share of machine-made texts above the threshold that at most `fpr` of the human ones pass."""
    human = np.sort(scores[labels == 0])[::-1]
    threshold = human[min(int(fpr * len(human)), len(human) - 1)]
    return float((scores[labels == 1] > threshold).mean())


def ranking(labels, scores):
    return {
        "auc": auc(labels, scores),
        "tprAtFpr5": tpr_at(labels, scores, 0.05),
        "tprAtFpr1": tpr_at(labels, scores, 0.01),
    }


def interval(labels, scores, groups, seed=0):
    """95 % interval of the AUC; whole document groups are drawn again, not texts."""
    rng = np.random.default_rng(seed)
    members = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    members = [np.array(rows) for rows in members.values()]
    drawn = []
    for _ in range(RESAMPLES):
        rows = np.concatenate([members[g] for g in rng.integers(0, len(members), len(members))])
        if 0 < labels[rows].sum() < len(rows):
            drawn.append(auc(labels[rows], scores[rows]))
    return [float(q) for q in np.quantile(drawn, [0.025, 0.975])]


def length_bin(lengths):
    return np.searchsorted(LENGTH_BINS, lengths)


def balance(labels, share=0.5, weights=None):
    """Weights under which machine-made texts make up `share` of all."""
    weights = np.ones(len(labels)) if weights is None else weights
    machine = labels == 1
    sums = weights[machine].sum(), weights[~machine].sum()
    return np.where(machine, share * weights / sums[0], (1 - share) * weights / sums[1])


def fit_by_length(labels, logits, lengths, weights):
    """A Platt line per length bin, all of one slope, for a stream of which half is machine-made."""
    bins, count = length_bin(lengths), len(LENGTH_BINS) + 1
    both = [number for number in range(count) if len(set(labels[bins == number])) == 2]
    each = np.zeros(len(labels))
    for number in both:
        inside = bins == number
        each[inside] = balance(labels[inside], weights=weights[inside]) * inside.sum()
    columns = np.column_stack([logits, np.eye(count)[bins]])
    fit = LogisticRegression(C=1e6, fit_intercept=False, max_iter=1000).fit(columns, labels, each)
    slope, intercepts = max(float(fit.coef_[0, 0]), 1e-3), fit.coef_[0, 1:]
    # A bin without one of the classes takes the mean of the others.
    return [(slope, float(intercepts[number] if number in both else intercepts[both].mean())) for number in range(count)]


def at_share(lines, share):
    """The lines for a stream of which `share` is machine-made: Bayes' rule moves the intercepts alone."""
    return [(slope, intercept + float(np.log(share / (1 - share)))) for slope, intercept in lines]


def apply_by_length(lines, logits, lengths):
    slopes, intercepts = np.array(lines).T
    bins = length_bin(lengths)
    return sigmoid(slopes[bins] * logits + intercepts[bins])


def calibration_error(labels, risks, weights, bins=10):
    """Expected calibration error over equal-width bins."""
    which = np.minimum((risks * bins).astype(int), bins - 1)
    total = 0.0
    for b in np.unique(which):
        w = weights[which == b]
        gap = abs(np.average(risks[which == b], weights=w) - np.average(labels[which == b], weights=w))
        total += gap * w.sum()
    return float(total / weights.sum())


def reliability(labels, risks, weights, bins=10):
    """Rows (low edge, mean risk, share machine-made, count) of the bins that hold anything."""
    which = np.minimum((risks * bins).astype(int), bins - 1)
    return [{
        "from": b / bins,
        "meanRisk": float(np.average(risks[which == b], weights=weights[which == b])),
        "shareMachineMade": float(np.average(labels[which == b], weights=weights[which == b])),
        "count": int((which == b).sum()),
    } for b in np.unique(which).tolist()]


def quality(labels, risks, weights):
    """Brier score, expected calibration error, and the error rates at risk >= 0.5."""
    human, machine = labels == 0, labels == 1
    return {
        "brier": float(np.average((risks - labels) ** 2, weights=weights)),
        "ece": calibration_error(labels, risks, weights),
        "fprAt50": float(np.average(risks[human] >= 0.5, weights=weights[human])),
        "tprAt50": float(np.average(risks[machine] >= 0.5, weights=weights[machine])),
    }


def band_figures(labels, risks, weights, low, high):
    """What is decided outside [low, high], and how often rightly; `weights` balance the classes."""
    below, above = risks <= low, risks >= high
    decided = below | above
    right = np.where(above, labels == 1, labels == 0)

    def share(what, inside):
        return float(np.average(what[inside], weights=weights[inside])) if inside.any() else None

    return {
        "low": low,
        "high": high,
        "decided": float(np.average(decided, weights=weights)),
        "accuracyDecided": share(right, decided),
        "precisionAbove": share(labels == 1, above),
        "precisionBelow": share(labels == 0, below),
        "humanAbove": share(above, labels == 0),
        "machineAbove": share(above, labels == 1),
        "humanBelow": share(below, labels == 0),
        "machineBelow": share(below, labels == 1),
    }


def choose_band(domains):
    """
    The smallest band below which enough verdicts are right in each of some domains (labels, risks and weights): `high` is 0.5,
    `low` in steps of 0.001, and the last of them, 0.001, where none is enough.
    """
    for low in np.arange(0.5, 0.0005, -0.001):
        right = [band_figures(*domain, low, 0.5)["precisionBelow"] for domain in domains]
        if None not in right and min(right) >= RIGHT:
            break
    return round(float(low), 3), 0.5
