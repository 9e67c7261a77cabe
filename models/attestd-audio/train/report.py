"""The readable page of the figures."""
import data


def percent(value):
    return '-' if value is None else f'{100 * value:.1f} %'


def ranged(entry):
    low, high = entry['interval']
    return f"{entry['auc']:.3f} ({low:.2f} to {high:.2f})"


def row(*cells):
    return '| ' + ' | '.join(str(cell) for cell in cells) + ' |'


def table(head, rows):
    return [row(*head), row(*['---'] * len(head)), *[row(*cells) for cells in rows], '']


def page(figures):
    mean = figures['meanLeftOutAuc']
    variants = figures['variants']
    chosen = variants[figures['variant']]
    sources = list(figures['meanLeftOutAucBySource'])
    lookup = {(pair['generator'], pair['source']): pair['conditions']['clean']['auc'] for pair in figures['pairs']}
    pooled, band, strict = figures['pooled'], figures['band'], figures['strictBand']
    lines = [
        '# Evaluation of attestd-audio', '',
        'Written by train/train.py; do not edit. Every clip is scored by detectors that saw neither its page, system or source nor',
        'any other of the same group: five inner folds of whole groups, by which the recipe was chosen, and the outer rows, which',
        'could only veto one, and were looked at while recipes were thought of. All groups of a class weigh the same. Intervals: 95 %, whole groups resampled. One window',
        'of at most 3 seconds a clip.', '',
        f"Shipped weights: **{figures['variant']}** (open: openly licensed rows only; full: all rows), recipe: **{figures['recipe']}**.", '',
        '## Outer rows', '',
        'The former recipe (of version 2.0: statistics alone) is trained on the same rows, for comparison.', '',
    ]
    head = ('detector', 'AUC', 'EER', 'TPR at 5 % FPR', 'TPR at 1 % FPR')
    entries = [*((f'attestd-audio, {name}', entry) for name, entry in variants.items()), ('former recipe', figures['former'])]

    def figures_row(title, found):
        return (title, ranged(found), f"{found['eer']:.3f}", percent(found['tprAtFpr5']), percent(found['tprAtFpr1']))

    lines += table(head, [figures_row(title + extra, entry[key]) for title, entry in entries
                          for extra, key in (('', 'outer'), (', English only', 'outerEnglish'))])
    lines += ['## What the recipe was chosen from', '', 'Mean AUC of the inner folds; a recipe that loses more than 0.005 on the outer rows against the former one is not chosen.', '']
    lines += table(('recipe', 'as they are', 'degraded (mean of the conditions)', 'outer rows, as they are'),
                   [(name, f"{trial['clean']:.3f}", f"{trial['degraded']:.3f}", f"{trial['outer']:.3f}") for name, trial in figures['trials'].items()])
    lines += ["## The pack's own split, which leaks", '',
              "Trained on its train rows, judged on its dev rows: systems and speakers are unseen, but pages, sources and channels are",
              'shared. "Apart": the same dev rows by detectors that saw no row of any source that has one. The rows of others are as',
              "the pack's README states them, those of published networks on comparable clips, not these.", '']
    shipped = figures['shipped']
    rows = [figures_row(f'attestd-audio{extra}', shipped[key])
            for extra, key in (('', 'packSplit'), (', English only', 'packSplitEnglish'), (', apart', 'packSplitApart')) if shipped[key]]
    for name, entry in {**figures['floor'], **figures['peers']}.items():
        rows.append((name, entry['auc'], entry.get('eer', '-'), '-', '-'))
    lines += table(head, rows)
    lines += ['## Inner folds', '', 'Human and synthetic clips of the same fold. Shipped recipe by detectors that saw nothing of the families of the judged',
              f"systems and nothing of the codec of origin of the judged clips either: mean AUC {shipped['meanStrictFoldAuc']:.3f}.", '']
    lines += table(('variant', *[f'fold {k}' for k in range(len(chosen['folds']))], 'mean AUC', 'mean EER'),
                   [(name, *[ranged(fold) for fold in entry['folds']], f"{entry['meanFoldAuc']:.3f}", f"{entry['meanFoldEer']:.3f}")
                    for name, entry in entries])
    lines += ['## By family of systems and by codec of the original', '',
              'Against all left-out clips of the other class.', '']
    lines += table(('rows', 'clips', 'AUC', 'TPR at 5 % FPR'),
                   [(title, entry['count'], f"{entry['auc']:.3f}", percent(entry['tprAtFpr5']))
                    for title, entry in (*figures['families'].items(),
                                         *((f'machine-made, {codec}', e) for codec, e in figures['codecs']['machine-made'].items()),
                                         *((f'real, {codec}', e) for codec, e in figures['codecs']['real'].items()))])
    lines += ['## System left out against source left out (AUC)', '',
              'Where the two belong to different folds, two detectors score them, whose scales differ a little.', '']
    lines += table(('system', *sources, 'mean'),
                   [(g, *[f'{lookup[g, s]:.2f}' for s in sources], f'{value:.2f}')
                    for g, value in figures['meanLeftOutAucByGenerator'].items()]
                   + [('**mean**', *[f"{figures['meanLeftOutAucBySource'][s]:.2f}" for s in sources], f"**{mean['clean']:.3f}**")])
    lines += ['## By system, against the human clips of its fold', '']
    lines += table(('system', 'clips', 'AUC'), [(name, entry['count'], f"{entry['auc']:.3f}") for name, entry in figures['systems'].items()])
    lines += ['## Degraded', '', f'At most {data.PER_GROUP} clips of each group, both classes alike.', '']
    lines += table(('condition', 'mean AUC of the table above', 'AUC, outer rows'),
                   [('as they are', f"{mean['clean']:.3f}", f"{chosen['outer']['auc']:.3f}")]
                   + [(title, f'{mean[name]:.3f}', f"{chosen['outerTests'][name]:.3f}") for name, title in data.TESTS.items()])
    shown = [name for name in ('clean', 'mp3-32', 'opus-16', 'alaw-8k', 'noise-15', 'room') if name in mean]
    lines += ['## Share at risk 50 or more', '',
              'For a human source this is the false-positive rate. Calibration fit on the other folds.', '']
    lines += table(('group', 'class', 'clips', 'mean risk', *shown),
                   [(name, entry['label'], entry['count'], f"{entry['meanRisk']:.2f}", *[percent(entry['shareAtRisk50'].get(c)) for c in shown])
                    for name, entry in figures['sources'].items()])
    lines += ['## Calibration (left-out predictions, all conditions)', '',
              f"Platt slope by weighted fit; the intercept is set so that 3 % of left-out human clips reach risk 50, which amounts to a",
              f"prior of {figures['prior']:.2f} for synthetic speech. The last row is judged under that prior.", '']
    lines += table(('', 'Brier', 'ECE', 'false positives at 50', 'true positives at 50'),
                   [(title, f"{q['brier']:.3f}", f"{q['ece']:.3f}", percent(q['fprAt50']), percent(q['tprAt50']))
                    for title, q in (('before (sigmoid of the logit)', pooled['beforeCalibration']),
                                     ('Platt, even prior, fit on other folds', pooled['afterCrossCalibrationEvenPrior']),
                                     ('as shipped, fit on other folds', pooled['afterCrossCalibration']))])
    lines += table(('risk from', 'mean risk', 'share synthetic', 'predictions'),
                   [(f"{r['from']:.1f}", f"{r['meanRisk']:.2f}", f"{r['shareMachineMade']:.2f}", r['count']) for r in pooled['reliability']])
    lines += ['## Decision band', '',
              f"Unsure from {band['low']} to {band['high']}: the band that decides most while 85 % outside it is right under the prior above,",
              f"chosen on the inner folds. With both classes the same in number 85 % are right outside {strict['low']} to {strict['high']}, which",
              'decides much less. Left-out predictions, all conditions:', '']
    lines += table(('', 'decided', 'right', 'synthetic above', 'human below', 'human clips above'),
                   [(title, percent(b['decided']), percent(b['accuracyDecided']), percent(b['precisionAbove']), percent(b['precisionBelow']),
                     percent(b['realFlaggedAbove']))
                    for title, b in ((f"all, a prior of {figures['prior']:.2f}", figures['bandUnderPrior']), ('all, classes even', band),
                                     ('outer rows, classes even', figures['bandOuter']), ('stricter band, all, classes even', strict),
                                     ('stricter band, outer rows, classes even', figures['strictBandOuter']))])
    return '\n'.join(lines)
