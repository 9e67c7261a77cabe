#!/usr/bin/python3
"""Compares the daemon's scores with Python's: same files, ffmpeg and voice.py here, the daemon's own code there.

    npx attestd models eval attestd-audio --data INDEX --out OUT
    python3 parity.py --index INDEX --scores OUT/scores.csv [--write]
"""
import argparse
import csv
import json
import pathlib
import subprocess
import time

import numpy as np

import encoder
import voice

PACKAGE = pathlib.Path(__file__).resolve().parents[1]


def decoded(path):
    raw = subprocess.run(['ffmpeg', '-nostdin', '-v', 'error', '-i', str(path), '-ac', '1', '-ar', '16000', '-f', 'f32le', '-'],
                         check=True, stdout=subprocess.PIPE).stdout
    return np.frombuffer(raw, np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--index', type=pathlib.Path, required=True)
    parser.add_argument('--scores', type=pathlib.Path, required=True)
    parser.add_argument('--write', action='store_true')
    args = parser.parse_args()
    manifest = json.loads((PACKAGE / 'detector.json').read_text())
    detector = encoder.Detector(PACKAGE / manifest['runtime']['view'], PACKAGE / manifest['runtime']['model'])
    calibration, samples = manifest['calibration'], manifest['preprocessing']['window']['samples']
    gaps, abstained, spent, windows_scored = [], 0, 0.0, 0
    with open(args.scores, newline='') as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        windows, _ = voice.windows_of(decoded(args.index.parent / row['path']), samples, manifest['preprocessing']['maxWindows'])
        if not len(windows) or not row['risk']:
            abstained += bool(len(windows)) != bool(row['risk'])
            continue
        started = time.process_time()
        logits = [detector(window) for window in windows]
        spent += time.process_time() - started
        windows_scored += len(windows)
        risk = 1 / (1 + np.exp(-(calibration['slope'] * np.mean(logits) + calibration['intercept'])))
        gaps.append(abs(risk - float(row['risk'])))
    figures = {
        'files': len(rows), 'scored': len(gaps), 'abstainedByOneSideOnly': abstained,
        'largestRiskGap': round(float(max(gaps)), 5), 'medianRiskGap': round(float(np.median(gaps)), 6),
        'modelMillisecondsPerWindow': round(1000 * spent / windows_scored, 1),
    }
    print(figures)
    if args.write:
        (PACKAGE / 'evaluation' / 'runtime.json').write_text(json.dumps(figures, indent=2) + '\n')


if __name__ == '__main__':
    main()
