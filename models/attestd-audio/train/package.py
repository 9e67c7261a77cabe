"""Figures, calibration, manifest and report of the package, from left-out logits."""
import hashlib
import json
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_curve

import data
import encoder
import metrics
import network
import selftest
import view
import voice
from frontend import SAMPLES

VERSION = '3.0.1'
# On another kind of processor the encoder's logits lie up to 0.15 of their spread elsewhere (attestd-image's noise.py).
TOLERANCE = 0.06
# Share of left-out human clips that may reach risk 50; the intercept of the calibration is set by it.
FLAGGED = 0.03
# Share of verdicts outside the decision band that must be right: under the prior of the calibration, and, for the stricter band
# that the report shows beside it, with both classes the same in number.
RIGHT = 0.85
# Openly licensed weights are shipped when they cost no more AUC than this.
MARGIN = 0.02
# A recipe that loses more AUC than this on the outer rows, against network.FORMER, is not chosen.
VETO = 0.005
ROUNDS = 200
# What the pack's README states: on its unseen systems and speakers, and of published networks on comparable clips.
FLOOR = {
    'LFCC statistics, gradient boosting (floor)': {'auc': 0.75, 'eer': 0.31},
    'LFCC network, 45k parameters (floor)': {'auc': '0.66 to 0.73'},
}
PEERS = {
    'AASIST (ASVspoof 2019 LA)': {'auc': 0.55, 'eer': 0.49}, 'AASIST-L': {'auc': 0.54, 'eer': 0.46},
    'RawGAT-ST': {'auc': 0.48, 'eer': 0.53}, 'AASIST trained on ASVspoof 5': {'auc': 0.71, 'eer': 0.33},
}
OPEN_NOTE = ('All of these rows are openly licensed (CC BY, CC BY-SA, CC0, public domain, Apache-2.0, MIT, BSD, own output); '
             'CC BY and CC BY-SA rows ask for attribution: card.md.')
FULL_NOTE = ('Part of the data is CC BY-NC-ND, research only or states no license; treat the weights as for research and '
             'evaluation.')


@dataclass
class Findings:
    """
    Left-out logits of each variant, the variant and recipe that were chosen, what they were chosen from, and the labels of the
    rows that the shipped head was trained on.
    """

    results: dict
    variant: str
    trials: dict
    recipe: str
    trained: np.ndarray


def weights_of(pack, rows):
    """Classes, then groups within a class, weigh the same."""
    weights = np.zeros(len(rows))
    for label in (0, 1):
        groups = sorted(set(pack.groups[rows][pack.labels[rows] == label]))
        for group in groups:
            inside = (pack.groups[rows] == group) & (pack.labels[rows] == label)
            weights[inside] = 0.5 / len(groups) / inside.sum()
    return weights


def auc(fake, real):
    """Rank AUC of two sets of scores, ties one half."""
    ordered = np.sort(real)
    below, upto = np.searchsorted(ordered, fake, 'left'), np.searchsorted(ordered, fake, 'right')
    return float((below + upto).mean() / 2 / len(real))


def interval(pack, scores, rows, even, rng):
    """95 % interval of the AUC by resampling whole groups of systems and sources; `even`: all groups weigh the same."""
    fake, real = (sorted(set(pack.groups[rows][pack.labels[rows] == label])) for label in (1, 0))
    of = {group: scores[rows][pack.groups[rows] == group] for group in (*fake, *real)}
    pairs = np.array([[auc(of[f], of[r]) for r in real] for f in fake])
    sizes = np.outer([len(of[f]) for f in fake], [len(of[r]) for r in real]).astype(float)
    sizes = np.ones_like(sizes) if even else sizes
    draws = []
    for _ in range(ROUNDS):
        taken = np.ix_(rng.integers(0, len(fake), len(fake)), rng.integers(0, len(real), len(real)))
        draws.append(np.average(pairs[taken], weights=sizes[taken]))
    return [float(value) for value in np.percentile(draws, [2.5, 97.5])]


def figures_of(pack, scores, rows, rng, even=True):
    """AUC with interval, EER, TPR at 5 % and 1 % FPR; `even`: all groups of a class weigh the same."""
    labels = pack.labels[rows]
    weights = weights_of(pack, rows) if even else np.ones(len(rows))
    false, true, _ = roc_curve(labels, scores[rows], sample_weight=weights)
    at = np.argmin(np.abs(false - (1 - true)))
    return {**metrics.ranking(labels, scores[rows], weights), 'eer': float((false[at] + 1 - true[at]) / 2),
            'interval': interval(pack, scores, rows, even, rng), 'count': int(len(rows))}


