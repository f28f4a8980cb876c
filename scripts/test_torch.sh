#!/usr/bin/env bash
# Torch CPU tensors, on Debian's torch (docs/decisions/0004-light-torch.md). usage: test_torch.sh REPORT_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

reports=$1
python=.venv-torch/bin/python
scripts/build_python.sh "$reports/torch-build.log"
# tvm-ffi would try to compile a helper for torch before 2.10; plain __dlpack__ is enough.
PYTHONPATH=python KEYSIEVE_LIBRARY_DIR=$PWD/build/lib TVM_FFI_DISABLE_TORCH_C_DLPACK=1 \
  $python -m pytest -q -p no:cacheprovider --junitxml="$reports/torch.xml" tests/python/test_torch.py

# torch.topk as a peer, on the CPU.
log=$reports/torch-peer.log
{
  PYTHON=/usr/bin/python3 scripts/build_peers.sh torch &&
    cmake --build build --target test_peer &&
    KEYSIEVE_BUILT_PEERS=build/peers build/bin/test_peer --gtest_filter='BuiltPeersTest.Torch*' \
      --gtest_output="xml:$reports/torch-peer.xml"
} > "$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
