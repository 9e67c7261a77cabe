#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the audio detector.

    python3 train.py --data DIR        the package (about an hour on one CPU core)
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


class Trainer:
    """Networks on the pack's statistics, judged on rows that they did not see."""

    def __init__(self, pack, views, tests, epochs, device):
        self.pack, self.views, self.tests, self.epochs, self.device = pack, views, tests, epochs, device
        self.few = pack.few()

    def fitted(self, rows, recipe, seeds):
        """A head on these rows."""
        return network.fit([view[rows] for view in self.views], SHARES, self.pack.labels[rows], self.pack.units[rows], recipe,
                           seeds, self.epochs, self.device)

    def left_out(self, recipe, rounds):
        """
        Logits of the judged rows by condition, NaN elsewhere; `rounds` yields (rows trained on, rows judged), both masks.
        """
        logits = {name: np.full(len(self.pack), np.nan) for name in ('clean', *self.tests)}
        for train, judged in rounds:
            if len(set(self.pack.labels[train])) < 2:
                continue
            head = self.fitted(np.flatnonzero(train), recipe, EVALUATION_SEEDS)
            held = np.flatnonzero(judged)
            logits['clean'][held] = network.score(head, self.views[0][held])
            for name, statistics in self.tests.items():
                inside = np.isin(self.few, held)
                if inside.any():
                    logits[name][self.few[inside]] = network.score(head, statistics[inside])
        return logits


def inner_rounds(pack, allowed):
    """Each inner fold left out in turn; the outer rows take no part."""
    inner = pack.folds != data.OUTER
    for fold in sorted(set(pack.folds[inner])):
        yield inner & (pack.folds != fold) & allowed, pack.folds == fold


def strict_rounds(pack, allowed):
    """The inner rounds, trained also without the families of the judged systems and without the judged rows' codec of origin."""
    for train, held in inner_rounds(pack, allowed):
        families = list(set(pack.families[held & (pack.labels == 1)]))
        apart = train & ~((pack.labels == 1) & np.isin(pack.families, families))
        for codec in sorted(set(pack.codecs[held])):
            yield apart & (pack.codecs != codec), held & (pack.codecs == codec)


def judged(trainer, recipe, allowed):
    """Every kind of left-out logits of one recipe: `folds` holds the inner folds and the outer rows together."""
    pack = trainer.pack
    outer = pack.folds == data.OUTER
    folds = trainer.left_out(recipe, [*inner_rounds(pack, allowed), (~outer & allowed, outer)])
    print(f'{recipe}: folds and outer rows done', flush=True)
    # The pack's own split shares pages and sources with its training rows; `apart` leaves those out.
    near = np.isin(pack.sources, list(set(pack.sources[pack.dev])))
    return {
        'folds': folds,
        'strict': trainer.left_out(recipe, strict_rounds(pack, allowed)),
        'split': trainer.left_out(recipe, [(~pack.dev & allowed, pack.dev)]),
        'apart': trainer.left_out(recipe, [(~near & allowed, pack.dev)]),
    }


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
    trainer = Trainer(pack, views, tests, epochs, device)
    everything = np.ones(len(pack), bool)
    trials = {recipe: trainer.left_out(recipe, inner_rounds(pack, everything)) for recipe in network.RECIPES}
    recipe = package.choose_recipe(pack, trials)
    print(f'recipe chosen on the inner folds: {recipe}', flush=True)
    results = {name: judged(trainer, recipe, rows) for name, rows in (('full', everything), ('open', pack.open))}
    former = judged(trainer, network.FORMER, everything) if recipe != network.FORMER else results['full']
    chosen = args.variant or package.choose(pack, results)
    head = trainer.fitted(np.flatnonzero(pack.open if chosen == 'open' else everything), recipe, SEEDS)
    package.write(args.out, pack, package.Findings(results, chosen, trials, recipe, former),
                  network.export(head, args.out / 'model.onnx'))


if __name__ == '__main__':
    main()
