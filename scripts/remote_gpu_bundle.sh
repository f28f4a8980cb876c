#!/usr/bin/env bash
# Gathers what a GPU machine without our Debian packages needs for scripts/remote_gpu_suite.sh: the test programs, the
# command and the libraries. Everything finds its libraries through LD_LIBRARY_PATH.
# usage: remote_gpu_bundle.sh [BUILD_FOLDER]     result: build-remote/
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
bundle="build-remote"
limit_mebibytes=60
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib"
cp "$build"/bin/test_gpu_* "$build/bin/cold_capture" "$build/bin/keysieve" "$bundle/bin/"
cp -L "$build/lib/libkeysieve.so.0" "$build/lib/libkeysieve_cpu.so" "$bundle/lib/"
ln -s libkeysieve.so.0 "$bundle/lib/libkeysieve.so"
cp -L "$(ldconfig -p | awk '$1 == "libhwy.so.1" { print $NF; exit }')" "$bundle/lib/"
strip --strip-unneeded "$bundle"/bin/* "$bundle"/lib/*.so*
git rev-parse HEAD > "$bundle/revision"
git diff --quiet HEAD || echo "with changes" >> "$bundle/revision"
du -sh "$bundle"
if [ "$(du -sm "$bundle" | cut -f 1)" -ge "$limit_mebibytes" ]; then
  echo "remote_gpu_bundle: $bundle is larger than $limit_mebibytes MiB" >&2
  exit 1
fi
