"""What the encoder sees: the network for the whole picture of attestd-image, as that package carries it."""
import functools
import gzip
import json

import numpy as np
import onnxruntime
import torch

from view import PACKAGE, SEEN, View


def network(model):
    """A network on one thread, as in the daemon."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options)


class Encoder:
    """Pixels [1, 3, SIDE, SIDE] to features [1, SEEN]."""

    def __init__(self):
        runtime = json.loads((PACKAGE / 'detector.json').read_text())['runtime']
        self.given, self.features = runtime['input'], runtime['features']
        self.network = network(gzip.decompress((PACKAGE / runtime['whole']).read_bytes()))

    def __call__(self, pixels):
        return self.network.run([self.features], {self.given: pixels})[0]


class Detector:
    """The two networks of a package, by their files, and the encoder between them: a window of samples to a logit."""

    def __init__(self, view, model):
        self.view, self.model = network(str(view)), network(str(model))
        self.encoder = Encoder()

    def __call__(self, window):
        pixels, statistics = self.view.run(['pixels', 'statistics'], {'samples': window[None]})
        return float(self.model.run(None, {'features': self.encoder(pixels), 'statistics': statistics})[0].item())


@functools.cache
def looking():
    """The view and the encoder of this process, which computes on one thread."""
    torch.set_num_threads(1)
    return View().eval(), Encoder()


def seen_in(windows):
    view, encoder = looking()
    with torch.no_grad():
        pixels = view(torch.tensor(windows.astype(np.float32))).numpy()
    return np.concatenate([encoder(one[None]) for one in pixels])
