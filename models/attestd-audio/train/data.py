"""Pack and lists as rows with what is left out together, and their clips as windows."""
import csv
import itertools
import pathlib
import re
import subprocess
import tarfile

import numpy as np

import augment
import voice
from frontend import LEVEL, SAMPLES

RATE = 16000
# Rows of this fold are scored once, by a head that saw the others, and choose nothing.
OUTER = -1
# Pages of list 3, on which a detector that saw none of them has an AUC of 0.99: trained on, but left out of figures, calibration and band, which
# they would flatter.
EASY = {
    'vs-tts123/': 0, 'thuhcsi/icassp2023': 0, 'thuhcsi/interspeech2022': 0, 'Findus23/': 2, 'exercise-book-yq/': 3, 'dyoshioka-555/': 4,
    'StyleTTS/': 5,
}
# Which fold leaves out a repository of a list, with all its clips.
PAGES = {
    'FireRedTeam/': 0, 'espnet/': 0, 'Picovoice/speech-to-intent': 0, 'thuhcsi/icassp2024': 0,
    'lvc-vc/': 1, 'speechbot/': 1, '0nutation/': 1,
    'portaspeech/': 2, 'grad-tts/': 2, 'janvainer/': 2, 'ksw0306/': 2, 'anonym-demo/diffgan': 2, 'keonlee9420/': 2,
    'Picovoice/wake-word': 3, 'MobileSpeech/': 3, 'languagecodec/': 3, 'Stability-AI/': 3, 'styletts-zs/': 3, 'prosodyeval/': 3,
    'funcodec/': 3, 'kallavinka8045/': 4, 'Make-A-Voice/': 4,
    'diffvc': 5, 'styletts2/': 5, 'VCsamples/': 5, 'gemelo-ai/': 5, 'hubertsiuzdak/': 5, 'SMITH-10/': 5, 'coqui-ai/': 5,
    'bigvgan-demo/': 5, 'SJTU-': 5,
    **EASY,
    'SWivid/': OUTER, 'index-tts/': OUTER, 'zipvoice/': OUTER, 'confianza': OUTER, 'x-codec': OUTER, 'starganv2': OUTER,
    'besacier/': OUTER, 'Aria-K': OUTER, 'mindslab': OUTER,
}
# Which fold leaves out clips of the pack: (label, part of source, part of system, page, fold), the first match counts.
SOURCES = (
    ('fake', 'maskgct', '', 'maskgct', OUTER), ('fake', 'nii-yamagishi', '', 'nii', OUTER),
    ('fake', 'kan-bayashi', '', 'kan-bayashi', OUTER), ('fake', 'sherpa', 'Kokoro', 'sherpa-kokoro', OUTER),
    ('fake', 'generated here', 'flite', 'flite', OUTER), ('fake', 'sherpa', '', 'sherpa', 0), ('fake', 'Edresson', '', 'edresson', 1),
    ('fake', 'r9y9', '', 'r9y9', 2), ('fake', 'generated here', '', 'generated', 3), ('fake', 'jaywalnut', '', 'jaywalnut', 4),
    ('fake', 'jik876', '', 'jik876', 4), ('fake', 'tortoise', '', 'tortoise', 4),
    ('real', 'Common Voice', '', 'edresson-cv', OUTER), ('real', 'MLS', '', 'edresson-mls', OUTER), ('real', 'EmoDB', '', 'emodb', OUTER),
    ('real', 'MaskGCT', '', 'maskgct', OUTER), ('real', 'CSMSC/JSUT', '', 'kan-bayashi', OUTER),
    ('real', 'asterisk-core-sounds-fr', '', 'asterisk-fr', OUTER), ('real', 'asterisk', '', 'asterisk', 0),
    ('real', 'CMU ARCTIC', '', 'r9y9', 2), ('real', 'VCTK (Edr', '', 'edresson', 1), ('real', 'VCTK', '', 'vits-gt', 1),
    ('real', 'beneath', '', 'game', 1), ('real', 'festvox', '', 'festvox', 2), ('real', 'Japanese ground', '', 'r9y9', 2),
    ('real', 'LJSpeech', '', 'lj-gt', 2), ('real', 'LibriSpeech', '', 'generated', 3), ('real', 'Mycroft', '', 'mycroft', 3),
    ('real', 'tortoise', '', 'tortoise', 4),
)
# Corpora of human speech that several pages have clips of, and the only fold where these are judged; there none is trained on.
CORPORA = {'libri': 3, 'vctk': 1, 'ljspeech': 2, 'jsut': OUTER, 'csmsc': OUTER, 'mls': OUTER, 'emov': 1, 'daps': 5}
# Copies of human speech by codecs and vocoders: families of the lists, parts of systems of the pack.
COPIES = ('codec-resynthesis', 'vocoder-resynthesis', 'copy-synthesis', 'NSF vocoder', 'ClariNet', 'WaveNet (r9y9)',
          'Parallel WaveGAN (r9y9)', 'other neural vocoder')
