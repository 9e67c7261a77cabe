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
    pooled, band = figures['pooled'], figures['band']
    lines = [
        '# Evaluation of attestd-audio', '',
        'Written by train/train.py; do not edit. Every clip is scored by a network that saw neither its system or source nor',
        'any other of the same group: five folds of whole groups. Intervals: 95 %, clips resampled (so they say nothing of',
        'how another choice of systems would turn out). One window of at most 3 seconds a clip.', '',
        f"Shipped weights: **{figures['variant']}** (open: openly licensed rows only; full: all rows).", '',
        '## Beside the floor and published systems', '',
        "The pack's own split: trained on its train rows, judged on its dev rows (unseen systems and speakers). The settings of the",
        'recipe were chosen by looking at this split and at the folds below, so all figures are a little flattering. The rows of',
        "others are as the pack's README states them, those of published networks on comparable clips, not these.", '',
    ]
    rows = []
    for variant, entry in variants.items():
        for title, key in (('', 'packSplit'), (', English only', 'packSplitEnglish')):
            found = entry[key]
            rows.append((f'attestd-audio, {variant}{title}', ranged(found), f"{found['eer']:.3f}",
                         percent(found['tprAtFpr5']), percent(found['tprAtFpr1'])))
    for name, entry in {**figures['floor'], **figures['peers']}.items():
        rows.append((name, entry['auc'], entry.get('eer', '-'), '-', '-'))
    lines += table(('detector', 'AUC', 'EER', 'TPR at 5 % FPR', 'TPR at 1 % FPR'), rows)
    lines += ['## Whole folds left out', '',
              'Human and synthetic clips of the same fold, one network. The stricter figure.', '']
    lines += table(('variant', *[f'fold {k}' for k in range(len(chosen['folds']))], 'mean AUC', 'mean EER'),
                   [(name, *[ranged(fold) for fold in entry['folds']], f"{entry['meanFoldAuc']:.3f}", f"{entry['meanFoldEer']:.3f}")
                    for name, entry in variants.items()])
    lines += ['## System left out against source left out (AUC)', '',
              'Where the two belong to different folds, two networks score them, whose scales differ a little.', '']
    lines += table(('system', *sources, 'mean'),
                   [(g, *[f'{lookup[g, s]:.2f}' for s in sources], f'{value:.2f}')
                    for g, value in figures['meanLeftOutAucByGenerator'].items()]
                   + [('**mean**', *[f"{figures['meanLeftOutAucBySource'][s]:.2f}" for s in sources], f"**{mean['clean']:.3f}**")])
    lines += ['## By system, against the human clips of its fold', '']
    lines += table(('system', 'clips', 'AUC'), [(name, entry['count'], ranged(entry)) for name, entry in figures['systems'].items()])
    lines += ['## Degraded', '', f'At most {data.PER_GROUP} clips of each group, both classes alike. The last column: the pack\'s dev rows.', '']
    lines += table(('condition', 'mean AUC of the table above', "AUC, pack's split"),
                   [('as they are', f"{mean['clean']:.3f}", f"{chosen['packSplit']['auc']:.3f}")]
                   + [(title, f'{mean[name]:.3f}', f"{chosen['packSplitTests'][name]:.3f}") for name, title in data.TESTS.items()])
    shown = [name for name in ('clean', 'mp3-32', 'opus-16', 'alaw-8k', 'noise-15', 'room') if name in mean]
    lines += ['## Share at risk 50 or more', '',
              'For a human source this is the false-positive rate. Calibration fit on the other folds.', '']
    lines += table(('group', 'class', 'clips', 'mean risk', *shown),
                   [(name, entry['label'], entry['count'], f"{entry['meanRisk']:.2f}", *[percent(entry['shareAtRisk50'].get(c)) for c in shown])
                    for name, entry in figures['sources'].items()])
    lines += ['## Calibration (left-out predictions, all conditions)', '',
              f"Platt slope by weighted fit; the intercept is set so that 5 % of left-out human clips reach risk 50, which amounts to a",
              f"prior of {figures['prior']:.2f} for synthetic speech. The last row is judged under that prior.", '']
    lines += table(('', 'Brier', 'ECE', 'false positives at 50', 'true positives at 50'),
                   [(title, f"{q['brier']:.3f}", f"{q['ece']:.3f}", percent(q['fprAt50']), percent(q['tprAt50']))
                    for title, q in (('before (sigmoid of the logit)', pooled['beforeCalibration']),
                                     ('Platt, even prior, fit on other folds', pooled['afterCrossCalibrationEvenPrior']),
                                     ('as shipped, fit on other folds', pooled['afterCrossCalibration']))])
    lines += table(('risk from', 'mean risk', 'share synthetic', 'predictions'),
                   [(f"{r['from']:.1f}", f"{r['meanRisk']:.2f}", f"{r['shareMachineMade']:.2f}", r['count']) for r in pooled['reliability']])
    lines += ['## Decision band', '',
              f"Unsure from {band['low']} to {band['high']}. Outside it: {percent(band['decided'])} of the left-out predictions (all conditions, that prior),",
              f"{percent(band['accuracyDecided'])} of them right; above the band {percent(band['precisionAbove'])} are synthetic, below it",
              f"{percent(band['precisionBelow'])} are human; {percent(band['realFlaggedAbove'])} of human clips land above it.", '']
    return '\n'.join(lines)
