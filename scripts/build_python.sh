#!/usr/bin/env bash
# The release build with the Python binding, for the interpreter of .venv. usage: build_python.sh LOG
set -euo pipefail
cd "$(dirname "$0")/.."

log=$1
if ! { cmake -S . -B build -G Ninja -DKEYSIEVE_BUILD_PYTHON=ON -DPython_EXECUTABLE="$PWD/.venv/bin/python" &&
       cmake --build build; } > "$log" 2>&1; then
  tail -n 40 "$log"
  exit 1
fi