# A synthetic clip weighs by its system, a human one by its source: as this power of their number. Copies share so much of the
# weight of the synthetic class. No more than MOST clips of one are trained on.
POWER, COPY_SHARE, MOST = 0.5, 0.1, 300
# What rows of the pack state that allows commercial use; those of the lists have a column for it. As in the lists of pictures, a
# statement of the repository counts; the terms of a synthetic voice's model were not checked.
OPEN = {'CC BY 4.0', 'CC BY-SA 3.0', 'public domain', 'BSD-like (N. Shmyrev)', 'LJSpeech public domain', 'VCTK CC BY 4.0', 'CMU ARCTIC free',
        'Apache-2.0', 'own output', 'own output (tool GPL-3)', 'own output (BSD-like tool)', 'MIT', 'BSD-3', 'CC BY 4.0 (LibriSpeech)',
        'Apache-2.0 repo (k2-fsa/sherpa); voice models have own licences'}
# What a window is: the first or the last of a clip, or one of a degraded copy.
FIRST, LAST, DEGRADED = 0, 1, 2


def base_of(system):
    """The name of a system without its variants."""
    return re.sub(r'[^a-z0-9]', '', re.split(r'[(,+:]', system.lower())[0])


def of_pack(row):
    label, made = row['label'], row['label'] == 'fake'
    *_, page, fold = next(entry for entry in SOURCES if entry[0] == label and entry[1] in row['source'] and entry[2] in row['system'])
    unit = row['system'] if made else row['source']
    return {'path': row['path'], 'made': made, 'unit': f'pack: {unit}', 'page': page, 'fold': fold, 'corpus': '' if made else unit,
            'system': row['system'] if made else '', 'family': row['system'] if made else '', 'pair': '', 'open': row.get('licence') in OPEN}


def of_list(row):
    repository, made = row['repository'], row['label'] == 'fake'
    fold = next(fold for name, fold in PAGES.items() if repository.startswith(name))
    unit = row['system'] if made else f"{repository}: {row['corpus']}"
    return {'path': row['path'], 'made': made, 'unit': f'list: {unit}', 'page': repository, 'fold': fold,
            'corpus': '' if made else row['corpus'], 'system': row['system'] if made else '', 'family': row['family'] if made else '',
            'pair': row['pair'], 'open': row.get('open') == 'yes'}


class Clips:
    """Rows of the pack's index and, after them, of the lists', as arrays."""

    def __init__(self, pack, *lists):
        self.folders = [pack, *lists]
        read = [[of(row) for row in csv.DictReader((folder / 'index.csv').open(newline=''))]
                for folder, of in ((pack, of_pack), *((each, of_list) for each in lists))]
        self.counts = [len(rows) for rows in read]
        rows = [*itertools.chain(*read)]
        column = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        self.paths, self.made, self.units, self.pages = column['path'], column['made'], column['unit'], column['page']
        self.folds, self.families, self.pairs = column['fold'], column['family'], column['pair']
        self.open = column['open']
        self.copies = self.made & np.array([any(part in family for part in COPIES) for family in self.families])
        self.bases = np.array([base_of(system) for system in column['system']])
        self.corpora = [{name for name in CORPORA if name in text.lower()} for text in column['corpus']]
        self.judged = np.array([not page.startswith(tuple(EASY)) and (made or all(CORPORA[name] == fold for name in names))
                                for page, made, names, fold in zip(self.pages, self.made, self.corpora, self.folds)])

    def __len__(self):
        return len(self.paths)

    def beside(self, fold):
        """Rows that may be trained on where a fold is judged: no page, corpus or system of it, and none of the outer ones."""
        mine = self.folds == fold
        barred = set().union(*[self.corpora[i] for i in np.flatnonzero(mine & self.judged)])
        known = np.array([bool(names & barred) for names in self.corpora]) | (self.made & np.isin(self.bases, self.bases[mine & self.made]))
        return ~mine & ~known & (self.folds != OUTER)


