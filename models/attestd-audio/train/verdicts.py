"""What the recipes of sound, text and video share: ranking, calibration, band and verdicts at even odds, and how evaluation/ states them."""
import itertools
import json

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve

# Share of verdicts that must be right at even odds, and on each side.
RIGHT, SIDE = 0.85, 0.80
ENDS = np.round(np.arange(0, 0.5001, 0.01), 2)
# What a band may ask of the rows that it is chosen by, least first.
AIMS = np.round(np.arange(RIGHT, 0.96, 0.01), 2)
# Sides that a band may give verdicts on, first those that decide most; without any, all abstains.
SIDES = (('real', 'fake'), ('fake',), ('real',), ())
# How often whole pages are drawn for an interval.
ROUNDS = 100
# The share of machine-made media that risks are stated for, and what every package states of its verdicts.
PRIOR = 0.5
STATED = ('decided', 'right', 'rightWhenFake', 'rightWhenReal', 'rightAtLeast')


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def fit_platt(logits, labels, weights):
    """Slope and intercept of the weighted logistic fit on one logit."""
    model = LogisticRegression(C=1e6).fit(logits[:, None], labels, weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def auc(labels, scores, weights=None):
    return float(roc_auc_score(labels, scores, sample_weight=weights))


def ranking(labels, scores, weights=None):
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
    return {'interval': [float(least[0]), float(most[0])], 'rightAtLeast': None if np.isnan(least[1]) else float(least[1])}


def percent(value):
    return '-' if value is None else f'{100 * value:.0f} %'


def table(tables, what='clips'):
    """Lines of the readable table of `figures` by name."""
    lines = [f'| {what} | real, made | AUC | found at 5 % of real ones flagged | decided | right (at least) | right when machine-made | right when real |',
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


def choose_band(labels, risks, weights, wanted=RIGHT, sides=SIDES[0]):
    """
    The band outside which most is decided while `wanted` of the verdicts are right, and SIDE on each of the `sides`; an end of 0 or 1: no
    verdict there. The rule of src/lab/calibrate/suggest-band.ts.
    """
    def shares(beyond):
        return [(weights[mask & (labels == 1)].sum(), weights[mask & (labels == 0)].sum()) for mask in beyond]

    lows = [(end, real, fake) for end, (fake, real) in zip(ENDS, shares(risks <= end for end in ENDS)) if real >= SIDE * (real + fake) > 0]
    highs = [(1 - end, fake, real) for end, (fake, real) in zip(ENDS, shares(risks >= 1 - end for end in ENDS)) if fake >= SIDE * (real + fake) > 0]
    best, most = (0.0, 1.0), 0
    for low, right_low, wrong_low in [*(lows if 'real' in sides else []), (0.0, 0, 0)]:
        for high, right_high, wrong_high in [*(highs if 'fake' in sides else []), (1.0, 0, 0)]:
            right, wrong = right_low + right_high, wrong_low + wrong_high
            if right + wrong > most and right >= wanted * (right + wrong):
                best, most = (round(float(low), 2), round(float(high), 2)), right + wrong
    return best


class Judged:
    """
    Rows with the logits that detectors gave which saw nothing of their page, and risks and band of each by the other half of the pages.
    The band asks the least of its rows at which these crossed halves keep what is promised: on both sides, else on one alone.
    """

    def __init__(self, labels, logits, pages):
        self.labels, self.logits, self.pages = labels, logits, pages
        self.every = np.ones(len(labels), bool)
        self.half = np.isin(pages, np.random.default_rng(4).permutation(np.unique(pages))[::2])
        for self.sides, self.aim in itertools.product(SIDES, AIMS):
            self.risks, self.low, self.high = self.crossed()
            if all(self.keeps(mask) for mask in self.promised()):
                break

    def even(self, mask):
        """What each row of the mask weighs, one half for each class, and 0 for the others."""
        raise NotImplementedError

    def comparable(self, _mask):
        """Rows of which a class is taken that the mask lacks; also those that calibration and band are fitted on."""
        return self.every

    def line(self, mask):
        """The calibration by the rows of the mask."""
        return fit_platt(self.logits[mask], self.labels[mask], self.even(mask)[mask])

    def risks_by(self, line, mask):
        return sigmoid(line[0] * self.logits[mask] + line[1])

    def fitted(self, mask):
        """Calibration and band by the rows of the mask."""
        mask = mask & self.comparable(mask)
        line = self.line(mask)
        return line, choose_band(self.labels[mask], self.risks_by(line, mask), self.even(mask)[mask], self.aim, self.sides)

    def crossed(self):
        """Risks and band of each row by calibration and band of the other half of the pages."""
        risks, low, high = (np.zeros(len(self.labels)) for _ in range(3))
        for mine in (self.half, ~self.half):
            line, (low[mine], high[mine]) = self.fitted(~mine)
            risks[mine] = self.risks_by(line, mine)
        return risks, low, high

    def promised(self):
        """Sets of rows; of each the promise is to be kept."""
        return [self.comparable(self.every)]

    def keeps(self, mask):
        """Whether crossed halves give what is promised on these rows; a side without verdicts promises none."""
        found = verdicts(*(values[mask] for values in (self.labels, self.risks, self.even(mask), self.low, self.high)))
        sides = [found[name] for name in ('rightWhenFake', 'rightWhenReal') if found[name] is not None]
        return found['right'] is not None and found['right'] >= RIGHT and min(sides) >= SIDE

    def figures(self, mask):
        """Of the rows of the mask; where one class is missing there, against all comparable rows of the other."""
        made, beside = self.labels == 1, self.comparable(mask)
        sides = [mask & side if (mask & side).any() else beside & side for side in (made, ~made)]
        mask = sides[0] | sides[1]
        each = (self.labels, self.logits, self.risks, self.even(mask), self.low, self.high, self.pages)
        return figures(*(values[mask] for values in each))


def write(out, found, band, report):
    """The files of evaluation/: `found` as metrics.json, its verdicts on all rows as calibration.json, and the report."""
    folder = out / 'evaluation'
    folder.mkdir(parents=True, exist_ok=True)
    every = found['crossed']['tables']['all']
    stated = {'bandAfter': {'low': band[0], 'high': band[1], **{name: every[name] for name in STATED}}}
    for name, content in (('metrics', {'prior': PRIOR, **found}), ('calibration', stated)):
        (folder / f'{name}.json').write_text(json.dumps(rounded(content), indent=2) + '\n')
    (folder / 'report.md').write_text(report)
