#!/usr/bin/env bash
# voder from libopus 1.6.1 with its networks, out of the crate opusic-sys 0.7.7 (BSD-3-Clause). Needs cargo, cmake and gcc.
#     build-voder.sh DIR        DIR/voder
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/build" && cd "$1"
cargo info opusic-sys@0.7.7 >/dev/null # brings the crate into cargo's cache
tar xzf "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/opusic-sys-0.7.7.crate
opus=$PWD/opusic-sys-0.7.7/opus
cmake -S "$opus" -B build -DCMAKE_BUILD_TYPE=Release -DOPUS_DEEP_PLC=ON -DOPUS_DRED=ON -DOPUS_OSCE=ON >cmake.log
make -C build -j2 >make.log
# shellcheck disable=SC2046 # the definitions are words
gcc -O2 $(sed -n 's/^C_DEFINES = //p' build/CMakeFiles/opus.dir/flags.make) -Ibuild -I"$opus" -I"$opus/include" -I"$opus/celt" \
  -I"$opus/silk" -I"$opus/dnn" "$here/voder.c" build/libopus.a -lm -o voder
