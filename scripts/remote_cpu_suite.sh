#!/usr/bin/env bash
# Runs the bundle of remote_bundle.sh on another machine, offline: unit and fault tests for that CPU's SIMD targets,
# the Python tests with that machine's torch, doctor (GPU traits and key order), and the CPU grid of the benchmark.
# usage: remote_cpu_suite.sh OUT_FOLDER
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

out=$1
bundle=$PWD/build-remote
mkdir -p "$out"
export LD_LIBRARY_PATH=$bundle/lib
export KEYSIEVE_TEST_CPU_LIBRARY=$bundle/lib/libkeysieve_cpu.so  # whose dispatch test_select forces
status=0

run() {  # run NAME COMMAND...
  local name=$1 begin=$SECONDS
  shift
  if "$@" > "$out/$name.log" 2>&1; then
    echo "$name: passed ($((SECONDS - begin)) s)"
  else
    echo "$name: FAILED ($((SECONDS - begin)) s)"
    tail -n 30 "$out/$name.log"
    status=1
  fi
}

chmod +x "$bundle"/bin/*
run doctor "$bundle/bin/keysieve" doctor
"$bundle/bin/keysieve" doctor --json > "$out/doctor.json"

python3 -m pip install -q --no-index --no-deps --no-compile --target /tmp/site "$bundle"/wheels/*.whl
export PYTHONPATH=$PWD/python:/tmp/site KEYSIEVE_LIBRARY_DIR=$bundle/lib
run bench "$bundle/bin/keysieve" bench --backend cpu --samples 31 \
  --revision "$(tr '\n' ' ' < "$bundle/revision")" -o "$out/cpu_report.json"
cat "$out/bench.log"
# The inner folder's reports in the outer one: at most a few files travel back.
run python timeout 120 python3 -m pytest -q -p no:cacheprovider --junitxml="$out/python.xml" tests/python
tail -n 3 "$out/python.log"
pids=()
for test in core plan cpu capi faults select; do
  (run "test_$test" timeout 240 "$bundle/bin/test_$test" --gtest_brief=1 "--gtest_output=xml:$out/test_$test.xml"
   exit "$status") &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || status=1; done
python3 scripts/test_totals.py "$out" --json "$out/tests.json"
# One archive in place of many logs: only a few files travel back.
tar -C "$out" -czf /tmp/logs.tgz . && rm -f "$out"/*.log "$out"/*.xml && mv /tmp/logs.tgz "$out/"
exit "$status"
