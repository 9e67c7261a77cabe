#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the audio detector.

    python3 train.py --data DIR --further DIR        the package (about an hour on one CPU core)
    python3 train.py --small                         smoke check on made sounds, about 2 minutes, no data

The first DIR holds index.csv and clips.tar (or the clips), the second what further/ wrote. Everything is seeded. Windows and
statistics are kept in --work, so a second run is quick. Networks are fitted on a GPU when there is one; the published figures are from a CPU.
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
    """Statistics of the windows of some clips by condition, kept in a folder; `few` are the rows that the tests hear."""

    def __init__(self, clips, few, work):
        self.clips, self.few, self.work = clips, few, work
        self.model = Statistics().eval()

    def of(self, name):
        path = self.work / f'statistics-{name}.npy'
        if not path.exists():
            print(f'statistics: {path}', flush=True)
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
        return data.tested([self.clips[i] for i in self.few], name)


class Trainer:
    """Heads on the pack's statistics and those of further clips, judged on rows of the pack that they did not see."""

    def __init__(self, pack, views, tests, further, further_views, epochs, device):
        self.pack, self.views, self.tests, self.epochs, self.device = pack, views, tests, epochs, device
        self.further, self.further_views = further, further_views
        self.few = pack.few()

    def fitted(self, rows, further_rows, recipe, seeds):
        """A head on these rows of the pack and, where the recipe has them, of the further clips (masks)."""
        views = [view[rows] for view in self.views]
        labels, units, is_further = self.rows_of(rows, further_rows, recipe)
        if is_further.any():
            views = [np.concatenate([view, more[further_rows]]) for view, more in zip(views, self.further_views)]
        return network.fit(views, SHARES, labels, units, is_further, recipe, seeds, self.epochs, self.device)

    def rows_of(self, rows, further_rows, recipe):
        """Labels and units of the rows that a recipe trains on, and which of them are further clips."""
        further_rows = further_rows & network.takes_further(recipe)
        labels = np.concatenate([self.pack.labels[rows], self.further.labels[further_rows]])
        units = np.concatenate([self.pack.units[rows], self.further.units[further_rows]])
        return labels, units, np.arange(len(labels)) >= rows.sum()

    def left_out(self, recipe, rounds):
        """
        Logits of the judged rows by condition, NaN elsewhere; `rounds` yields masks: rows trained on, rows judged, further
        clips trained on.
        """
        logits = {name: np.full(len(self.pack), np.nan) for name in ('clean', *self.tests)}
        for train, judged, further in rounds:
            if len(set(self.pack.labels[train])) < 2:
                continue
            head = self.fitted(train, further, recipe, EVALUATION_SEEDS)
            held = np.flatnonzero(judged)
            logits['clean'][held] = network.score(head, self.views[0][held])
            for name, statistics in self.tests.items():
                inside = np.isin(self.few, held)
                if inside.any():
                    logits[name][self.few[inside]] = network.score(head, statistics[inside])
        return logits


class Rounds:
    """What is left out in turn, of the pack's rows and of the further clips that are `allowed` (masks)."""

    def __init__(self, pack, further, allowed, further_allowed):
        self.pack, self.further, self.allowed, self.further_allowed = pack, further, allowed, further_allowed

    def round_of(self, train, held):
        folds = set(self.pack.folds[held])
        return train & self.allowed, held, self.further.beside(folds) & self.further_allowed

    def inner(self):
        """Each inner fold left out in turn; the outer rows take no part."""
        pack = self.pack
        inner = pack.folds != data.OUTER
        for fold in sorted(set(pack.folds[inner])):
            yield self.round_of(inner & (pack.folds != fold), pack.folds == fold)

    def folds(self):
        """The inner rounds, and the outer rows judged by a head that saw all inner ones."""
        yield from self.inner()
        outer = self.pack.folds == data.OUTER
        yield self.round_of(~outer, outer)

    def strict(self):
        """The inner rounds, trained also without the families of the judged systems and without the judged rows' codec of origin."""
        pack, further = self.pack, self.further
        for train, held, beside in self.inner():
            families = list(set(pack.families[held & (pack.labels == 1)]))
            apart = train & ~((pack.labels == 1) & np.isin(pack.families, families))
            beside = beside & ~((further.labels == 1) & np.isin(further.families, families))
            for codec in sorted(set(pack.codecs[held])):
                yield apart & (pack.codecs != codec), held & (pack.codecs == codec), beside & (further.codecs != codec)

    def split(self):
        yield self.round_of(~self.pack.dev, self.pack.dev)

    def apart(self):
        """The pack's own split shares pages and sources with its training rows; here these are left out."""
        near = np.isin(self.pack.sources, list(set(self.pack.sources[self.pack.dev])))
        yield self.round_of(~near, self.pack.dev)


