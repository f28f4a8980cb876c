#!/usr/bin/env bash
# Runs the bundle of remote_toolchains_bundle.sh on a GPU machine, offline: of each leg the positive control, then the
# written table of shapes, other routes forced on it, graph replays and random cases, slot by slot against the host.
# usage: remote_toolchains.sh OUT_FOLDER [LEG...]     result: OUT_FOLDER/LEG.json (keysieve.toolchain/1), logs.tgz
# exit codes: 0 every leg passed, 1 some leg did not, 2 no bundle
# environment: KEYSIEVE_AUDIT_SEED (printed; default: the time)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

out=$1
shift
bundle=$PWD/build-remote-toolchains
seed=${KEYSIEVE_AUDIT_SEED:-$(date +%s)}
logs=$(mktemp -d)
mkdir -p "$out"
legs=("$@")
if [ ${#legs[@]} -eq 0 ]; then
  for folder in "$bundle"/legs/*/; do legs+=("$(basename "$folder")"); done
fi
[ -x "$bundle/bin/keysieve" ] || chmod +x "$bundle/bin/keysieve" || exit 2
echo "seed $seed, legs: ${legs[*]}"

# step LEG NAME SECONDS COMMAND...: NAME.log and NAME.exit in the leg's logs
step() {
  local folder=$logs/$1 name=$2 limit=$3
  shift 3
  timeout -k 5 "$limit" "$@" > "$folder/$name.log" 2>&1
  echo $? > "$folder/$name.exit"
}

# The table's largest case has 2^23 scores.
audit() {  # audit LEG NAME SECONDS OPTION...
  local leg=$1 name=$2 limit=$3
  shift 3
  step "$leg" "audit_$name" "$limit" "$bundle/bin/keysieve" audit --backend cuda --seed "$seed" --max-scores 8388608 \
    --quiet --json "$logs/$leg/audit_$name.json" "$@"
}

status=0
for leg in "${legs[@]}"; do
  begin=$SECONDS
  folder=$bundle/legs/$leg
  if [ ! -f "$folder/leg.json" ]; then
    echo "remote_toolchains: expected $folder/leg.json" >&2
    status=2
    continue
  fi
  mkdir -p "$logs/$leg"
  chmod +x "$folder/control_run"
  for cubin in "$folder"/control/*.cubin; do
    step "$leg" "control_$(basename "$cubin" .cubin)" 20 "$folder/control_run" "$cubin"
  done
  # The library looks for the CPU kernels beside itself.
  libraries=$(mktemp -d)
  cp "$folder/lib/libkeysieve.so.0" "$bundle/lib/libkeysieve_cpu.so" "$libraries/"
  export LD_LIBRARY_PATH=$libraries:$bundle/lib
  "$bundle/bin/keysieve" doctor --json > "$logs/$leg/doctor.json" 2> "$logs/$leg/doctor.log"
  audit "$leg" toolchain 100 --families toolchain --routes auto --dispatch 640
  audit "$leg" forced 100 --families toolchain --routes tile,sieve,split,wide --cases 1200
  audit "$leg" graph 60 --families graph --cases 400 --dispatch 100
  audit "$leg" random 60 --families random --cases 1150 --dispatch 350
  unset LD_LIBRARY_PATH
  rm -rf "$libraries"
  python3 toolchains/toolchains.py collect "$folder" "$logs/$leg" -o "$out/$leg.json" || status=1
  echo "$leg: $(python3 -c 'import json, sys; print("passed" if json.load(open(sys.argv[1]))["passed"] else "FAILED")' \
    "$out/$leg.json"), $((SECONDS - begin)) s"
done
tar -C "$logs" -czf "$out/logs.tgz" .
rm -rf "$logs"
exit "$status"
