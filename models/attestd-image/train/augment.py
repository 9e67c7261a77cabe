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
