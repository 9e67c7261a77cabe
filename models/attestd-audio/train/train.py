#!/usr/bin/python3
"""Trains, evaluates, calibrates and packages the audio detector.

    python3 train.py --data DIR --list FOLDER --list FOLDER        the package
    python3 train.py --open --out ../../attestd-audio-open --data ... --list ...    the edition fitted on openly licensed rows alone
    python3 train.py --small                         smoke check on made sounds, no data

DIR holds index.csv and clips.tar of the pack, each FOLDER what take.py took of a list (index.csv and files). Everything is
seeded. What is heard and seen of the windows is kept in --work, so that a second run, or one that was cut off, is quicker.
"""
import argparse
import functools
import pathlib
import tempfile
from multiprocessing import Pool

import numpy as np
import torch

import data
import encoder
import network
import package
from frontend import Statistics

HERE = pathlib.Path(__file__).resolve().parent
SHARD = 40
# What the window of a degraded copy weighs beside one of the clip as it is.
DEGRADED_WEIGHT = 0.5


@functools.cache
def statistics():
    torch.set_num_threads(1)
    return Statistics().eval()


def observe(job):
    """
    Of a shard of clips what is heard and seen of their windows, kept in a file: the place of the clip among all, the kind of window,
    whether there is speech in it, statistics and features at half precision.
    """
    target, places, paths, is_pack = job
    signals = [data.decode(path) for path in paths]
    windows = [data.first_and_last(signal)[:2] for signal in signals]
    if not is_pack:
        # Each window as the pack's clips are.
        through = iter(data.through_opus([window for each in windows for window in each]))
        windows = [[np.resize(next(through), len(window)) for window in each] for each in windows]
    rng = np.random.default_rng(places[0] + 5)
    sources = signals if is_pack else [each[rng.integers(len(each))] for each in windows]
    spoken = [data.voice.speech_frames(signal).sum() >= 50 for signal in signals]
    entries = [(place, kind, loud, data.leveled(window)) for place, each, loud in zip(places, windows, spoken) for kind, window in enumerate(each)]
    entries += [(place, data.DEGRADED, loud, data.leveled(window)) for place, window, loud in zip(places, data.degraded(sources, rng), spoken)]
    place, kind, loud, heard = (np.array(each) for each in zip(*entries))
    with torch.no_grad():
        values = np.concatenate([statistics()(torch.tensor(heard.astype(np.float32))).numpy(), encoder.seen_in(heard)], 1)
    # A name of its own first, so that a file that is there is whole.
    partial = target.with_suffix('.part.npz')
    np.savez(partial, place=place, kind=kind, spoken=loud, values=values.astype(np.float16))
    partial.rename(target)


class Windows:
    """What is observed of all clips, as arrays over their windows."""

    def __init__(self, clips, work, processes):
        folder = work / 'observed'
        folder.mkdir(exist_ok=True)
        where = [data.unpack(clips.folders[0], work), *clips.folders[1:]]
        jobs, start = [], 0
        for number, count in enumerate(clips.counts):
            for at in range(start, start + count, SHARD):
                places = range(at, min(at + SHARD, start + count))
                jobs.append((folder / f'{at:05d}.npz', list(places), [where[number] / clips.paths[i] for i in places], number == 0))
            start += count
        todo = [job for job in jobs if not job[0].exists()]
        print(f'observed: {len(todo)} of {len(jobs)} shards to do', flush=True)
        with Pool(processes) as pool:
            for _ in pool.imap_unordered(observe, todo):
                pass
        kept = [np.load(job[0]) for job in jobs]
        self.places, self.kinds, self.spoken, self.values = (np.concatenate([shard[name] for shard in kept])
                                                             for name in ('place', 'kind', 'spoken', 'values'))


def fitted(clips, windows, allowed, seed):
    """A head on all windows of the rows of the mask."""
    rows = data.trained(clips, allowed, np.random.default_rng(seed))
    here = np.flatnonzero(np.isin(windows.places, rows))
    row_of = {place: number for number, place in enumerate(rows)}
    weights = data.weights_of(clips, rows)[[row_of[place] for place in windows.places[here]]]
    weights *= np.where(windows.kinds[here] == data.DEGRADED, DEGRADED_WEIGHT, 1)
    window_of = {windows.places[window]: number for number, window in enumerate(here) if windows.kinds[window] == data.FIRST}
    first, second, shares = data.pairs_of(clips, rows)
    places = [np.array([window_of[rows[i]] for i in side], int) for side in (first, second)]
    values = windows.values[here].astype(np.float32)
    return network.Head(values, clips.made[windows.places[here]].astype(np.float32), weights / weights.mean(), (*places, shares)).eval()


def left_out(clips, windows, usable):
    """Logits of all windows, each by a head of `usable` rows that saw nothing of its fold; NaN where there is no speech to be judged."""
    logits = np.full(len(windows.places), np.nan)
    for fold in sorted(set(clips.folds)):
        print(f'left out: fold {fold}', flush=True)
        mine = np.flatnonzero((clips.folds[windows.places] == fold) & windows.spoken)
        logits[mine] = network.score(fitted(clips, windows, clips.beside(fold) & usable, fold + 9), windows.values[mine].astype(np.float32))
    return logits


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--data', type=pathlib.Path, help='folder with index.csv and clips.tar of the pack')
    parser.add_argument('--list', type=pathlib.Path, action='append', help='folder that take.py wrote of a list; may be repeated')
    parser.add_argument('--work', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / 'attestd-audio')
    parser.add_argument('--out', type=pathlib.Path, help='package folder to write')
    parser.add_argument('--processes', type=int, default=2)
    parser.add_argument('--open', action='store_true', help='fit on openly licensed rows alone; figures are of all rows')
    parser.add_argument('--small', action='store_true', help='smoke check; never touches the package')
    args = parser.parse_args()
    if args.small:
        import fixture
        import verdicts
        verdicts.ROUNDS, verdicts.AIMS = 10, verdicts.AIMS[:2]
        args.work = args.work / 'small'
        args.out = args.out or args.work / 'package'
        args.data, args.list = args.work / 'fixture', [args.work / f'fixture-list-{number}' for number, _ in enumerate(fixture.LISTS)]
        fixture.write(args.data)
        for folder, repositories in zip(args.list, fixture.LISTS):
            fixture.write_list(folder, repositories)
    elif not args.data or not args.list:
        parser.error('--data DIR and --list FOLDER are needed (or --small)')
    if args.open and not args.out:
        parser.error('--open needs --out: the folder above holds the other edition')
    args.out = args.out or HERE.parent
    args.work.mkdir(parents=True, exist_ok=True)
    args.out.mkdir(parents=True, exist_ok=True)
    return args


def main():
    args = parse_arguments()
    clips = data.Clips(args.data, *args.list)
    windows = Windows(clips, args.work, args.processes)
    usable = clips.open if args.open else np.ones(len(clips), bool)
    logits = left_out(clips, windows, usable)
    network.export(fitted(clips, windows, usable, 9), args.out, args.open)
    package.write(args.out, package.Judged(clips, windows.places, windows.kinds, logits), args.open)


if __name__ == '__main__':
    main()
