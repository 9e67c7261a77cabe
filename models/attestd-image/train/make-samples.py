#!/usr/bin/python3
"""Makes the demo's sample pictures and their entries in samples.json (`npm run docs` writes the page of them).

    apt-get install python3-skimage python3-scipy && apt-get download gcompris-qt-data
    dpkg -x gcompris-qt-data_*.deb gcompris
    python3 make-samples.py --gcompris gcompris --out ../../../samples

Real pictures are photographs whose license is CC0 or public domain according to the package that
carries them; they are only cropped, resized and re-encoded here. The machine-made ones are textures
and renderings computed here; make-generated-samples.py, run after this, adds those of generators.
"""

import argparse
import json
import pathlib
import struct
import zlib

import numpy as np
import scipy.misc
import skimage
from PIL import Image

SKIMAGE = "scikit-image data (Debian python3-skimage)"
SCIPY = "scipy.misc (Debian python3-scipy)"
SCRIPT = "models/attestd-image/train/make-samples.py"
COMMONS = "https://commons.wikimedia.org/wiki/File:"
MAX_SIDE = 800
SEED = 20261120

# file, title, license, origin, extension to write
SKIMAGE_PHOTOS = [
    ("astronaut.png", "Astronaut Eileen Collins, portrait", "public-domain", "NASA", "jpg"),
    ("chelsea.png", "Chelsea the cat", "CC0-1.0", "photograph by Stefan van der Walt", "jpg"),
    ("coffee.png", "Cup of coffee on a wooden table", "CC0-1.0", "photograph by Rachel Michetti", "jpg"),
    ("rocket.jpg", "Rocket on the launch pad", "public-domain", "SpaceX", "jpg"),
    ("hubble_deep_field.jpg", "Hubble eXtreme Deep Field", "public-domain", "NASA", "jpg"),
    ("moon.png", "Surface of the moon", "public-domain", "NASA", "png"),
    ("retina.jpg", "Human retina", "CC0-1.0", "Mikael Haggstrom, Wikimedia Commons", "jpg"),
    ("brick.png", "Brick wall", "CC0-1.0", "CC0Textures", "jpg"),
    ("grass.png", "Grass", "CC0-1.0", "photograph in scikit-image, CC0", "jpg"),
    ("gravel.png", "Gravel", "CC0-1.0", "CC0Textures", "webp"),
    ("camera.png", "Photographer with a tripod", "CC0-1.0", "photograph by Lav Varshney", "jpg"),
    ("clock_motion.png", "Wall clock, blurred by motion", "public-domain", "photograph by Stefan van der Walt", "png"),
]
# stem in Debian's gcompris-qt-data, title, license, Wikimedia Commons file per debian/copyright, extension
GCOMPRIS_PHOTOS = [
    ("fish25", "Goldfish", "public-domain", "Goldfisch_1.jpg", "jpg"),
    ("bucket", "Wooden bucket", "public-domain", "Balde.PNG", "jpg"),
    ("igloo", "Ice house at a polar station", "public-domain", "Igloo.jpg", "jpg"),
    ("pan", "Cast iron pan", "public-domain", "Pfanne_(Gusseisen).jpg", "jpg"),
    ("dam2", "Dam", "public-domain", "Bekes-dam_duzzaszto.jpg", "jpg"),
    ("solar2", "Solar cooker", "CC0-1.0", "%22Sungril%22_solar_cooker_photo1.jpg", "webp"),
    ("solar4", "Solar panels", "public-domain", "Hybrid_Solar_Energy_System.jpg", "jpg"),
    ("windmill", "Chesterton windmill", "public-domain", "Chesterton_Windmill.jpg", "jpg"),
    ("hammer3", "Hammer", "public-domain", "Claw-hammer.jpg", "jpg"),
    ("multimeter2", "Multimeter", "public-domain", "Multimeter_DT-830.jpg", "jpg"),
    ("nailCutter", "Nail clipper", "public-domain", "Cortaunyas.jpg", "jpg"),
    ("screwDriver", "Screwdriver", "public-domain", "Screw_driver.jpg", "jpg"),
    ("moose", "Moose", "public-domain", "Male_Moose.jpg", "jpg"),
]


