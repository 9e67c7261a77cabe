"""Trains the network of the view of faces."""

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

import faces
import network
import sources

# Pictures' side (px) and phases: steps, the length of the falling cosine they are cut from, and the rate. The phase of the
# training sources comes first; the `half` phase starts from its averaged weights, once with each half of the other sources
# beside the training ones.
PLAN = {"phase": (1500, 1500, 4e-4), "half": (800, 800, 3e-4), "side": 160}
# The head's rate is a multiple of the body's.
BATCH, HEAD, DECAY, WARM_UP = 32, 3, 0.02, 200
SMOOTHING = 0.03
# Share of fake faces that are made of real ones.
MADE_SHARE = 0.5
AVERAGING = 0.999


class Faces:
    """The prepared training faces; `draw(fake, side, rng)` gives one."""

    def __init__(self, rows, work, folds=("train",)):
        work = pathlib.Path(work)
        self.faces = json.loads((work / "faces.json").read_text())
        self.pictures = np.load(work / "faces.npy", mmap_mode="r")
        usable = {index for index, row in enumerate(rows) if row["fold"] in folds}
        members = {face: rows[self.faces[face]["row"]] for face in self.usable_faces(rows, usable)}
        self.samplers = [
            sources.Sampler(members, [face for face, row in members.items() if row["fake"] == fake]) for fake in (False, True)
        ]

    def usable_faces(self, rows, usable):
        """Faces of 48 px and more that lie mostly inside; an inpainted picture's faces may be untouched."""
        return [
            index for index, face in enumerate(self.faces)
            if face["row"] in usable and face["pad"] <= 0.35 and face["side"] >= 96
            and not (rows[face["row"]]["fake"] and rows[face["row"]]["family"] == "inpaint")
        ]

    def draw(self, fake, side, rng):
        made = fake and rng.random() < MADE_SHARE
        index = self.samplers[fake and not made].draw(rng)
        square, face = self.pictures[index], self.faces[index]
        if made:
            def another():
                other = self.samplers[0].draw(rng)
                return self.pictures[other], self.faces[other]
            square = faces.manipulated(square, face, another, rng)
        return faces.training_view(square, face, side, rng)


def fit(rows, work, plan, seed=0):
    """Trains the network of faces and writes its weights to the folder `work`; goes on from the checkpoints of a cut run.

    face-base.pt saw the training sources, face-A.pt and face-B.pt one half of the others too, and face.pt, their mean, all.
    """
    torch.set_num_threads(1)
    base = work / "face-base.pt"
    if not base.exists():
        torch.manual_seed(seed)
        torch.save(fit_phase(network.pretrained(), Faces(rows, work), plan["side"], plan["phase"], base, seed), base)
    for number, half in enumerate(sources.HALVES):
        out, seeded = work / f"face-{half}.pt", seed + 10 * (number + 1)
        if out.exists():
            continue
        torch.manual_seed(seeded)
        net = network.Network()
        net.load_state_dict(torch.load(base, weights_only=True))
        torch.save(fit_phase(net, Faces(rows, work, ("train", half)), plan["side"], plan["half"], out, seeded), out)
    save_mean([work / f"face-{half}.pt" for half in sources.HALVES], work / "face.pt")


def save_mean(files, out):
    """Writes the mean of the weights in `files`, which come from one start."""
    kept = [torch.load(file, weights_only=True) for file in files]
    torch.save({name: sum(each[name] for each in kept) / len(kept) for name in kept[0]}, out)


def fit_phase(net, views, side, phase, out, seed):
    """Averaged weights after one phase; OUT.checkpoint is kept beside what is written in the end."""
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
    checkpoint, first = pathlib.Path(f"{out}.checkpoint"), 0
    if checkpoint.exists():
        kept = torch.load(checkpoint, weights_only=True)
        first = kept["step"]
        for name, part in parts.items():
            part.load_state_dict(kept[name])
    started, losses = time.process_time(), []
    for step in range(first, steps):
        rng = random.Random(seed * 1_000_003 + step)
        labels = [0, 1] * (BATCH // 2)
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
