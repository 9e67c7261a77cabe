#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the audio detector.

    python3 train.py --data DIR        the package (about 40 minutes on one CPU core)
    python3 train.py --small           smoke check on made sounds, about 2 minutes, no data

DIR holds index.csv and clips.tar (or the clips). Everything is seeded. Windows and statistics are kept in --work, so a
second run is quick. Networks are fitted on a GPU when there is one; the published figures are from a CPU.
"""
import argparse
import pathlib
import tempfile

import numpy as np
import torch

import data
import network
import package
from frontend import Statistics

HERE = pathlib.Path(__file__).resolve().parent
FOLDS = 5
SEEDS = (0, 1, 2, 3)
EVALUATION_SEEDS = (0, 1)
EPOCHS = 14
VIEWS = ('clean', *data.AUGMENTED)
# How often a row is drawn as each view.
SHARES = np.array([0.49, 0.17, 0.17, 0.17])


class Statistician:
    """Statistics of the pack's windows by condition, kept in a folder."""

    def __init__(self, pack, clips, work):
        self.pack, self.clips, self.work = pack, clips, work
        self.model = Statistics().eval()

    def of(self, name):
        path = self.work / f'statistics-{name}.npy'
        if not path.exists():
            print(f'statistics: {name}', flush=True)
            np.save(path, self.measured(self.windows(name)))
        return np.load(path)

    def measured(self, windows):
        parts = []
        with torch.no_grad():
            for at in range(0, len(windows), 25):
                parts.append(self.model(torch.tensor(windows[at:at + 25].astype(np.float32))).numpy())
        return np.concatenate(parts)

    def windows(self, name):
        if name == 'clean':
            return data.heard(self.clips)
        if name in data.AUGMENTED:
            return data.degraded(self.clips, data.AUGMENTED.index(name))
        return data.tested([self.clips[i] for i in self.pack.few()], name)


def left_out(pack, views, tests, folds, allowed, epochs, device):
    """Logits of every row by condition, each from a network that saw nothing of its fold; `folds` gives each row's."""
    logits = {name: np.full(len(pack), np.nan) for name in ('clean', *tests)}
    few = pack.few()
    for fold in sorted(set(folds) - {-1}):
        train, held = np.flatnonzero((folds != fold) & allowed), np.flatnonzero(folds == fold)
        head = network.fit([view[train] for view in views], SHARES, pack.labels[train], pack.units[train],
                           EVALUATION_SEEDS, epochs, device)
        logits['clean'][held] = network.score(head, views[0][held])
        for name, statistics in tests.items():
            inside = np.isin(few, held)
            if inside.any():
                logits[name][few[inside]] = network.score(head, statistics[inside])
        print(f'fold {fold} done', flush=True)
    return logits


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=pathlib.Path, help='folder with index.csv and clips.tar')
    parser.add_argument('--work', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / 'attestd-audio')
    parser.add_argument('--out', type=pathlib.Path, help='package folder to write')
    parser.add_argument('--variant', choices=('full', 'open'), help='rows of the shipped weights; else the rule of MARGIN')
    parser.add_argument('--small', action='store_true', help='smoke check; never touches the package')
    args = parser.parse_args()
    if not args.small and not args.data:
        parser.error('--data DIR is needed (or --small)')
    if args.small:
        args.work = args.work / 'small'
    args.out = args.out or (args.work / 'package' if args.small else HERE.parent)
    args.work.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    if args.small and not args.data:
        import fixture
        args.data = args.work / 'fixture'
        fixture.write(args.data)
    return args


def main():
    args = parse_arguments()
    torch.set_num_threads(1)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    epochs = 1 if args.small else EPOCHS
    pack = data.Pack(args.data, per_group=10 if args.small else None)
    clips = data.decode(args.data, args.work, pack.rows)
    statistician = Statistician(pack, clips, args.work)
    views = [statistician.of(name) for name in VIEWS]
    tests = {name: statistician.of(name) for name in data.TESTS}
    everything = np.ones(len(pack), bool)
    # The pack's own split: trained on its train rows, judged once on its dev rows.
    split = np.where(pack.dev, 0, -1)
    results = {}
    for variant, allowed in (('full', everything), ('open', pack.open)):
        results[variant] = {
            'folds': left_out(pack, views, tests, pack.folds, allowed, epochs, device),
            'split': left_out(pack, views, tests, split, allowed, epochs, device),
        }
    chosen = args.variant or package.choose(pack, results)
    rows = np.flatnonzero(pack.open if chosen == 'open' else everything)
    head = network.fit([view[rows] for view in views], SHARES, pack.labels[rows], pack.units[rows], SEEDS, epochs, device)
    package.write(args.out, pack, results, chosen, network.export(head, args.out / 'model.onnx'))


if __name__ == '__main__':
    main()
