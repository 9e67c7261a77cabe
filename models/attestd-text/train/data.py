"""Rows of the text pack, the groups that are left out in turn, and what is done to a text before it is scored."""

import gzip
import hashlib
import json
import math
import pathlib
import random
import re

import numpy as np

import registers

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20261120
# Below this many characters prose cannot be judged (README of the pack).
MIN_CHARACTERS = 180
# Longest window that is scored in one piece; longer texts are cut at sentence ends.
WINDOW = 1500

# Languages that are scored, ISO 639-1; all others abstain. Chinese is in the pack too, but what is learnt from one of its
# sources is worth nothing on the other (evaluation/report.md), so it is left out.
LANGUAGES = ["en", "ar", "bg", "ru", "id"]

# Left-out domains: alike ones of different sources go together. L2R's ten domains are its source left out whole.
DOMAINS = {
    "fiction": ["fiction_wp", "l2r_literaturecreativewriting"],
    "reviews": ["review_yelp", "l2r_entertainment"],
    "science": ["sci_abstract", "l2r_traveltourism", "l2r_educationmaterial"],
    "rewriting": [
        "l2r_educationmaterial", "l2r_entertainment", "l2r_environmental", "l2r_literaturecreativewriting",
        "l2r_newsarticle", "l2r_traveltourism",
    ],
    "news": ["news_xsum"],
    "essays": ["essay_student"],
    "everyday": ["l2r_artculture", "l2r_business", "l2r_onlinecontent", "l2r_personalcommunication"],
}
# Every setting is chosen on the first four; the others are only scored.
OUTER = ["news", "essays", "everyday"]
# Another source's texts alike, which are left out too but not scored there.
ALIKE = {"news": ["l2r_newsarticle"]}
# Domains that leave out their whole source: no text of it trains the network that scores them.
WHOLE_SOURCE = {"rewriting": "l2r", "everyday": "l2r", "essays": "outfox_valid"}
# Source and generator of the texts in written.jsonl.gz, which a model of 2026 wrote for this recipe, and the digest of that file.
WRITTEN, WRITER = "written", "claude-2026"
WRITTEN_SHA256 = "0cb341dad69a760b25d49ed54ba11023f7fc7278d41ade3191e5bba9d9d8513b"
# Families of generators, and which are left out together.
GENERATORS = {
    "claude": ["claude-3-opus", "claude-3-sonnet", "claude-instant", WRITER],
    "gemini": ["gemini-1.0-pro", "palm"],
    "gpt-4": ["gpt-4-turbo", "gpt-4o"],
    "gpt-3.5": ["gpt-3.5-turbo", "text-davinci-003"],
    "open": ["llama-2-70b", "flan-t5-xxl"],
}
TOGETHER = [["claude", "gpt-3.5"], ["gemini", "gpt-4", "open"]]
# Sources of people's prose in human.jsonl.gz; the second is never trained on.
PACKAGES = "packages"
OUTSIDE = "outside"
# Fewest machine-made texts for which a pair of domain and generator is reported.
MIN_PAIR = 60
# Most texts of people and of a family of generators that a fold is tested on, and how many of each also cut short.
MOST_HUMAN, MOST_MACHINE, MOST_CHANGED = 700, 400, 150

SENTENCE_END = re.compile(r"(?<=[.!?。！？؟۔।])[\"')\]]*\s+|(?<=[。！？])")


class Pack:
    """Rows as columns. label 1 means machine-made."""

    def __init__(self, rows):
        self.texts = [row["text"] for row in rows]
        self.labels = np.array([row["label"] == "machine" for row in rows], int)
        self.lengths = np.array([len(text) for text in self.texts])
        self.balanced = np.array([row["balanced"] for row in rows])
        self.open = np.array([row["licence_class"] == "declared-open" for row in rows])
        for column in ("domain", "source", "language", "generator", "attack", "pair"):
            setattr(self, column, np.array([row[column] for row in rows]))

    def __len__(self):
        return len(self.texts)

    def cells(self):
        """Source, domain and label of each row: what training weighs alike."""
        return np.array([f"{s}|{d}|{l}" for s, d, l in zip(self.source, self.domain, self.labels)])

    def in_domain(self, name):
        return np.isin(self.domain, DOMAINS[name])

    def left_out_with(self, name):
        """Rows that may not train a network that scores the domain: itself, its source, people's prose beside it, and what is alike."""
        alike = ALIKE.get(name, []) + written_domains(registers.WRITTEN_ALIKE[name])
        beside = np.isin(self.domain, registers.ALONGSIDE.get(name, []) + alike)
        return self.in_domain(name) | beside | (self.source == WHOLE_SOURCE.get(name, "-"))

    def in_group(self, name):
        """Texts of written.jsonl.gz of a group of registers."""
        return np.isin(self.domain, written_domains(registers.WRITTEN_GROUPS[name]))


def long_enough(rows):
    return [row for row in rows if len(row["text"]) >= MIN_CHARACTERS]


def read_rows(file):
    with gzip.open(file, "rt") as lines:
        return long_enough([json.loads(line) for line in lines])


def written_domains(names):
    """Names of registers of written.jsonl.gz among the domains; people's prose of the same register has another."""
    return [f"{WRITTEN} {name}" for name in names]


def read_written(file=HERE / "written.jsonl.gz"):
    """Rows of written.jsonl.gz; a line: register, what was asked for, and the text, normalized."""
    packed = file.read_bytes()
    if hashlib.sha256(packed).hexdigest() != WRITTEN_SHA256:
        raise SystemExit(f"{file} does not have the digest that data.py states.")
    lines = [json.loads(line) for line in gzip.decompress(packed).decode().splitlines()]
    if {line["register"] for line in lines} != set(sum(registers.WRITTEN_GROUPS.values(), [])):
        raise SystemExit(f"{file} and WRITTEN_GROUPS of registers.py name different registers.")
    return long_enough([written_row(line["register"], line["text"], line["asked"]) for line in lines])