def known(pack, scores, mask):
    """Rows of the mask that have a score."""
    return np.flatnonzero(mask & ~np.isnan(scores))


def inner_figures(pack, logits):
    """Mean over the inner folds of the AUC, all groups even: as they are, and mean of the conditions."""
    means = {}
    for name, scores in logits.items():
        found = []
        for fold in sorted(set(pack.folds) - {data.OUTER}):
            rows = known(pack, scores, pack.folds == fold)
            if len(set(pack.labels[rows])) == 2:
                found.append(metrics.ranking(pack.labels[rows], scores[rows], weights_of(pack, rows))['auc'])
        means[name] = float(np.mean(found))
    others = [value for name, value in means.items() if name != 'clean']
    return {'clean': means['clean'], 'degraded': float(np.mean(others)) if others else None}


def outer_auc(pack, logits):
    rows = known(pack, logits['clean'], pack.folds == data.OUTER)
    return metrics.ranking(pack.labels[rows], logits['clean'][rows], weights_of(pack, rows))['auc']


def choose_recipe(pack, trials):
    """The recipe with the best mean of clean and degraded AUC on the inner folds of those that the outer rows do not veto."""
    least = outer_auc(pack, trials[network.FORMER]) - VETO
    allowed = [name for name in trials if outer_auc(pack, trials[name]) >= least]
    return max(allowed, key=lambda name: sum(inner_figures(pack, trials[name]).values()))


def pair_rows(pack, logits):
    rows = []
    for generator in sorted(set(pack.groups[pack.labels == 1])):
        for source in sorted(set(pack.groups[pack.labels == 0])):
            conditions = {}
            for name, scores in logits.items():
                known = ~np.isnan(scores)
                fake = scores[known & (pack.groups == generator)]
                real = scores[known & (pack.groups == source)]
                if len(fake) and len(real):
                    labels = np.r_[np.ones(len(fake)), np.zeros(len(real))]
                    even = np.where(labels == 1, 1 / len(fake), 1 / len(real))
                    conditions[name] = metrics.ranking(labels, np.r_[fake, real], even)
            rows.append({'generator': generator, 'source': source, 'conditions': conditions})
    return rows


def mean_auc(rows, condition='clean', **where):
    chosen = [row for row in rows if all(row[key] == value for key, value in where.items())]
    return float(np.mean([row['conditions'][condition]['auc'] for row in chosen if condition in row['conditions']]))


def summary(pack, logits):
    """What one variant or recipe reaches on the folds and the outer rows, in short."""
    rng = np.random.default_rng(0)
    scores = logits['clean']
    inner = sorted(set(pack.folds) - {data.OUTER})
    folds = [figures_of(pack, scores, known(pack, scores, pack.folds == fold), rng) for fold in inner]
    outer = pack.folds == data.OUTER
    return {
        'meanLeftOutAuc': mean_auc(pair_rows(pack, {'clean': scores})),
        'folds': folds,
        'meanFoldAuc': float(np.mean([fold['auc'] for fold in folds])),
        'meanFoldEer': float(np.mean([fold['eer'] for fold in folds])),
        'outer': figures_of(pack, scores, known(pack, scores, outer), rng),
        'outerEnglish': figures_of(pack, scores, known(pack, scores, outer & pack.english), rng),
        'outerTests': {name: figures_of(pack, values, known(pack, values, outer), rng)['auc']
                       for name, values in logits.items() if name != 'clean'},
    }


def shipped(pack, result):
    """What the shipped recipe reaches on the strict folds and on the pack's own split."""
    rng = np.random.default_rng(0)
    split, apart = result['split']['clean'], result['apart']['clean']
    return {
        'meanStrictFoldAuc': inner_figures(pack, {'clean': result['strict']['clean']})['clean'],
        'packSplit': figures_of(pack, split, known(pack, split, pack.dev), rng, even=False),
        'packSplitEnglish': figures_of(pack, split, known(pack, split, pack.dev & pack.english), rng, even=False),
        'packSplitApart': figures_of(pack, apart, known(pack, apart, pack.dev), rng, even=False)
        if np.isfinite(apart).any() else None,
        'packSplitTests': {name: figures_of(pack, values, known(pack, values, pack.dev), rng, even=False)['auc']
                           for name, values in result['split'].items() if name != 'clean'},
    }


