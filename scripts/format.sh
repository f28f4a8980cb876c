#!/usr/bin/env bash
# Formats every C, C++ and CUDA source in place.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files --cached --others --exclude-standard '*.hpp' '*.cpp' '*.h' '*.c' '*.cu' '*.cuh' | xargs clang-format-14 -i
