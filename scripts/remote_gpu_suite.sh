#!/usr/bin/env bash
# Runs the bundle of remote_gpu_bundle.sh on a GPU machine, offline, in under 8 minutes on 16 cores: every test program
# of tests/gpu, cold captures, and compute-sanitizer over a reduced set. Any failure, and any test that was skipped for
# want of a device, makes the exit code 1.
# usage: remote_gpu_suite.sh OUT_FOLDER     result: OUT_FOLDER/gpu_suite.json and gpu_suite_logs.tgz
# environment: KEYSIEVE_GPU_SEED (printed; default: the time), KEYSIEVE_GPU_RANDOM_CASES (20000)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

out=$1
bundle=$PWD/build-remote
logs=$(mktemp -d)
mkdir -p "$out"
export LD_LIBRARY_PATH=$bundle/lib
export KEYSIEVE_GPU_REQUIRED=1
export KEYSIEVE_GPU_SEED=${KEYSIEVE_GPU_SEED:-$(date +%s)}
export KEYSIEVE_GPU_RANDOM_CASES=${KEYSIEVE_GPU_RANDOM_CASES:-20000}
chmod +x "$bundle"/bin/*
echo "seed $KEYSIEVE_GPU_SEED, $KEYSIEVE_GPU_RANDOM_CASES random cases"

# stage NAME SECONDS COMMAND...: a line of NAME, exit code and seconds in stages.tsv
stage() {
  local name=$1 limit=$2 begin=$SECONDS code
  shift 2
  timeout -k 5 "$limit" "$@" > "$logs/$name.log" 2>&1
  code=$?
  printf '%s\t%d\t%d\n' "$name" "$code" $((SECONDS - begin)) >> "$logs/stages.tsv"
  echo "$name: exit $code, $((SECONDS - begin)) s"
}

tests() {  # tests NAME SECONDS PROGRAM [OPTION...]
  local name=$1 limit=$2 program=$3
  shift 3
  stage "$name" "$limit" "$bundle/bin/$program" "--gtest_output=xml:$logs/$name.xml" "$@"
}

sanitizer=$(PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer command -v compute-sanitizer)

# check TOOL TABLE_STEP [FILTER [PROGRAM]]: every TABLE_STEP-th case of the table, one worker. Reports are not JUnit files on purpose: the
# same tests are counted once, where they run in full.
check() {
  local tool=$1 step=$2 filter=${3:-*} program=${4:-table}
  local name="sanitizer_$tool"
  [ "$program" = table ] || name="${name}_$program"
  if [ -z "$sanitizer" ]; then
    echo "compute-sanitizer is not installed" > "$logs/$name.log"
    printf '%s\t127\t0\n' "$name" >> "$logs/stages.tsv"
    return
  fi
  KEYSIEVE_GPU_WORKERS=1 KEYSIEVE_GPU_TABLE_STEP=$step KEYSIEVE_GPU_TIMES=0 KEYSIEVE_GPU_WATCHDOG_SECONDS=200 \
    KEYSIEVE_GPU_FRESH_MEMORY=$([ "$tool" = initcheck ] && echo 1 || echo 0) \
    stage "$name" 230 "$sanitizer" --tool "$tool" --error-exitcode 7 --print-limit 20 \
    "$bundle/bin/test_gpu_$program" "--gtest_filter=$filter"
}

stage doctor 60 "$bundle/bin/keysieve" doctor
# One after the other and alone: these look at times, crowds and several streams.
tests graph 100 test_gpu_graph
tests launch 100 test_gpu_launch
tests hygiene 100 test_gpu_hygiene
tests shadow 100 test_gpu_shadow
for mode in cold prepared; do
  for route in 0 4 5 6 7; do
    stage "capture_${mode}_route$route" 30 "$bundle/bin/cold_capture" "$mode" "$route"
  done
done

# The rest shares the device. The faults spend most of their time in the oracle, hence the shards.
pids=()
for name in table random robust extent operations; do
  tests "$name" 240 "test_gpu_$name" &
  pids+=($!)
done
for shard in 0 1 2 3; do
  (export GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=$shard
   tests "faults_$shard" 240 test_gpu_faults) &
  pids+=($!)
done
for turn in 1 2; do
  (export KEYSIEVE_GPU_FAULT_TURN=$turn
   tests "faults_turn$turn" 240 test_gpu_faults '--gtest_filter=*R43_*:*R56_*:*R57_*:*R63_*:*R85_*:*R94_*') &
  pids+=($!)
done
check memcheck 8 &
pids+=($!)
# Some hundred times slower than the program alone: fewer cases, and none of the long ones.
check racecheck 60 '-*/long' &
pids+=($!)
check synccheck 12 &
pids+=($!)
check initcheck 12 &
pids+=($!)
for tool in memcheck racecheck synccheck initcheck; do
  check "$tool" 1 '*SameBytes*' operations &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done

# The bindings on this machine's torch: tests/python and the command, where the bundle carries the wheel of tvm-ffi.
if compgen -G "$bundle/wheels/*.whl" > /dev/null; then
  site=$(mktemp -d)
  python3 -m pip install -q --no-index --no-deps --no-compile --target "$site" "$bundle"/wheels/*.whl
  export PYTHONPATH=$PWD/python:$site KEYSIEVE_LIBRARY_DIR=$bundle/lib KEYSIEVE_CLI=$bundle/bin/keysieve
  export KEYSIEVE_TEST_REQUIRE_GPU=1
  stage python 200 python3 -m pytest -q -p no:cacheprovider --junitxml="$logs/python.xml" tests/python/test_torch_cuda.py \
    tests/python/test_torch_cuda_calls.py tests/python/test_torch_cuda_kernels.py \
    tests/python/test_torch_cuda_shadow.py
  stage command 100 python3 -m pytest -q -p no:cacheprovider --junitxml="$logs/command.xml" tests/tools/test_cli_cuda.py
fi

python3 scripts/gpu_suite_report.py "$logs" --bundle "$bundle" --seconds "$SECONDS" -o "$out/gpu_suite.json"
status=$?
tar -C "$logs" -czf "$out/gpu_suite_logs.tgz" .
rm -rf "$logs"
exit "$status"
