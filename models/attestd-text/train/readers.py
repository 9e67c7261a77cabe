"""Paragraphs of prose out of the files of packages, one reader for each format; each gives a list of strings."""

import html
import json
import re


def spaced(text):
    return re.sub(r"\s+", " ", text).strip()


def html_paragraphs(text):
    text = re.sub(r"(?is)<(script|style|head|pre|screen|code)\b.*?</\1>", "", text)
    # DocBook's pages have <div class="para"> for a paragraph.
    found = re.findall(r"(?is)<(?:p\b|div class=\"para\")[^>]*>(.*?)(?=<p[ >]|</p>|<h\d|<div|</div>)", text)
    return [spaced(html.unescape(re.sub("<[^>]+>", "", one))) for one in found]


def text_paragraphs(text):
    return [spaced(one) for one in re.split(r"\n\s*\n", text)]


def pod_paragraphs(text):
    prose = [one for one in re.split(r"\n\s*\n", text) if not one.startswith(("=", " ", "\t"))]
    return [spaced(re.sub(r"[A-Z]<+\s*(?:[^>|]*\|)?([^>]*?)\s*>+", r"\1", one)) for one in prose]


def fortunes(text):
    return [spaced(one) for one in text.split("\n%\n")]


def paper_paragraphs(text):
    """R Markdown and Sweave: code, headers and formulas dropped; a paragraph that still holds markup is left out."""
    text = re.sub(r"(?s)\A---\n.*?\n---\n|^```.*?^```|^<<.*?>>=.*?^@\s*$", "\n\n", text, flags=re.M)
    text = re.sub(r"(?s)\\begin\{(equation|align|verbatim|Schunk|table|figure|thebibliography)\*?\}.*?\\end\{\1\*?\}", "\n\n", text)
    text = re.sub(r"(?m)%.*$|^#+ .*$", "", text)
    text = re.sub(r"\\(?:cite\w*|ref|label|eqref|footnote)\*?(?:\[[^\]]*\])*\{[^{}]*\}|\[@[^\]]*\]", "", text)
    for _ in range(2):
        text = re.sub(r"\\(?:emph|textbf|textit|texttt|code|pkg|proglang|class|fct|textsf|package|R)\{([^{}]*)\}", r"\1", text)
    text = text.replace("``", '"').replace("''", '"').replace("~", " ").replace("\\&", "&").replace("\\R", "R")
    return [spaced(one) for one in re.split(r"\n\s*\n", text) if not re.search(r"[\\{}]|^\s*[-*|>]", one)]


def definitions(text):
    """Definition and comment of each term of an OBO file."""
    found = []
    for term in text.split("\n[Term]\n")[1:]:
        said = re.findall(r'^def: "((?:[^"\\]|\\.)*)"|^comment: (.*)$', term, flags=re.M)
        found.append(spaced(re.sub(r"\\(.)", r"\1", " ".join(one or other for one, other in said))))
    return found


def license_paragraphs(text):
    """Paragraphs of a license of the SPDX list; none that is all capitals."""
    return [one for one in text_paragraphs(json.loads(text)["licenseText"]) if not one.isupper()]


def descriptions(text):
    """The long descriptions of Debian packages, apart from what other packages of one source share."""
    found = []
    for entry in text.split("\n\n"):
        body = re.sub(r"\A.*?^Description-en:[^\n]*\n", "", entry, flags=re.S | re.M)
        found += [spaced(one) for one in re.split(r"^ \.$", body, flags=re.M) if not re.search(r"^ {2,}|^ [*-]", one, flags=re.M)]
    return found


def entries(text):
    """Indented paragraphs of a dictionary or of a game, with their links in braces opened."""
    found = [spaced(one) for one in re.split(r"\n\s*\n|%{4}", text)]
    return [re.sub(r"^<[^>]+> ", "", one.replace("{", "").replace("}", "")) for one in found]


def xml_descriptions(text):
    found = re.findall(r"(?s)<(?:\S+:)?(description|rationale)\b[^>]*>(.*?)</(?:\S+:)?\1>", text)
    return [spaced(html.unescape(re.sub("<[^>]+>", "", re.sub(r"(?s)<html:pre.*?</html:pre>", "", one)))) for _, one in found]


def conventions(text):
    return [spaced(line.partition(": ")[2] or line) for party in json.loads(text) for speech in party["speeches"]
            for line in speech.split("\n") if "applause" not in line.lower()]


def tagged(text):
    """Words with their parts of speech, a sentence on each line: paragraphs of four sentences."""
    lines = [" ".join(word.rpartition("/")[0] for word in line.split()) for line in text.split("\n") if line.strip()]
    # Some marks stand twice there.
    lines = [re.sub(r"([;?!:]) ?\1", r"\1", re.sub(r"(^| )' (.+?) '(?= |$)", r"\1'\2'", line)) for line in lines]
    plain = [re.sub(r" ([.,;:?!)])|(\() ", r"\1\2", line.replace("`` ", '"').replace(" ''", '"')) for line in lines]
    return [" ".join(plain[start:start + 4]) for start in range(0, len(plain), 4)]


def quoted(text):
    """Lines of a story in a game's data, each between backticks or quotes."""
    return [spaced(one) for one in re.findall(r'(?m)^\s*(?:description )?[`"](.+)[`"]$', text)]


def bestiary(text):
    """Descriptions of Angband's monsters and items, each over lines that begin with D:."""
    return [spaced(re.sub(r"(?m)^D:", " ", one)) for one in re.findall(r"(?m)(?:^D:.*\n?)+", text)]


def mail(text):
    """What the writer of a message said: no headers, quoted lines, signature."""
    body = text.partition("\n\n")[2].partition("\n-- \n")[0]
    lines = [line for line in body.split("\n") if not re.match(r"[>|:]|.*wrote:$|On .* wrote", line)]
    return [one for one in text_paragraphs("\n".join(lines)) if not re.search(r"<[^ ]+>|https?:|_{4}|={3}|-{4}", one)]


READ = {
    "bestiary": bestiary, "conventions": conventions, "definitions": definitions, "descriptions": descriptions, "descriptions-xml": xml_descriptions,
    "entries": entries, "fortunes": fortunes, "html": html_paragraphs, "license": license_paragraphs, "mail": mail,
    "paper": paper_paragraphs, "pod": pod_paragraphs, "quoted": quoted, "speech": text_paragraphs, "tagged": tagged,
    "text": text_paragraphs,
}
# A paragraph of these is a text by itself and is never joined with the next.
ALONE = {"definitions", "descriptions", "descriptions-xml", "entries", "fortunes"}
