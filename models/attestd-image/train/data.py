"""Training pack: index, groups, folds, augmentation and the deployment preprocessing in PIL."""

import csv
import io
import pathlib
import random

import numpy as np
import torch
from PIL import Image, ImageFilter

SHORT_SIDE = 128
CROP = 112
# Augmented versions of every training picture, beside the picture as it is.
VARIANTS = 2
# Weight of a group against the others of its class; the 57 graphics are too few for a full share.
GROUP_WEIGHT = {"graphics": 0.15}
GROUPS = {
    "DeepShield/gan-faces-256": "stylegan",
    "SupaGruen/StableDiffusion-CheatSheet": "sd15",
    "songguoxs/gpt4o-image-prompts": "nanobanana",
    "alexeygrigorev/clothing-dataset-small": "clothing",
    "DeepShield/CelebA": "celeba",
    "EliSchwartz/imagenet-sample-images": "imagenet",
    "dinablachman/FFHQ": "ffhq",
    "Debian human-made wallpapers (graphics)": "graphics",
}
GENERATORS = ("stylegan", "sd15", "nanobanana")
REAL_SOURCES = ("celeba", "ffhq", "imagenet", "clothing", "graphics")
CONDITIONS = ("clean", "jpeg75", "jpeg50", "half")


class Pack:
    """Rows of DIR/index.csv: paths, labels (1 = machine-made) and group names."""

    def __init__(self, folder, per_group=None):
        folder = pathlib.Path(folder)
        with open(folder / "index.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        taken = {}
        self.paths, self.labels, self.groups = [], [], []
        for row in rows:
            group = GROUPS[row["source"]]
            taken[group] = taken.get(group, 0) + 1
            if per_group and taken[group] > per_group:
                continue
            self.paths.append(str(folder / row["path"]))
            self.labels.append(float(row["label"] == "fake"))
            self.groups.append(group)
        self.labels = np.array(self.labels, np.float32)
        self.groups = np.array(self.groups)

    def __len__(self):
        return len(self.paths)


def balanced_weights(labels, groups):
    """Per-row weights: both classes weigh the same, and every group the same within its class."""
    weights = np.zeros(len(labels))
    for label in (0, 1):
        present = sorted(set(groups[labels == label]))
        shares = {g: GROUP_WEIGHT.get(g, 1.0) for g in present}
        for group in present:
            rows = (groups == group) & (labels == label)
            weights[rows] = shares[group] / sum(shares.values()) / rows.sum()
    return weights / weights.sum() * len(labels)


def recompress(image, quality, subsampling=2):
    """One JPEG round trip."""
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality, subsampling=subsampling)
    return Image.open(io.BytesIO(buffer.getvalue())).convert("RGB")


def scaled(image, factor, kernel=Image.LANCZOS):
    size = [max(48, round(side * factor)) for side in image.size]
    return image.resize(size, kernel)


def augment(image, rng):
    """Random window, rescale, blur and JPEG; the same distribution for both classes."""
    if rng.random() < 0.5:
        side = int(min(image.size) * rng.uniform(0.7, 1))
        x, y = rng.randint(0, image.width - side), rng.randint(0, image.height - side)
        image = image.crop((x, y, x + side, y + side))
    if rng.random() < 0.4:
        kernel = rng.choice([Image.LANCZOS, Image.BICUBIC, Image.BILINEAR])
        image = scaled(image, rng.uniform(0.5, 1), kernel)
    if rng.random() < 0.2:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 1.0)))
    if rng.random() < 0.6:
        image = recompress(image, rng.randint(45, 95), rng.choice([0, 2]))
    return image


def degrade(image, condition):
    """Test conditions of the evaluation."""
    if condition == "jpeg75":
        return recompress(image, 75)
    if condition == "jpeg50":
        return recompress(image, 50)
    return scaled(image, 0.5) if condition == "half" else image


def fit(image):
    """Short side to SHORT_SIDE, as the runtime does."""
    factor = SHORT_SIDE / min(image.size)
    size = [max(SHORT_SIDE, round(side * factor)) for side in image.size]
    # libvips takes the lanczos3 kernel for shrinking only; it enlarges bicubically whatever the kernel.
    return np.asarray(image.resize(size, Image.BICUBIC if factor > 1 else Image.LANCZOS))


def thumbnail(path):
    """8x8 colors of a picture: what is in it, with no trace of how it was made."""
    image = Image.open(path).convert("RGB").resize((8, 8), Image.BOX)
    return np.asarray(image, np.float32).reshape(-1)


def to_tensor(crops):
    """uint8 [N,H,W,3] to float [N,3,H,W] in -1..1."""
    return torch.from_numpy(np.ascontiguousarray(crops)).permute(0, 3, 1, 2).float() / 127.5 - 1


def training_crops(paths, seed):
    """One augmented random crop per path; seed None gives the picture as it is, center crop."""
    crops = []
    for path in paths:
        image = Image.open(path).convert("RGB")
        rng = random.Random(f"{seed}:{pathlib.Path(path).name}")
        pixels = fit(image if seed is None else augment(image, rng))
        height, width = pixels.shape[:2]
        if seed is None:
            y, x = (height - CROP) // 2, (width - CROP) // 2
        else:
            y, x = rng.randint(0, height - CROP), rng.randint(0, width - CROP)
        crop = pixels[y:y + CROP, x:x + CROP]
        crops.append(crop[:, ::-1] if seed is not None and rng.random() < 0.5 else crop)
    return to_tensor(np.stack(crops))


def five_crops(path, condition="clean"):
    """The runtime's five crops (corners and center) of one picture, [5,3,CROP,CROP]."""
    pixels = fit(degrade(Image.open(path).convert("RGB"), condition))
    bottom, right = pixels.shape[0] - CROP, pixels.shape[1] - CROP
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (bottom // 2, right // 2)]
    return to_tensor(np.stack([pixels[y:y + CROP, x:x + CROP] for y, x in corners]))


def write_fixture(folder, per_group=24):
    """A stand-in pack made from noise, so that the recipe can be smoke-tested without any data.

    Its two classes differ in noise level; figures on it mean nothing.
    """
    folder = pathlib.Path(folder)
    (folder / "img").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    with open(folder / "index.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["path", "label", "source"])
        for source, group in GROUPS.items():
            for number in range(per_group):
                name = f"img/{group}-{number}.jpg"
                low = rng.uniform(0, 255, (6, 6, 3)).astype(np.uint8)
                base = np.asarray(Image.fromarray(low).resize((144, 144), Image.BICUBIC), float)
                noise = rng.normal(0, 4 if group in GENERATORS else 12, base.shape)
                pixels = np.clip(base + noise, 0, 255).astype(np.uint8)
                Image.fromarray(pixels).save(folder / name, quality=88)
                out.writerow([name, "fake" if group in GENERATORS else "real", source])
