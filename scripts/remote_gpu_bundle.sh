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
cp "$build"/bin/test_gpu_* "$build/bin/gpu_select_bench" "$build/bin/cold_capture" "$build/bin/keysieve" "$bundle/bin/"
cp -L "$build/lib/libkeysieve.so.0" "$build/lib/libkeysieve_cpu.so" "$bundle/lib/"
ln -s libkeysieve.so.0 "$bundle/lib/libkeysieve.so"
cp -L "$(ldconfig -p | awk '$1 == "libhwy.so.1" { print $NF; exit }')" "$bundle/lib/"
strip --strip-unneeded "$bundle"/bin/* "$bundle"/lib/*.so*
if [ -f "$build/lib/libkeysieve_ffi.so" ] && [ -x .venv/bin/python ]; then
  cp -L "$build/lib/libkeysieve_ffi.so" "$bundle/lib/"
  mkdir -p "$bundle/wheels"
  .venv/bin/python -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.12 --implementation cp \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_24_x86_64 --platform manylinux_2_17_x86_64 \
    -d "$bundle/wheels" apache-tvm-ffi==0.1.15.post2
fi
git rev-parse HEAD > "$bundle/revision"
git diff --quiet HEAD || echo "with changes" >> "$bundle/revision"
du -sh "$bundle"
if [ "$(du -sm "$bundle" | cut -f 1)" -ge "$limit_mebibytes" ]; then
  echo "remote_gpu_bundle: $bundle is larger than $limit_mebibytes MiB" >&2
  exit 1
fi
