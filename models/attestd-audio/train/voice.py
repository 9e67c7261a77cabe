"""Voice activity and windows, formula for formula what src/detect/audio does before the network."""
import numpy as np

RATE = 16000
FRAME, HOP, FFT = 400, 160, 512
FLOOR_DB, RANGE_DB, LEAST_DB = 9.0, 30.0, -55.0
HEADROOM_DB, DYNAMICS_DB = 10.0, 5.0
FLATNESS = 0.5
BAND = slice(4, 129)  # 125 to 4000 Hz in bins of 31.25 Hz
RUN, HANGOVER = 4, 8
# Of more windows so many are taken, evenly.
MOST_WINDOWS = 8
HANN = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)).astype(np.float32)


def frames_of(signal):
    """Frames of 25 ms every 10 ms, complete ones only, [frames, 400]."""
    count = 1 + (len(signal) - FRAME) // HOP
    if count < 1:
        return np.zeros((0, FRAME), np.float32)
    return np.lib.stride_tricks.as_strided(
        signal, (count, FRAME), (signal.strides[0] * HOP, signal.strides[0]), writeable=False)


def speech_frames(signal):
    """One boolean per frame."""
    frames = frames_of(np.ascontiguousarray(signal, np.float32))
    if not len(frames):
        return np.zeros(0, bool)
    energy = 10 * np.log10((frames ** 2).mean(1) + 1e-12)
    low, high = np.percentile(energy, 10), np.percentile(energy, 95)
    if high - low < DYNAMICS_DB:
        return np.zeros(len(frames), bool)
    least = max(min(low + FLOOR_DB, high - HEADROOM_DB), high - RANGE_DB, LEAST_DB)
    power = np.abs(np.fft.rfft(frames * HANN, FFT)[:, BAND]) ** 2 + 1e-12
    flatness = np.exp(np.log(power).mean(1)) / power.mean(1)
    return held((energy > least) & (flatness < FLATNESS))


def held(active):
    """Runs of at least RUN frames, each prolonged by HANGOVER frames."""
    speech = np.zeros(len(active), bool)
    start = 0
    for i in range(len(active) + 1):
        if i < len(active) and active[i]:
            continue
        if i - start >= RUN:
            speech[start:i + HANGOVER] = True
        start = i + 1
    return speech


def windows_of(signal, length, most=MOST_WINDOWS, least_share=0.4, least_speech=50):
    """(windows [n, length], share of speech in the clip); no window where there is too little speech."""
    signal = np.ascontiguousarray(signal, np.float32)
    speech = speech_frames(signal)
    if speech.sum() < least_speech:
        return np.zeros((0, length), np.float32), float(speech.mean()) if len(speech) else 0.0
    on = np.flatnonzero(speech)
    begin, end = on[0] * HOP, min(len(signal), on[-1] * HOP + FRAME)
    trimmed, flags = signal[begin:end], speech[on[0]:on[-1] + 1]
    if len(trimmed) <= length:
        return np.resize(trimmed, length)[None], float(speech.mean())
    starts = list(range(0, len(trimmed) - length + 1, length // 2))
    if starts[-1] + length < len(trimmed):
        starts.append(len(trimmed) - length)
    kept = [s for s in starts if flags[s // HOP:(s + length) // HOP].mean() >= least_share]
    if len(kept) > most:
        kept = [kept[int(i * (len(kept) - 1) / (most - 1) + 0.5)] for i in range(most)]
    return np.array([trimmed[s:s + length] for s in kept]).reshape(-1, length), float(speech.mean())
