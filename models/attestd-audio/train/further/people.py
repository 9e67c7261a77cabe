#!/usr/bin/python3
"""Further clips of people, from recordings in Debian 12's packages: DIR/index.csv and DIR/clips.

    python3 people.py --out DIR        (apt-get, dpkg-deb, ffmpeg, python3-numpy; 3 GB of packages, about 7 minutes)

Clips of 1 to 4 s around speech, in a seeded order, a file of every speaker in turn, through the pack's chain: 16 kHz mono,
Opus at 48 kbit/s.
"""
import argparse
import csv
import fnmatch
import hashlib
import io
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import voice  # noqa: E402

RATE = 16000
SEED = 20261123
COLUMNS = ('path', 'label', 'source', 'system', 'licence', 'lang', 'speaker', 'duration_s', 'origin_codec', 'of')
LEAST_S, MOST_S, LEAST_SPEECH_S, LEAST_SHARE, LEAST_RMS = 1.0, 4.0, 0.8, 0.4, 0.003
SCANNED_S = 180  # of a file
# Letters, digits, pauses and dictation of prompts: too short, or no speech.
SHORT_PROMPTS = r'/(digits|letters|phonetic|silence|dictate)/'


def package(name, version, about, licence, lang, files, **more):
    """
    A row of SOURCES. `files`: what to take of the package; `inner`: what of an archive among them; `who`: an expression
    whose group is the speaker, else one speaker; `leave`: an expression of what to leave; `most`: clips of the package;
    `speaker`: of one speaker; `per_file`: of one file; `least`: bytes of a file; `raw`: ffmpeg's options where there is no header.
    """
    return {'name': name, 'version': version, 'about': about, 'licence': licence, 'lang': lang, 'files': files, 'inner': None,
            'who': None, 'leave': None, 'most': 45, 'speaker': 40, 'per_file': 1, 'least': 1, 'raw': [], **more}


SOURCES = (
    package('codec2-examples', '1.0.5-1', 'sentences for a speech codec, readers and radio amateurs', 'LGPL-2.1', 'en',
            ['*/codec2/wav/*.wav'], leave=r'/(all\.wav|hts\.)',
            who=r'wav/(hts1|hts2|forig|morig|mmt1|f2400|m2400|big_dog|cross|david|ve9qrp|vk2tpm|vk5qi|wia)', per_file=5, speaker=8),
    package('alsa-utils', '1.2.8-1', 'names of loudspeakers', 'GPL-2', 'en', ['*/sounds/alsa/*.wav'], leave='Noise'),
    package('tuxpaint-stamps-default', '2022.06.04-1', 'descriptions read by volunteers', 'GPL-2+', 'many',
            ['*_desc_??.ogg', '*_desc.ogg'], who=r'(_desc_?[a-z]{0,2})\.ogg', most=120, speaker=12, least=14000),
    package('unknown-horizons', '2019.1-6', 'notices read in a game', 'GPL-2 and others', 'many', ['*/audio/voice/*.ogg'],
            who=r'voice/(\w+)/', per_file=2),
    package('ktuberling-data', '4:22.12.3-1', 'words said by volunteers', 'GPL-2+', 'many',
            ['*/ktuberling/sounds/*/*.ogg', '*/ktuberling/sounds/*/*.opus', '*/ktuberling/sounds/*/*.wav'],
            who=r'sounds/([\w@]+)/', most=120, speaker=12, least=5000),
    package('fillets-ng-data-cs', '1.0.1-1.1', 'dialogues of a game, actors', 'GPL-2', 'cs', ['*/cs/*.ogg'],
            who=r'/[^/-]+-([a-z0-9])-[^/]*\.ogg', least=12000),
    package('fillets-ng-data-nl', '1.0.1-1.1', 'dialogues of a game, actors', 'GPL-2', 'nl', ['*/nl/*.ogg'],
            who=r'/[^/-]+-([a-z0-9])-[^/]*\.ogg', least=12000),
    package('flight-of-the-amazon-queen', '1.0.0-9', 'dialogues of a game, actors', 'Flight-of-the-Amazon-Queen-License', 'en',
            ['*/queen.1c'], inner='queen', speaker=45),
    package('drascula', '1.0+ds4-2', 'dialogues of a game, actors', 'Drascula-License', 'en', ['*/drascula/en/*.ALS'],
            who=r'/\d*([A-Z]*)\d*\.ALS', least=14000, raw=['-f', 'u8', '-ar', '11025', '-ac', '1']),
    package('uqm-voice', '0.8.0+deb-1', 'dialogues of a game, actors', 'CC BY-NC-SA 2.5', 'en', ['*-voice.uqm'],
            inner=[f'*/{who}/*.ogg' for who in ('commander', 'starbase', 'syreen', 'spathi', 'pkunk', 'druuge', 'thraddash',
                                                'melnorme', 'shofixti', 'yehat', 'zoqfotpik', 'utwig', 'supox', 'arilou')],
            who=r'3dovoice/(\w+)/', speaker=12, least=14000),
    package('0ad-data', '0.0.26-1', 'commands in ancient languages', 'CC BY-SA 3.0', 'many', ['*/public.zip'],
            inner=['audio/voice/*/civ/civ_*male_*.ogg'], who=r'voice/(\w+/civ/civ_(?:fe)?male)', speaker=25),
    package('warzone2100-data', '4.3.3-3', 'messages and scenes of a game', 'GPL-2+', 'en', ['*/base.wz'],
            inner=['audio/sequenceaudio/*', 'sequenceaudio/*', 'audio/vtoltalk/*', 'audio/trnsppil/*', 'audio/taunts/*',
                   'audio/tutorial/*', 'audio/proxmessages/*', 'audio/radclick/*'],
            who=r'(sequenceaudio|vtoltalk|trnsppil|taunt\d|tutorial|proxmessages)', per_file=3, least=9000),
    package('trigger-rally-data', '0.6.6.1-3', "co-drivers' notes", 'CC BY-SA 3.0', 'en', ['*/data.zip'], inner=['*codriver/*'],
            who=r'codriver/(\w+)/', speaker=30),
    package('hedgewars-data', '1.0.2-6', 'calls in a game, acted', 'GPL-2', 'many', ['*/voices/*/*.ogg'], who=r'voices/(\w+)/',
            leave=r'/(Robot|Singer)/', speaker=10, least=14000),
    package('linphone-common', '5.1.65-4', 'a greeting on the telephone', 'GPL-3+', 'en', ['*/linphone/hello*.wav'], per_file=4),
    package('asterisk-prompt-it-menardi-wav', '1:1.4.22+mm20110907-3.1', 'telephone prompts', 'CC BY-SA 3.0', 'it', ['*.wav'],
            leave=SHORT_PROMPTS, least=24000),
    package('asterisk-prompt-es-co', '0.20070403-2.1', 'telephone prompts', 'GPL-2+', 'es', ['*.gsm'], least=2600,
            raw=['-f', 'gsm']),
    package('asterisk-prompt-fr-armelle', '20070613-2.2', 'telephone prompts', 'GPL-2+', 'fr', ['*.gsm'], least=2600,
            raw=['-f', 'gsm']),
)


