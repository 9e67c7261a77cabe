"""Calibration, band, figures, manifest and report of the package, from left-out logits."""
import hashlib
import json

import numpy as np

import data
import encoder
import network
import selftest
import verdicts
import view
import voice
from frontend import SAMPLES

# By edition, whether it is the open one.
VERSIONS = {False: '4.3.0', True: '1.0.0'}
# Of the open edition, which sees and hears the same.
MAIN = 'attestd-audio'
# On another kind of processor the encoder's logits lie up to 0.15 of their spread elsewhere (attestd-image's noise.py).
TOLERANCE = 0.06
MOST_WINDOWS = 2
# By edition, whether it is the open one: which data, and the terms of data and weights.
LICENSES = {
    False: ('Part of the data is CC BY-NC-ND, research only or states no license; treat the weights as for research and evaluation.',
            'Apache-2.0 for the code and recipe; weights: research and evaluation use only, because of the training data'),
    True: ('Every clip comes from a repository or corpus that states an open license (Apache-2.0, BSD, MIT, CC BY, CC BY-SA, public domain) or is '
           'our own output; the terms of the synthetic voices\' models were not checked.',
           'Apache-2.0 for code, recipe and weights; the encoder, layers of CLIP ViT-B/16, is MIT; credits in card.md'),
}


class Judged(verdicts.Judged):
    """Left-out logits of clips as they are (the mean of their windows) and degraded; each condition half of the weight."""

    def __init__(self, clips, places, kinds, logits):
        self.clips, parts = clips, []
        for degraded in (False, True):
            mine = np.isfinite(logits) & ((kinds == data.DEGRADED) == degraded)
            total, count = (np.bincount(places[mine], values, len(clips)) for values in (logits[mine], np.ones(mine.sum())))
            rows = np.flatnonzero((count > 0) & clips.judged)
            parts.append((rows, total[rows] / count[rows], np.full(len(rows), degraded)))
        self.rows, logits, self.degraded = (np.concatenate(each) for each in zip(*parts))
        self.copies, self.folds = clips.copies[self.rows], clips.folds[self.rows]
        super().__init__(clips.made[self.rows].astype(int), logits, clips.pages[self.rows])

    def even(self, mask):
        """Classes the same in each condition, systems and sources by root."""
        weights = np.zeros(len(self.rows))
        for degraded in (False, True):
            mine = mask & (self.degraded == degraded)
            if mine.any():
                weights[mine] = data.weights_of(self.clips, self.rows[mine], 0 if (self.labels[mine] & ~self.copies[mine]).any() else 1)
        return weights

    def comparable(self, mask):
        """Of the same condition, and no copies."""
        return np.isin(self.degraded, np.unique(self.degraded[mask])) & ~self.copies


def tables_of(judged):
    made, plain, clean = judged.labels == 1, ~judged.copies, ~judged.degraded
    inner, outer = judged.folds != data.OUTER, judged.folds == data.OUTER
    masks = {'all': clean & plain, 'form: inner folds': clean & plain & inner, 'form: outer pages': clean & plain & outer,
             'form: degraded': ~clean & plain, 'form: degraded, outer pages': ~clean & plain & outer}
    families = judged.clips.families[judged.rows]
    more = ~np.isin(judged.clips.pages[judged.rows], [entry[3] for entry in data.SOURCES])
    for family in sorted(set(families[made & more])):
        masks[f'family: {family}'] = clean & made & more & (families == family)
    return {name: judged.figures(mask) for name, mask in masks.items() if mask.any()}


def folds_of(judged):
    folds = [judged.figures(~judged.degraded & ~judged.copies & (judged.folds == fold)) for fold in sorted(set(judged.folds) - {data.OUTER})]
    return {'auc': [fold['auc'] for fold in folds], 'mean': float(np.mean([fold['auc'] for fold in folds]))}


def read_package_file(path):
    content = path.read_bytes()
    return {'sha256': hashlib.sha256(content).hexdigest(), 'bytes': len(content)}


