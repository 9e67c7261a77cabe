"""Index, groups that are left out together, licences, decoding, and the conditions under which clips are heard."""
import csv
import pathlib
import subprocess
import tarfile

import numpy as np

import augment
import voice
from frontend import LEVEL, SAMPLES

RATE = 16000
# What rows are trained on as.
CLEAN, DEGRADED = 'clean', 'degraded-0'
VIEWS = (CLEAN, DEGRADED)
# Shown beside the clean figures; the titles are for reports.
TESTS = {
    'mp3-32': 'after MP3 at 32 kbit/s', 'opus-16': 'Opus at 16 kbit/s', 'aac-32': 'AAC at 32 kbit/s',
    'alaw-8k': 'telephone (8 kHz, A-law)', 'band-4k': 'band limit 4 kHz', 'noise-15': 'pink noise 15 dB below',
    'quiet': '20 dB quieter between 1 s of silence', 'room': 'reverberation',
}
PER_GROUP = 40  # clips of each group in the tests, all in the clean condition

# Rows of this fold are scored once, by the chosen recipe, and choose nothing.
OUTER = -1
# Which fold leaves a group out: (label, part of source, part of system, group, family, fold), the first match counts.
# A fold takes a page with everything on it, where there are others of its kind. Kokoro and flite share a page with inner
# systems, and the French telephone prompts a studio with the others: of the outer rows these are the easier ones.
# Families are of systems: the strict folds leave them out as wholes.
GROUPS = (
    ('fake', 'maskgct', '', 'MaskGCT', 'zero-shot', OUTER),
    ('fake', 'nii-yamagishi', '', 'NSF', 'vocoder copies', OUTER),
    ('fake', 'kan-bayashi', '', 'Parallel WaveGAN', 'vocoder copies', OUTER),
    ('fake', 'sherpa', 'Kokoro', 'Kokoro', 'StyleTTS', OUTER),
    ('fake', 'generated here', 'flite', 'flite', 'classic', OUTER),
    ('fake', 'sherpa', 'Supertonic', 'Supertonic', 'flow matching', 0),
    ('fake', 'sherpa', '', 'Piper, VITS (sherpa)', 'VITS', 0),
    ('fake', 'Edresson', '', 'YourTTS, SC-GlowTTS', 'VITS', 1),
    ('fake', 'r9y9', '', 'WaveNet, Tacotron, WORLD', 'autoregressive, parametric', 2),
    ('fake', 'LibriSpeech', '', 'Griffin-Lim, MLSA copies', 'classic', 3),
    ('fake', 'generated here', '', 'formant, diphone', 'classic', 3),
    ('fake', 'jaywalnut', '', 'VITS demo', 'VITS', 4),
    ('fake', 'jik876', '', 'HiFi-GAN demo', 'vocoder copies', 4),
    ('fake', 'tortoise', '', 'Tortoise', 'zero-shot', 4),
    ('real', 'Common Voice', '', 'Common Voice', '', OUTER),
    ('real', 'MLS', '', 'MLS', '', OUTER),
    ('real', 'EmoDB', '', 'EmoDB', '', OUTER),
    ('real', 'MaskGCT', '', 'MaskGCT prompts', '', OUTER),
    ('real', 'CSMSC/JSUT', '', 'CSMSC, JSUT', '', OUTER),
    ('real', 'asterisk-core-sounds-fr', '', 'telephone prompts (French)', '', OUTER),
    ('real', 'asterisk', '', 'telephone prompts', '', 0),
    ('real', 'CMU ARCTIC', '', 'ARCTIC', '', 0),
    ('real', 'VCTK', '', 'VCTK', '', 1),
    ('real', 'beneath-a-steel-sky', '', 'game speech', '', 1),
    ('real', 'festvox-ru', '', 'festvox-ru', '', 2),
    ('real', 'Japanese ground truth', '', 'Japanese studio', '', 2),
    ('real', 'LJSpeech', '', 'LJSpeech', '', 2),
    ('real', 'LibriSpeech', '', 'LibriSpeech', '', 3),
    ('real', 'Mycroft', '', 'wake words', '', 3),
    ('real', 'tortoise-tts', '', 'Tortoise references', '', 4),
)
# Further clips (further/): part of source or system, family, and the folds beside which they do not stand, because those hold
# systems of the same kind or the same studio. A copy also never stands beside the fold of the clip that it copies.
FURTHER = (
    ('copy: griffin_lim', 'classic', (3,)),
    ('copy: lpc', 'classic', ()),
    ('copy: world', 'autoregressive, parametric', (2,)),
    ('copy: hifigan', 'vocoder copies', (4,)),
    ('copy: ', 'vocoder copies', ()),
    ('asterisk-prompt-fr', '', (OUTER,)),
)
# Parts of a licence that make a row openly licensed, unless it also says one of the others.
OPEN = ('CC BY 4.0', 'CC BY-SA', 'CC0', 'public domain', 'Apache-2.0', 'MIT', 'BSD', 'own output', 'ARCTIC free')
CLOSED = ('rights unclear',)


