"""Fits the linear unit so that the subject of a picture helps as little as possible.

Overlap weights make the two classes alike in what an 8x8 thumbnail shows; what they are worth is
measured by train.py (the ablation in evaluation/).
"""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import data

SEED = 20261120
# Inverse L2 strength; weaker fits gain on a random split and lose on unseen sources.
REGULARIZATION = 1e-3
# Overlap weights are |label - propensity| to this power.
OVERLAP_POWER = 4


def overlap_weights(thumbnails, labels, groups, power):
    """Group-balanced weights, times how badly the thumbnail gives the class away (3-fold)."""
    weights = data.balanced_weights(labels, groups)
    part = np.random.default_rng(SEED).integers(0, 3, len(labels))
    propensity = np.empty(len(labels))
    for number in range(3):
        inside = part != number
        model = HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, learning_rate=0.15, random_state=SEED
        )
        model.fit(thumbnails[inside], labels[inside], weights[inside])
        propensity[~inside] = model.predict_proba(thumbnails[~inside])[:, 1]
    weights = weights * np.abs(labels - propensity) ** power
    for label in (0, 1):
        weights[labels == label] /= weights[labels == label].sum()
    return weights / weights.sum() * len(labels)


def fit_head(features, thumbnails, labels, groups, overlap_power=OVERLAP_POWER):
    """Fits on features [variants, rows, n]; returns (mean, deviation, coefficients, intercept)."""
    count = len(features)
    weights = np.tile(overlap_weights(thumbnails, labels, groups, overlap_power), count)
    labels = np.tile(labels, count)
    flat = features.reshape(-1, features.shape[-1]).astype(np.float64)
    mean = np.average(flat, axis=0, weights=weights)
    deviation = np.sqrt(np.average((flat - mean) ** 2, axis=0, weights=weights)) + 1e-6
    flat = (flat - mean) / deviation
    model = LogisticRegression(C=REGULARIZATION, max_iter=300)
    model.fit(flat, labels, weights)
    return mean, deviation, model.coef_[0], float(model.intercept_[0])


def apply_head(head, features):
    """Logits of a fitted head on features [rows, n]."""
    mean, deviation, coefficients, intercept = head
    return ((features - mean) / deviation) @ coefficients + intercept
