"""keysieve.small_gemm beside torch.matmul on a GPU: outputs given, both replayed from CUDA graphs, weights warm in L2.
Prints JSON; medians of replays of a graph that holds many calls in a row, as the device sees them.

usage: PYTHONPATH=python KEYSIEVE_LIBRARY_DIR=build/lib python3 benchmarks/python_matmul.py
"""

from __future__ import annotations

import json
import statistics

import keysieve
import torch

_CALLS = 100
_REPLAYS = 41


def microseconds_a_call(call) -> float:
    """Median over the replays; the device is idle when a replay begins."""
    # What a library sets up in its first calls (handles, workspaces, modules) may not be captured.
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(_CALLS):
            call()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(3):
        graph.replay()
    times = []
    for _ in range(_REPLAYS):
        torch.cuda.synchronize()
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) / _CALLS * 1000)
    return statistics.median(times)


def main() -> None:
    cells = []
    for n, k in ((128, 512), (32, 5120)):
        w = torch.randn(n, k, device="cuda").to(torch.bfloat16)
        for m in (1, 2, 4, 8, 16, 32):
            x = torch.randn(m, k, device="cuda").to(torch.bfloat16)
            out = torch.empty(m, n, dtype=torch.bfloat16, device="cuda")
            calls = {
                "keysieve.small_gemm": lambda: keysieve.small_gemm(x, w, out=out),
                "torch.matmul": lambda: torch.matmul(x, w.t(), out=out),
            }
            for name, call in calls.items():
                cells.append({"n": n, "k": k, "m": m, "call": name, "device_us": round(microseconds_a_call(call), 3)})
    device = torch.cuda.get_device_name()
    print(json.dumps({"version": keysieve.__version__, "gpu": device, "torch": torch.__version__, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