class Pack:
    """Rows of index.csv, as arrays, with their samples."""

    def __init__(self, folder, per_group=None):
        with open(folder / 'index.csv', newline='') as lines:
            rows = list(csv.DictReader(lines))
        placed = [place(row) for row in rows]
        if per_group:
            seen, keep = {}, []
            for index, (name, _, _) in enumerate(placed):
                seen[name] = seen.get(name, 0) + 1
                if seen[name] <= per_group:
                    keep.append(index)
            rows, placed = [rows[i] for i in keep], [placed[i] for i in keep]
        self.rows = rows
        self.labels = np.array([int(row['label'] == 'fake') for row in rows])
        self.groups = np.array([name for name, _, _ in placed])
        self.families = np.array([family for _, family, _ in placed])
        self.folds = np.array([fold for _, _, fold in placed])
        self.sources = np.array([row['source'] for row in rows])
        self.codecs = np.array([row['origin_codec'] for row in rows])
        self.units = np.array([row['system'] if row['label'] == 'fake' else row['source'] for row in rows])
        self.dev = np.array([row['split'] == 'dev' for row in rows])
        self.english = np.array([row['lang'] == 'en' for row in rows])
        self.open = np.array([is_open(row['licence']) for row in rows])

    def __len__(self):
        return len(self.rows)

    def few(self):
        """At most PER_GROUP rows of each group, spread over it."""
        picked = []
        for group in sorted(set(self.groups)):
            rows = np.flatnonzero(self.groups == group)
            picked.append(rows[np.linspace(0, len(rows) - 1, min(PER_GROUP, len(rows))).astype(int)])
        return np.sort(np.concatenate(picked))


class Further:
    """Rows of the index.csv that further/ writes, as arrays; empty without a folder."""

    def __init__(self, folder, pack):
        self.rows = []
        if folder:
            with open(folder / 'index.csv', newline='') as lines:
                self.rows = list(csv.DictReader(lines))
        entries = [next((entry for entry in FURTHER if entry[0] in (row['system'] or row['source'])), ('', '', ()))
                   for row in self.rows]
        # A copy stands beside nothing beside which its original may not.
        origins = {f"pack:{row['path']}": {fold} for row, fold in zip(pack.rows, pack.folds)}
        origins.update({f"people:{row['path']}": {*folds} for row, (_, _, folds) in zip(self.rows, entries) if not row['of']})
        self.barred = [{*folds, *origins.get(row['of'], ())} for row, (_, _, folds) in zip(self.rows, entries)]
        self.labels = np.array([int(row['label'] == 'fake') for row in self.rows], int)
        self.families = np.array([family for _, family, _ in entries], str)
        self.codecs = np.array([row['origin_codec'] for row in self.rows], str)
        self.units = np.array([row['system'] or row['source'] for row in self.rows], str)
        self.open = np.array([is_open(row['licence']) for row in self.rows], bool)

    def __len__(self):
        return len(self.rows)

    def beside(self, folds):
        """Rows that may be trained on where these folds are judged."""
        return np.array([barred.isdisjoint(folds) for barred in self.barred], bool)


