#!/usr/bin/env bash
# Runs a command as on a machine with Node and nothing else: no Redis, no ffmpeg, no browser on the path.
set -euo pipefail
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
for tool in node npm npx sh env; do ln -s "$(command -v "$tool")" "$bare/$tool"; done
PATH="$bare" "$@"
