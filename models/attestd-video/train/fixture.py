"""Made clips in the shape of the list, for --small: their figures mean nothing."""
import csv
import subprocess

# Repositories with clips of both classes; two of them are outer ones.
REPOSITORIES = ('made/one', 'made/two', 'made/three', 'made/four', 'made/five', 'made/six', 'OpenTalker/SadTalker', 'facebookresearch/sam2')
PATTERNS = {'real': 'testsrc2=size=320x240:rate=10', 'fake': 'mandelbrot=size=256x256:rate=8'}
# Clips of a repository; of the real ones as many as make a long recording.
EACH = {'real': 4, 'fake': 2}


def write(folder):
    """Clips of one second, EACH of a repository; those that are there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for place, repository in enumerate(REPOSITORIES):
        for label, pattern in PATTERNS.items():
            for number in range(EACH[label]):
                name = f'{place}-{label}-{number}'
                made = label == 'fake'
                rows.append({
                    'id': name, 'path': f'{name}.mp4', 'label': label, 'repository': repository, 'name': name, 'crop': '',
                    'generator': f'generator {place}' if made else '-', 'family': 't2v' if made else 'real',
                    'kind': ('people-face', 'scene')[number % 2], 'pair': f'{place}' if number == 0 else '', 'open': ('yes', 'no')[place % 2],
                    'fps': 10 - 2 * made, 'seconds': 1, 'bytes': 1000, 'width': 320, 'height': 240,
                })
                clip(folder / rows[-1]['path'], pattern, place + 20 * number)
    with (folder / 'index.csv').open('w', newline='') as lines:
        index = csv.DictWriter(lines, list(rows[0]))
        index.writeheader()
        index.writerows(rows)


def clip(file, pattern, turn):
    if not file.exists():
        command = ['ffmpeg', '-v', 'error', '-nostdin', '-y', '-f', 'lavfi', '-i', pattern, '-t', '1', '-vf', f'hue=h={turn * 7}', '-pix_fmt', 'yuv420p']
        subprocess.run([*command, str(file)], check=True)
