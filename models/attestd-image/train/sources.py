"""Which pictures there are, and which of them a network may see: folds by whole sources, unseen generators left out."""

import csv
import pathlib

# Scored once, at the end. A source is a repository: both classes of it stay on one side.
OUTER = set("""
Kwai-Kolors/Kolors Tencent/HunyuanDiT kakaobrain/minDALL-E yuval-alaluf/hyperstyle yuval-alaluf/SAM
a312863063/generators-with-stylegan2 deep-floyd/IF instantX-research/InstantID huuquyet/generate-awesome-wallpapers
wuhuikai/FaceSwap iperov/DeepFaceLab haofanwang/inswapper JiahuiYu/generative_inpainting
pop-os/wallpapers elementary/wallpapers neuralchen/SimSwap clovaai/stargan-v2 openalpr/benchmarks
MohamedBakrAli/Kodak-Lossless-True-Color-Image-Suite debian/mate-backgrounds mapillary/OpenSfM JingyunLiang/SwinIR
debian/lomiri-wallpapers-16.04 debian/lomiri-wallpapers-20.04
""".split())
# What settings, fusion, calibration and band are chosen on; no network sees it either.
INNER = set("""
andygock/stable-diffusion-style-cheatsheet EnragedAntelope/Artists-SD35L sakshisalunkhe601/DeepShield-AI-Image-Detector
kakaobrain/karlo Stability-AI/StableCascade lllyasviel/IC-Light geekyutao/Inpaint-Anything Tialo/replacer
VectorSpaceLab/OmniGen jbhuang0604/SelfExSR serengil/deepface debian/plasma-workspace-wallpapers NathanUA/U-2-Net
ML72/AI-Image-Classifier-Playground NVlabs/SPADE debian/stellarium-data-art
""".split())
# Generators of the outer set that a few pictures of other sources show: these are left out of training.
UNSEEN = (
    "kolors", "hunyuan", "mindall", "sam face", "hyperstyle", "deepfloyd", "instantid", "deepfill", "inswapper",
    "landmark warp", "deepfacelab (",
)
# Machine-made only in places: their crops are those of the pack, cut where the pictures differ most.
PARTIAL_FAMILIES = {"inpaint", "swap"}
PARTIAL_SOURCES = {"luanfujun/deep-painterly-harmonization"}


def fold(row):
    """`outer`, `inner`, `train`, or None where a row must not be used at all."""
    if row["source"] in OUTER:
        return "outer"
    if any(name in row["generator"].lower() for name in UNSEEN):
        return None
    return "inner" if row["source"] in INNER else "train"


def read_rows(originals):
    """The rows of index.csv in the folder that originals.py wrote, one an original, each with `fold` and `fake` added.

    Several rows of one original are kept only where each is a cell of a grid; the caller tells that by the sizes.
    """
    with open(pathlib.Path(originals) / "index.csv") as file:
        rows = list(csv.DictReader(file))
    seen = set()
    for row in rows:
        row["fold"], row["fake"] = fold(row), row["label"] == "fake"
        row["repeated"] = row["sha1"] in seen
        seen.add(row["sha1"])
    return rows


def partial(row):
    return row["fake"] and (row["family"] in PARTIAL_FAMILIES or row["source"] in PARTIAL_SOURCES)


def group(row):
    """What is evened out within a class: a real source, or a generator of a source.

    The 162 names of one repository that has one or two pictures each count as one.
    """
    own = row["fake"] and row["source"] != "vladmandic/sdnext"
    return (row["source"], row["generator"] if own else "")


class Sampler:
    """Draws pictures of a class, groups by the 0.6th power of their size, so that no source rules."""

    POWER = 0.6

    def __init__(self, rows, members):
        groups = {}
        for member in members:
            groups.setdefault(group(rows[member]), []).append(member)
        self.groups = list(groups.values())
        self.weights = [len(each) ** self.POWER for each in self.groups]

    def draw(self, rng):
        return rng.choice(rng.choices(self.groups, self.weights)[0])
