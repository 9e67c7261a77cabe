"""What a published detector says of the texts that train the network: a second teacher beside their labels.

is-it-slop 0.6.3 (PyPI, MIT license) has learned from texts that its author does not name; some of the pack's may be among them. It
weighs n-grams of tokens by several linear classifiers, and a linear function of our own n-grams learns its logits. Nothing of it ships.
"""

import pathlib
import sys

import numpy as np

import data

PEERS = pathlib.Path(__file__).resolve().parents[3] / ".ci" / "peers"
NAME = "is-it-slop 0.6.3"
# It calls nearly every text in the other languages machine-made.
LANGUAGE = "en"
# It takes four fifths of the texts of written/ for people's; this is learned of them instead.
OF_WRITTEN = 2.5


def asked(pack):
    """The texts that it is asked about."""
    return [text for text, language in zip(pack.texts, pack.language) if language == LANGUAGE]


def logits(texts, work):
    """The logits of what it says of each text; the package is installed in `work`."""
    sys.path.append(str(PEERS))
    from measure import peer_scores

    risks = np.array(peer_scores(NAME, texts, work, 1))
    return np.log(risks / (1 - risks))


def opinions(pack, said):
    """
    Of each row the logit that is learned: what the teacher `said` of the texts that it was asked about, but OF_WRITTEN of those of
    written/, and of other languages the mean of what it says of texts of the same label.
    """
    heard, found = pack.language == LANGUAGE, np.empty(len(pack))
    found[heard] = said
    for label in (0, 1):
        of_label = pack.labels == label
        found[of_label & ~heard] = found[of_label & heard].mean()
    found[pack.source == data.WRITTEN] = OF_WRITTEN
    return found
