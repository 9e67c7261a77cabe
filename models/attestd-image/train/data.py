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
# Sizes to which the pack was shrunk, px.
SIZES = (112, 128, 160, 192, 224, 256)
# Augmented versions of every training picture, beside the picture as it is.
VARIANTS = 4
# Weight of a group against the others of its class: few pictures, or far from photographs.
GROUP_WEIGHT = {"graphics": 0.15, "stell": 0.3, "freeorion": 0.5, "wallpaper": 0.5}
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
# Gathered by collect.py and never trained on: web designers' photographs, two desktops' backgrounds, and StyleGAN2.
UNSEEN_REAL = ("webtest", "phonewall")
UNSEEN_FAKE = "stylegan2"
# The pack's graphics are desktop backgrounds too: they are left out together.
KIN = {"graphics": ("graphics", "wallpaper")}
# Sources whose license is open (MIT, CC0, or as a Debian package): what the open variant is trained on.
OPEN = ("sd15", "clothing", "graphics", "opencv", "gcompris", "tuxpaint", "endless", "wesnoth", "freeorion", "stell", "wallpaper")
# Photographs whose statistics normalize the network.
NORMALIZING = ("opencv", "gcompris", "endless")
CONDITIONS = ("clean", "jpeg95", "jpeg75", "jpeg50", "half", "screenshot")


class Pack:
    """Rows of DIR/index.csv, and of EXTRA/index.csv: paths, labels (1 = machine-made), groups, how they were made.

    `made` is empty but for the fakes of fakes.py; the group of such a fake is that of the real picture.
    """

    def __init__(self, folder, extra=None):
        self.paths, labels, groups, made = [], [], [], []
        for place in [folder, extra] if extra else [folder]:
            for row in read_rows(pathlib.Path(place) / "index.csv"):
                self.paths.append(str(pathlib.Path(place) / row["path"]))
                labels.append(float(row["label"] == "fake"))
                groups.append(GROUPS.get(row["source"], row["source"]))
                made.append(row.get("made") or "")
        self.labels = np.array(labels, np.float32)
        self.groups = np.array(groups)
        self.made = np.array(made)

    def __len__(self):
        return len(self.paths)

    def of(self, *groups):
        """Mask of the rows of these groups as they were found, without home-made fakes."""
        return np.isin(self.groups, groups) & (self.made == "")


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


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
    if condition.startswith("jpeg"):
        return recompress(image, int(condition[4:]))
    if condition == "half":
        return scaled(image, 0.5)
    if condition == "screenshot":
        width, height = image.size
        left, top = round(width * 0.06), round(height * 0.09)
        shown = image.crop((left, top, width - left // 2, height - top // 2))
        return recompress(shown.resize([round(side * 1.15) for side in shown.size], Image.BILINEAR), 80)
    return image


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


def one_crop(paths, seed=None, condition="clean"):
    """One augmented random crop per path; seed None gives the picture as it is, or degraded, center crop."""
    crops = []
    for path in paths:
        image = Image.open(path).convert("RGB")
        rng = random.Random(f"{seed}:{pathlib.Path(path).name}")
        pixels = fit(degrade(image, condition) if seed is None else augment(image, rng))
        height, width = pixels.shape[:2]
        if seed is None:
            y, x = (height - CROP) // 2, (width - CROP) // 2
        else:
            y, x = rng.randint(0, height - CROP), rng.randint(0, width - CROP)
        crop = pixels[y:y + CROP, x:x + CROP]
        crops.append(crop[:, ::-1] if seed is not None and rng.random() < 0.5 else crop)
    return to_tensor(np.stack(crops))


def five_crops(path):
    """The runtime's five crops (corners and center) of one picture, [5,3,CROP,CROP]."""
    pixels = fit(Image.open(path).convert("RGB"))
    bottom, right = pixels.shape[0] - CROP, pixels.shape[1] - CROP
    corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (bottom // 2, right // 2)]
    return to_tensor(np.stack([pixels[y:y + CROP, x:x + CROP] for y, x in corners]))


def write_fixture(pack, extra, per_group=16):
    """Stand-ins for the pack and the collected pictures, made from noise, to smoke-test the recipe without any data.

    The two classes differ in noise level; figures on them mean nothing.
    """
    rng = np.random.default_rng(7)
    write_noise(pathlib.Path(pack), list(GROUPS), GENERATORS, per_group, rng)
    sources = [*NORMALIZING, "tabler", *UNSEEN_REAL, UNSEEN_FAKE]
    write_noise(pathlib.Path(extra), sources, (UNSEEN_FAKE,), per_group, rng)


def write_noise(folder, sources, fakes, per_group, rng):
    (folder / "img").mkdir(parents=True, exist_ok=True)
    with open(folder / "index.csv", "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["path", "label", "source", "made", "original"])
        for source in sources:
            group = GROUPS.get(source, source)
            for number in range(per_group):
                name = f"img/{group}-{number}.jpg"
                low = rng.uniform(0, 255, (6, 6, 3)).astype(np.uint8)
                base = np.asarray(Image.fromarray(low).resize((144, 144), Image.BICUBIC), float)
                noise = rng.normal(0, 4 if group in fakes else 12, base.shape)
                Image.fromarray(np.clip(base + noise, 0, 255).astype(np.uint8)).save(folder / name, quality=88)
                out.writerow([name, "fake" if group in fakes else "real", source, "", ""])
