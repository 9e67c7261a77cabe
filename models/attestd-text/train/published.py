"""What the package carries of a published detector: the token n-grams of is-it-slop 0.6.3 (PyPI, MIT license), and what each weighs.

The detector weighs n-grams of two to four tokens by several linear classifiers, and these by another. One of them is taken, a logistic
regression over TF-IDF, for a whole text at once: on the inner pairs it tells more than all of them by pieces, which is how the detector itself
goes about it. Its author does not name what it has learned from; some of the pack's texts may be among that.

Only n-grams whose tokens are ASCII are kept, since a normalized English text has hardly others. Of the 200,000 tokens (o200k_base, MIT
license) those are kept that the n-grams are made of, and FREQUENT ones: a word that is no token any more falls into others, and these make
n-grams of the list.
"""

import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import numpy as np
import onnx
import scipy.sparse as sparse
from tokenizers import Tokenizer

NAME = "is-it-slop 0.6.3"
PACKAGES = ["is-it-slop==0.6.3", "is-it-slop-preprocessing==0.6.3"]
PEERS = pathlib.Path(__file__).resolve().parents[3] / ".ci" / "peers"
# The files of the package that say how a text becomes tokens.
TOKENIZER, TOKENIZER_CONFIG = "tokenizer.json", "tokenizer_config.json"
# Lengths of the n-grams, in tokens.
SHORTEST, LONGEST = 2, 4
# Tokens of o200k_base that are no special ones.
TOKENS = 199_998
# A token is kept if so many of the texts hold it.
FREQUENT = 5
# It counts in full where it finds so many different n-grams for each token, as in 99 % of English texts; in other languages it finds few, and
# what these say is chance.
DENSE = 0.2
# Which output of its network is the logistic regression's.
REGRESSION = "sv_prob_tensor1"
# How o200k_base parts a text before it looks for tokens: words with the mark before them, numbers of up to three digits, marks, spaces.
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?"
PIECES = "|".join([
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+",
])


class Published:
    """Its n-grams in tokens of our tokenizer, with the weight of each."""

    def __init__(self, work, texts):
        """`work` keeps the installed packages and what is read out of them; the tokens that `texts` often hold are kept."""
        library, preprocessing = install(work)
        regression, vectorizer = read_library(library, preprocessing, work)
        ranks = read_tokens(preprocessing)
        kept = {gram: column for gram, column in vectorizer["grams"].items() if all(token in ranks for token in gram)}
        frequency = collections.Counter(token for tokens in preprocessing.tokenize(texts) for token in set(tokens))
        frequent = {token for token, count in frequency.items() if count >= FREQUENT and token in ranks}
        needed = with_parts({token for gram in kept for token in gram} | frequent, ranks)
        self.tokenizer, numbers = write_tokenizer(needed, ranks)
        # TfIdfVectorizer wants shorter n-grams first.
        entries = sorted(((tuple(numbers[token] for token in gram), column) for gram, column in kept.items()), key=lambda e: (len(e[0]), e[0]))
        self.grams, columns = (list(each) for each in zip(*entries))
        self.idf = vectorizer["idf"][columns].astype(np.float16)
        self.weights = regression["weights"][columns].astype(np.float16)
        self.offset, self.dense = np.float32(regression["offset"]), np.float32(DENSE)
        self._columns = {gram: column for column, gram in enumerate(self.grams)}
        self._encode = Tokenizer.from_str(self.tokenizer).encode_batch

    def logits(self, texts):
        """What the logistic regression says of each text, by how many n-grams it knows there, float32 [texts]."""
        encodings = self._encode(texts)
        rows = [self._counts(encoding.ids) for encoding in encodings]
        dense = np.array([len(row) / (self.dense * max(len(encoding.ids), 1)) for row, encoding in zip(rows, encodings)])
        starts = np.cumsum([0, *(len(row) for row in rows)])
        columns = np.fromiter((column for row in rows for column in row), np.int64, starts[-1])
        counts = np.fromiter((count for row in rows for count in row.values()), np.float32, starts[-1])
        values = (1 + np.log(counts)) * self.idf.astype(np.float32)[columns]
        matrix = sparse.csr_matrix((values, columns, starts), shape=(len(rows), len(self.grams)))
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel())
        said = matrix @ self.weights.astype(np.float32) / np.maximum(lengths, 1e-9) + self.offset
        return (np.minimum(dense, 1) * said).astype(np.float32)

    def _counts(self, ids):
        return collections.Counter(
            column for length in range(SHORTEST, LONGEST + 1) for gram in zip(*(ids[at:] for at in range(length)))
            if (column := self._columns.get(gram)) is not None
        )


