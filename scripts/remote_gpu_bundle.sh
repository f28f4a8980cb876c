#!/usr/bin/env bash
# Gathers what a GPU machine without our Debian packages needs for scripts/remote_gpu_suite.sh: the test programs, the
# command and the libraries. Everything finds its libraries through LD_LIBRARY_PATH.
# usage: remote_gpu_bundle.sh [BUILD_FOLDER]     result: build-remote/
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
bundle="build-remote"
limit_mebibytes=60
# shellcheck source=scripts/bundle_parts.sh
. scripts/bundle_parts.sh
new_bundle "$bundle" "$build"
cp "$build"/bin/test_gpu_* "$build/bin/cold_capture" "$build/bin/keysieve" "$bundle/bin/"
if [ -f "$build/lib/libkeysieve_ffi.so" ] && [ -x .venv/bin/python ]; then add_python "$bundle" "$build" 3.12; fi
# Adapters of scripts/build_peers.sh, where there are some.
if compgen -G "$build/peers/*.so" > /dev/null; then
  mkdir -p "$bundle/peers"
  cp "$build"/peers/*.so "$bundle/peers/"
fi
seal_bundle "$bundle"
if [ "$(du -sm "$bundle" | cut -f 1)" -ge "$limit_mebibytes" ]; then
  echo "remote_gpu_bundle: $bundle is larger than $limit_mebibytes MiB" >&2
  exit 1
fi
