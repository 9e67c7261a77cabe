#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the audio detector.

    python3 train.py --data DIR --further DIR        the package (about an hour of two CPU cores)
    python3 train.py --small                         smoke check on made sounds, about 2 minutes, no data

The first DIR holds index.csv and clips.tar (or the clips), the second what further/ wrote. Everything is seeded. What is
heard and seen of the windows is kept in --work, so a second run is quicker.
"""
import argparse
import functools
import pathlib
import tempfile

import numpy as np
import torch

import data
import encoder
import network
import package
from frontend import Statistics

HERE = pathlib.Path(__file__).resolve().parent


class Observer:
    """What is heard and seen of a window of some clips in a condition, kept in a folder; `few` are the rows that the tests hear."""

    def __init__(self, clips, few, work):
        self.clips, self.few, self.work = clips, few, work
        self.model = Statistics().eval()

    def of(self, name):
        """[rows, statistics and features] in one of data.VIEWS or data.TESTS."""
        path = self.work / f'observed-{name}.npy'
        if not path.exists():
            print(f'observed: {path}', flush=True)
            clips = [self.clips[i] for i in self.few] if name in data.TESTS else self.clips
            windows = data.windows_as(clips, name)
            np.save(path, np.concatenate([self.statistics(windows), encoder.features(windows)], 1))
        return np.load(path)

    def statistics(self, windows):
        with torch.no_grad():
            return np.concatenate([self.model(torch.tensor(windows[at:at + 25].astype(np.float32))).numpy()
                                   for at in range(0, len(windows), 25)])


class Trainer:
    """Heads on what is observed of the pack's rows and of further clips, judged on rows of the pack that they did not see."""

    def __init__(self, pack, views, tests, further, further_views):
        self.pack, self.views, self.tests = pack, views, tests
        self.further, self.further_views = further, further_views
        self.few = pack.few()

    def fitted(self, rows, further_rows, ways):
        """A head of these ways on these rows of the pack and, where a way takes them, of the further clips (masks)."""
        views = [view[rows] for view in self.views]
        labels, units, is_further = self.rows_of(rows, further_rows, ways)
        if is_further.any():
            views = [np.concatenate([view, more[further_rows]]) for view, more in zip(views, self.further_views)]
        return network.fit(views, labels, units, is_further, ways)

    def rows_of(self, rows, further_rows, ways):
        """Labels and units of the rows that these ways train on, and which of them are further clips."""
        further_rows = further_rows & network.take_further(ways)
        labels = np.concatenate([self.pack.labels[rows], self.further.labels[further_rows]])
        units = np.concatenate([self.pack.units[rows], self.further.units[further_rows]])
        return labels, units, np.arange(len(labels)) >= rows.sum()

    def left_out(self, recipe, rounds):
        """Logits of the judged rows by condition, NaN elsewhere: the mean of those of the recipe's ways."""
        found = [self.left_out_by(way, rounds) for way in network.RECIPES[recipe]]
        return {name: np.mean([logits[name] for logits in found], 0) for name in found[0]}

    @functools.cache
    def left_out_by(self, way, rounds):
        """
        Those of one way, which several recipes may have; `rounds`, a method of Rounds, yields masks: rows trained on, rows
        judged, further clips trained on.
        """
        print(f'left out: {rounds.__name__}, {way}', flush=True)
        logits = {name: np.full(len(self.pack), np.nan) for name in ('clean', *self.tests)}
        for train, judged, further in rounds():
            if len(set(self.pack.labels[train])) < 2:
                continue
            head = self.fitted(train, further, (way,))
            held = np.flatnonzero(judged)
            logits['clean'][held] = network.score(head, self.views[0][held])
            for name, observed in self.tests.items():
                inside = np.isin(self.few, held)
                if inside.any():
                    logits[name][self.few[inside]] = network.score(head, observed[inside])
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


def judged(trainer, recipe, rounds):
    """Further kinds of left-out logits, beside those of the folds, of the recipe and rows that are shipped."""
    return {
        'strict': trainer.left_out(recipe, rounds.strict),
        'split': trainer.left_out(recipe, rounds.split),
        'apart': trainer.left_out(recipe, rounds.apart),
    }


def observed_further(further, args):
    """The views of the further clips."""
    if not len(further):
        return []
    work = args.work / 'further'
    work.mkdir(exist_ok=True)
    observer = Observer(data.decode(args.further, work, further.rows), [], work)
    return [observer.of(name) for name in data.VIEWS]


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
    pack = data.Pack(args.data, per_group=10 if args.small else None)
    further = data.Further(args.further, pack)
    observer = Observer(data.decode(args.data, args.work, pack.rows), pack.few(), args.work)
    views = [observer.of(name) for name in data.VIEWS]
    tests = {name: observer.of(name) for name in data.TESTS}
    trainer = Trainer(pack, views, tests, further, observed_further(further, args))
    allowed = {'full': (np.ones(len(pack), bool), np.ones(len(further), bool)), 'open': (pack.open, further.open)}
    rounds = {variant: Rounds(pack, further, *masks) for variant, masks in allowed.items()}
    recipes = [name for name in network.RECIPES if len(further) or not network.take_further(network.RECIPES[name])]
    trials = {recipe: trainer.left_out(recipe, rounds['full'].folds) for recipe in recipes}
    recipe = args.recipe or package.choose_recipe(pack, trials)
    print(f'recipe: {recipe}', flush=True)
    results = {'full': {'folds': trials[recipe]}, 'open': {'folds': trainer.left_out(recipe, rounds['open'].folds)}}
    chosen = args.variant or package.choose(pack, results)
    results[chosen].update(judged(trainer, recipe, rounds[chosen]))
    ways = network.RECIPES[recipe]
    network.export(trainer.fitted(*allowed[chosen], ways), args.out)
    trained, _, _ = trainer.rows_of(*allowed[chosen], ways)
    package.write(args.out, pack, package.Findings(results, chosen, trials, recipe, trained))


if __name__ == '__main__':
    main()