def weights_of(clips, rows, copy_share=COPY_SHARE):
    """What each of these clips weighs, 1 together: the classes the same, systems and sources by POWER, copies `copy_share` of theirs."""
    made, copies, units = clips.made[rows], clips.copies[rows], clips.units[rows]
    weights = np.zeros(len(rows))
    for mine, share in ((~made, 0.5), (made & ~copies, 0.5 * (1 - copy_share)), (copies, 0.5 * copy_share)):
        if mine.any():
            _, which, counts = np.unique(units[mine], return_inverse=True, return_counts=True)
            each = counts[which].astype(float) ** (POWER - 1)
            weights[mine] = share * each / each.sum()
    return weights / weights.sum()


def trained(clips, allowed, rng):
    """Rows of the mask, at most MOST of each system and source."""
    kept = [rng.permutation(np.flatnonzero(allowed & (clips.units == unit)))[:MOST] for unit in np.unique(clips.units[allowed])]
    return np.sort(np.concatenate(kept))


def pairs_of(clips, rows):
    """Places among the rows of a synthetic and a human clip of one sentence, and their weights: by root of those of the system."""
    first, second = [], []
    for name in sorted(set(clips.pairs[rows]) - {''}):
        here = np.flatnonzero(clips.pairs[rows] == name)
        human, made = here[~clips.made[rows[here]]], here[clips.made[rows[here]]]
        if len(human):
            first += [*made[:6]]
            second += [human[0]] * len(made[:6])
    _, which, counts = np.unique(clips.units[rows[np.array(first, int)]], return_inverse=True, return_counts=True)
    weights = counts[which] ** -0.5
    return np.array(first, int), np.array(second, int), weights / weights.mean() if len(weights) else weights


def unpack(pack, work):
    """The folder in which the pack's clips lie."""
    if not (pack / 'clips.tar').exists():
        return pack
    if not (work / 'clips').exists():
        with tarfile.open(pack / 'clips.tar') as archive:
            archive.extractall(work / 'clips', filter='data')
    return work / 'clips'


def decode(path):
    """A file as 16 kHz mono float32."""
    command = ['ffmpeg', '-nostdin', '-v', 'error', '-threads', '1', '-i', str(path), '-map', '0:a:0', '-ac', '1', '-ar', str(RATE), '-f', 'f32le', '-']
    return np.frombuffer(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout, np.float32)


def through_opus(signals):
    """What the pack's clips went through, so that no list is told by its codec."""
    return augment.round_trip(signals, 'opus-48')


def leveled(window):
    window = window - window.mean()
    return (window * (LEVEL / np.sqrt((window ** 2).mean() + 1e-10))).astype(np.float16)


def first_and_last(signal):
    """The first and the last window of a clip, or its only one; its start where no speech is found."""
    windows, _ = voice.windows_of(signal, SAMPLES, most=2)
    return list(windows) if len(windows) else [np.resize(signal, SAMPLES)]


def degraded(signals, rng):
    """A window of each signal, degraded."""
    changed = []
    for signal in signals:
        if len(signal) > 24000 and rng.random() < 0.4:
            count = int(rng.uniform(16000, len(signal)))
            start = rng.integers(0, len(signal) - count + 1)
            signal = signal[start:start + count]
        changed.append(augment.degrade(rng, signal, signals))
    return [rng.choice(first_and_last(signal)) for signal in coded(rng, changed)]


def coded(rng, signals):
    """Two of three signals through a random codec, telephone ones less often."""
    names = [name for name in augment.CODECS if name != 'opus-48']
    chance = np.array([0.4 if name in augment.TELEPHONE else 1.0 for name in names])
    pick = rng.choice(len(names), len(signals), p=chance / chance.sum())
    pick[rng.random(len(signals)) < 0.35] = -1
    for number, name in enumerate(names):
        chosen = np.flatnonzero(pick == number)
        if len(chosen):
            for index, signal in zip(chosen, augment.round_trip([signals[i] for i in chosen], name)):
                signals[index] = signal
    return signals
