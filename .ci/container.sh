#!/usr/bin/env bash
# Builds both stages of the Dockerfile and runs the result, on a Debian machine as root without a container engine.
# It shows: each instruction works on a Debian and a Node of the versions named there; what the image holds starts, scores,
# serves and drains as uid 1000 on a read-only root, without privileges and network; its size.
# It does not show: that the two published images are what they should be, or what an engine adds (seccomp, cgroups).
set -euo pipefail
cd "$(dirname "$0")/.."
# Uncompressed, in MB of 1,000,000 bytes. Two fifths are Debian with the libraries that its ffmpeg is linked to.
LIMIT_MB=610

work=$(mktemp -d)
clean() {
  image_store umount --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap clean EXIT
image_store() { buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }
source .ci/container-bases.sh

make_bases
echo "bases made (${SECONDS} s)"
mapfile -t volumes < <(build_volumes)
image_store bud --quiet "${volumes[@]}" --isolation chroot --format docker --tag localhost/attestd \
  --build-arg NODE_IMAGE=localhost/ci-node --build-arg DEBIAN_IMAGE=localhost/ci-debian . >"$work/log" 2>&1 ||
  { tail -40 "$work/log"; exit 1; }
echo "image built (${SECONDS} s)"

container=$(image_store from localhost/attestd)
root=$(image_store mount "$container")
config() { image_store inspect --type image --format "{{.Docker.Config.$1}}" localhost/attestd; }
[ "$(config User)" = 1000:1000 ] || { echo "The image runs as $(config User)."; exit 1; }

megabytes=$(($(du --apparent-size --block-size=1 --summarize "$root" | cut -f1) / 1000000))
echo "image: $megabytes MB of $LIMIT_MB MB"
[ "$megabytes" -le "$LIMIT_MB" ] || { du -m --max-depth=3 "$root" | sort -rn | head -30; exit 1; }

node .ci/one-of-each-kind.mjs "$root/app/samples"

# As config/compose.yaml runs it: /tmp in memory, /data writable, everything else read-only; here without network, too.
mkdir -m 0700 "$work/data" && chown 1000:1000 "$work/data"
mapfile -t variables < <(image_store inspect --type image --format '{{range .Docker.Config.Env}}{{println .}}{{end}}' localhost/attestd | grep .)
root=$root data=$work/data unshare --mount --pid --net --ipc --fork --kill-child bash -euo pipefail -c '
  mount --bind "$root" "$root" && mount -o remount,bind,ro "$root"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" && mount --bind "$data" "$root/data"
  mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev"
  ip link set lo up
  exec chroot --userspec=1000:1000 "$root" env -i "$@"
' bash "${variables[@]}" setpriv --no-new-privs sh -euc "$(cat .ci/container-smoke.sh)"
echo "container checked (${SECONDS} s)"
