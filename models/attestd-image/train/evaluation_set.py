"""Writes the files that the detector is judged on: both halves of the sources, as found and as a site would store them.

    python3 evaluation_set.py --originals DIR --pack DIR --out DIR

OUT/index.csv has path, label, source, generator, family, kind, licence, fold (A, B) and form (native, web); OUT
is what `attestd models eval --data OUT/index.csv` takes.
"""

import argparse
import csv
import pathlib
import random
import shutil

import cv2
import numpy as np

import augment
import prepare
import sources

COLUMNS = ("path", "label", "source", "generator", "family", "kind", "licence", "fold", "form")
# As the outside judges make theirs: short side, px, and the codings of the web.
WEB_SHORT, WEB_QUALITY = (112, 448), (50, 95)


def web_file(picture, stem, rng):
    """The picture reduced and coded, as JPEG or WebP; the name of the file it was written to."""
    short = min(picture.shape[:2])
    scale = min(1, rng.randint(*WEB_SHORT) / short)
    size = [max(1, round(side * scale)) for side in picture.shape[1::-1]]
    smaller = prepare.lanczos(picture, *size) if rng.random() < 0.5 else cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    suffix, flag = ((".webp", cv2.IMWRITE_WEBP_QUALITY) if rng.random() < augment.WEBP_SHARE else (".jpg", cv2.IMWRITE_JPEG_QUALITY))
    file = stem.with_suffix(suffix)
    cv2.imwrite(str(file), np.ascontiguousarray(smaller[:, :, ::-1]), [flag, rng.randint(*WEB_QUALITY)])
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("originals", "pack", "out"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    options = parser.parse_args()
    lines = []
    for form in ("native", "web"):
        (options.out / form).mkdir(parents=True, exist_ok=True)
    for index, row in enumerate(sources.read_rows(options.originals)):
        if not sources.judges(row):
            continue
        file = options.originals / row["path"]
        picture = prepare.load(file)
        if picture is None or prepare.is_cell(row, picture):
            # The pack's crop stands for it.
            file = options.pack / row["crop"]
            picture = prepare.load(file)
        elif row["repeated"]:
            continue
        native = options.out / "native" / f"{index:05d}{file.suffix}"
        shutil.copyfile(file, native)
        web = web_file(picture, options.out / "web" / f"{index:05d}", random.Random(index))
        for form, path in (("native", native), ("web", web)):
            lines.append({**{name: row[name] for name in COLUMNS[1:-1]}, "path": path.relative_to(options.out), "form": form})
    with open(options.out / "index.csv", "w") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(lines)
    print(f"{len(lines)} files of {options.out / 'index.csv'}")


if __name__ == "__main__":
    main()
