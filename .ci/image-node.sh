#!/usr/bin/env bash
# Runs the tests of what differs between versions of Node (memory, WebAssembly, streams, arrays of halves, how code is loaded) on
# the Node of the image. Needs `npm run build`.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
# Tests run Node as another user, too.
umask 022
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
source .ci/container-bases.sh
node_folder "$(node_version)"
PATH=$work/node/bin:$PATH
node --version
node .ci/suite.mjs test/app/open test/cli/terminal test/detect/host test/detect/runtimes test/lab/import test/queue/embedded
