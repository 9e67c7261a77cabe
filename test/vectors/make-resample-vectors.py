"""Writes resample-vectors.json: what Pillow makes of pictures that any program can draw.

Byte n of noise is the highest byte of n * 2654435761 modulo 2**32; a ramp rises from 0 to 255 along its width; a scene has
two waves and an edge.
`digest` is the sha256 of all bytes of the result, `bytes` every `every`-th of them.

    pip install pillow==13.0.0 && python3 make-resample-vectors.py
"""

import base64
import hashlib
import json
import pathlib

from PIL import Image

KERNELS = {
    "nearest": Image.Resampling.NEAREST,
    "box": Image.Resampling.BOX,
    "linear": Image.Resampling.BILINEAR,
    "cubic": Image.Resampling.BICUBIC,
    "lanczos3": Image.Resampling.LANCZOS,
}
# Drawing, size, area of it (left, top, width, height), size of the result.
CASES = [
    ("ramp", (100, 1), (0, 0, 100, 1), (101, 1)),
    ("noise", (257, 255), (0, 0, 257, 255), (256, 256)),
    ("noise", (200, 200), (0, 0, 200, 200), (224, 224)),
    ("noise", (640, 427), (107, 0, 427, 427), (224, 224)),
    ("noise", (1000, 31), (3, 5, 990, 23), (300, 90)),
    ("noise", (97, 64), (0, 0, 97, 64), (97, 32)),
    ("noise", (64, 97), (1, 1, 60, 90), (31, 90)),
    ("noise", (9, 7), (2, 1, 5, 3), (5, 3)),
    ("noise", (1, 1), (0, 0, 1, 1), (8, 3)),
    ("scene", (700, 550), (50, 0, 550, 550), (55, 55)),
]
SHOWN = 48


def scene(x, y, channel):
    """Triangle waves of 160 and 200 px, and a square that is 60 brighter."""
    waves = abs(x % 160 - 80) + abs((y + 40 * channel) % 200 - 100)
    return waves + (60 if 200 < x < 400 and 150 < y < 350 else 0)


def drawn(drawing, width, height):
    if drawing == "ramp":
        data = bytes(x * 255 // (width - 1) for _ in range(height) for x in range(width) for _ in range(3))
    elif drawing == "scene":
        data = bytes(scene(x, y, channel) for y in range(height) for x in range(width) for channel in range(3))
    else:
        data = bytes((at * 2654435761 % 2**32) >> 24 for at in range(width * height * 3))
    return Image.frombytes("RGB", (width, height), data)


def vector(drawing, size, area, to, kernel):
    left, top, width, height = area
    cut = drawn(drawing, *size).crop((left, top, left + width, top + height))
    data = cut.resize(to, KERNELS[kernel]).tobytes()
    every = max(1, len(data) // SHOWN)
    return {
        "drawing": drawing,
        "size": size,
        "area": area,
        "to": to,
        "kernel": kernel,
        "digest": hashlib.sha256(data).hexdigest(),
        "every": every,
        "bytes": base64.b64encode(data[::every]).decode(),
    }


vectors = [vector(*case, kernel) for case in CASES for kernel in KERNELS]
lines = ",\n".join(f"  {json.dumps(each)}" for each in vectors)
pathlib.Path(__file__).with_name("resample-vectors.json").write_text(f"[\n{lines}\n]\n")
