#!/usr/bin/env bash
# Runs the instruments on a GPU machine, offline, over the bundle of remote_gpu_bundle.sh: the grids of `keysieve bench`,
# the hunts of `keysieve audit`, both with peers where the bundle has adapters, doctor and tune. About 5 minutes.
# usage: remote_gpu_measure.sh OUT_FOLDER     result: OUT_FOLDER/measurements.tgz, one JSON a run and its log
# exit codes: 0 every run of keysieve alone was clean, 1 some was not. Runs with peers, and the comparison of two runs of
# one binary, are reported and not judged here.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

out=$1
bundle=build-remote
export LD_LIBRARY_PATH=$PWD/$bundle/lib
keysieve=$bundle/bin/keysieve
revision=$(head -n 1 $bundle/revision)
runs=$(mktemp -d)
mkdir -p "$out"
chmod +x $bundle/bin/*
status=0

# run NAME COMMAND...: NAME.log, and a line with its exit code, seconds and last line
run() {
  local name=$1 begin=$SECONDS code
  shift
  timeout -k 5 150 "$@" > "$runs/$name.log" 2>&1
  code=$?
  echo "$name: exit $code, $((SECONDS - begin)) s; $(tail -n 1 "$runs/$name.log" | cut -c 1-160)"
  return $code
}
bench() {
  local name=$1
  shift
  run "$name" $keysieve bench --backend cuda --revision "$revision" -o "$runs/$name.json" "$@"
}
audit() {
  local name=$1
  shift
  run "$name" $keysieve audit --backend cuda --quiet --json "$runs/$name.json" "$@"
}

bench bench-grid --grid full || status=1
bench bench-cold --grid baseline --modes cold || status=1
bench bench-baseline --grid baseline || status=1
bench bench-baseline-again --grid baseline || status=1
run bench-compare $keysieve bench compare "$runs/bench-baseline.json" "$runs/bench-baseline-again.json"
bench bench-routes --rows 1,4,16,64,128,256,1024,4096 --widths 8192,16384,32768,65536,131072,262144 --k 512,2048 \
  --routes auto,tile,sieve,split,wide || status=1
bench bench-types --rows 1,4,16,64,128,256,1024,4096 --widths 8192,32768,65536,131072,262144 --k 512,1024,2048 \
  --dtypes bfloat16,float16 || status=1
bench bench-scores --rows 64,1024 --widths 131072 --k 512,2048 --distributions all || status=1
bench bench-orders --rows 1,64,1024 --widths 8192,65536,262144 --k 512,2048 --orders any,index,score || status=1
bench bench-outputs --rows 64,1024 --widths 131072 --k 2048 --orders index --outputs raw,offset,paged,dual \
  --values false,true || status=1
bench bench-lengths --rows 64,1024 --widths 262144 --k 512,2048 --lengths "full,log_uniform,skewed,live 2048" || status=1
bench bench-beside --rows 1,64,256,1024 --widths 8192,65536,262144 --k 2048 --chains alone,chained,dependent \
  --busy-sms 0,16 || status=1
bench bench-hints --rows 1,16,64 --widths 65536,131072,262144 --k 512,2048 --hints none,exact || status=1

# The kernels around selection, each against its byte floor; small_gemm beside torch.
run kernels $keysieve kernels --revision "$revision" -o "$runs/kernels.json" || status=1
if compgen -G "$bundle/wheels/*.whl" > /dev/null; then
  site=$(mktemp -d)
  python3 -m pip install -q --no-index --no-deps --no-compile --target "$site" "$bundle"/wheels/*.whl
  for turn in 1 2; do
    for script in matmul host; do
      PYTHONPATH=$PWD/python:$site KEYSIEVE_LIBRARY_DIR=$PWD/$bundle/lib timeout -k 5 120 \
        python3 "benchmarks/python_$script.py" > "$runs/python-$script-$turn.json" 2> "$runs/python-$script-$turn.log" || status=1
    done
  done
  rm -rf "$site"
fi

audit audit-gate --cases 100000 --dispatch 23000 || status=1
audit audit-trivial --routes trivial --cases 6500 --dispatch 0 --seed 7 || status=1
for route in tile sieve split wide; do
  audit "audit-$route" --routes $route --cases 6500 --dispatch 0 --seed 7 || status=1
done
audit audit-dispatch --routes auto --cases 0 --dispatch 6500 --seed 8 || status=1

if [ -f scripts/build_peers.sh ] && compgen -G "$bundle/peers/*.so" > /dev/null; then
  run build-torch-peer scripts/build_peers.sh torch && cp build/peers/torch.so $bundle/peers/
  libraries=$(IFS=,; set -- $bundle/peers/*.so; echo "$*")
  bench bench-peers --rows 1,16,64,256,1024,4096 --widths 8192,16384,65536,131072,262144 --k 512,2048 --peers "$libraries"
  for library in "$bundle"/peers/*.so; do
    audit "audit-peer-$(basename "$library" .so)" --peer "$library" --keep-going --cases 6500
  done
fi

run doctor $keysieve doctor || status=1
timeout -k 5 60 $keysieve doctor --json > "$runs/doctor.json" || status=1
timeout -k 5 150 $keysieve tune --dry-run --json > "$runs/tune.json" 2> "$runs/tune.log" || status=1
if ! tar -C "$runs" -czf "$out/measurements.tgz" .; then
  echo "remote_gpu_measure: expected to write $out/measurements.tgz; the runs are left in $runs" >&2
  exit 1
fi
rm -rf "$runs"
exit $status
