"""Scores with one peer, in a process of its own: JSON list of inputs on stdin, one JSON score a line on file descriptor 3.

    python3 score.py NAME 3> scores

A peer may print what it likes. What it fails on gets null, told on stderr.
"""

import json
import os
import sys

from peers import PEERS


def main():
    inputs = json.load(sys.stdin)
    score = PEERS[sys.argv[1]].load()
    with os.fdopen(3, "w") as out:
        for given in inputs:
            try:
                value = score(given)
            except Exception as error:  # a peer's own fault, whatever it is
                print(f"{given[:80]}: {error!r}", file=sys.stderr)
                value = None
            print(json.dumps(None if value is None else float(value)), file=out, flush=True)


if __name__ == "__main__":
    main()