def place(row):
    for label, source, system, *placed in GROUPS:
        if row['label'] == label and source in row['source'] and system in row['system']:
            return placed
    raise ValueError(f"no group for {row['source']} {row['system']}")


def is_open(licence):
    """Whether clips under this licence may go into openly licensed weights (the recording counts, not the page)."""
    recording = licence.split(' (page:')[0]
    return any(part in recording for part in OPEN) and not any(part in recording for part in CLOSED) \
        and 'NC' not in recording


def decode(folder, work, rows):
    """Every clip as 16 kHz mono float32; decoded once, 80 files a call of ffmpeg."""
    clips, raw = work / 'clips', work / 'raw'
    raw.mkdir(parents=True, exist_ok=True)
    if not clips.exists() and (folder / 'clips.tar').exists():
        with tarfile.open(folder / 'clips.tar') as archive:
            archive.extractall(clips)
    where = clips if clips.exists() else folder
    targets = [raw / (pathlib.Path(row['path']).stem + '.f32') for row in rows]
    todo = [(where / row['path'], target) for row, target in zip(rows, targets) if not target.exists()]
    for at in range(0, len(todo), 80):
        command = ['ffmpeg', '-nostdin', '-v', 'error', '-y', '-filter_threads', '1']
        for source, _ in todo[at:at + 80]:
            command += ['-threads', '1', '-i', str(source)]
        for index, (_, target) in enumerate(todo[at:at + 80]):
            command += ['-map', f'{index}:a', '-ac', '1', '-ar', str(RATE), '-f', 'f32le', str(target)]
        subprocess.run(command, check=True)
    return [np.fromfile(target, np.float32) for target in targets]


def heard(signals, rng=None):
    """One window a clip (drawn at random with `rng`, else the first), leveled, float16; where no speech is found, its start."""
    out = np.empty((len(signals), SAMPLES), np.float16)
    for index, signal in enumerate(signals):
        windows, _ = voice.windows_of(signal, SAMPLES)
        if len(windows):
            window = windows[0] if rng is None else windows[rng.integers(len(windows))]
        else:
            window = np.resize(signal, SAMPLES)
        window = window - window.mean()
        out[index] = window * (LEVEL / np.sqrt((window ** 2).mean() + 1e-10))
    return out


def coded(rng, signals):
    """Two of three signals through a random codec, telephone ones less often."""
    names = list(augment.CODECS)
    chance = np.array([0.4 if name in augment.TELEPHONE else 1.0 for name in names])
    pick = rng.choice(len(names), len(signals), p=chance / chance.sum())
    pick[rng.random(len(signals)) < 0.35] = -1
    for number, name in enumerate(names):
        chosen = np.flatnonzero(pick == number)
        if len(chosen):
            for index, signal in zip(chosen, augment.round_trip([signals[i] for i in chosen], name)):
                signals[index] = signal
    return signals


def degraded(clips):
    rng = np.random.default_rng(100)
    signals = []
    for clip in clips:
        if len(clip) > 24000 and rng.random() < 0.4:
            count = int(rng.uniform(16000, len(clip)))
            start = rng.integers(0, len(clip) - count + 1)
            clip = clip[start:start + count]
        signals.append(augment.degrade(rng, clip, clips))
    return heard(coded(rng, signals), rng)


def windows_as(clips, name):
    """A window of each clip as one of VIEWS or TESTS, float16."""
    if name == CLEAN:
        return heard(clips)
    return degraded(clips) if name == DEGRADED else tested(clips, name)


def tested(clips, name):
    """Windows of the clips under one of TESTS."""
    rng = np.random.default_rng(7)
    level = [augment.level(clip, -23) for clip in clips]
    if name in augment.CODECS:
        return heard(augment.round_trip(level, name))
    change = {
        'band-4k': lambda clip: augment.band(clip, 0, 4000),
        'noise-15': lambda clip: clip + augment.colored_noise(rng, len(clip), 1) * clip.std() * 10 ** (-15 / 20),
        'quiet': lambda clip: np.pad(np.round(clip * 0.1 * 32767) / 32767, RATE),
        'room': lambda clip: augment.room(rng, clip),
    }[name]
    return heard([change(clip).astype(np.float32) for clip in level])
