"""What happens to a picture between a camera or a generator and a reader; the same for both classes.

Pictures are RGB arrays of bytes. `rng` is a random.Random.
"""

import cv2
import numpy as np

cv2.setNumThreads(1)

QUALITY = (50, 97)
WEBP_SHARE = 0.25
SMALLER = (cv2.INTER_AREA, cv2.INTER_CUBIC, cv2.INTER_LINEAR)
LARGER = (cv2.INTER_CUBIC, cv2.INTER_LANCZOS4, cv2.INTER_LINEAR)
SUBSAMPLING = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_422, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)


def coded(picture, rng, quality=QUALITY):
    """Through JPEG or WebP."""
    level = rng.randint(*quality)
    bgr = np.ascontiguousarray(picture[:, :, ::-1])
    if rng.random() < WEBP_SHARE:
        _, data = cv2.imencode(".webp", bgr, [cv2.IMWRITE_WEBP_QUALITY, level])
    else:
        chroma = rng.choices(SUBSAMPLING, (6, 2, 2))[0]
        _, data = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, level, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, chroma])
    return cv2.imdecode(data, cv2.IMREAD_COLOR)[:, :, ::-1]


def resized(picture, width, height, rng):
    grows = width > picture.shape[1]
    return cv2.resize(picture, (max(1, width), max(1, height)), interpolation=rng.choice(LARGER if grows else SMALLER))


def recolored(picture, rng):
    values = picture.astype(np.float32) * rng.uniform(0.8, 1.2) + rng.uniform(-15, 15)
    mean = values.mean()
    values = (values - mean) * rng.uniform(0.8, 1.2) + mean
    gray = values.mean(2, keepdims=True)
    values = gray + (values - gray) * rng.uniform(0.6, 1.4)
    return clip(values * np.array([rng.uniform(0.93, 1.07) for _ in range(3)], np.float32))


def clip(values):
    return np.clip(values, 0, 255).astype(np.uint8)


def degraded(picture, rng, coding, strength=1.0):
    """Blur, noise, color, now and then gray, and a coding with probability `coding`."""
    if rng.random() < 0.15 * strength:
        picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.3, 1.2))
    if rng.random() < 0.15 * strength:
        noise = np.random.default_rng(rng.getrandbits(32)).normal(0, rng.uniform(1, 6), picture.shape)
        picture = clip(picture + noise)
    if rng.random() < 0.4:
        picture = recolored(picture, rng)
    if rng.random() < 0.05:
        picture = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    return coded(picture, rng) if rng.random() < coding else picture


def cut(picture, side, rng):
    """A square of `side` px at a random place; what is smaller is mirrored at its edges."""
    height, width = picture.shape[:2]
    if min(height, width) < side:
        picture = cv2.copyMakeBorder(
            picture, 0, max(0, side - height), 0, max(0, side - width),
            cv2.BORDER_REFLECT_101 if min(height, width) > side // 2 else cv2.BORDER_WRAP,
        )
        height, width = picture.shape[:2]
    top, left = rng.randint(0, height - side), rng.randint(0, width - side)
    return picture[top : top + side, left : left + side]


def flipped(picture, rng, turn=False):
    if rng.random() < 0.5:
        picture = picture[:, ::-1]
    if turn and rng.random() < 0.25:
        picture = np.rot90(picture, rng.randint(1, 3))
    return np.ascontiguousarray(picture)


def native_view(picture, side, rng, web):
    """A training crop from a native crop; one of a web copy (`web`) was resized and coded already."""
    if not web and rng.random() < 0.35:
        scale = rng.uniform(0.5, 1.2)
        height, width = picture.shape[:2]
        if min(height, width) * scale >= side * 0.8:
            picture = resized(picture, round(width * scale), round(height * scale), rng)
    # Coded before the last cut, so that the blocks of the code begin anywhere.
    picture = cut(picture, min(side + rng.randint(1, 15), 256), rng)
    picture = degraded(picture, rng, coding=0.35 if web else 0.6)
    return flipped(cut(picture, side, rng), rng, turn=True)


def whole_view(picture, side, rng):
    """A training square from the reduced view of a whole picture (short side 256)."""
    height, width = picture.shape[:2]
    share, aspect = rng.uniform(0.72, 1.0), rng.uniform(0.85, 1.18)
    rows, columns = min(height, int(256 * share)), min(width, int(256 * share * aspect))
    top, left = rng.randint(0, height - rows), rng.randint(0, width - columns)
    picture = picture[top : top + rows, left : left + columns]
    if rng.random() < 0.3:
        small = rng.randint(96, 224)
        picture = cv2.resize(picture, (small, small), interpolation=cv2.INTER_AREA)
        picture = coded(picture, rng) if rng.random() < 0.5 else picture
    shrinks = picture.shape[0] > side
    picture = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA if shrinks else rng.choice(LARGER))
    return flipped(degraded(picture, rng, coding=0.4, strength=0.7), rng)
