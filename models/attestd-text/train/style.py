"""Style measures of a normalized text; src/detect/text/style-features.ts gives the same numbers.

Shares and averages only, so that the subject of a text says little and its length less.
"""

import math
import re

import numpy as np

import data
import features

SUFFIXES = ("ly", "ing", "ed", "tion", "ment", "ness", "ity", "able", "ous", "ive", "s", "er", "al", "ful")
MARKS = ",;:-()\"'!?.0$%&/"
OPENERS = (("the", "this", "these"), ("i", "my", "we"), ("and", "but", "so", "or"), ("it", "he", "she", "they"))
PATTERNS = (
    re.compile(r", \w+ing\b"),
    re.compile(r"\w+, \w+(?: \w+)?,? and "),
    re.compile(r", and "),
    re.compile(r", (?:which|who|where|while|as|but|so) "),
    re.compile(r"\.\.\."),
    re.compile(r"[!?]{2}"),
    re.compile(r" - "),
    re.compile(r"[a-z)\]]\.[A-Z]| [,.;]|  "),
)
# Words over which variety is measured; the same number for every text that has them, since variety falls with length.
VARIETY_WORDS = 100
IS_WORD = re.compile(r"\w")
COUNT = 8 + 7 + len(MARKS) + len(SUFFIXES) + 5 + len(OPENERS) + 2 + len(PATTERNS)


def mean(values):
    return sum(values) / len(values) if values else 0.0


def deviation(values):
    middle = mean(values)
    return math.sqrt(mean([(v - middle) ** 2 for v in values]))


def share(values, holds):
    return sum(1 for v in values if holds(v)) / len(values) if values else 0.0


def words_of(text):
    return [t for t in features.WORD.findall(text) if IS_WORD.match(t)]


def style(text):
    """The measures, in a fixed order, as 32-bit floats [COUNT]."""
    text = features.canonical(text)
    words = words_of(text)
    lower = [w.lower() for w in words]
    spoken = [words_of(s) for s in data.sentences(text)]
    spoken = [s for s in spoken if s]
    return np.array(
        rhythm([len(s) for s in spoken])
        + vocabulary(lower)
        + [math.sqrt(100 * text.count(mark) / len(text)) for mark in MARKS]
        + [share(lower, lambda w, suffix=suffix: len(w) > len(suffix) + 2 and w.endswith(suffix)) for suffix in SUFFIXES]
        + shapes(words)
        + openings([[w.lower() for w in s] for s in spoken], spoken)
        + [100 * len(pattern.findall(text)) / max(len(words), 1) for pattern in PATTERNS],
        np.float32,
    )


def rhythm(lengths):
    """How sentence lengths (in words) vary."""
    steps = [abs(a - b) for a, b in zip(lengths[1:], lengths)]
    return [
        math.log(mean(lengths) + 1),
        math.log(deviation(lengths) + 1),
        deviation(lengths) / (mean(lengths) + 1),
        math.log(max(lengths, default=0) + 1),
        math.log(min(lengths, default=0) + 1),
        share(lengths, lambda n: n < 6),
        share(lengths, lambda n: n > 30),
        math.log(mean(steps) + 1),
    ]


def vocabulary(lower):
    """Word lengths and variety."""
    lengths = [len(w) for w in lower]
    first = lower[:VARIETY_WORDS]
    pairs = list(zip(first, first[1:]))
    return [
        mean(lengths),
        deviation(lengths),
        share(lengths, lambda n: n > 8),
        share(lengths, lambda n: n < 4),
        len(set(first)) / max(len(first), 1),
        share(list(set(first)), lambda w, f=first: f.count(w) == 1),
        len(set(pairs)) / max(len(pairs), 1),
    ]


def shapes(words):
    """Capitals, contractions and figures."""
    return [
        share(words, lambda w: w[0].isupper()),
        share(words, lambda w: len(w) > 1 and w.isupper()),
        share(words, lambda w: "'" in w),
        share(words, lambda w: w[0] == "0"),
        share(words, lambda w: w == "i"),
    ]


def openings(lower, spoken):
    """How sentences begin."""
    firsts = [s[0] for s in lower]
    return (
        [share(firsts, lambda w, group=group: w in group) for group in OPENERS]
        + [share([s[0] for s in spoken], lambda w: w[0].islower()), share(firsts, lambda w: len(w) > 5 and w.endswith("ly"))]
    )
