"""What a call of keysieve.select costs the host, from Python on a GPU: a torch call with every output and the workspace
given, queued without waiting for the device. Prints JSON; medians of batches that are short enough not to fill the
launch queue.

usage: PYTHONPATH=python KEYSIEVE_LIBRARY_DIR=build/lib python3 benchmarks/python_host.py
"""

from __future__ import annotations

import json
import statistics
import time

import keysieve
import torch

_BATCH = 200
_BATCHES = 41


def microseconds_a_call(call) -> float:
    """Median over the batches; the device is idle when a batch begins."""
    times = []
    for _ in range(_BATCHES):
        torch.cuda.synchronize()
        begin = time.perf_counter_ns()
        for _ in range(_BATCH):
            call()
        times.append((time.perf_counter_ns() - begin) / _BATCH / 1000)
    torch.cuda.synchronize()
    return statistics.median(times)


def main() -> None:
    cells = []
    for rows, width, k in ((1, 8192, 512), (64, 8192, 2048), (1, 65536, 512)):
        scores = torch.randn(rows, width, device="cuda")
        lengths = torch.full((rows,), width, dtype=torch.int32, device="cuda")
        out = torch.empty(rows, k, dtype=torch.int32, device="cuda")
        table = torch.arange(rows * (width // 64), dtype=torch.int32, device="cuda").reshape(rows, -1)
        calls = {
            "raw, out given": lambda: keysieve.select(scores, lengths, k, out=out),
            "raw, out made": lambda: keysieve.select(scores, lengths, k),
            "paged, out given": lambda: keysieve.select(
                scores, lengths, k, page_table=table, page_size=64, out=out
            ),
            # The same kernel's price of admission: what torch itself takes to queue a kernel that writes `out`.
            "torch: out.fill_(0)": lambda: out.fill_(0),
        }
        for name, call in calls.items():
            for _ in range(50):
                call()
            cells.append({"rows": rows, "width": width, "k": k, "call": name, "host_us": round(microseconds_a_call(call), 3)})
    device = torch.cuda.get_device_name()
    print(json.dumps({"version": keysieve.__version__, "gpu": device, "torch": torch.__version__, "cells": cells}, indent=1))


if __name__ == "__main__":
    main()
