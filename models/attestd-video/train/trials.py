"""What the report says beside the figures of the head: what counts in it, what a made passage does, what chance gives."""
import copy

import numpy as np

import clips as listed
import verdicts

# How far a window must exceed the clip, in calibrated logits; the shipped one is `windowMargin` of the manifest.
MARGINS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
# Clips of a long recording, and made passages that each recording is tried with.
ROW, PASSAGES, SHUFFLES = 4, 3, 3


def auc_of(clips, logits, mask):
    return verdicts.auc(clips.made[mask].astype(int), logits[mask], clips.even(mask)[mask])


def compared(observed):
    """AUC on the inner folds: of the pictures' logit alone, of the frames' mean alone, and of what ships."""
    inner = observed.clips.folds != listed.OUTER
    heads = {"the picture's logit alone, mean of the frames": observed.pictures, 'mean of the features alone': observed.left_out(beside=0.0),
             'both: shipped': observed.left_out()}
    return {name: auc_of(observed.clips, logits, inner) for name, logits in heads.items()}


def shuffled(observed):
    """Mean AUC where labels are dealt anew to generators of repositories: chance, unless rows of one leak into another fold."""
    found = []
    for seed in range(SHUFFLES):
        dealt = copy.copy(observed)
        dealt.clips = clips = copy.copy(observed.clips)
        _, first, which = np.unique(clips.units, return_index=True, return_inverse=True)
        labels = clips.made[first]
        clips.made = np.random.default_rng(seed).permutation(labels)[which]
        found.append(auc_of(clips, dealt.left_out(), np.ones(len(clips), bool)))
    return float(np.mean(found))


class Passages:
    """Recordings of ROW clips of a repository, real throughout or with one made clip, and single clips; logits by left-out heads."""

    def __init__(self, observed, found, line):
        self.observed, self.line, self.rng = observed, line, np.random.default_rng(0)
        self.recordings, self.passages, self.singles = [], [], {False: [], True: []}
        clips = observed.clips
        for fold in sorted(set(clips.folds)):
            self.head = observed.fitted(clips.beside(fold))
            mine = np.flatnonzero(clips.folds == fold)
            made = mine[clips.made[mine]]
            for name in sorted(set(clips.repositories[mine])):
                real = self.rng.permutation(mine[(clips.repositories[mine] == name) & ~clips.made[mine]])
                for at in range(0, len(real) - ROW + 1, ROW):
                    row = real[at : at + ROW]
                    self.recordings.append(self.joined(row))
                    self.passages += [self.joined([*row[:-1], one]) for one in self.rng.choice(made, PASSAGES)]
            for place in mine:
                frames = found[clips.ids[place]]
                self.singles[bool(clips.made[place])].append(self.scored(frames[:, :-1], frames[:, -1]))

    def joined(self, row):
        return self.scored(self.observed.means[row], self.observed.pictures[row])

    def scored(self, means, pictures):
        """The logit of all together, and the highest of one alone."""
        logits = self.head.logits(np.vstack([means.mean(0), means]), np.append(pictures.mean(), pictures)) * self.line[0] + self.line[1]
        return logits[0], logits[1:].max()

    def by_margin(self, high):
        """For each margin the AUC of recordings with a passage against those without, and shares at risk `high` and above."""
        limit = np.log(high / (1 - high)) if high < 1 else np.inf
        sets = {'recording': self.recordings, 'passage': self.passages, 'real': self.singles[False], 'made': self.singles[True]}
        table = {}
        for margin in MARGINS:
            logits = {name: np.array([max(whole, most - margin) for whole, most in pairs]) for name, pairs in sets.items()}
            both, labels = np.concatenate([logits['recording'], logits['passage']]), np.repeat([0, 1], [len(self.recordings), len(self.passages)])
            table[str(margin)] = {'auc': verdicts.auc(labels, both, np.ones(len(both))), **{name: float((each >= limit).mean()) for name, each in logits.items()}}
        return table
