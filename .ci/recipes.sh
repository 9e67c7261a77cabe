#!/usr/bin/env bash
# The small run of every recipe: made data, one pass, no package touched. It shows that a recipe still runs; its figures
# mean nothing. Needs no data of ../shared. Recipes whose requirements.txt names Debian's
# packages run on those; the others get a virtual environment of their own (PyTorch from PyPI brings several GB).
set -euo pipefail
cd "$(dirname "$0")/.."
export OMP_NUM_THREADS=2
LIMIT_S=${RECIPE_LIMIT_S:-600}

debian='python3-venv python3-numpy python3-scipy python3-sklearn python3-onnx python3-pil python3-torch'
if ! dpkg -s $debian >/dev/null 2>&1; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $debian >/dev/null
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for recipe in models/*/train/train.py; do
  grep -q -- '--small' "$recipe" || { echo "$recipe has no small run"; continue; }
  python=/usr/bin/python3
  if ! grep -q 'Debian 12 packages' "$(dirname "$recipe")/requirements.txt"; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q --no-cache-dir -r "$(dirname "$recipe")/requirements.txt"
    python=$work/venv/bin/python
  fi
  started=$SECONDS
  timeout "$LIMIT_S" "$python" "$recipe" --small --work "$work/$(basename "$(dirname "$(dirname "$recipe")")")" >"$work/log" 2>&1 ||
    { tail -40 "$work/log"; echo "$recipe failed or took longer than $LIMIT_S s"; exit 1; }
  echo "$recipe: $((SECONDS - started)) s"
done