def read_resource_file(path):
    """Yields (name, bytes) of every uncompressed or zlib-compressed entry of a Qt .rcc file."""
    content = path.read_bytes()
    version, tree, data, names = struct.unpack(">IIII", content[4:20])
    node_size = 22 if version >= 2 else 14

    def name_of(offset):
        length = struct.unpack(">H", content[names + offset:names + offset + 2])[0]
        start = names + offset + 6
        return content[start:start + 2 * length].decode("utf-16-be")

    pending = [0]
    while pending:
        node = tree + pending.pop() * node_size
        name, flags = struct.unpack(">IH", content[node:node + 6])
        if flags & 2:
            count, first = struct.unpack(">II", content[node + 6:node + 14])
            pending += range(first, first + count)
        elif not flags & 4:
            offset = data + struct.unpack(">I", content[node + 10:node + 14])[0]
            size = struct.unpack(">I", content[offset:offset + 4])[0]
            body = content[offset + 4:offset + 4 + size]
            yield name_of(name), zlib.decompress(body[4:]) if flags & 1 else body


def quilt(photo, rng, tile=48, overlap=12, tiles=11):
    """Image quilting (Efros and Freeman 2001), best of random patches, blended over the overlap."""
    source = np.asarray(photo, np.float32)
    step = tile - overlap
    side = step * tiles + overlap
    canvas, weight = np.zeros((side, side, 3), np.float32), np.zeros((side, side, 1), np.float32)
    ramp = np.minimum(1, np.minimum(np.arange(tile) + 1, tile - np.arange(tile)) / overlap)
    window = np.outer(ramp, ramp)[..., None].astype(np.float32)
    for y in range(0, side - tile + 1, step):
        for x in range(0, side - tile + 1, step):
            covered = weight[y:y + tile, x:x + tile] > 0
            target = canvas[y:y + tile, x:x + tile] / np.maximum(weight[y:y + tile, x:x + tile], 1e-6)
            patches = []
            for _ in range(200):
                top = rng.integers(0, source.shape[0] - tile)
                left = rng.integers(0, source.shape[1] - tile)
                patch = source[top:top + tile, left:left + tile]
                patches.append((float((((patch - target) ** 2) * covered).sum()), top, left))
            _, top, left = min(patches)
            canvas[y:y + tile, x:x + tile] += source[top:top + tile, left:left + tile] * window
            weight[y:y + tile, x:x + tile] += window
    return Image.fromarray(np.clip(canvas / weight, 0, 255).astype(np.uint8))


