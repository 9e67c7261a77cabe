#!/bin/sh
# Installs Debian's ffmpeg into the image, then removes what came along but is not linked: the 3D drivers behind SDL, a
# compiler for them, fonts (200 MB of 420 MB). dpkg still lists the rest, so that a scanner of images sees it.
set -eu
work=$(mktemp -d)
packages() { dpkg-query -W -f '${Package}\n' | sort; }

packages >"$work/before"
apt-get update -qq
apt-get install -y -qq --no-install-recommends ffmpeg >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rm -rf /var/lib/apt/lists/* /var/cache/apt/*

{
  echo ffmpeg
  ldd /usr/bin/ffmpeg | grep -o '/[^ ]*' | xargs realpath | xargs dpkg -S | cut -d: -f1
} | sort -u >"$work/linked"
packages | comm -23 - "$work/before" | comm -23 - "$work/linked" >"$work/idle"
xargs dpkg --purge --force-depends <"$work/idle" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# What only a build of packages reads, and the copies that dpkg keeps of its own lists.
rm -rf /var/lib/dpkg/info/*.symbols /var/lib/dpkg/*-old /var/cache/debconf/*-old
rm -rf "$work" /var/log/apt /var/log/dpkg.log /var/log/alternatives.log
ffmpeg -hide_banner -loglevel error -version >/dev/null
