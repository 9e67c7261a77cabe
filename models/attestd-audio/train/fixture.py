"""Made sounds in the shape of the pack, for --small: its figures mean nothing."""
import csv
import wave

import numpy as np

import selftest

# One system and one source a fold, and of the outer rows.
SYSTEMS = ('Edresson/YourTTS gh-pages', 'k2-fsa/sherpa gh-pages', 'maskgct/maskgct.github.io', 'neonbjb/tortoise-tts',
           'r9y9/r9y9.github.io', 'generated here from LibriSpeech')
SOURCES = ('VCTK (made)', 'Debian asterisk-core-sounds-en-g722', 'EmoDB (made)', 'tortoise-tts voices (made)',
           'Debian festvox-ru recordings', 'LibriSpeech train-clean-100 (resemble-ai/Resemblyzer)')
# Systems and sources, from the start, of which a third of the clips are in the pack's dev split.
IN_DEV = 3
# Groups of further clips: (label, source, system).
FURTHER = (('real', 'a game (made)', ''), ('real', 'asterisk-prompt-fr (made)', ''), ('fake', 'copies', 'copy: world'),
           ('fake', 'copies', 'copy: fargan'))


def write(folder, each=8):
    """Twelve groups of `each` sounds: our formant sound at other speeds; the `fake` half coarser in amplitude."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    voice = selftest.made()
    with open(folder / 'index.csv', 'w', newline='') as lines:
        index = csv.writer(lines)
        index.writerow(('path', 'label', 'source', 'system', 'split', 'licence', 'lang', 'speaker', 'duration_s',
                        'origin_codec'))
        for label, names in (('fake', SYSTEMS), ('real', SOURCES)):
            for place, name in enumerate(names):
                for number in range(each):
                    path = f"{label}-{place}-{number}.wav"
                    sound(rng, voice, label == 'fake', folder / path)
                    index.writerow((path, label, name, name if label == 'fake' else 'human',
                                    'dev' if place < IN_DEV and number % 3 == 0 else 'train', 'own output', 'en', name, 2,
                                    ('pcm', 'mp3')[number % 2]))


def write_further(folder, each=6):
    """Four groups of `each` sounds in the shape that further/ writes; the copies are of the first clips of the fixture."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(2)
    voice = selftest.made()
    with open(folder / 'index.csv', 'w', newline='') as lines:
        index = csv.writer(lines)
        index.writerow(('path', 'label', 'source', 'system', 'licence', 'lang', 'speaker', 'duration_s', 'origin_codec', 'of'))
        for place, (label, source, system) in enumerate(FURTHER):
            for number in range(each):
                path = f'further-{place}-{number}.wav'
                sound(rng, voice, label == 'fake', folder / path)
                index.writerow((path, label, source, system, 'own output', 'en', source, 2, 'pcm',
                                f'pack:real-{place}-{number}.wav' if system else ''))


def sound(rng, voice, coarse, path):
    count = int(rng.integers(20000, 40000))
    speed = rng.uniform(0.8, 1.25)
    start = rng.integers(0, 6000)
    signal = np.interp(start + np.arange(count) * speed, np.arange(len(voice)), voice)
    signal = signal + rng.uniform(0.0005, 0.005) * rng.standard_normal(count)
    if coarse:
        signal = np.round(signal * 24) / 24
    with wave.open(str(path), 'wb') as out:
        out.setparams((1, 2, 16000, 0, 'NONE', ''))
        out.writeframes((np.clip(signal, -1, 1) * 32767).astype('<i2').tobytes())
