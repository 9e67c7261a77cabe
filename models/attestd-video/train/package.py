"""Calibration, band, figures and report of the package, from left-out logits."""
import json

import numpy as np

import clips as listed
import metrics

PRIOR = 0.5
# What the band asks of all verdicts on the rows that it is chosen by: the least at which crossed halves reach what is promised.
AIMS = np.round(np.arange(metrics.RIGHT, 0.96, 0.01), 2)


class Judged:
    """Clips with the logit that a head gave which saw nothing of their repository, generator, pair and scene."""

    def __init__(self, clips, logits):
        self.clips, self.logits, self.labels = clips, logits, clips.made.astype(int)
        self.every = np.ones(len(logits), bool)
        self.half = np.isin(clips.repositories, np.random.default_rng(4).permutation(np.unique(clips.repositories))[::2])
        for self.aim in AIMS:
            self.risks, self.low, self.high = self.crossed()
            found = self.verdicts()
            if found['right'] is not None and self.holds(found):
                break

    @staticmethod
    def holds(found):
        """Whether crossed halves give what is promised; a side without verdicts promises none."""
        sides = [found[name] for name in ('rightWhenFake', 'rightWhenReal') if found[name] is not None]
        return found['right'] >= metrics.RIGHT and min(sides) >= metrics.SIDE

    def verdicts(self):
        return metrics.verdicts(self.labels, self.risks, self.clips.even(self.every), self.low, self.high)

    def line(self, mask):
        """Slope and intercept by the rows of the mask."""
        return metrics.fit_platt(self.logits[mask], self.labels[mask], self.clips.even(mask)[mask])

    def band(self, mask, line):
        risks = metrics.sigmoid(line[0] * self.logits[mask] + line[1])
        return metrics.choose_band(self.labels[mask], risks, self.clips.even(mask)[mask], self.aim)

    def crossed(self):
        """Risks and band of each row by calibration and band of the other half of the repositories."""
        risks, low, high = (np.zeros(len(self.logits)) for _ in range(3))
        for mine in (self.half, ~self.half):
            line = self.line(~mine)
            low[mine], high[mine] = self.band(~mine, line)
            risks[mine] = metrics.sigmoid(line[0] * self.logits[mine] + line[1])
        return risks, low, high

    def figures(self, mask):
        """Of the rows of the mask; where one class is missing there, against all rows of the other."""
        made, real = mask & self.clips.made, mask & ~self.clips.made
        mask = (made if made.any() else self.clips.made) | (real if real.any() else ~self.clips.made)
        each = (self.labels, self.logits, self.risks, self.clips.even(mask), self.low, self.high, self.clips.repositories)
        return metrics.figures(*(values[mask] for values in each))

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
    return {name: metrics.auc(clips.made.astype(int), values, weights) for name, values in number.items()}


def write(out, judged, more):
    """Rewrites metrics.json and report.md of evaluation/."""
    line = judged.line(judged.every)
    band = judged.band(judged.every, line)
    figures = {'prior': PRIOR, 'crossed': {'tables': judged.tables()}, **more}
    (out / 'evaluation').mkdir(parents=True, exist_ok=True)
    (out / 'evaluation' / 'metrics.json').write_text(json.dumps(metrics.rounded(figures), indent=2) + '\n')
    (out / 'evaluation' / 'report.md').write_text(report(figures, line, band, judged.aim))


def report(figures, line, band, aim):
    trials = [f'| {name} | {auc:.3f} |' for name, auc in figures['trials'].items()]
    passages = [f"| {margin} | {each['auc']:.3f} | {100 * each['recording']:.0f} % | {100 * each['passage']:.0f} % | {100 * each['real']:.0f} % | {100 * each['made']:.0f} % |"
                for margin, each in figures['passages'].items()]
    return '\n'.join([
        '# Evaluation of attestd-video', '',
        'Written by train/train.py; do not edit. Every clip is scored by a head that saw nothing of its repository, generator, pair and',
        'scene; outer repositories chose nothing. Risks and band are of the other half of the repositories. Classes weigh the same,',
        'generators and repositories by the root of their clips. Intervals: 95 %, whole repositories drawn. Two frames of a clip, no sound.', '',
        f'Line of all rows (part of head.onnx): slope {line[0]:.4f}, intercept {line[1]:.4f}. Band {band[0]} to {band[1]} at even odds, where',
        f'{100 * aim:.0f} % of the verdicts on all rows are right: at less, crossed halves do not give 85 %.', '',
        *metrics.table(figures['crossed']['tables']), '',
        '## What counts', '',
        'Inner folds, AUC.', '',
        '| head | AUC |', '| --- | --- |', *trials, '',
        '## A made passage', '',
        'Four clips of one repository in a row, all real or one of them made; windows are the clips. Flagged: risk at the upper end of the band.', '',
        '| margin | AUC | real recordings flagged | with a passage | single clips: real flagged | made |', '| --- | --- | --- | --- | --- | --- |', *passages, '',
        '## What must not be given to a head', '',
        '| alone | AUC |', '| --- | --- |', *(f'| {name} | {auc:.2f} |' for name, auc in figures['alone'].items()), '',
        f"Labels dealt anew to whole repositories and generators: AUC {figures['shuffled']:.2f}. Features alone, trained on openly licensed rows: {figures['openRowsAlone']['auc']:.3f} on all rows.", ''])
