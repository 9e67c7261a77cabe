"""Figures of merit: ranking, calibration, verdicts, and the choice of the decision band."""
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve

# Share of verdicts that must be right at even odds, and on each side.
RIGHT, SIDE = 0.85, 0.80
ENDS = np.round(np.arange(0, 0.5001, 0.01), 2)


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def fit_platt(logits, labels, weights):
    """Slope and intercept of the weighted logistic fit on one logit."""
    model = LogisticRegression(C=1e6).fit(logits[:, None], labels, weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def auc(labels, scores, weights):
    return float(roc_auc_score(labels, scores, sample_weight=weights))


def ranking(labels, scores, weights):
    """AUC and true-positive rates at 5 % and 1 % false positives."""
    false, true, _ = roc_curve(labels, scores, sample_weight=weights)
    return {'auc': auc(labels, scores, weights),
            'tprAtFpr5': float(true[false <= 0.05].max()), 'tprAtFpr1': float(true[false <= 0.01].max())}


def verdicts(labels, risks, weights, low, high):
    """The four figures, each null where nothing can be said; the classes are to weigh the same. `low`, `high`: one or of each row."""
    above, below = risks >= high, risks <= low

    def share(of, among):
        return float(np.average(of[among], weights=weights[among])) if weights[among].sum() > 0 else None

    decided = above | below
    return {'decided': float(np.average(decided, weights=weights)), 'right': share(above == (labels == 1), decided),
            'rightWhenFake': share(labels == 1, above), 'rightWhenReal': share(labels == 0, below)}


def choose_band(labels, risks, weights):
    """
    The band outside which most is decided while RIGHT of the verdicts are right, and SIDE on each side; an end of 0 or 1: no verdict
    there. The rule of src/lab/calibrate/suggest-band.ts.
    """
    def sides(beyond):
        return [(weights[mask & (labels == 1)].sum(), weights[mask & (labels == 0)].sum()) for mask in beyond]

    lows = [(end, real, fake) for end, (fake, real) in zip(ENDS, sides(risks <= end for end in ENDS)) if real >= SIDE * (real + fake) > 0]
    highs = [(1 - end, fake, real) for end, (fake, real) in zip(ENDS, sides(risks >= 1 - end for end in ENDS)) if fake >= SIDE * (real + fake) > 0]
    best, most = (0.0, 1.0), 0
    for low, right_low, wrong_low in [*lows, (0.0, 0, 0)]:
        for high, right_high, wrong_high in [*highs, (1.0, 0, 0)]:
            right, wrong = right_low + right_high, wrong_low + wrong_high
            if right + wrong > most and right >= RIGHT * (right + wrong):
                best, most = (round(float(low), 2), round(float(high), 2)), right + wrong
    return best
