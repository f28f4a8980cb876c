#!/usr/bin/env bash
# Gathers what a machine without our Debian packages needs to run the CPU suite: programs, libraries, and a wheel of
# tvm-ffi for its Python. Everything finds its libraries through LD_LIBRARY_PATH.
# usage: remote_bundle.sh [PYTHON_VERSION]     result: build-remote/
set -euo pipefail
cd "$(dirname "$0")/.."

python_version=${1:-3.12}
bundle=build-remote
rm -rf "$bundle"
mkdir -p "$bundle/bin" "$bundle/lib" "$bundle/wheels"
cp build/bin/keysieve build/bin/keysieve_cpu_bench build/bin/test_* "$bundle/bin/"
cp -L build/lib/libkeysieve.so.0 build/lib/libkeysieve_cpu.so build/lib/libkeysieve_ffi.so "$bundle/lib/"
ln -s libkeysieve.so.0 "$bundle/lib/libkeysieve.so"
cp -L "$(ldconfig -p | awk '$1 == "libhwy.so.1" { print $NF; exit }')" "$bundle/lib/"
strip --strip-unneeded "$bundle"/bin/* "$bundle"/lib/*.so*
.venv/bin/python -m pip download --quiet --no-deps --only-binary=:all: --python-version "$python_version" \
  --implementation cp --platform manylinux_2_28_x86_64 --platform manylinux_2_24_x86_64 --platform manylinux_2_17_x86_64 \
  -d "$bundle/wheels" apache-tvm-ffi==0.1.15.post2
git rev-parse HEAD > "$bundle/revision"
git diff --quiet HEAD || echo "with changes" >> "$bundle/revision"
du -sh "$bundle"
