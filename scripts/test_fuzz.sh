#!/usr/bin/env bash
# A bounded run of the fuzzers over the file readers. usage: test_fuzz.sh REPORT_FOLDER [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."

reports=$1
seconds=${2:-45}
build="build-fuzz"
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang \
         -DKEYSIEVE_BUILD_FUZZERS=ON -DKEYSIEVE_BUILD_TOOLS=OFF -DKEYSIEVE_BUILD_TESTS=OFF \
         -DKEYSIEVE_CUDA=OFF &&
       cmake --build "$build" --target fuzz_npy fuzz_safetensors; } > "$reports/fuzz-build.log" 2>&1; then
  tail -n 40 "$reports/fuzz-build.log"
  exit 1
fi
/usr/bin/python3 tools/fuzz/make_corpus.py "$build/corpus"

failed=0
{
  echo '<testsuites><testsuite name="fuzz">'
  for format in npy safetensors; do
    log=$reports/fuzz-$format.log
    mkdir -p "$build/findings" "$build/grown/$format"
    if "$build/bin/fuzz_$format" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="$build/findings/$format-" "$build/grown/$format" "$build/corpus/$format" > "$log" 2>&1; then
      echo "<testcase classname=\"fuzz\" name=\"$format\"/>"
    else
      failed=1
      echo "<testcase classname=\"fuzz\" name=\"$format\"><failure/></testcase>"
    fi
  done
  echo '</testsuite></testsuites>'
} > "$reports/fuzz.xml"
for format in npy safetensors; do
  printf '%s: %s\n' "$format" "$(grep 'number_of_executed_units' "$reports/fuzz-$format.log" || tail -n 20 "$reports/fuzz-$format.log")"
done
exit "$failed"