def random_network_picture(seed, size=512):
    """Colors of a random small neural network over the plane (a pattern-producing network)."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[-1:1:size * 1j, -1:1:size * 1j]
    values = np.stack([x, y, np.hypot(x, y), np.sin(6 * x * y)], -1).reshape(-1, 4)
    for outputs in (24, 24, 24, 3):
        values = np.tanh(values @ rng.normal(0, 1.4, (values.shape[1], outputs)) + rng.normal(0, 0.4, outputs))
    return Image.fromarray(((values.reshape(size, size, 3) + 1) * 127.5).astype(np.uint8))


def fractal_field(rng, size, roughness):
    """Noise with a power-law spectrum, scaled to 0..1."""
    fy, fx = np.meshgrid(np.fft.fftfreq(size), np.fft.fftfreq(size), indexing="ij")
    radius = np.maximum(np.hypot(fy, fx), 1 / size)
    spectrum = np.fft.fft2(rng.normal(size=(size, size))) / radius ** roughness
    field = np.fft.ifft2(spectrum).real
    return (field - field.min()) / (field.max() - field.min())


def fractal_landscape(seed, size=640):
    """Layered ridges with haze under a fractal sky."""
    rng = np.random.default_rng(seed)
    sky = fractal_field(rng, size, 1.8)[..., None]
    picture = np.array([70, 120, 190]) * (1 - sky) + np.array([240, 225, 215]) * sky
    rows = np.arange(size)[:, None]
    for layer in range(6):
        ridge = size * (0.45 + 0.09 * layer) - 130 * (fractal_field(rng, size, 1.7)[layer] - 0.5)
        shade = fractal_field(rng, size, 1.2)[..., None] * 50
        color = np.array([125, 140, 160]) * (1 - layer / 5) + np.array([35, 55, 30]) * (layer / 5)
        picture = np.where((rows > ridge[None])[..., None], color + shade - 25, picture)
    return Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))


def limited(image):
    """RGB, longest side at most MAX_SIDE, shortest at least 300."""
    image = image.convert("RGB")
    factor = min(1, MAX_SIDE / max(image.size))
    factor = max(factor, 300 / min(image.size))
    return image if factor == 1 else image.resize([round(s * factor) for s in image.size], Image.LANCZOS)


def real_photos(gcompris):
    """Yields (stem, image, title, license, source, extension) of every photograph."""
    folder = pathlib.Path(skimage.__file__).parent / "data"
    for name, title, license_id, origin, extension in SKIMAGE_PHOTOS:
        yield name.split(".")[0], Image.open(folder / name), title, license_id, f"{origin}; {SKIMAGE}", extension
    yield "raccoon", Image.fromarray(scipy.misc.face()), "Raccoon", "public-domain", f"public-domain-image.com; {SCIPY}", "jpg"
    yield "stairs", Image.fromarray(scipy.misc.ascent().astype(np.uint8)), "Two people on a staircase", "public-domain", SCIPY, "jpg"
    wanted = {entry[0]: entry for entry in GCOMPRIS_PHOTOS}
    found = {}
    for path in sorted(gcompris.rglob("*.rcc")):
        if path.stem not in ("categorization", "explore_world_animals"):
            continue
        for name, body in read_resource_file(path):
            stem = name.rsplit(".", 1)[0]
            if stem in wanted and name.endswith(".webp"):
                target = path.with_name(name)
                target.write_bytes(body)
                found[stem] = target
    for stem, title, license_id, commons, extension in GCOMPRIS_PHOTOS:
        source = f"{COMMONS}{commons}; Debian gcompris-qt-data"
        yield title.lower().replace(" ", "-"), Image.open(found[stem]), title, license_id, source, extension


def machine_made(photos):
    """Yields (stem, image, title, extension); `photos` are the real ones by stem."""
    quilted = quilt(photos["grass"], np.random.default_rng(SEED))
    yield "quilted-grass", quilted, "Texture synthesized from the photograph grass by image quilting", "jpg"
    yield "network-pattern-1", random_network_picture(SEED + 1), "Colors of a random neural network over the plane", "jpg"
    for number in (1, 2):
        yield f"fractal-landscape-{number}", fractal_landscape(SEED + number), "Landscape rendered from fractal noise", "webp" if number == 2 else "jpg"


def save(image, path):
    """Writes JPEG, PNG or WebP below 150 kB; PNG is shrunk, the others are compressed further."""
    quality = 88
    while True:
        if path.suffix == ".png":
            image.save(path, optimize=True)
        else:
            image.save(path, quality=quality)
        if path.stat().st_size < 150_000:
            return
        quality -= 6
        if path.suffix == ".png" or quality < 60:
            image = image.resize([round(s * 0.85) for s in image.size], Image.LANCZOS)
            quality = max(quality, 76)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gcompris", type=pathlib.Path, required=True, help="unpacked gcompris-qt-data")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    entries, photos = [], {}

    def add(stem, image, title, made, license_id, source, extension):
        name = f"{stem}.{extension}"
        save(image, args.out / name)
        entries.append({
            "file": name, "title": title, "mediaType": "image", "made": made,
            "license": license_id, "source": source,
        })

    for stem, image, title, license_id, source, extension in real_photos(args.gcompris):
        photos[stem] = limited(image)
        add(stem, photos[stem], title, "real", license_id, source, extension)
    for stem, image, title, extension in machine_made(photos):
        add(stem, image, title, "machine", "made-by-script", SCRIPT, extension)
    listed = args.out / "samples.json"
    before = json.loads(listed.read_text()) if listed.exists() else []
    others = [e for e in before if e["mediaType"] != "image" or e["source"].endswith("make-generated-samples.py")]
    listed.write_text(json.dumps(entries + others, indent=2) + "\n")
    print(f"{len(entries)} pictures, {sum((args.out / e['file']).stat().st_size for e in entries) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