class Packages:
    """Debian's packages by apt-get with lists of its own, so that the machine's sources stay as they are."""

    def __init__(self, work):
        self.work = work
        self.config = work / 'apt.conf'
        (work / 'lists' / 'partial').mkdir(parents=True, exist_ok=True)
        (work / 'cache' / 'archives' / 'partial').mkdir(parents=True, exist_ok=True)
        (work / 'sources.list').write_text('deb http://deb.debian.org/debian bookworm main contrib non-free\n')
        self.config.write_text(f'Dir::Etc::sourcelist "{work}/sources.list";\nDir::Etc::sourceparts "-";\n'
                               f'Dir::State::lists "{work}/lists";\nDir::Cache "{work}/cache";\nAPT::Sandbox::User "root";\n')
        self.apt('update')

    def apt(self, *command):
        subprocess.run(['apt-get', '-qq', *command], check=True, cwd=self.work, env={'APT_CONFIG': str(self.config),
                                                                                     'PATH': '/usr/bin:/bin:/usr/sbin:/sbin'})

    def unpacked(self, name, version):
        """The folder with the package's files; fetched once."""
        folder = self.work / name
        if not (folder / '.done').exists():
            folder.mkdir(exist_ok=True)
            self.apt('download', f'{name}={version}')
            archive = next(self.work.glob(f'{name}_*.deb'))
            subprocess.run(['dpkg-deb', '-x', str(archive), str(folder)], check=True)
            archive.unlink()
            (folder / '.done').touch()
        return folder


def queen(data):
    """Speech of Flight of the Amazon Queen: a table of names, offsets and sizes; each .SB is an MP3."""
    count, = struct.unpack_from('>H', data, 13)
    for at in range(15, 15 + 21 * count, 21):
        name = data[at:at + 12].rstrip(b'\0').decode('latin-1')
        offset, size = struct.unpack_from('>II', data, at + 13)
        if name.endswith('.SB') and 'SSSS' not in name and size > 3500:
            yield name, data[offset:offset + size]


def files_of(source, folder):
    """(path, content) of every file that the row takes."""
    for path in sorted(folder.rglob('*')):
        name = str(path.relative_to(folder))
        if not path.is_file() or not any(fnmatch.fnmatch(name, pattern) for pattern in source['files']):
            continue
        if source['inner'] == 'queen':
            yield from queen(path.read_bytes())
        elif source['inner']:
            archive = zipfile.ZipFile(path)
            for item in archive.infolist():
                if item.file_size >= source['least'] and any(fnmatch.fnmatch(item.filename, p) for p in source['inner']):
                    yield item.filename, archive.read(item)
        elif path.stat().st_size >= source['least']:
            yield name, path.read_bytes()


