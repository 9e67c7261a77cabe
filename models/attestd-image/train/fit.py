"""Trains the network of one view: native crops, whole pictures, or faces."""

import copy
import json
import math
import pathlib
import random
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import augment
import faces
import network
import sources
from prepare import NATIVE

# Sides (px) of each view's pictures, and its phases: steps, the length of the falling cosine they are cut from, and the
# rate. A later phase starts from the averaged weights of the one before. `kept` phases are averaged: the whole view
# overfits, and the mean of two of its phases ranked sources that neither saw better than either did. The `half` phases
# start from there, once with each half of the other sources beside the training ones; all of them are averaged.
PLANS = {
    "native": {
        "phases": ((2000, 4000, 4e-4), (1200, 1200, 2e-4), (600, 600, 1.5e-4)),
        "half": ((1600, 1600, 3e-4), (3400, 3400, 3e-4), (900, 900, 2e-4)), "kept": 1, "sides": (128, 160, 160, 192),
    },
    "whole": {"phases": ((1000, 1800, 4e-4), (400, 400, 2e-4)), "half": ((400, 400, 2e-4),), "kept": 2, "sides": (192,)},
    "face": {"phases": ((1500, 1500, 4e-4),), "half": ((800, 800, 3e-4),), "kept": 1, "sides": (160,)},
}
# The head's rate is a multiple of the body's.
BATCH, HEAD, DECAY, WARM_UP = 32, 3, 0.02, 200
SMOOTHING = 0.03
# Share of training crops that are native, of whole views that are the original's, of fake faces that are made of real ones.
NATIVE_SHARE, ORIGINAL_SHARE, MADE_SHARE = 0.55, 0.5, 0.5
AVERAGING = 0.999


class Views:
    """The prepared training pictures of one view; `draw(fake, side, rng)` gives one."""

    def __init__(self, rows, work, view, folds=("train",)):
        work = pathlib.Path(work)
        self.view, kept = view, json.loads((work / "views.json").read_text())
        self.rows, self.faces = kept["rows"], kept["faces"]
        name = {"native": "native", "whole": "whole", "face": "faces"}[view]
        self.pictures = np.load(work / f"{name}.npy", mmap_mode="r")
        usable = [index for index, row in enumerate(rows) if self.rows[index] and row["fold"] in folds]
        members = self.usable_faces(rows, set(usable)) if view == "face" else usable
        row_of = (lambda member: rows[self.faces[member]["row"]]) if view == "face" else (lambda member: rows[member])
        self.samplers = [
            sources.Sampler({member: row_of(member) for member in members}, [m for m in members if row_of(m)["fake"] == fake])
            for fake in (False, True)
        ]

    def usable_faces(self, rows, usable):
        """Faces of 48 px and more that lie mostly inside; an inpainted picture's faces may be untouched."""
        return [
            index for index, face in enumerate(self.faces)
            if face["row"] in usable and face["pad"] <= 0.35 and face["side"] >= 96
            and not (rows[face["row"]]["fake"] and rows[face["row"]]["family"] == "inpaint")
        ]

    def draw(self, fake, side, rng):
        if self.view == "face":
            return self.draw_face(fake, side, rng)
        index = self.samplers[fake].draw(rng)
        views = self.rows[index]
        if self.view == "native":
            web = rng.random() >= NATIVE_SHARE
            crop = rng.randrange(NATIVE, len(views["sizes"])) if web else rng.randrange(NATIVE)
            height, width = views["sizes"][crop]
            return augment.native_view(self.pictures[index, crop, :height, :width], side, rng, web)
        copy_of = int(rng.random() >= ORIGINAL_SHARE)
        length, turned = views["wholes"][copy_of]
        picture = self.pictures[index, copy_of, :, :length]
        return augment.whole_view(picture.transpose(1, 0, 2) if turned else picture, side, rng)

    def draw_face(self, fake, side, rng):
        made = fake and rng.random() < MADE_SHARE
        index = self.samplers[fake and not made].draw(rng)
        square, face = self.pictures[index], self.faces[index]
        if made:
            def another():
                other = self.samplers[0].draw(rng)
                return self.pictures[other], self.faces[other]
            square = faces.manipulated(square, face, another, rng)
        return faces.training_view(square, face, side, rng)


