#!/usr/bin/env bash
# Every test that needs no GPU. Stages run one after the other; a stage that fails does not hide the next.
# usage: test.sh [STAGE...]      stages: release cuda toolchains python torch address thread fuzz lint (default: all)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(lint release cuda toolchains python torch address thread fuzz)
jobs=${JOBS:-$(nproc)}
root=$PWD
reports=$root/build/reports
rm -rf "$reports"
mkdir -p "$reports"
failures=()

section() { printf '\n== %s (%s)\n' "$1" "$(date +%H:%M:%S)"; }

# build FOLDER CMAKE_OPTION...
build() {
  local folder=$1
  shift
  local log=$reports/$folder-build.log
  if ! { cmake -S . -B "$folder" -G Ninja -DKEYSIEVE_WERROR=ON "$@" && cmake --build "$folder" -j "$jobs"; } \
    > "$log" 2>&1; then
    tail -n 40 "$log"
    return 1
  fi
}

unit_tests() {  # unit_tests FOLDER NAME CTEST_OPTION...
  local folder=$1 name=$2
  shift 2
  ctest --test-dir "$folder" -j "$jobs" --output-on-failure --output-junit "$reports/$name.xml" "$@" \
    > "$reports/$name.log" 2>&1 || { grep -vE '(Start|Passed|\.\.\. *$)' "$reports/$name.log" | tail -n 60; return 1; }
}

stage_release() { build build && unit_tests build release; }

# Compiles without a GPU what runs only on one. Where there is no CUDA compiler the stage is one skipped test.
stage_cuda() {
  cmake -S . -B build -G Ninja -DKEYSIEVE_WERROR=ON > "$reports/cuda-configure.log" 2>&1 ||
    { tail -n 40 "$reports/cuda-configure.log"; return 1; }
  /usr/bin/python3 scripts/cuda_report.py build "$reports" --jobs "$jobs"
}

# One kernel a route and the positive control with the oldest and the newest compiler; skipped without a network.
stage_toolchains() {
  /usr/bin/python3 toolchains/toolchains.py record --check && /usr/bin/python3 toolchains/toolchains.py ci "$reports"
}

# -O1: the SIMD kernels take minutes to compile with sanitizers and full optimisation.
sanitizer_options=(-DKEYSIEVE_CUDA=OFF -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1)

# One stage after the other on purpose: two builds at once would only take turns on the same cores.
stage_address() {
  build build-address -DKEYSIEVE_SANITIZE=address "${sanitizer_options[@]}" &&
    UBSAN_OPTIONS=print_stacktrace=1 unit_tests build-address address -LE build
}

stage_thread() {
  build build-thread -DKEYSIEVE_SANITIZE=thread -DKEYSIEVE_BUILD_TOOLS=OFF "${sanitizer_options[@]}" &&
    unit_tests build-thread thread -LE build
}

stage_python() { scripts/test_python.sh "$reports"; }
stage_torch() { scripts/test_torch.sh "$reports"; }
stage_fuzz() { scripts/test_fuzz.sh "$reports"; }
stage_lint() { scripts/lint.sh; }

for stage in "${stages[@]}"; do
  section "$stage"
  if "stage_$stage"; then
    echo "$stage: done"
  else
    failures+=("$stage")
    echo "$stage: FAILED"
  fi
done

section totals
/usr/bin/python3 scripts/test_totals.py "$reports" "${failures[@]}"
