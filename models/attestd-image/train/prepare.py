"""Decodes the originals and keeps what is learned from: the middle of each and of a web copy, and faces."""

import json
import pathlib
import random
from multiprocessing import Pool

import numpy as np
from PIL import Image, ImageOps

import augment
import encoder
import faces

# Web copies: short side, px.
WEB_SHORT = (112, 800)
LARGEST = 5000
FACELESS = ("object", "scene", "graphic")
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


def square(picture):
    """The middle of a picture as the whole view's network takes it."""
    height, width = picture.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    cut = Image.fromarray(picture[top : top + side, left : left + side])
    return np.asarray(cut.resize((encoder.SIDE, encoder.SIDE), Image.BICUBIC))


def web_copy(picture, rng):
    """The whole picture as a site might store it: smaller, coded anew."""
    short = min(picture.shape[:2])
    low, high = min(WEB_SHORT[0], short), min(WEB_SHORT[1], short)
    scale = int(np.exp(rng.uniform(np.log(low), np.log(high)))) / short
    if scale < 0.98:
        picture = augment.resized(picture, round(picture.shape[1] * scale), round(picture.shape[0] * scale), rng)
    return np.ascontiguousarray(augment.coded(picture, rng, (50, 96)))


def original(index, row, originals, pack):
    """The picture of a row, the crop of the pack where the file shows a grid; None where it cannot be used."""
    picture = load(originals / row["path"])
    cell = picture is not None and is_cell(row, picture)
    if row["repeated"] and not cell:
        return None
    if picture is None or cell:
        picture = load(pack / row["crop"]) if row["crop"] else None
    if picture is None or min(picture.shape[:2]) < SMALLEST:
        return None
    top, left = (max(0, (side - LARGEST) // 2) for side in picture.shape[:2])
    return picture[top : top + LARGEST, left : left + LARGEST]


def squares_of(job):
    """The square of a row's picture and that of its web copy, or None."""
    picture = original(*job)
    return None if picture is None else np.stack([square(picture), square(web_copy(picture, random.Random(job[0])))])


def faces_of(job):
    """The faces of a row's picture; none is looked for where the kind of the picture shows hardly any."""
    picture = None if job[1]["kind"] in FACELESS else original(*job)
    return [] if picture is None else list(faces.squares(picture))


def each(work_of, rows, originals, pack, processes):
    jobs = [(index, row, pathlib.Path(originals), pathlib.Path(pack)) for index, row in enumerate(rows)]
    with Pool(processes) as pool:
        yield from enumerate(pool.imap(work_of, jobs, chunksize=4))


def prepare(rows, originals, pack, work, processes=2):
    """Writes squares.npy [rows, 2, SIDE, SIDE, 3] and squares.json, the rows that have them; faces.npy and faces.json."""
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "squares.json").exists():
        shape, usable = (len(rows), 2, encoder.SIDE, encoder.SIDE, 3), []
        pictures = np.lib.format.open_memmap(work / "squares.npy", "w+", np.uint8, shape)
        for index, found in each(squares_of, rows, originals, pack, processes):
            if found is not None:
                pictures[index] = found
                usable.append(index)
        pictures.flush()
        (work / "squares.json").write_text(json.dumps(usable))
    if not (work / "faces.json").exists():
        found, squares = [], []
        for index, those in each(faces_of, rows, originals, pack, processes):
            for picture, face in those:
                squares.append(picture)
                found.append({**face, "row": index})
        np.save(work / "faces.npy", np.array(squares, np.uint8).reshape(-1, faces.SQUARE, faces.SQUARE, 3))
        (work / "faces.json").write_text(json.dumps(found))