def written_row(register, text, asked):
    (domain,) = written_domains([register])
    return {
        "text": text, "label": "machine", "generator": WRITER, "domain": domain, "language": "en",
        "source": WRITTEN, "attack": "none", "balanced": True, "licence_class": "declared-open", "pair": f"{register}: {asked}",
    }


def left_out_folds(pack):
    """One fold per domain and set of generator families: training rows hold neither; rows are indices, drawn at random."""
    rng, english = np.random.default_rng(0), pack.language == "en"
    for domain in DOMAINS:
        inside = pack.in_domain(domain) & english
        human = rng.permutation(np.where(inside & (pack.labels == 0) & pack.balanced)[0])[:MOST_HUMAN]
        for families in TOGETHER:
            made = np.isin(pack.generator, sum((GENERATORS[family] for family in families), []))
            machine = {family: np.where(inside & np.isin(pack.generator, GENERATORS[family]))[0] for family in families}
            machine = {f: rng.permutation(rows)[:MOST_MACHINE] for f, rows in machine.items() if len(rows) >= MIN_PAIR}
            if machine:
                # Rows of unstated domain could be of any, so they never train a left-out network.
                training = ~pack.left_out_with(domain) & ~made & (pack.domain != "mixed") & (pack.source != OUTSIDE)
                beside = np.where(np.isin(pack.domain, registers.ALONGSIDE.get(domain, [])))[0]
                rows = {"human": human, **machine, **({"beside": beside} if len(beside) else {})}
                yield {"domain": domain, "families": families, "training": training, "rows": rows}


def sentences(text):
    return [s for s in SENTENCE_END.split(text) if s and s.strip()]


def pieces(text):
    """The text cut at sentence ends, separators kept; what is longer than a window is cut at a space, or anywhere."""
    starts = [0] + [match.end() for match in SENTENCE_END.finditer(text)] + [len(text)]
    for start, end in zip(starts, starts[1:]):
        while end - start > WINDOW:
            space = text.rfind(" ", start + WINDOW // 2, start + WINDOW)
            cut = start + WINDOW if space < 0 else space + 1
            yield text[start:cut]
            start = cut
        if end > start:
            yield text[start:end]


def windows(text):
    """Character ranges [start, end) of about equal length, at most WINDOW long, that end where a piece ends; none of spaces alone."""
    ends = np.cumsum([len(piece) for piece in pieces(text)]).tolist()
    start, found = 0, []
    while len(text) - start > WINDOW:
        ideal = start + (len(text) - start) / math.ceil((len(text) - start) / WINDOW)
        within = [e for e in ends if start + MIN_CHARACTERS <= e <= min(start + WINDOW, len(text) - MIN_CHARACTERS)]
        # Without such an end, the last one that still fits.
        within = within or [max(e for e in ends if start < e <= start + WINDOW)]
        cut = min(within, key=lambda e: abs(e - ideal))
        found.append((start, cut))
        start = cut
    return [(start, end) for start, end in [*found, (start, len(text))] if text[start:end].strip()]


def first_sentences(text, at_least=200):
    """The text up to the first sentence end after `at_least` characters."""
    taken = ""
    for sentence in sentences(text):
        taken = f"{taken} {sentence}".strip()
        if len(taken) >= at_least:
            break
    return taken


NOUNS = "river engine garden teacher window winter market letter station doctor forest kitchen".split()
VERBS = "opens carries follows repairs watches describes keeps forgets reaches crosses".split()
PLAIN = "well no i mean it was kind of odd but we went anyway and got lost twice".split()
LOFTY = "moreover this highlights the importance of fostering a nuanced understanding of progress".split()


def fixture():
    """A made-up pack for the smoke check: two word orders that differ by class. Its figures mean nothing."""
    rng = random.Random(SEED)
    rows = []
    places = [(d, s) for s, ds in {
        "alpha": ["fiction_wp", "review_yelp"], "l2r": ["l2r_newsarticle"], "outfox_valid": ["essay_student"],
    }.items() for d in ds]
    for domain, source in places:
        for generator in ("human", "gpt-3.5-turbo", "gpt-4-turbo"):
            for number in range(MIN_PAIR):
                flavor = PLAIN if generator == "human" else LOFTY
                said = [
                    f"The {rng.choice(NOUNS)} {rng.choice(VERBS)} the {rng.choice(NOUNS)} "
                    f"{' '.join(rng.sample(flavor, 4))}." for _ in range(rng.randint(5, 14))
                ]
                rows.append({
                    "text": " ".join(said), "label": "human" if generator == "human" else "machine",
                    "generator": generator, "domain": domain, "language": "en", "source": source, "attack": "none",
                    "pair": f"{domain}{number}", "balanced": True,
                    "licence_class": "declared-open" if source != "alpha" else "none-stated",
                })
    rows += [{**row, "domain": domain, "source": source, "pair": f"{domain}{number}"}
             for domain, source in (("government", PACKAGES), ("letters", OUTSIDE))
             for number, row in enumerate(r for r in rows[:3 * MIN_PAIR] if r["label"] == "human")]
    made = [row["text"] for row in rows if row["label"] == "machine"]
    rows += [written_row(register, rng.choice(made), f"{number}")
             for registers_of in registers.WRITTEN_GROUPS.values() for register in registers_of for number in range(5)]
    return Pack(rows)