def share_of(pack, logits, column, label):
    """AUC of the rows of one family or codec against all left-out rows of the other class, groups even."""
    rows = {}
    for value in sorted(set(column[pack.labels == label])):
        chosen = known(pack, logits, ((pack.labels == label) & (column == value)) | (pack.labels != label))
        rows[str(value)] = {**metrics.ranking(pack.labels[chosen], logits[chosen], weights_of(pack, chosen)),
                            'count': int(((pack.labels == label) & (column == value)).sum())}
    return rows


def choose(pack, results):
    """`open` where the openly licensed weights are within the margin on the inner folds, else `full`."""
    mean = {variant: inner_figures(pack, result['folds'])['clean'] for variant, result in results.items()}
    near = mean['open'] >= mean['full'] - MARGIN
    return 'open' if near else 'full'


def stacked(pack, logits, folds=None):
    """Labels, logits, weights and rows of all conditions together; the clean one weighs as much as all others."""
    parts = []
    for name, scores in logits.items():
        rows = np.flatnonzero(~np.isnan(scores) & (True if folds is None else np.isin(pack.folds, folds)))
        weight = 0.5 if name == 'clean' else 0.5 / (len(logits) - 1)
        parts.append((pack.labels[rows], scores[rows], weights_of(pack, rows) * weight, rows, np.full(len(rows), name)))
    return [np.concatenate(column) for column in zip(*parts)]


def quantile(values, weights, share):
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]) / weights.sum(), share)])


def calibration_of(labels, scores, weights):
    """Platt slope, and the intercept at which the stated share of human clips reaches risk 50."""
    slope, even = metrics.fit_platt(scores, labels, weights)
    edge = quantile(scores[labels == 0], weights[labels == 0], 1 - FLAGGED)
    return slope, min(even, -slope * edge), even


def calibrate(pack, logits):
    """The shipped calibration and band, judged on risks whose calibration saw neither the clip's source nor system."""
    labels, scores, weights, rows, names = stacked(pack, logits)
    slope, intercept, even = calibration_of(labels, scores, weights)
    risks, plain = np.zeros(len(labels)), np.zeros(len(labels))
    for fold in set(pack.folds):
        others = stacked(pack, logits, [f for f in set(pack.folds) if f != fold])
        cross_slope, cross_intercept, cross_even = calibration_of(*others[:3])
        mine = pack.folds[rows] == fold
        risks[mine] = metrics.sigmoid(cross_slope * scores[mine] + cross_intercept)
        plain[mine] = metrics.sigmoid(cross_slope * scores[mine] + cross_even)
    prior = 1 / (1 + np.exp(even - intercept))
    expected = np.where(labels == 1, weights * prior * 2, weights * (1 - prior) * 2)
    clean = names == 'clean'
    outer = pack.folds[rows] == data.OUTER
    low, high = metrics.choose_band(labels[~outer], risks[~outer], expected[~outer], RIGHT)
    strict = metrics.choose_band(labels[~outer], risks[~outer], weights[~outer], RIGHT)
    shares = {}
    for group in sorted(set(pack.groups)):
        mine = pack.groups[rows] == group
        shares[group] = {
            'label': 'machine-made' if labels[mine][0] else 'real', 'count': int((mine & clean).sum()),
            'meanRisk': float(risks[mine & clean].mean()),
            'shareAtRisk50': {name: float((risks[mine & (names == name)] >= 0.5).mean()) for name in logits
                              if (mine & (names == name)).any()},
        }
    return {
        'calibration': {'slope': slope, 'intercept': intercept},
        'prior': float(prior),
        'pooled': {
            'ranking': metrics.ranking(labels[clean], scores[clean], weights[clean]),
            'beforeCalibration': metrics.quality(labels, metrics.sigmoid(scores), weights),
            'afterCrossCalibrationEvenPrior': metrics.quality(labels, plain, weights),
            'afterCrossCalibration': metrics.quality(labels, risks, expected),
            'clean': metrics.quality(labels[clean], risks[clean], weights[clean]),
            'reliability': metrics.reliability(labels, risks, expected),
        },
        'band': metrics.band_figures(labels, risks, weights, low, high),
        'bandUnderPrior': metrics.band_figures(labels, risks, expected, low, high),
        'strictBand': metrics.band_figures(labels, risks, weights, *strict),
        'strictBandOuter': metrics.band_figures(labels[outer], risks[outer], weights[outer], *strict),
        'bandOuter': metrics.band_figures(labels[outer], risks[outer], weights[outer], low, high),
        'sources': shares,
    }


