#!/usr/bin/env bash
# The small run of every recipe: made data, one pass, no package touched. It shows that a recipe still runs; its figures
# mean nothing. Needs no data of ../shared. Each gets a virtual environment of its own (PyTorch from PyPI brings several GB).
#
#   recipes.sh                  all of it
#   recipes.sh prepare FOLDER   only the environments, which takes minutes of waiting for PyPI
#   recipes.sh run FOLDER       the runs, in the environments that lie there
set -euo pipefail
cd "$(dirname "$0")/.."
# Beside other steps several threads would mostly wait for each other, and compute while they wait.
export OMP_NUM_THREADS=1
# Processor time of a recipe, which is the same where other steps run beside it; one that waits for ever ends some day, too.
LIMIT_S=${RECIPE_LIMIT_S:-1200}
STUCK_S=$((3 * LIMIT_S))

recipes=$(grep -l -- '--small' models/*/train/train.py)
name_of() { basename "$(dirname "$(dirname "$1")")"; }

prepare() {
  if ! dpkg -s python3-venv >/dev/null 2>&1; then
    local sudo
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
  fi
  # PyTorch brings several GB, and two recipes need the same one: it is installed once, and linked into the other.
  local recipe environment torch shared
  for recipe in $recipes; do
    environment="$1/$(name_of "$recipe")"
    torch=$(grep '^torch==' "$(dirname "$recipe")/requirements.txt" || true)
    shared="$1/$torch"
    if [ -z "$torch" ]; then python3 -m venv "$environment"
    else
      if [ ! -d "$shared" ]; then
        python3 -m venv "$shared"
        install_into "$shared" "$1" "$torch"
      fi
      cp -al "$shared" "$environment"
    fi
    install_into "$environment" "$1" -r "$(dirname "$recipe")/requirements.txt"
  done
}

# install_into ENVIRONMENT FOLDER WHAT...: by its Python, since the scripts of a linked environment name the first one's.
# What two recipes need is fetched once; what is never imported is not compiled.
install_into() { "$1/bin/python" -m pip install -q --no-compile --cache-dir "$2/cache" "${@:3}"; }

run() {
  for recipe in $recipes; do
    local python="$1/$(name_of "$recipe")/bin/python" started=$SECONDS
    (ulimit -t "$LIMIT_S" && exec timeout "$STUCK_S" "$python" "$recipe" --small --work "$1/work-$(name_of "$recipe")") >"$1/log" 2>&1 ||
      { tail -40 "$1/log"; echo "$recipe failed or took longer than $LIMIT_S s of processor time"; exit 1; }
    echo "$recipe: $((SECONDS - started)) s"
  done
}

case "${1:-}" in
prepare | run) "$1" "$2" ;;
*)
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  prepare "$folder"
  run "$folder"
  ;;
esac
