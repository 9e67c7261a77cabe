"""Frames of clips, and what the network for the whole picture of attestd-image sees in them."""
import gzip
import io
import json
import pathlib
import subprocess
from multiprocessing import Pool

import numpy as np
import onnxruntime
from PIL import Image

import encoder
import heads

IMAGES = pathlib.Path(__file__).resolve().parents[2] / 'attestd-image'
# Another head over the same encoder: that of openly licensed pictures.
OPEN_IMAGES = IMAGES.with_name('attestd-image-open')
# Where the frames lie, as shares of a clip's frames, not of its time: the rate tells the label.
PLACES = (5 / 16, 11 / 16)
# What the package's manifest states as `border`: marks in corners tell the source.
BORDER = 0.1
SHORT_SIDE = 720
# Both labels are coded alike once more.
QUALITY = 93
SHARD = 16


def count_of(file):
    command = ['ffprobe', '-v', 'error', '-select_streams', 'v:0', '-count_packets', '-show_entries', 'stream=nb_read_packets', '-of', 'json']
    done = subprocess.run([*command, str(file)], check=True, capture_output=True)
    return int(json.loads(done.stdout)['streams'][0]['nb_read_packets'])


def frames_of(file, crop):
    """The frames at PLACES, of the cell `crop` (x:y:width:height) where the file shows several."""
    count = count_of(file)
    wanted = '+'.join(f'eq(n,{place})' for place in sorted({int(share * count) for share in PLACES}))
    x, y, width, height = crop.split(':') if crop else (0, 0, 'iw', 'ih')
    size = f"scale='if(gt(iw,ih),-2,min(iw,{SHORT_SIDE}))':'if(gt(iw,ih),min(ih,{SHORT_SIDE}),-2)':flags=bicubic"
    command = ['ffmpeg', '-v', 'error', '-nostdin', '-threads', '1', '-i', str(file), '-an', '-sn', '-vf', f"select='{wanted}',crop={width}:{height}:{x}:{y},{size}",
               '-vsync', '0', '-f', 'image2pipe', '-c:v', 'ppm', '-pix_fmt', 'rgb24', '-']
    stream = io.BytesIO(subprocess.run(command, check=True, capture_output=True).stdout)
    while stream.tell() < len(stream.getbuffer()):
        kind, size, largest = (stream.readline() for _ in range(3))
        width, height = map(int, size.split())
        yield np.frombuffer(stream.read(width * height * 3), np.uint8).reshape(height, width, 3)


def square(frame):
    """The middle of a frame without its borders, as the encoder takes it."""
    top, left = (round(side * BORDER) for side in frame.shape[:2])
    inner = frame[top : frame.shape[0] - top, left : frame.shape[1] - left]
    side = min(inner.shape[:2])
    top, left = ((length - side) // 2 for length in inner.shape[:2])
    cut = Image.fromarray(inner[top : top + side, left : left + side]).resize((encoder.SIDE, encoder.SIDE), Image.BICUBIC)
    coded = io.BytesIO()
    cut.save(coded, 'JPEG', quality=QUALITY, subsampling=0)
    return np.asarray(Image.open(coded))


def network(file):
    """A network on one thread, from its bytes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(file, options)


def networks():
    """The encoder and the head of attestd-image, and how pixels are normalized."""
    manifest = json.loads((IMAGES / 'detector.json').read_text())
    files = gzip.decompress((IMAGES / manifest['runtime']['whole']).read_bytes()), (IMAGES / manifest['runtime']['head']).read_bytes()
    return *(network(file) for file in files), manifest['preprocessing']['normalize']


def judged_by(images, found):
    """What `features` found, with the logits of the head of another package over the same encoder."""
    judge = network((images / 'head.onnx').read_bytes())
    return {name: np.array([np.concatenate([each, *judge.run(['logit'], {'features': each[None]})]) for each in values[:, :-1]])
            for name, values in found.items()}


def observe(job):
    """Writes features and, behind them, the picture's logit of the frames of some clips; one that cannot be read is left out."""
    target, clips = job
    encode, judge, normalize = networks()
    found = {}
    for name, file, crop in clips:
        try:
            squares = [square(frame) for frame in frames_of(file, crop)]
        except (subprocess.CalledProcessError, ValueError, KeyError, IndexError) as error:
            print(f'{file}: {error}', flush=True)
            continue
        described = [encode.run(['features'], {'pixels': heads.pixels(each, **normalize)})[0] for each in squares]
        seen = [np.concatenate([*features, *judge.run(['logit'], {'features': features})]) for features in described]
        if seen:
            found[name] = np.array(seen, np.float32)
    partial = target.with_suffix('.part.npz')
    np.savez(partial, **found)
    partial.rename(target)


def features(folder, rows, work, processes):
    """What `observe` found in each clip, [frames, features and logit] by its id; kept in `work`."""
    (work / 'seen').mkdir(parents=True, exist_ok=True)
    shards = [rows[at : at + SHARD] for at in range(0, len(rows), SHARD)]
    jobs = [(work / 'seen' / f'{number:04d}.npz', [(row['id'], folder / row['path'], row['crop']) for row in shard])
            for number, shard in enumerate(shards)]
    todo = [job for job in jobs if not job[0].exists()]
    print(f'seen: {len(todo)} of {len(jobs)} shards to do', flush=True)
    with Pool(processes) as pool:
        for _ in pool.imap_unordered(observe, todo):
            pass
    return {name: values for target, _ in jobs for name, values in np.load(target).items()}