def judged(trainer, recipe, rounds, folds):
    """Every kind of left-out logits of one recipe; `folds` are those of the inner folds and the outer rows, known already."""
    return {
        'folds': folds,
        'strict': trainer.left_out(recipe, rounds.strict()),
        'split': trainer.left_out(recipe, rounds.split()),
        'apart': trainer.left_out(recipe, rounds.apart()),
    }


def further_views(further, args):
    """The views of the further clips that comparisons take."""
    if not len(further):
        return []
    work = args.work / 'further'
    work.mkdir(exist_ok=True)
    statistician = Statistician(data.decode(args.further, work, further.rows), [], work)
    return [statistician.of(name) for name in VIEWS[:2]]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=pathlib.Path, help='folder with index.csv and clips.tar')
    parser.add_argument('--further', type=pathlib.Path, help='folder that further/ wrote; without it the recipes that take it are left out')
    parser.add_argument('--work', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / 'attestd-audio')
    parser.add_argument('--out', type=pathlib.Path, help='package folder to write')
    parser.add_argument('--recipe', choices=tuple(network.RECIPES), help='recipe of the shipped weights; else chosen by the folds')
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
        args.data, args.further = args.work / 'fixture', args.work / 'fixture-further'
        fixture.write(args.data)
        fixture.write_further(args.further)
        # The figures of made sounds would choose anything; this recipe has all the parts.
        args.recipe = args.recipe or list(network.RECIPES)[-1]
    return args


def main():
    args = parse_arguments()
    torch.set_num_threads(1)
    device = 'cuda' if torch.cuda.is_available() else 'cpu'
    epochs = 1 if args.small else EPOCHS
    pack = data.Pack(args.data, per_group=10 if args.small else None)
    further = data.Further(args.further, pack)
    statistician = Statistician(data.decode(args.data, args.work, pack.rows), pack.few(), args.work)
    views = [statistician.of(name) for name in VIEWS]
    tests = {name: statistician.of(name) for name in data.TESTS}
    trainer = Trainer(pack, views, tests, further, further_views(further, args), epochs, device)
    allowed = {'full': (np.ones(len(pack), bool), np.ones(len(further), bool)), 'open': (pack.open, further.open)}
    rounds = {variant: Rounds(pack, further, *masks) for variant, masks in allowed.items()}
    recipes = [name for name in network.RECIPES if len(further) or not network.takes_further(name)]
    trials = {recipe: trainer.left_out(recipe, rounds['full'].folds()) for recipe in recipes}
    recipe = args.recipe or package.choose_recipe(pack, trials)
    print(f'recipe: {recipe}', flush=True)
    results = {
        'full': judged(trainer, recipe, rounds['full'], trials[recipe]),
        'open': judged(trainer, recipe, rounds['open'], trainer.left_out(recipe, rounds['open'].folds())),
    }
    former = judged(trainer, network.FORMER, rounds['full'], trials[network.FORMER]) if recipe != network.FORMER else results['full']
    chosen = args.variant or package.choose(pack, results)
    head = trainer.fitted(*allowed[chosen], recipe, SEEDS)
    trained, _, _ = trainer.rows_of(*allowed[chosen], recipe)
    package.write(args.out, pack, package.Findings(results, chosen, trials, recipe, former, trained),
                  network.export(head, args.out / 'model.onnx'))


if __name__ == '__main__':
    main()