def fit(rows, work, view, plan, seed=0):
    """Trains a view and writes its weights to the folder `work`; goes on where checkpoints of a cut run lie there.

    VIEW-base.pt saw the training sources, VIEW-A.pt and VIEW-B.pt one half of the others too, and VIEW.pt, their mean, all.
    """
    torch.set_num_threads(1)
    base = work / f"{view}-base.pt"
    if not base.exists():
        fit_base(Views(rows, work, view), plan, base, seed)
    for number, half in enumerate(sources.HALVES):
        out = work / f"{view}-{half}.pt"
        if out.exists():
            continue
        net = network.Network()
        net.load_state_dict(torch.load(base, weights_only=True))
        views = Views(rows, work, view, ("train", half))
        save_mean(fit_phases(net, views, plan["sides"], plan["half"], out, seed + 10 * (number + 1)), out)
    save_mean([work / f"{view}-{half}.pt" for half in sources.HALVES], work / f"{view}.pt")


def fit_base(views, plan, out, seed):
    """Trains the phases of the training sources and writes the mean of the kept ones to `out`."""
    torch.manual_seed(seed)
    done = fit_phases(network.pretrained(), views, plan["sides"], plan["phases"], out, seed)
    save_mean(done[-plan["kept"] :], out)


def fit_phases(net, views, sides, phases, out, seed):
    """Trains phases one after the other; gives the files of their averaged weights."""
    torch.manual_seed(seed)
    done = [pathlib.Path(f"{out}.phase{number}") for number in range(len(phases))]
    for number, (phase, file) in enumerate(zip(phases, done)):
        if not file.exists():
            torch.save(fit_phase(net, views, sides, phase, f"{out}.checkpoint{number}", seed + number), file)
        net.load_state_dict(torch.load(file, weights_only=True))
    return done


def save_mean(files, out):
    """Writes the mean of the weights in `files`, which come from one start."""
    kept = [torch.load(file, weights_only=True) for file in files]
    torch.save({name: sum(each[name] for each in kept) / len(kept) for name in kept[0]}, out)


def fit_phase(net, views, sides, phase, checkpoint, seed):
    """Averaged weights after one phase."""
    steps, length, rate = phase
    net = net.to(memory_format=torch.channels_last).train()
    averaged = copy.deepcopy(net).eval()
    fresh = ("fc", "norm", "fine")
    head = [p for name, p in net.named_parameters() if name.startswith(fresh)]
    body = [p for name, p in net.named_parameters() if not name.startswith(fresh)]
    optimizer = torch.optim.AdamW([{"params": head, "lr": HEAD * rate}, {"params": body, "lr": rate}], weight_decay=DECAY)
    falling = lambda step: 0.97 * (1 + math.cos(math.pi * min(1, step / length))) / 2 + 0.03
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, (step + 1) / WARM_UP) * falling(step))
    parts = {"net": net, "averaged": averaged, "optimizer": optimizer, "schedule": schedule}
    checkpoint, first = pathlib.Path(checkpoint), 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        first = kept["step"]
        for name, part in parts.items():
            part.load_state_dict(kept[name])
    started, losses = time.process_time(), []
    for step in range(first, steps):
        rng = random.Random(seed * 1_000_003 + step)
        side, labels = rng.choice(sides), [0, 1] * (BATCH // 2)
        pictures = network.tensor([views.draw(bool(label), side, rng) for label in labels])
        wanted = torch.tensor(labels, dtype=torch.float32) * (1 - 2 * SMOOTHING) + SMOOTHING
        loss = F.binary_cross_entropy_with_logits(net(pictures), wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        average(averaged, net, min(AVERAGING, (1 + step) / (20 + step)))
        losses.append(loss.item())
        if (step + 1) % 100 == 0:
            print(f"{checkpoint} step {step + 1}: loss {np.mean(losses[-100:]):.3f}, {time.process_time() - started:.0f} s", flush=True)
        if (step + 1) % 500 == 0:
            torch.save({"step": step + 1, **{name: part.state_dict() for name, part in parts.items()}}, checkpoint)
    return averaged.state_dict()


@torch.no_grad()
def average(averaged, net, keep):
    for mean, value in zip(averaged.state_dict().values(), net.state_dict().values()):
        mean.lerp_(value, 1 - keep) if mean.dtype.is_floating_point else mean.copy_(value)