def ffmpeg(options, data):
    return subprocess.run(['ffmpeg', '-v', 'error', '-threads', '1', *options], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def decoded(source, data):
    """Samples at 16 kHz mono; none where ffmpeg cannot read it."""
    raw = ffmpeg([*source['raw'], '-i', 'pipe:0', '-ac', '1', '-ar', str(RATE), '-t', str(SCANNED_S), '-f', 'f32le', 'pipe:1'], data)
    return np.frombuffer(raw[:len(raw) // 4 * 4], np.float32)


def codec_of(source, data):
    """The codec of origin, as the pack names it."""
    shown = subprocess.run(['ffprobe', '-v', 'quiet', *source['raw'], '-show_streams', '-of', 'json', '-i', 'pipe:0'], input=data,
                           stdout=subprocess.PIPE).stdout
    name = json.load(io.BytesIO(shown))['streams'][0]['codec_name']
    return 'pcm' if name.startswith(('pcm_s', 'pcm_u', 'pcm_f')) else name


def pieces(signal, rng, most):
    """Up to `most` pieces of 1 to 4 s around speech that do not overlap."""
    speech = voice.speech_frames(signal)
    on = np.flatnonzero(speech)
    if len(on) * voice.HOP < LEAST_SPEECH_S * RATE:
        return
    first = max(0, on[0] * voice.HOP - int(rng.uniform(0.05, 0.25) * RATE))
    last = min(len(signal), on[-1] * voice.HOP + int(rng.uniform(0.1, 0.3) * RATE))
    spans = [(first, last)] if last - first <= MOST_S * RATE else drawn(speech, on, rng, len(signal), most)
    kept = 0
    for start, end in spans:
        inside, piece = speech[start // voice.HOP:end // voice.HOP], signal[start:end]
        loud = np.sqrt((piece ** 2).mean()) > LEAST_RMS
        if kept < most and loud and len(piece) >= LEAST_S * RATE and inside.mean() >= LEAST_SHARE \
                and inside.sum() * voice.HOP >= LEAST_SPEECH_S * RATE:
            kept += 1
            yield piece


def drawn(speech, on, rng, length, most):
    """Spans that begin where speech does, or anywhere in it, without overlap."""
    starts = [int(i) for i in on if i == 0 or not speech[i - 1]] + rng.sample([int(i) for i in on], min(len(on), 3 * most))
    rng.shuffle(starts)
    spans = []
    for i in starts:
        start = max(0, i * voice.HOP - int(rng.uniform(0.05, 0.2) * RATE))
        end = min(length, start + int(rng.uniform(LEAST_S, MOST_S) * RATE))
        if all(end <= a or start >= b for a, b in spans):
            spans.append((start, end))
    return spans


def speaker_of(source, path):
    found = re.search(source['who'], '/' + path) if source['who'] else None
    return f"{source['name']}/{found.group(1)}" if found else source['name']


def collect(source, folder, out, seen, number):
    """Index rows of one package, whose clips are written from `number` on; `seen` holds the hashes of files taken."""
    rng = random.Random(f"{SEED} {source['name']}")
    by_speaker = {}
    for path, data in files_of(source, folder):
        if not (source['leave'] and re.search(source['leave'], '/' + path)):
            by_speaker.setdefault(speaker_of(source, path), []).append(data)
    for files in by_speaker.values():
        rng.shuffle(files)
    rows, had = [], dict.fromkeys(by_speaker, 0)
    while by_speaker and len(rows) < source['most']:
        for who in sorted(by_speaker):
            data = by_speaker[who].pop()
            room = min(source['per_file'], source['speaker'] - had[who], source['most'] - len(rows))
            digest = hashlib.sha256(data).digest()
            if room > 0 and digest not in seen:
                seen.add(digest)
                for piece in pieces(decoded(source, data), rng, room):
                    path = f'clips/{number + len(rows):05d}.opus'
                    write_clip(out / path, piece)
                    had[who] += 1
                    rows.append((path, 'real', f"{source['name']} {source['version']}: {source['about']}", '', source['licence'],
                                 source['lang'], who, f'{len(piece) / RATE:.2f}', codec_of(source, data), ''))
            if not by_speaker[who] or had[who] >= source['speaker']:
                del by_speaker[who]
    return rows


def write_clip(path, samples):
    ffmpeg(['-y', '-f', 'f32le', '-ar', str(RATE), '-ac', '1', '-i', 'pipe:0', '-c:a', 'libopus', '-b:a', '48k', str(path)],
           np.asarray(samples, np.float32).tobytes())
    if not path.exists():
        raise OSError(f'ffmpeg wrote no {path}: has it libopus?')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--work', type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / 'attestd-audio-people')
    args = parser.parse_args()
    (args.out / 'clips').mkdir(parents=True, exist_ok=True)
    args.work.mkdir(parents=True, exist_ok=True)
    packages, rows, seen = Packages(args.work.resolve()), [], set()
    for source in SOURCES:
        found = collect(source, packages.unpacked(source['name'], source['version']), args.out, seen, len(rows))
        print(f"{source['name']}: {len(found)} clips of {len({row[6] for row in found})} speakers", flush=True)
        rows += found
    with open(args.out / 'index.csv', 'w', newline='') as lines:
        csv.writer(lines).writerows([COLUMNS, *rows])


if __name__ == '__main__':
    main()
