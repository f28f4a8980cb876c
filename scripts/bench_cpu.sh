#!/usr/bin/env bash
# The CPU benchmark with its comparisons. usage: bench_cpu.sh [OUT.json]
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/cpu_report.json}
mkdir -p build
scripts/build_python.sh build/bench-build.log
revision=$(git rev-parse HEAD)
git diff --quiet HEAD || revision+=" with changes"
PYTHONPATH=python KEYSIEVE_LIBRARY_DIR=$PWD/build/lib .venv/bin/python benchmarks/compare_peers.py \
  --bench build/bin/keysieve_cpu_bench --revision "$revision" -o "$out"
echo "report: $out"
