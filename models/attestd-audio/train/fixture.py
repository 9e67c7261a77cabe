"""Made sounds in the shape of the pack and of the lists, for --small: their figures mean nothing."""
import csv
import wave

import numpy as np

import selftest

# A system and a source of a few folds and of the outer rows, as the pack names them.
SYSTEMS = ('Edresson/YourTTS gh-pages', 'maskgct/maskgct.github.io', 'r9y9/r9y9.github.io')
SOURCES = ('VCTK (Edresson) (made)', 'EmoDB (made)', 'Debian festvox-ru recordings')
# Repositories of each list, with clips of both classes.
LISTS = (('speechbot/speechbot.github.io', 'SWivid/SWivid.github.io'), ('StyleTTS/StyleTTS.github.io',))


def write(folder, each=2):
    """Six groups of `each` sounds: our formant sound at other speeds; the `fake` half coarser in amplitude."""
    rows = [{'path': f'{label}-{place}-{number}.wav', 'label': label, 'source': name, 'system': name if label == 'fake' else 'human'}
            for label, names in (('fake', SYSTEMS), ('real', SOURCES)) for place, name in enumerate(names) for number in range(each)]
    save(folder, rows, 1)


def write_list(folder, repositories, each=2):
    """Pairs of a human and a made sound; the last made one of each repository counts as a copy."""
    rows = [{'path': f'list-{place}-{label}-{number}.wav', 'label': label, 'repository': name, 'system': f'system {place}' if label == 'fake' else '',
             'family': ('tts-ar', 'codec-resynthesis')[number == each - 1] if label == 'fake' else 'human', 'corpus': 'made', 'pair': f'{place}:{number}'}
            for place, name in enumerate(repositories) for label in ('real', 'fake') for number in range(each)]
    save(folder, rows, 2)


def save(folder, rows, seed):
    folder.mkdir(parents=True, exist_ok=True)
    rng, voice = np.random.default_rng(seed), selftest.made()
    with open(folder / 'index.csv', 'w', newline='') as lines:
        index = csv.DictWriter(lines, list(rows[0]))
        index.writeheader()
        index.writerows(rows)
    for row in rows:
        sound(rng, voice, row['label'] == 'fake', folder / row['path'])


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