def evaluate(pack, findings):
    logits = findings.results[findings.variant]['folds']
    rows = pair_rows(pack, logits)
    generators, sources = sorted(set(pack.groups[pack.labels == 1])), sorted(set(pack.groups[pack.labels == 0]))
    clean = logits['clean']
    by_system = {}
    for system in sorted(set(pack.units[pack.labels == 1])):
        mine = (pack.units == system) & (pack.labels == 1)
        against = np.isin(pack.folds, list(set(pack.folds[mine]))) & (pack.labels == 0)
        by_system[system] = {'auc': auc(clean[mine], clean[against]), 'count': int(mine.sum())}
    return {
        'variant': findings.variant,
        'recipe': findings.recipe,
        'trials': {name: {**inner_figures(pack, trial), 'outer': outer_auc(pack, trial)} for name, trial in findings.trials.items()},
        'former': summary(pack, findings.trials[network.FORMER]),
        'shipped': shipped(pack, findings.results[findings.variant]),
        'meanLeftOutAuc': {name: mean_auc(rows, name) for name in logits},
        'meanLeftOutAucByGenerator': {g: mean_auc(rows, generator=g) for g in generators},
        'meanLeftOutAucBySource': {s: mean_auc(rows, source=s) for s in sources},
        'conditions': data.TESTS,
        'pairs': rows,
        'systems': by_system,
        'families': share_of(pack, clean, pack.families, 1),
        'codecs': {'machine-made': share_of(pack, clean, pack.codecs, 1), 'real': share_of(pack, clean, pack.codecs, 0)},
        'variants': {variant: summary(pack, result['folds']) for variant, result in findings.results.items()},
        'floor': FLOOR, 'peers': PEERS,
        **calibrate(pack, logits),
    }


def read_package_file(path):
    content = path.read_bytes()
    return {'sha256': hashlib.sha256(content).hexdigest(), 'bytes': len(content)}


def manifest(out, findings, figures):
    slope, intercept = figures['calibration']['slope'], figures['calibration']['intercept']
    detector = encoder.Detector(out, *network.NETWORKS)
    windows, _ = voice.windows_of(selftest.read(out / 'selftest.wav'), SAMPLES)
    risk = metrics.sigmoid(slope * np.mean([detector(window) for window in windows]) + intercept)
    made, human = ((findings.trained == label).sum() for label in (1, 0))
    return {
        'schema': 1, 'id': out.resolve().name, 'version': VERSION,
        'title': 'What an encoder of pictures sees in the spectrogram, and speech statistics, compared with those of known clips',
        'mediaTypes': ['audio'],
        'runtime': {
            'kind': 'onnx-encoded', 'view': network.VIEW, 'input': 'samples', 'encoder': view.PACKAGE.name,
            'model': network.MODEL, 'output': 'logit',
        },
        'files': {name: read_package_file(out / name) for name in (*network.NETWORKS, 'selftest.wav')},
        'preprocessing': {
            'kind': 'audio', 'sampleRate': 16000, 'window': {'samples': SAMPLES, 'hop': SAMPLES // 2}, 'maxWindows': voice.MOST_WINDOWS,
            'padding': 'repeat', 'minSpeechShare': 0.4, 'minSpeechSeconds': 0.5,
        },
        'outputKind': 'logit', 'aggregation': 'mean', 'stabilityProbe': False,
        'calibration': {'kind': 'platt', 'slope': round(slope, 6), 'intercept': round(intercept, 6)},
        'decisionBand': {'low': figures['band']['low'], 'high': figures['band']['high']},
        'selfTest': {'file': 'selftest.wav', 'risk': round(float(risk), 4), 'tolerance': TOLERANCE},
        'training': {
            'data': f'{made:,} synthetic and {human:,} human clips of speech of 1 to 4 seconds, each also degraded '
                    'once (room, noise, equalizer, band limit, codecs). The shipped weights saw all of them; the published '
                    'figures come from detectors that did not see the source or system they are judged on.',
            'license': OPEN_NOTE if figures['variant'] == 'open' else FULL_NOTE,
        },
        'license': 'Apache-2.0 for code, recipe and weights' if figures['variant'] == 'open' else
                   'Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the training data',
    }


def write(out, pack, findings):
    import report
    if not (out / 'selftest.wav').exists():
        selftest.write(out / 'selftest.wav')
    figures = evaluate(pack, findings)
    (out / 'evaluation').mkdir(exist_ok=True)
    (out / 'evaluation' / 'metrics.json').write_text(json.dumps(rounded(figures), indent=2) + '\n')
    (out / 'evaluation' / 'report.md').write_text(report.page(figures))
    (out / 'detector.json').write_text(json.dumps(manifest(out, findings, figures), indent=2) + '\n')
    print(report.page(figures))


def rounded(value):
    """Figures to six decimals, recursively."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return round(value, 6) if isinstance(value, float) else value
