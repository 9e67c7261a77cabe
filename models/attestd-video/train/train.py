#!/usr/bin/python3
"""Fits, evaluates, calibrates and packages the head of the video detector.

    python3 train.py --clips FOLDER      the package
    python3 train.py --clips FOLDER --open   attestd-video-open: trained on openly licensed rows alone
    python3 train.py --small             smoke check on made clips, no data

FOLDER holds what take.py took of the list: index.csv and the files. What is seen of the clips is kept in --work, so that a second
run, or one that was cut off, is quicker. `restate.mjs` states the risk of the self-test afterwards.
"""
import argparse
import hashlib
import json
import pathlib
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
# Fit and graph are those of the picture's head, figures and band those of the sound's; what is here goes first.
sys.path.extend(str(HERE.parents[1] / name / 'train') for name in ('attestd-image', 'attestd-audio'))

import clips as listed  # noqa: E402
import fixture  # noqa: E402
import head  # noqa: E402
import package  # noqa: E402
import seen  # noqa: E402
import trials  # noqa: E402
import verdicts  # noqa: E402


class Observed:
    """The mean features of each clip, and the mean of the picture's logit of its frames; heads are trained on the rows `among`."""

    def __init__(self, clips, found, among=True):
        self.clips, self.among = clips, among
        self.means = np.array([found[name][:, :-1].mean(0) for name in clips.ids])
        self.pictures = np.array([found[name][:, -1].mean() for name in clips.ids])

    def fitted(self, mask, beside=head.BESIDE):
        mask = mask & self.among
        return head.Head(self.means[mask], self.pictures[mask], self.clips.made[mask], self.clips.even(mask, head.POWER)[mask], beside)

    def left_out(self, beside=head.BESIDE):
        """Logits of all clips, each by a head that saw nothing of its fold."""
        logits = np.full(len(self.clips), np.nan)
        for fold in sorted(set(self.clips.folds)):
            mine = self.clips.folds == fold
            logits[mine] = self.fitted(self.clips.beside(fold), beside).logits(self.means[mine], self.pictures[mine])
        return logits


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--clips', type=pathlib.Path, help='folder that take.py wrote of the list')
    parser.add_argument('--work', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / 'attestd-video')
    parser.add_argument('--out', type=pathlib.Path, help='package folder to write')
    parser.add_argument('--without', type=int, help='only the head that saw nothing of this fold, for a check of the daemon by its clips')
    parser.add_argument('--open', action='store_true', help='attestd-video-open: openly licensed rows alone, beside the head of attestd-image-open')
    parser.add_argument('--processes', type=int, default=2)
    parser.add_argument('--small', action='store_true', help='smoke check; never touches the package')
    args = parser.parse_args()
    if args.small:
        verdicts.ROUNDS, verdicts.AIMS = 10, verdicts.AIMS[:2]
        args.work = args.work / 'small'
        args.out = args.out or args.work / 'package'
        args.clips = args.work / 'clips'
        fixture.write(args.clips)
    elif not args.clips:
        parser.error('--clips FOLDER is needed (or --small)')
    args.package = 'attestd-video-open' if args.open else 'attestd-video'
    args.out = args.out or HERE.parents[1] / args.package
    for folder in (args.work, args.out):
        folder.mkdir(parents=True, exist_ok=True)
    return args


def main():
    args = parse_arguments()
    rows = listed.taken(args.clips)
    found = seen.features(args.clips, rows, args.work, args.processes)
    clips = listed.Clips([row for row in rows if row['id'] in found])
    images = seen.OPEN_IMAGES if args.open else seen.IMAGES
    if args.open:
        found = seen.judged_by(images, found)
    observed = Observed(clips, found, clips.open if args.open else True)
    judged = package.Judged(clips, observed.left_out())
    every = np.ones(len(clips), bool)
    line, band = judged.fitted(every)
    if args.without is not None:
        head.export(args.out, observed.fitted(clips.beside(args.without)), line, images)
        state(args.out / 'detector.json', band)
        return
    package.write(args.out, args.package, judged, {
        'openRowsAlone': package.Judged(clips, Observed(clips, found, clips.open).left_out(beside=0.0)).figures(every), 'alone': package.leaks(clips),
        'shuffled': trials.shuffled(observed), 'trials': trials.compared(observed),
        'passages': trials.Passages(observed, found, line).by_margin(band[1]),
    })
    head.export(args.out, observed.fitted(every), line, images)
    state(args.out / 'detector.json', band)


def state(manifest, band):
    """Sets band and files of a manifest that is there; the risk of the self-test follows from restate.mjs."""
    if manifest.exists():
        stated = json.loads(manifest.read_text())
        stated['decisionBand'] = dict(zip(('low', 'high'), band))
        stated['files'][head.FILE] = {}
        for name in stated['files']:
            content = (manifest.parent / name).read_bytes()
            stated['files'][name] = {'sha256': hashlib.sha256(content).hexdigest(), 'bytes': len(content)}
        manifest.write_text(json.dumps(stated, indent=2, ensure_ascii=False) + '\n')


if __name__ == '__main__':
    main()
