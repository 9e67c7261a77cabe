#!/usr/bin/env bash
# Makes stand-ins for the two images that the Dockerfile begins with, out of Debian's packages and npm's registry, for
# machines that reach no registry of images. Sourced by container.sh, which sets $work and defines image_store, and by image-node.sh.
# They are Debian of the same name and Node of the same version, not the published images byte for byte.

# Where build_volumes shows the certificates of this machine, while the image is built.
BUILD_CERTIFICATES=/run/build-certificates.crt

# What the published slim images leave out.
SLIM_WITHOUT=(doc man info locale lintian groff)

# Prints the default of an ARG of the Dockerfile.
dockerfile_arg() { sed -n "s/^ARG $1=//p" Dockerfile; }

# debootstrap takes half a minute, so its result is kept for a week. The C++ library is what Node needs.
debian_tar() {
  local suite=$1 kept=${XDG_CACHE_HOME:-$HOME/.cache}/attestd-ci/debian-$1.tar
  if [ -z "$(find "$kept" -mtime -7 2>/dev/null)" ]; then
    debootstrap --variant=minbase --include=ca-certificates,libstdc++6 "$suite" "$work/debian" >"$work/log" || { tail "$work/log"; return 1; }
    for name in "${SLIM_WITHOUT[@]}"; do
      rm -rf "$work/debian/usr/share/$name"
      echo "path-exclude /usr/share/$name/*" >>"$work/debian/etc/dpkg/dpkg.cfg.d/slim"
    done
    # As in the published image: nobody keeps a half-made layer, so dpkg need not wait for the disk.
    echo force-unsafe-io >>"$work/debian/etc/dpkg/dpkg.cfg.d/slim"
    rm -rf "$work"/debian/var/cache/apt/* "$work"/debian/var/lib/apt/lists/* "$work"/debian/var/log/*
    printf 'deb http://deb.debian.org/debian %s main\ndeb http://deb.debian.org/debian %s-updates main\ndeb http://deb.debian.org/debian-security %s-security main\n' \
      "$suite" "$suite" "$suite" >"$work/debian/etc/apt/sources.list"
    mkdir -p "$(dirname "$kept")"
    tar -C "$work/debian" -cf "$kept.$$" . && mv "$kept.$$" "$kept"
    rm -rf "$work/debian"
  fi
  printf '%s\n' "$kept"
}

# Prints the version of Node that the image has.
node_version() { dockerfile_arg NODE_IMAGE | sed -E 's/^node:([0-9.]+)-.*/\1/'; }

# Node and npm in the places where the published image has them.
node_folder() {
  local version=$1 arch
  arch=$(node -p process.arch)
  mkdir -p "$work/node/bin" "$work/node/lib/node_modules"
  (cd "$work" && npm pack --silent "node-linux-$arch@$version" "npm@$(npm --version)" >/dev/null)
  tar -C "$work/node/lib/node_modules" --transform='s/^package/npm/' -xzf "$work"/npm-*.tgz
  tar -C "$work/node" --strip-components=1 -xzf "$work"/node-linux-*.tgz package/bin/node
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/node/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$work/node/bin/npx"
  # Where this machine trusts certificates of its own for npm's registry, the build has to as well.
  mkdir "$work/node/etc"
  if [ -f "$(npm config get cafile)" ]; then echo "cafile=$BUILD_CERTIFICATES" >"$work/node/etc/npmrc"; fi
}

# Prints options of `buildah bud`: npm's cache and certificates of this machine, which leave nothing in the image.
build_volumes() {
  local own
  own=$(npm config get cafile)
  if [ -f "$own" ]; then printf '%s\n' --volume "$own:$BUILD_CERTIFICATES:ro"; fi
  mkdir -p "$(npm config get cache)"
  printf '%s\n' --volume "$(npm config get cache):/root/.npm"
}

# Stores both as localhost/ci-debian and localhost/ci-node.
make_bases() {
  local suite container kept
  suite=$(dockerfile_arg NODE_IMAGE | sed -E 's/^node:[0-9.]+-([a-z]+)-.*/\1/')
  kept=$(debian_tar "$suite")
  node_folder "$(node_version)"
  container=$(image_store from scratch)
  image_store add --quiet "$container" "$kept" / >/dev/null
  image_store commit --quiet "$container" localhost/ci-debian >/dev/null
  image_store copy --quiet "$container" "$work/node" /usr/local >/dev/null
  image_store commit --quiet --rm "$container" localhost/ci-node >/dev/null
}
