"""AUC, TPR at 5 % FPR and what a peer's own threshold gives, with 95 % bootstrap intervals."""

import numpy as np

SEED = 9
RESAMPLES = 500


def auc(real, fake):
    """Chance that a fake has the higher score; ties count half."""
    order = np.sort(real)
    below = np.searchsorted(order, fake, "left")
    return float((below + np.searchsorted(order, fake, "right")).mean() / 2 / len(real))


def tpr_at_5(real, fake):
    """Share of fakes above the score that at most 5 % of the real ones exceed."""
    limit = np.sort(real)[::-1][int(0.05 * len(real))]
    return float((fake > limit).mean())


def figures(scores, is_fake, threshold=None):
    """Of one detector: `scores` with None for what it refused, `is_fake` of the same rows."""
    known = np.array([score is not None and np.isfinite(score) for score in scores])
    values = np.array([score if ok else 0 for score, ok in zip(scores, known)], float)
    is_fake = np.array(is_fake)
    real, fake = values[known & ~is_fake], values[known & is_fake]
    found = {"real": len(real), "fake": len(fake), "refused": int((~known).sum())}
    if len(real) == 0 or len(fake) == 0:
        return found | {"auc": None, "tprAt5": None}
    rng = np.random.default_rng(SEED)
    drawn = [(rng.choice(real, len(real)), rng.choice(fake, len(fake))) for _ in range(RESAMPLES)]

    def with_interval(measure):
        low, high = np.percentile([measure(*pair) for pair in drawn], [2.5, 97.5])
        return {"value": round(measure(real, fake), 4), "low": round(float(low), 4), "high": round(float(high), 4)}

    found |= {"auc": with_interval(auc), "tprAt5": with_interval(tpr_at_5)}
    if threshold is not None:
        flagged, caught = float((real >= threshold).mean()), float((fake >= threshold).mean())
        found |= {"realFlagged": round(flagged, 4), "fakeFlagged": round(caught, 4)}
        found |= {"balancedAccuracy": round((1 - flagged + caught) / 2, 4)}
    return found
