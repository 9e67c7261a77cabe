"""Figures of merit: ranking, operating points, calibration, and the choice of the decision band."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def fit_platt(logits, labels, weights):
    """Slope and intercept of the weighted logistic fit on one logit."""
    model = LogisticRegression(C=1e6).fit(logits[:, None], labels, weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def tpr_at(labels, scores, fpr, weights):
    """Largest true-positive rate whose false-positive rate is at most `fpr`."""
    false, true, _ = roc_curve(labels, scores, sample_weight=weights)
    return float(true[false <= fpr].max())


def calibration_error(labels, risks, weights, bins=10):
    """Expected calibration error over equal-width bins."""
    which = np.minimum((risks * bins).astype(int), bins - 1)
    total = 0.0
    for b in range(bins):
        inside = which == b
        if inside.any():
            w = weights[inside]
            gap = abs(np.average(risks[inside], weights=w) - np.average(labels[inside], weights=w))
            total += gap * w.sum()
    return float(total / weights.sum())


def reliability(labels, risks, weights, bins=10):
    """Rows (low edge, mean risk, share machine-made, count) per non-empty bin."""
    which = np.minimum((risks * bins).astype(int), bins - 1)
    rows = []
    for b in sorted(set(which)):
        inside = which == b
        w = weights[inside]
        rows.append({
            "from": b / bins,
            "meanRisk": float(np.average(risks[inside], weights=w)),
            "shareMachineMade": float(np.average(labels[inside], weights=w)),
            "count": int(inside.sum()),
        })
    return rows


def ranking(labels, scores, weights):
    """AUC and true-positive rates at 5 % and 1 % false positives."""
    return {
        "auc": float(roc_auc_score(labels, scores, sample_weight=weights)),
        "tprAtFpr5": tpr_at(labels, scores, 0.05, weights),
        "tprAtFpr1": tpr_at(labels, scores, 0.01, weights),
    }


def quality(labels, risks, weights):
    """Brier score, expected calibration error, and the error rates at risk >= 0.5."""
    real, fake = labels == 0, labels == 1
    return {
        "brier": float(np.average((risks - labels) ** 2, weights=weights)),
        "ece": calibration_error(labels, risks, weights),
        "fprAt50": float(np.average(risks[real] >= 0.5, weights=weights[real])),
        "tprAt50": float(np.average(risks[fake] >= 0.5, weights=weights[fake])),
    }


def band_figures(labels, risks, weights, low, high):
    """What is decided outside [low, high], and how often rightly."""
    below, above = risks < low, risks > high
    decided = below | above
    right = np.where(above, labels == 1, labels == 0)
    return {
        "low": low,
        "high": high,
        "decided": float(np.average(decided, weights=weights)),
        "accuracyDecided": float(np.average(right[decided], weights=weights[decided])) if decided.any() else None,
        "precisionAbove": float(np.average(labels[above] == 1, weights=weights[above])) if above.any() else None,
        "precisionBelow": float(np.average(labels[below] == 0, weights=weights[below])) if below.any() else None,
        "realFlaggedAbove": float(np.average(above[labels == 0], weights=weights[labels == 0])),
    }


def choose_band(labels, risks, weights, right):
    """The band outside which most is decided while at least `right` of that is right, on a grid of 0.02."""
    best, widest = (0.02, 0.98), -1.0
    for low in np.arange(0.02, 0.501, 0.02):
        for high in np.arange(0.5, 0.981, 0.02):
            figures = band_figures(labels, risks, weights, round(float(low), 2), round(float(high), 2))
            if figures['decided'] > max(widest, 0) and figures['accuracyDecided'] >= right:
                best, widest = (figures['low'], figures['high']), figures['decided']
    return best