def manifest(out, clips, calibration, is_open=False):
    data_license, license = LICENSES[is_open]
    view_folder = out.parent / MAIN if is_open else out
    used = clips.open if is_open else np.ones(len(clips), bool)
    (slope, intercept), (low, high) = calibration
    detector = encoder.Detector(view_folder / network.VIEW, out / network.MODEL)
    windows, _ = voice.windows_of(selftest.read(out / 'selftest.wav'), SAMPLES, MOST_WINDOWS)
    risk = verdicts.sigmoid(slope * np.mean([detector(window) for window in windows]) + intercept)
    return {
        'schema': 1, 'id': out.resolve().name, 'version': VERSIONS[is_open],
        'title': 'What an encoder of pictures sees in the spectrogram, and speech statistics, compared with those of known clips',
        'mediaTypes': ['audio'],
        **({'variantOf': MAIN} if is_open else {}),
        'runtime': {'kind': 'onnx-encoded', 'view': network.VIEW, 'input': 'samples', 'encoder': view.PACKAGE.name,
                    'model': network.MODEL, 'output': 'logit'},
        'files': {
            network.VIEW: {**read_package_file(view_folder / network.VIEW), **({'of': MAIN} if is_open else {})},
            **{name: read_package_file(out / name) for name in (network.MODEL, 'selftest.wav')},
        },
        'preprocessing': {'kind': 'audio', 'sampleRate': 16000, 'window': {'samples': SAMPLES, 'hop': SAMPLES // 2},
                          'maxWindows': MOST_WINDOWS, 'padding': 'repeat', 'minSpeechShare': 0.4, 'minSpeechSeconds': 0.5},
        'outputKind': 'logit', 'aggregation': 'mean', 'stabilityProbe': False,
        'calibration': {'kind': 'platt', 'prior': verdicts.PRIOR, 'slope': round(slope, 6), 'intercept': round(intercept, 6)},
        'decisionBand': {'low': low, 'high': high},
        'selfTest': {'file': 'selftest.wav', 'risk': round(float(risk), 4), 'tolerance': TOLERANCE},
        'training': {
            'data': f'{(clips.made & used).sum():,} synthetic and {(~clips.made & used).sum():,} human clips of speech, at most {data.MOST} of a system or source, '
                    'each also degraded once (room, noise, equalizer, band limit, codecs). Risks are for even odds: half of what is heard is '
                    'machine-made (a prior of 0.5). The shipped weights saw all of them; the published figures come from detectors that did '
                    'not see the page, system or corpus that they are judged on.',
            'license': data_license,
        },
        'license': license,
        **({'openWeights': True} if is_open else {}),
    }


def write(out, judged, is_open=False):
    if not (out / 'selftest.wav').exists():
        selftest.write(out / 'selftest.wav')
    calibration = judged.fitted(judged.every)
    figures = {'folds': folds_of(judged), 'crossed': {'tables': tables_of(judged)}}
    verdicts.write(out, figures, calibration[1], report(out.resolve().name, figures, calibration))
    (out / 'detector.json').write_text(json.dumps(manifest(out, judged.clips, calibration, is_open), indent=2) + '\n')


def report(name, figures, calibration):
    lines = [f'# Evaluation of {name}', '',
             'Written by train/train.py; do not edit. Every clip is scored by a head that saw nothing of its page, system or corpus; the outer',
             'pages were printed beside the inner ones in every trial. No row is of list 3. Risks and band are of the other half of the pages. Classes weigh the same, systems and sources by the root',
             'of their clips; copies by codecs and vocoders count only in their families. Intervals: 95 %, whole pages drawn. A clip: the mean',
             'of its first and last window; degraded: one window.', '',
             f"Mean AUC of the inner folds: {figures['folds']['mean']:.3f} ({', '.join(f'{auc:.2f}' for auc in figures['folds']['auc'])}).",
             f"Band of all rows, as they are and degraded: {calibration[1][0]} to {calibration[1][1]}, at even odds.", '',
             *verdicts.table(figures['crossed']['tables'])]
    return '\n'.join(lines) + '\n'
