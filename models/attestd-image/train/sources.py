"""Which pictures there are, and which of them a network may see: whole sources are trained on or judge."""

import csv
import pathlib

# Two halves of the sources that the first networks never see. Each half judges the networks that learned from the other
# one beside the training sources. A source is a repository: both classes of it stay on one side.
HALVES = {
    "A": set("""
andygock/stable-diffusion-style-cheatsheet NVlabs/SPADE NathanUA/U-2-Net Stability-AI/StableCascade geekyutao/Inpaint-Anything
debian/stellarium-data-art sakshisalunkhe601/DeepShield-AI-Image-Detector kakaobrain/karlo Tencent/HunyuanDiT
yuval-alaluf/hyperstyle clovaai/stargan-v2 debian/lomiri-wallpapers-16.04 JingyunLiang/SwinIR iperov/DeepFaceLab
wuhuikai/FaceSwap mapillary/OpenSfM pop-os/wallpapers MohamedBakrAli/Kodak-Lossless-True-Color-Image-Suite
""".split()),
    "B": set("""
EnragedAntelope/Artists-SD35L lllyasviel/IC-Light Tialo/replacer VectorSpaceLab/OmniGen jbhuang0604/SelfExSR serengil/deepface
debian/plasma-workspace-wallpapers ML72/AI-Image-Classifier-Playground Kwai-Kolors/Kolors instantX-research/InstantID
kakaobrain/minDALL-E yuval-alaluf/SAM a312863063/generators-with-stylegan2 deep-floyd/IF haofanwang/inswapper
huuquyet/generate-awesome-wallpapers JiahuiYu/generative_inpainting elementary/wallpapers neuralchen/SimSwap
openalpr/benchmarks debian/mate-backgrounds debian/lomiri-wallpapers-20.04
""".split()),
}
# Generators of a half that a few pictures of training sources show: those go with the half.
GENERATORS = {
    "A": ("hunyuan", "hyperstyle", "landmark warp", "deepfacelab ("),
    "B": ("kolors", "instantid", "mindall", "sam face", "deepfloyd", "deepfill", "inswapper"),
}


def fold(row):
    """`A`, `B`, or `train`."""
    for half, members in HALVES.items():
        if row["source"] in members:
            return half
    for half, names in GENERATORS.items():
        if any(name in row["generator"].lower() for name in names):
            return half
    return "train"


def other(half):
    """The half that learns where this one judges."""
    return "B" if half == "A" else "A"


def judges(row):
    """Whether a row of a half is judged; those that came to it by their generator, and further files, are only learned from."""
    return bool(row["crop"]) and any(row["source"] in members for members in HALVES.values())


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
