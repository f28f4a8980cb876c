#!/usr/bin/env bash
# Builds the command, selects on the real data, checks every row against the reference, prints the texts.
# usage: demo.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

build=$1
out=$build/demo
cmake -S . -B "$build" -G Ninja > "$build-configure.log" 2>&1 || { cat "$build-configure.log" >&2; exit 1; }
rm -f "$build-configure.log"
cmake --build "$build" --target keysieve_cli keysieve_cpu
mkdir -p "$out"

echo
"$build/bin/keysieve" select data/scores.npy -k 64 --lengths data/lengths.npy \
  --page-table data/page_table.npy --page-size 64 --mode dual --order score --check \
  --raw-out "$out/positions.npy" --values "$out/values.npy" -o "$out/slots.npy"
echo
.venv-demo/bin/python scripts/demo.py --data data --slots "$out/slots.npy" --positions "$out/positions.npy" \
  --values "$out/values.npy" --top 4
echo
echo "demo passed: outputs are in $out"
