"""Image list 3: its rows, the half each is on, and the pictures behind them."""

import csv
import pathlib
import random

import prepare
import sources

# Sources of the list that the pack lacks, in halves of which each judges what learned from the other one.
HALVES = {
    "A": set("""
dotnet/eShop wyrde/wyrde-comfyui-workflows muset-ai/awesome-nanobanana2 HiAPIAI/awesome-gpt-image-2-prompts
Azure-Samples/cognitive-services-sample-data-files dusty-nv/jetson-inference nicokaiser/hugo-theme-gallery
drewnoakes/metadata-extractor-images debian/opencv-doc debian/opencv-src
""".split()),
    "B": set("""
Haidra-Org/hordelib brycedrennan/imaginAIry freestylefly/awesome-gpt-image-2 kaivalyagandhi/ai-or-not-game
EdjeElectronics/TensorFlow-Object-Detection-API-Tutorial-Train-Multiple-Objects-Windows-10 MicrosoftLearning/mslearn-ai-vision
fallenshock/FlowEdit vladmandic/human debian/cimg-doc
""".split()),
}
# Cells of a grid that are taken, and the rows of px in which sdnext writes the generator's name.
CELLS, BADGE = 3, 88


def fold(row):
    """`A`, `B` or `train` of a row of the list or the pack."""
    half = next((half for half, members in HALVES.items() if row["source"] in members), None)
    return half or sources.fold(row)


def judges(row):
    """Whether neither the pack nor the other half holds the source of this row."""
    return any(row["source"] in members for members in HALVES.values())


def read_rows(folder):
    """The rows of index.csv as take.py writes it, one a picture: of a grid, CELLS of its cells."""
    with open(pathlib.Path(folder) / "index.csv") as file:
        listed = list(csv.DictReader(file))
    rows = []
    for row in listed:
        row = {**row, "source": row["repository"], "fake": row["label"] == "fake"}
        row["fold"], across = fold(row), int((row["grid"] or "1x1")[0])
        cells = random.Random(row["id"]).sample(range(across**2), min(CELLS, across**2))
        rows += [{**row, "across": across, "cell": cell} for cell in cells]
    return rows


def picture(row, folder):
    """The picture of a row; None where it cannot be used."""
    found = prepare.load(pathlib.Path(folder) / row["path"])
    if found is None:
        return None
    height, width = (side // row["across"] for side in found.shape[:2])
    down, right = divmod(row["cell"], row["across"])
    found = found[down * height : (down + 1) * height, right * width : (right + 1) * width]
    if row["source"] == "vladmandic/sdnext":
        found = found[BADGE:]
    return found if min(found.shape[:2]) >= prepare.SMALLEST else None
