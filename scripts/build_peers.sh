#!/usr/bin/env bash
# Builds the adapters of peers/ into build/peers/*.so, for `keysieve bench --peers` and `keysieve audit --peer`.
# CUB and FlashInfer are compiled from pinned wheels, which are fetched once; torch is the one of this machine.
# usage: build_peers.sh [cub|flashinfer|torch]...      (default: cub flashinfer)
#   NVCC    CUDA compiler, default nvcc or /usr/local/cuda/bin/nvcc
#   PYTHON  interpreter whose torch is used, default python3; without one, Debian's libtorch-dev (CPU only)
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/peers
headers=$out/headers
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
python=${PYTHON:-python3}
cuda_options=(-O3 -shared '--generate-code=arch=compute_90a,code=sm_90a' -I include
  '-Xcompiler=-fPIC,-fvisibility=hidden' -Xfatbin=-compress-all '-Xlinker=-z,nodelete')

need_nvcc() {
  command -v "$nvcc" >/dev/null && return
  echo "build_peers: expected a CUDA compiler, found none; put nvcc on PATH or set NVCC" >&2
  exit 2
}

# Headers of the pinned wheels, and nothing else of them.
fetch_headers() {
  local requirements=scripts/requirements-peers.txt pip=$python
  cmp -s "$requirements" "$headers/.requirements" && return
  [ -x .venv/bin/python ] && pip=.venv/bin/python
  echo "build_peers: fetching the packages of $requirements (100 MB)"
  rm -rf "$headers"
  mkdir -p "$headers" "$out/packages"
  "$pip" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$out/packages" \
    --requirement "$requirements"
  "$pip" - "$headers" "$out"/packages/*.whl <<'PYTHON'
import sys
import zipfile

wanted = ("nvidia/cu13/include/cccl/", "flashinfer/data/cccl/", "flashinfer/data/include/")
for wheel in sys.argv[2:]:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(sys.argv[1], [name for name in archive.namelist() if name.startswith(wanted)])
PYTHON
  cp "$requirements" "$headers/.requirements"
}

flashinfer_cccl=(-I "$headers/flashinfer/data/cccl/libcudacxx/include" -I "$headers/flashinfer/data/cccl/cub"
  -I "$headers/flashinfer/data/cccl/thrust")

build_cub() {
  need_nvcc
  fetch_headers
  "$nvcc" "${cuda_options[@]}" -std=c++20 -I "$headers/nvidia/cu13/include/cccl" peers/cub/cub_block.cu \
    -o "$out/cub_block.so"
  "$nvcc" "${cuda_options[@]}" -std=c++20 "${flashinfer_cccl[@]}" peers/cub/cub_cluster.cu -o "$out/cub_cluster.so"
}

# The options are those of FlashInfer's own build, which its users run.
build_flashinfer() {
  need_nvcc
  fetch_headers
  "$nvcc" "${cuda_options[@]}" -std=c++17 -DNDEBUG -use_fast_math --expt-relaxed-constexpr -DFLASHINFER_ENABLE_F16 \
    -DFLASHINFER_ENABLE_BF16 "${flashinfer_cccl[@]}" -I "$headers/flashinfer/data/include" \
    peers/flashinfer/flashinfer_peer.cu -o "$out/flashinfer.so"
}

# torch never leaves the process once it is in it: its registries point into the libraries.
build_torch() {
  local root options=(-std=c++20 -O2 -shared -fPIC -fvisibility=hidden -I include '-Wl,-z,nodelete' '-Wl,--no-as-needed')
  if root=$("$python" -c 'import torch; print(torch.__path__[0])' 2>/dev/null) && [ -d "$root/include/ATen" ]; then
    options+=(-isystem "$root/include" -isystem "$root/include/torch/csrc/api/include" -L "$root/lib"
      "-Wl,-rpath,$root/lib")
  elif [ -d /usr/include/torch/csrc/api/include ]; then
    root=
    options+=(-isystem /usr/include/torch/csrc/api/include)
  else
    echo "build_peers: expected a torch in $python or Debian's libtorch-dev, found neither" >&2
    exit 2
  fi
  if [ -n "$root" ] && [ -f "$root/lib/libc10_cuda.so" ]; then
    need_nvcc
    g++ "${options[@]}" -isystem "$(dirname "$(dirname "$(command -v "$nvcc")")")/include" peers/torch/torch_peer.cpp \
      peers/torch/stream_scope_cuda.cpp -ltorch_cpu -ltorch_cuda -lc10 -lc10_cuda -o "$out/torch.so"
  else
    g++ "${options[@]}" peers/torch/torch_peer.cpp peers/torch/stream_scope_none.cpp -ltorch_cpu -lc10 -o "$out/torch.so"
  fi
}

peers=("$@")
[ ${#peers[@]} -gt 0 ] || peers=(cub flashinfer)
for peer in "${peers[@]}"; do
  case $peer in
    cub | flashinfer | torch) ;;
    *) sed -n '/^# usage/p' "$0" >&2; exit 2 ;;
  esac
done
mkdir -p "$out"
for peer in "${peers[@]}"; do
  "build_$peer"
done
ls -l "$out"/*.so
