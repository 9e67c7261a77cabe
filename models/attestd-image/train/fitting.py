"""Fits the linear unit so that the subject of a picture helps as little as possible.

Overlap weights make the two classes alike in what an 8x8 thumbnail shows; home-made fakes, whose
subject is that of a real picture, have a fixed share of the machine-made class.
"""

import numpy as np

import data

SEED = 20261120
# Principal components of the thumbnails from which the class is guessed.
COMPONENTS = 40
# L2 penalty of the guess, on a mean loss.
GUESS_PENALTY = 3e-3
# Overlap weights are |label - guess| to this power: 2 is better on wholly unseen sources, 8 on the left-out pairs.
OVERLAP_POWER = 4
# A group's weight after the overlap weights is raised to this much less, so that none of them vanishes.
EQUALIZING = 0.6
# Share of the machine-made class that fakes.py made, by the way they were made.
MADE_SHARE = {"network": 0.1, "filter": 0.2}
# L2 penalty of the linear unit, on standardized features and a mean loss.
RIDGE = 20.0


def components(thumbnails, seen):
    """Whitened principal components of the thumbnails, found on the rows of the mask `seen`."""
    z = (thumbnails - thumbnails[seen].mean(0)) / (thumbnails[seen].std(0) + 1e-3)
    values, vectors = np.linalg.eigh(z[seen].T @ z[seen] / seen.sum())
    return z @ vectors[:, -COMPONENTS:] / np.sqrt(values[-COMPONENTS:] + 1e-9)


def logistic(x, labels, weights, steps=8):
    """Coefficients (intercept last) of a weighted logistic fit, by Newton's method."""
    x = np.c_[x, np.ones(len(x))]
    weights = weights / weights.sum()
    coefficients = np.zeros(x.shape[1])
    for _ in range(steps):
        p = probability(x, coefficients)
        gradient = x.T @ (weights * (p - labels)) + GUESS_PENALTY * coefficients
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + GUESS_PENALTY * np.eye(x.shape[1])
        coefficients -= np.linalg.solve(hessian, gradient)
    return coefficients


def probability(x, coefficients):
    return 1 / (1 + np.exp(-np.clip(x @ coefficients, -15, 15)))


def guess_from_content(content, labels, weights):
    """The class of each row guessed from its thumbnail by the other two thirds of the rows."""
    part = np.random.default_rng(SEED).integers(0, 3, len(labels))
    guess = np.empty(len(labels))
    for number in range(3):
        inside = part != number
        coefficients = logistic(content[inside], labels[inside], weights[inside])
        guess[~inside] = probability(np.c_[content[~inside], np.ones((~inside).sum())], coefficients)
    return guess


def balanced_weights(labels, groups):
    """Per-row weights: both classes weigh the same, and every group as GROUP_WEIGHT says within its class."""
    weights = np.zeros(len(labels))
    for label in (0, 1):
        rows = labels == label
        weights[rows] = shared_out(groups[rows])
    return weights / weights.sum()


def shared_out(groups):
    """Weights that sum to one, shared among the groups by GROUP_WEIGHT."""
    weights = np.zeros(len(groups))
    for group in set(groups):
        rows = groups == group
        weights[rows] = data.GROUP_WEIGHT.get(group, 1.0) / rows.sum()
    return weights / weights.sum()


def training_weights(labels, groups, made, content, power, made_share):
    """Weight of every training row; both classes sum to one."""
    found = made == ""
    weights = np.zeros(len(labels))
    base = balanced_weights(labels[found], groups[found])
    guess = guess_from_content(content[found], labels[found], base) if power else np.full(found.sum(), 0.5)
    weights[found] = base * np.abs(labels[found] - guess) ** power
    for group in set(groups[found]):
        rows = found & (groups == group)
        weights[rows] *= weights[rows].sum() ** -EQUALIZING
    for label in (0, 1):
        rows = found & (labels == label)
        weights[rows] /= weights[rows].sum()
    shares = {way: share for way, share in made_share.items() if (made == way).any()}
    weights[found & (labels == 1)] *= 1 - sum(shares.values())
    for way, share in shares.items():
        weights[made == way] = shared_out(groups[made == way]) * share
    return weights


def fit_head(features, pack, content, rows, power=OVERLAP_POWER, made_share=MADE_SHARE):
    """Ridge on features [variants, all rows, n] of the rows in a mask; returns (mean, deviation, coefficients, intercept)."""
    count = len(features)
    labels = pack.labels[rows]
    weights = training_weights(labels, pack.groups[rows], pack.made[rows], content[rows], power, made_share)
    weights = np.tile(weights / weights.sum() / count, count)
    x = features[:, rows].reshape(-1, features.shape[-1]).astype(np.float64)
    mean = weights @ x
    deviation = np.sqrt(weights @ (x - mean) ** 2) + 1e-3
    z = (x - mean) / deviation
    target = np.tile(2 * labels - 1, count)
    penalty = RIDGE * np.eye(x.shape[1])
    coefficients = np.linalg.solve((z * weights[:, None]).T @ z + penalty, z.T @ (weights * target))
    return mean, deviation, coefficients, float(weights @ target)


def apply_head(head, features):
    """Logits of a fitted head on features [rows, n]."""
    mean, deviation, coefficients, intercept = head
    return ((features - mean) / deviation) @ coefficients + intercept
