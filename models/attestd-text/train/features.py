"""Hashed n-gram counts of a normalized text; src/detect/text/ngram-features.ts gives the same numbers.

Characters and words have their own half of the index space: character n-grams 0 to BUCKETS - 1,
word n-grams BUCKETS to 2 * BUCKETS - 1. Only counts leave this file; the graph does the rest.
"""

import re

import numpy as np
import scipy.sparse as sparse

# Lengths of the n-grams, shortest to longest.
CHARACTERS = (1, 5)
WORDS = (1, 3)
BUCKETS = 1 << 18

# FNV-1a's offset and prime, over code points, with a shift so that the low bits mix; then MurmurHash3's finalizer.
OFFSET = 0x811C9DC5
PRIME = 0x01000193
LENGTH_STEP = 0x9E3779B1
MASK = 0xFFFFFFFF

GLUED_SENTENCES = re.compile(r"([a-z)])([.!?])(?=[A-Z])")
DIGIT = re.compile(r"\d")
WORD = re.compile(r"\w+(?:'\w+)?|[^\w ]")


def canonical(text):
    """What the n-grams are taken from: sentences glued by a lost line break are parted, every digit is 0."""
    return DIGIT.sub("0", GLUED_SENTENCES.sub(r"\1\2 ", text))


def finalize(hashes):
    hashes = hashes ^ (hashes >> np.uint32(16))
    hashes = hashes * np.uint32(0x85EBCA6B)
    hashes = hashes ^ (hashes >> np.uint32(13))
    hashes = hashes * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))


def ngram_buckets(symbols, lengths):
    """Bucket of every n-gram of a sequence of 32-bit symbols, shortest n-grams first."""
    found = []
    hashes = np.full(len(symbols), OFFSET, np.uint32)
    for length in range(1, lengths[1] + 1):
        if length > len(symbols):
            break
        hashes = (hashes[: len(symbols) - length + 1] ^ symbols[length - 1:]) * np.uint32(PRIME)
        hashes = hashes ^ (hashes >> np.uint32(15))
        if length >= lengths[0]:
            found.append(finalize(hashes + np.uint32(length * LENGTH_STEP & MASK)) & np.uint32(BUCKETS - 1))
    return np.concatenate(found) if found else np.zeros(0, np.uint32)


class Hasher:
    """Counts n-grams; remembers the hashes of words."""

    def __init__(self):
        self.words = {}

    def word_hash(self, word):
        known = self.words.get(word)
        if known is None:
            known = OFFSET
            for character in word:
                known = ((known ^ ord(character)) * PRIME) & MASK
                known ^= known >> 15
            self.words[word] = known
        return known

    def counts(self, text):
        """Sorted bucket indices and how often each occurs."""
        text = canonical(text)
        characters = ngram_buckets(np.frombuffer(text.encode("utf-32-le"), np.uint32), CHARACTERS)
        words = np.array([self.word_hash(w) for w in WORD.findall(text.lower())], np.uint32)
        words = ngram_buckets(words, WORDS) + np.uint32(BUCKETS)
        index, count = np.unique(np.concatenate([characters, words]), return_counts=True)
        return index.astype(np.int32), count.astype(np.float32)

    def matrix(self, texts):
        """Counts [texts, 2 * BUCKETS]."""
        rows = [self.counts(text) for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(index) for index, _ in rows])])
        return sparse.csr_matrix(
            (np.concatenate([c for _, c in rows]), np.concatenate([i for i, _ in rows]), starts),
            shape=(len(rows), 2 * BUCKETS),
        )
