"""Calibration, band, figures and report of the package, from left-out logits."""
import numpy as np

import clips as listed
import verdicts


class Judged(verdicts.Judged):
    """Clips with the logit that a head gave which saw nothing of their repository, generator, pair and scene."""

    def __init__(self, clips, logits):
        self.clips = clips
        super().__init__(clips.made.astype(int), logits, clips.repositories)

    def even(self, mask):
        return self.clips.even(mask)

    def tables(self):
        clips = self.clips
        masks = {'all': self.every, 'form: inner folds': clips.folds != listed.OUTER, 'form: outer repositories': clips.folds == listed.OUTER,
                 'kind: faces': clips.kinds == 'people-face', 'kind: people': clips.kinds == 'people',
                 'kind: animals, things, places': ~np.isin(clips.kinds, ('people', 'people-face', 'art'))}
        masks |= {f'family: {family}': clips.families == family for family in sorted(set(clips.families[clips.made]))}
        return {name: self.figures(mask) for name, mask in masks.items() if mask.any()}


def leaks(clips):
    """AUC of what must not be given to a head, each alone: fake above real."""
    number = {name: np.array([float(row[name] or 0) for row in clips.rows]) for name in ('fps', 'seconds', 'bytes', 'width', 'height')}
    number['area'] = number.pop('width') * number.pop('height')
    weights = clips.even(np.ones(len(clips), bool))
    return {name: verdicts.auc(clips.made.astype(int), values, weights) for name, values in number.items()}


def write(out, name, judged, more):
    """Rewrites metrics.json, calibration.json and report.md of evaluation/."""
    line, band = judged.fitted(judged.every)
    found = {'crossed': {'tables': judged.tables()}, **more}
    verdicts.write(out, found, band, report(name, found, line, band, judged.aim))


def report(title, figures, line, band, aim):
    trials = [f'| {name} | {auc:.3f} |' for name, auc in figures['trials'].items()]
    passages = [f"| {margin} | {each['auc']:.3f} | {100 * each['recording']:.0f} % | {100 * each['passage']:.0f} % | {100 * each['real']:.0f} % | {100 * each['made']:.0f} % |"
                for margin, each in figures['passages'].items()]
    return '\n'.join([
        f'# Evaluation of {title}', '',
        'Written by train/train.py; do not edit. Every clip is scored by a head that saw nothing of its repository, generator, pair and',
        'scene; outer repositories chose nothing. Risks and band are of the other half of the repositories. Classes weigh the same,',
        'generators and repositories by the root of their clips. Intervals: 95 %, whole repositories drawn. Two frames of a clip, no sound.', '',
        f'Line of all rows (part of head.onnx): slope {line[0]:.4f}, intercept {line[1]:.4f}. Band {band[0]} to {band[1]} at even odds, where',
        f'{100 * aim:.0f} % of the verdicts on all rows are right: at less, crossed halves do not give 85 %.', '',
        *verdicts.table(figures['crossed']['tables']), '',
        '## What counts', '',
        'Inner folds, AUC.', '',
        '| head | AUC |', '| --- | --- |', *trials, '',
        '## A made passage', '',
        'Four clips of one repository in a row, all real or one of them made; windows are the clips. Flagged: risk at the upper end of the band.', '',
        '| margin | AUC | real recordings flagged | with a passage | single clips: real flagged | made |', '| --- | --- | --- | --- | --- | --- |', *passages, '',
        '## What must not be given to a head', '',
        '| alone | AUC |', '| --- | --- |', *(f'| {name} | {auc:.2f} |' for name, auc in figures['alone'].items()), '',
        f"Labels dealt anew to whole repositories and generators: AUC {figures['shuffled']:.2f}. Features alone, trained on openly licensed rows: {figures['openRowsAlone']['auc']:.3f} on all rows.", ''])
