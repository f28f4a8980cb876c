#!/usr/bin/env bash
# Gathers what a machine without our Debian packages needs to run the CPU suite: programs, libraries, and a wheel of
# tvm-ffi for its Python. Everything finds its libraries through LD_LIBRARY_PATH.
# usage: remote_bundle.sh [PYTHON_VERSION]     result: build-remote/
set -euo pipefail
cd "$(dirname "$0")/.."

python_version=${1:-3.12}
bundle="build-remote"
# shellcheck source=scripts/bundle_parts.sh
. scripts/bundle_parts.sh
new_bundle "$bundle" build
add_python "$bundle" build "$python_version"
cp build/bin/keysieve build/bin/test_* "$bundle/bin/"
seal_bundle "$bundle"
