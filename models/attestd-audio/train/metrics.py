"""Figures of merit: ranking, calibration, verdicts, and the choice of the decision band."""
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve

# Share of verdicts that must be right at even odds, and on each side.
RIGHT, SIDE = 0.85, 0.80
ENDS = np.round(np.arange(0, 0.5001, 0.01), 2)
# How often whole pages are drawn for an interval.
ROUNDS = 100


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


def figures(labels, logits, risks, weights, low, high, pages):
    """What is published of some rows; the weights sum to one half for each class, `low` and `high` are of each row."""
    four = verdicts(labels, risks, weights, low, high)
    return {'real': int((labels == 0).sum()), 'fake': int(labels.sum()), **ranking(labels, logits, weights),
            **intervals(labels, logits, risks, weights, low, high, pages), **four,
            'coverage': four['decided'], 'rightOutsideBand': four['right'],
            'realAt50': float(np.average(risks[labels == 0] >= 0.5, weights=weights[labels == 0])),
            'fakeAt50': float(np.average(risks[labels == 1] >= 0.5, weights=weights[labels == 1]))}


def intervals(labels, logits, risks, weights, low, high, pages):
    """95 % interval of the AUC and the lower end of what is right, by drawing whole pages."""
    rng, found = np.random.default_rng(0), []
    names, which = np.unique(pages, return_inverse=True)
    for _ in range(ROUNDS):
        drawn = weights * np.bincount(rng.integers(0, len(names), len(names)), minlength=len(names))[which]
        if all(drawn[labels == label].sum() > 0 for label in (0, 1)):
            even = drawn / np.where(labels == 1, drawn[labels == 1].sum(), drawn[labels == 0].sum())
            right = verdicts(labels, risks, even, low, high)['right']
            found.append((auc(labels, logits, even), np.nan if right is None else right))
    least, most = np.nanpercentile(np.array(found), [2.5, 97.5], axis=0)
    return {'interval': [float(least[0]), float(most[0])], 'rightAtLeast': float(least[1])}


def table(tables):
    """Lines of the readable table of `figures` by name."""
    def percent(value):
        return '-' if value is None else f'{100 * value:.0f} %'

    lines = ['| clips | real, made | AUC | found at 5 % of real ones flagged | decided | right (at least) | right when machine-made | right when real |',
             '| --- | --- | --- | --- | --- | --- | --- | --- |']
    for name, each in tables.items():
        low, high = each['interval']
        lines.append(f"| {name} | {each['real']}, {each['fake']} | {each['auc']:.3f} ({low:.2f} to {high:.2f}) | {percent(each['tprAtFpr5'])} | {percent(each['decided'])} "
                     f"| {percent(each['right'])} ({percent(each['rightAtLeast'])}) | {percent(each['rightWhenFake'])} | {percent(each['rightWhenReal'])} |")
    return lines


def rounded(value):
    """Figures to six decimals, recursively."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return round(value, 6) if isinstance(value, float) else value


def choose_band(labels, risks, weights, wanted=RIGHT):
    """
    The band outside which most is decided while `wanted` of the verdicts are right, and SIDE on each side; an end of 0 or 1: no verdict
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
            if right + wrong > most and right >= wanted * (right + wrong):
                best, most = (round(float(low), 2), round(float(high), 2)), right + wrong
    return best