def install(work):
    """The library of the detector, and its module that cuts texts into tokens; installed once."""
    folder = work / "-".join(PACKAGES)
    if not folder.exists():
        part = work / "packages.part"
        shutil.rmtree(part, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", part, *PACKAGES], check=True)
        part.rename(folder)
    sys.path.extend([str(PEERS), str(folder)])
    import older_glibc

    older_glibc.provide()
    import is_it_slop_preprocessing

    (library,) = folder.glob("is_it_slop/_is_it_slop_rust_bindings*.so")
    return library.read_bytes(), is_it_slop_preprocessing


def read_library(library, preprocessing, work):
    """The logistic regression (`weights`, `offset`) and the vectorizer (`grams` of token numbers to columns, `idf`) within the library."""
    start = library.index(b"\x08\n\x12\x08skl2onnx")
    middle = library.index(struct.pack("<4I", *range(SHORTEST, LONGEST + 1), 0))
    network = onnx.load_from_string(library[start:middle])
    (node,) = (node for node in network.graph.node if node.op_type == "LinearClassifier" and node.output[1] == REGRESSION)
    fields = {field.name: list(field.floats) for field in node.attribute}
    weights = np.array(fields["coefficients"]).reshape(2, -1)[1]
    # The vectorizer ends with the number of its columns, for the list of n-grams and again for that of their frequencies.
    count = re.escape(struct.pack("<I", len(weights)))
    end = re.compile(count + b".{8}" + count, re.DOTALL).search(library, middle).end()
    stored, readable = work / "vectorizer.rkyv", work / "vectorizer.json"
    stored.write_bytes(library[middle:end])
    preprocessing.TfidfVectorizer.load(stored).save(readable)
    vectorizer = json.loads(readable.read_text())
    return {"weights": weights, "offset": fields["intercepts"][1]}, {
        "grams": {unpadded(gram): column for gram, column in vectorizer["count_vectorizer"]["vocab"]},
        "idf": np.array(vectorizer["idf"]),
    }


def unpadded(gram):
    """An n-gram without the zeros that fill it up. Zero is also the token "!": n-grams of three and four that end in it become shorter."""
    while len(gram) > SHORTEST and gram[-1] == 0:
        gram = gram[:-1]
    return tuple(gram)


def read_tokens(preprocessing):
    """The text of each token that is ASCII, by its number."""
    with silent():
        texts = {number: preprocessing.reverse_tokenize([number]) for number in range(TOKENS)}
    return {number: text for number, text in texts.items() if text.isascii() and "[DECODE_ERROR" not in text}


@contextlib.contextmanager
def silent():
    """Without what native code prints: a line for each token that is no text."""
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def with_parts(tokens, ranks):
    """The tokens, and those that they are put together from."""
    numbers = {text: number for number, text in ranks.items()}
    found, waiting = set(), list(tokens)
    while waiting:
        token = waiting.pop()
        if token not in found:
            found.add(token)
            waiting.extend(numbers[part] for part in halves_of(ranks[token], numbers))
    return found


def halves_of(text, numbers):
    """The last two parts that byte-pair encoding joins to the token `text`: of all that are tokens too, the lowest number joins first."""
    parts = list(text)
    while len(parts) > 2:
        joined = [numbers.get(left + right, TOKENS) for left, right in zip(parts, parts[1:])]
        at = int(np.argmin(joined))
        parts[at:at + 2] = ["".join(parts[at:at + 2])]
    return parts if len(parts) == 2 else []


def write_tokenizer(kept, ranks):
    """tokenizer.json of byte-pair encoding with these tokens, and the number of each in it. Every single byte is a token, so that none is lost."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {**{byte: chr(byte) for byte in printable}, **{byte: chr(256 + at) for at, byte in enumerate(others)}}

    def spelled(text):
        return "".join(letters[byte] for byte in text.encode())

    numbers = {text: number for number, text in ranks.items()}
    in_order = sorted(kept)
    vocabulary = {letters[byte]: number for number, byte in enumerate([*printable, *others])}
    for token in in_order:
        vocabulary.setdefault(spelled(ranks[token]), len(vocabulary))
    joined = [halves_of(ranks[token], numbers) for token in in_order]
    content = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": PIECES}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        ]},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": True, "vocab": vocabulary,
            "merges": [[spelled(half) for half in halves] for halves in joined if halves],
        },
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")), {token: vocabulary[spelled(ranks[token])] for token in kept}
