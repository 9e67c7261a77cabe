#!/bin/sh
# Installs Debian's ffmpeg into the image, then removes what came along but is not linked: the 3D drivers behind SDL, a
# compiler for them, fonts; and what is linked but never called (below): 290 MB of 420 MB. dpkg still lists the rest, so that a
# scanner of images sees it.
set -eu
# Libraries of encoders, of filters that speak or recognize speech, and of a codec for radio; no file that attestd opens
# reaches them (src/detect/ffmpeg/ffmpeg-formats.ts). With their voices and what they are linked to they take 84 MB.
UNCALLED='^lib(x265|SvtAv1Enc|rav1e|codec2|flite|pocketsphinx|sphinxbase)[._]'
work=$(mktemp -d)
packages() { dpkg-query -W -f '${Package}\n' | sort; }
# Name and file of each library that ffmpeg starts with.
linked() { ldd /usr/bin/ffmpeg | sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/[^ ]*\).*/\1 \2/p'; }

# Makes $work/empty/NAME, with which ffmpeg starts in place of a library: it wants every function that it could call to be there.
# These do nothing and return 0.
empty_library() {
  name=$1 file=$2
  nm -D --defined-only "$file" | awk 'NR == FNR { wanted[$2]; next } $3 in wanted { print $2, $3 }' "$work/wanted" - >"$work/symbols"
  if grep -v '^T ' "$work/symbols"; then echo "$name is wanted for more than its functions."; exit 1; fi
  case $(uname -m) in
    x86_64) body='xorl %eax, %eax; ret' ;;
    aarch64) body='mov x0, #0; ret' ;;
    *) echo "No empty libraries for $(uname -m)."; exit 1 ;;
  esac
  {
    echo '.section .note.GNU-stack, "", %progbits'
    echo .text
    while read -r _ symbol; do printf '.globl %s\n.type %s, %%function\n%s: %s\n' "$symbol" "$symbol" "$symbol" "$body"; done <"$work/symbols"
  } | as -o "$work/empty.o"
  ld -shared -soname "$name" -o "$work/empty/$name" "$work/empty.o"
}

packages >"$work/before"
apt-get update -qq
# binutils makes the empty libraries, and goes with the rest.
apt-get install -y -qq --no-install-recommends ffmpeg binutils >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rm -rf /var/lib/apt/lists/* /var/cache/apt/*

mkdir "$work/empty"
linked | grep -E "$UNCALLED" >"$work/uncalled"
linked | grep -vE "$UNCALLED" | cut -d' ' -f2 | xargs nm -D --undefined-only | sort -u >"$work/wanted"
while read -r name file; do empty_library "$name" "$file"; done <"$work/uncalled"

{
  echo ffmpeg
  LD_LIBRARY_PATH=$work/empty ldd /usr/bin/ffmpeg | grep -o '/[^ ]*' | grep -v "^$work/" | xargs realpath | xargs dpkg -S | cut -d: -f1
} | sort -u >"$work/linked"
packages | comm -23 - "$work/before" | comm -23 - "$work/linked" >"$work/idle"
libraries=$(dirname "$(linked | sed -n 's/^libavcodec[^ ]* //p')")
xargs dpkg --purge --force-depends <"$work/idle" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# Where the removed ones were, so that installing such a package puts its library back.
install -m 0644 "$work"/empty/* "$libraries"
# A sorting library that comes in one package with the one that JPEG XL is linked to.
rm -f "$libraries"/libhwy_contrib.so*
ldconfig
# What only a build of packages reads, and the copies that dpkg keeps of its own lists.
rm -rf /var/lib/dpkg/info/*.symbols /var/lib/dpkg/*-old /var/cache/debconf/*-old
rm -rf "$work" /var/log/apt /var/log/dpkg.log /var/log/alternatives.log
ffmpeg -hide_banner -loglevel error -version >/dev/null
