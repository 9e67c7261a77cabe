"""The rows of the list, what is left out together, and what a clip weighs."""
import collections
import csv
import random

import numpy as np

# Rows of these repositories choose nothing: they are scored by a head that saw the others.
OUTER = -1
OUTER_REPOSITORIES = frozenset("""
lumiere-video/lumiere-video.github.io tencent-ailab/V-Express KwaiVGI/LivePortrait liveportrait/liveportrait.github.io
Golgrax/BISIG-API Vchitect/LaVie-project ali-vilab/dreamtalk FuxiVirtualHuman/styletalk facebookresearch/sam2 open-mmlab/mmaction2
OpenTalker/video-retalking OpenTalker/SadTalker OpenGVLab/Ask-Anything livebloggerofficial/Testimonials-Page
""".split())
FOLDS = 6
# Scenes of DAVIS and of stock that several pages edit: whoever judges one was not trained on it.
SCENES = ('carturn', 'flamingo', 'wolf', 'blackswan', 'womanrunning')
# A unit is a generator of a repository, or the real clips of one. In figures and calibration it weighs as this power of its number.
POWER = 0.5
# No more clips of a generator of a repository, or real ones of one, are looked at.
MOST = 20


def unit_of(row):
    return f"{row['repository']}: {row['generator']}"


def taken(folder):
    """Rows of the list, MOST of a unit at most, picked at random but always the same ones."""
    with (folder / 'index.csv').open(newline='') as lines:
        rows = list(csv.DictReader(lines))
    random.Random(0).shuffle(rows)
    counts, kept = collections.Counter(), []
    for row in rows:
        counts[unit_of(row)] += 1
        if counts[unit_of(row)] <= MOST:
            kept.append(row)
    return kept


def scene_of(row):
    text = ''.join(letter for letter in (row['pair'] + row['name']).lower() if letter.isalnum())
    return next((scene for scene in SCENES if scene in text), '')


class Clips:
    """Rows as arrays."""

    def __init__(self, rows):
        self.rows = rows
        column = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        self.ids, self.repositories, self.generators = column['id'], column['repository'], column['generator']
        self.families, self.kinds, self.pairs = column['family'], column['kind'], column['pair']
        self.made, self.open = column['label'] == 'fake', column['open'] == 'yes'
        self.scenes = np.array([scene_of(row) for row in rows])
        self.units = np.array([unit_of(row) for row in rows])
        self.folds = self.dealt()

    def __len__(self):
        return len(self.ids)

    def dealt(self):
        """A fold for each row: whole repositories, the largest first, each where both classes stay most even."""
        counts = collections.Counter(zip(self.repositories, self.made))
        filled, fold_of = np.zeros((FOLDS, 2)), dict.fromkeys(OUTER_REPOSITORIES, OUTER)
        for name in sorted(set(self.repositories) - OUTER_REPOSITORIES, key=lambda name: (-counts[name, True] - counts[name, False], name)):
            added = np.array([counts[name, False], counts[name, True]])
            fold_of[name] = int(np.argmin(((filled + added) ** 2).sum(1) - (filled**2).sum(1)))
            filled[fold_of[name]] += added
        return np.array([fold_of[name] for name in self.repositories])

    def beside(self, fold):
        """Rows that may be trained on where a fold is judged: none of its repositories, generators, pairs and scenes, no outer one."""
        mine = self.folds == fold
        known = self.made & np.isin(self.generators, self.generators[mine & self.made])
        for groups in (self.pairs, self.scenes):
            known |= (groups != '') & np.isin(groups, groups[mine])
        return ~mine & ~known & (self.folds != OUTER)

    def even(self, mask, power=POWER):
        """What each row of the mask weighs, one half for each class; its unit weighs as this power of its number."""
        sizes = collections.Counter(self.units[mask])
        weights = np.array([sizes[unit] ** (power - 1) if inside else 0.0 for unit, inside in zip(self.units, mask)])
        for made in (False, True):
            side = mask & (self.made == made)
            weights[side] /= 2 * weights[side].sum()
        return weights
