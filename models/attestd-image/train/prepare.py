"""Decodes each original once and keeps what the networks are trained on: crops, web copies, whole views, faces."""

import json
import pathlib
import random
from multiprocessing import Pool

import cv2
import numpy as np
from PIL import Image, ImageOps

import augment
import faces
import sources

NATIVE, WEB, SIDE = 6, 3, 256
WHOLE, ASPECT = 256, 1.5
# Web copies: short side, px.
WEB_SHORT = (112, 800)
LARGEST = 5000
SMALLEST = 64
Image.MAX_IMAGE_PIXELS = 300_000_000


def load(file):
    """Upright RGB on white, or None where it cannot be read."""
    try:
        image = ImageOps.exif_transpose(Image.open(file))
        if image.mode != "RGB":
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, (255, 255, 255, 255)), image).convert("RGB")
        return np.asarray(image)
    except OSError:
        return None


def is_cell(row, picture):
    """Whether the file shows a grid of pictures, of which the pack's crop is this one: its size is not the stated one."""
    stated = sorted(int(row[name] or 0) for name in ("native_w", "native_h"))
    return bool(row["crop"]) and sorted(picture.shape[:2]) != stated


def lanczos(picture, width, height):
    return np.asarray(Image.fromarray(picture).resize((width, height), Image.LANCZOS))


def detail(crop):
    gray = crop[::2, ::2].astype(np.float32).mean(2)
    return np.abs(np.diff(gray, axis=0)).mean() + np.abs(np.diff(gray, axis=1)).mean()


def random_crop(picture, rng):
    """A crop of at most SIDE px with some detail, in the upper left of a square, and its height and width."""
    height, width = picture.shape[:2]
    rows, columns = min(SIDE, height), min(SIDE, width)
    best = None
    for _ in range(6):
        top, left = rng.randint(0, height - rows), rng.randint(0, width - columns)
        crop = picture[top : top + rows, left : left + columns]
        best = crop if best is None or detail(crop) > detail(best) else best
        if detail(best) > 2.5:
            break
    square = np.zeros((SIDE, SIDE, 3), np.uint8)
    square[:rows, :columns] = best
    return square, (rows, columns)


def whole(picture):
    """The whole picture with a short side of WHOLE px, the long one cut in the middle, lying down; its length, turned or not."""
    height, width = picture.shape[:2]
    rows, columns = min(height, int(width * ASPECT)), min(width, int(height * ASPECT))
    top, left = (height - rows) // 2, (width - columns) // 2
    picture = picture[top : top + rows, left : left + columns]
    longest = int(WHOLE * ASPECT)
    scale = WHOLE / min(rows, columns)
    size = [min(longest, max(WHOLE, round(side * scale))) for side in (columns, rows)]
    small = lanczos(picture, *size)
    turned = size[1] > size[0]
    small = small.transpose(1, 0, 2) if turned else small
    stored = np.zeros((WHOLE, longest, 3), np.uint8)
    stored[:, : small.shape[1]] = small
    return stored, (small.shape[1], turned)


def web_copy(picture, rng):
    """The whole picture as a site might store it: smaller, coded anew."""
    short = min(picture.shape[:2])
    low, high = min(WEB_SHORT[0], short), min(WEB_SHORT[1], short)
    scale = int(np.exp(rng.uniform(np.log(low), np.log(high)))) / short
    if scale < 0.98:
        picture = augment.resized(picture, round(picture.shape[1] * scale), round(picture.shape[0] * scale), rng)
    return np.ascontiguousarray(augment.coded(picture, rng, (50, 96)))


def prepare_one(job):
    """All views of one row, or None where it cannot be used."""
    index, row, originals, pack = job
    rng = random.Random(index * 7 + 1)
    picture = load(originals / row["path"])
    crop = load(pack / row["crop"]) if row["crop"] else None
    cell = picture is not None and is_cell(row, picture)
    if row["repeated"] and not cell:
        return index, None
    picture = crop if picture is None or cell else picture
    if picture is None or min(picture.shape[:2]) < SMALLEST:
        return index, None
    top, left = (max(0, (side - LARGEST) // 2) for side in picture.shape[:2])
    picture = picture[top : top + LARGEST, left : left + LARGEST]
    changed = crop if sources.partial(row) and crop is not None else picture
    crops, sizes = zip(*[random_crop(changed, rng) for _ in range(NATIVE)])
    copies = [web_copy(picture if copy == 0 else changed, rng) for copy in range(WEB)]
    web_crops, web_sizes = zip(*[random_crop(copy, rng) for copy in copies])
    wholes, shapes = zip(*[whole(picture), whole(copies[0])])
    squares = list(faces.squares(picture))
    return index, (crops + web_crops, sizes + web_sizes, wholes, shapes, squares)


def prepare(rows, originals, pack, work, processes=2):
    """Writes native.npy [rows, crops, SIDE, SIDE, 3], whole.npy, faces.npy, and views.json with sizes and places."""
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    if (work / "views.json").exists():
        return
    count, longest = len(rows), int(WHOLE * ASPECT)
    native = np.lib.format.open_memmap(work / "native.npy", "w+", np.uint8, (count, NATIVE + WEB, SIDE, SIDE, 3))
    small = np.lib.format.open_memmap(work / "whole.npy", "w+", np.uint8, (count, 2, WHOLE, longest, 3))
    views, found, squares = [None] * count, [], []
    jobs = [(index, row, pathlib.Path(originals), pathlib.Path(pack)) for index, row in enumerate(rows)]
    with Pool(processes) as pool:
        for index, view in pool.imap(prepare_one, jobs, chunksize=4):
            if view is None:
                continue
            native[index], small[index] = view[0], view[2]
            views[index] = {"sizes": [list(map(int, size)) for size in view[1]], "wholes": [[int(n), bool(t)] for n, t in view[3]]}
            for square, face in view[4]:
                squares.append(square)
                found.append({**face, "row": index})
    np.save(work / "faces.npy", np.array(squares, np.uint8).reshape(-1, faces.SQUARE, faces.SQUARE, 3))
    (work / "views.json").write_text(json.dumps({"rows": views, "faces": found}))
