#!/usr/bin/env bash
# Packs what `npm publish` would, installs the tarball globally with an empty prefix on a machine without a compiler, and runs it
# from an empty folder: what it holds, and that the demo of the second API scores a sample of each kind. No package needs its
# install script, and that of onnxruntime-node downloads CUDA libraries of 300 MB from another host: --ignore-scripts. Needs npm's
# registry or its cache.
set -euo pipefail
cd "$(dirname "$0")/.."
checkout=$PWD
# Compressed, in MB of 1,000,000 bytes. Four fifths are the weights.
LIMIT_MB=75

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Of a copy, which holds what `npm ci` built: packing places a shrinkwrap beside the lockfile, and other checks may run here.
mkdir "$work/checkout"
tar -c --exclude=./node_modules --exclude=./.git --exclude=./test . | tar -x -C "$work/checkout"
(cd "$work/checkout" && npm run --silent prepack && npm pack --silent --ignore-scripts --pack-destination "$work" >/dev/null)
tarball=$(echo "$work"/attestd-*.tgz)
tar -tzf "$tarball" | sed 's#^package/##' >"$work/files"

for needed in dist/cli/main.js dist/queue/embedded/empty-database.gz models/attestd-image/detector.json samples/samples.json \
  NOTICE LICENSE npm-shrinkwrap.json config/attestd.example.yaml; do
  grep -qx "$needed" "$work/files" || { echo "The package lacks $needed."; exit 1; }
done
# Licenses of what weights were trained from stay.
if grep -E '^(src|test|\.ci)/|/evaluation/|\.d\.ts$|\.map$|\.test\.' "$work/files" || grep '/train/' "$work/files" | grep -v '/LICENSE-'; then
  echo 'These files are for developers only.'
  exit 1
fi
megabytes=$(($(stat -c %s "$tarball") / 1000000))
echo "package: $(wc -l <"$work/files") files, $megabytes MB of $LIMIT_MB MB"
[ "$megabytes" -le "$LIMIT_MB" ] || exit 1

mkdir "$work/empty" "$work/home" && cd "$work/empty"
bash "$checkout/.ci/bare.sh" npm install --global --ignore-scripts --prefix "$work/installed" --no-audit --no-fund "$tarball" >"$work/log" 2>&1 ||
  { tail -20 "$work/log"; exit 1; }
# npm reads no shrinkwrap of a tarball: a library that needs a newer Node is held back by a direct dependency (package.json).
if grep -A 2 EBADENGINE "$work/log"; then exit 1; fi
attestd() { env -i HOME="$work/home" PATH="$work/installed/bin:$(dirname "$(command -v node)"):/usr/bin:/bin" attestd "$@"; }
[ "$(attestd --version)" = "$(node -p "require('$work/installed/lib/node_modules/attestd/package.json').version")" ]
node "$checkout/.ci/one-of-each-kind.mjs" "$work/installed/lib/node_modules/attestd/samples"
attestd demo --api wallet-session | tail -6
[ -z "$(ls -A)" ] || { echo "The demo left files: $(ls -A)"; exit 1; }
# As npm installs it in a project: its libraries lie next to it, where the cage of a detector process must show them.
mkdir -p "$work/project/node_modules"
mv "$work/installed/lib/node_modules/attestd" "$work/project/node_modules/attestd"
mv "$work/project/node_modules/attestd/node_modules"/* "$work/project/node_modules/"
rm -r "$work/project/node_modules/attestd/node_modules"
env -i HOME="$work/home" PATH="$PATH" node "$work/project/node_modules/attestd/dist/cli/main.js" score "$checkout/samples/moose.jpg"
echo "package installed and run (${SECONDS} s)"
