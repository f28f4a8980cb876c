"""Bench results made up for the report, with numbers that are known in closed form."""

from __future__ import annotations

import json
from pathlib import Path

ROWS = [1, 4, 16, 64, 128, 160, 256, 1024, 4096, 8192]
WIDTHS = [8192, 16384, 32768, 65536, 131072, 262144]
ALL_K = [512, 1024, 2048]
# One a step of the color scale.
RATIOS = [1.05, 1.2, 1.4, 1.8, 2.5, 4.0, 7.5]
SLOW_CHOICE = (128, 65536)  # the automatic choice takes `tile` here and loses a quarter
PEERS = ["cub_batched_topk", "raft_select_k"]
BASELINE_HEADER = "rows,width,k,mode,read_floor_us,best_us,best_impl,best_deterministic_us\n"


def floor_us(rows: int, width: int) -> float:
    return 1.0 + rows * width / 1e6


def ratio_of(rows: int, width: int, k: int) -> float:
    return RATIOS[(ROWS.index(rows) + WIDTHS.index(width) + ALL_K.index(k)) % len(RATIOS)]


def best_route(rows: int, width: int) -> str:
    return "tile" if width < 65536 else "split" if rows <= 16 else "sieve"


def cell(rows=1024, width=262144, k=512, ratio=1.1, floor=200.0, **changes) -> dict:
    median = floor * ratio
    result = {
        "rows": rows, "width": width, "capacity": width, "k": k, "dtype": "float32", "distribution": "normal",
        "lengths": "ragged", "mode": "warm", "order": "any", "output": "raw", "values": False, "chain": "alone",
        "busy_sms": 0, "hint": "none", "route_asked": "auto", "split_asked": "auto", "threads_asked": "auto",
        "implementation": "keysieve", "route_taken": "sieve", "split": 1, "threads": 256, "workspace_bytes": 0,
        "shared_bytes": 61696, "timer": "graph", "median_us": median, "p10_us": median * 0.99,
        "p90_us": median * 1.01, "second_median_us": median * 1.01, "noise": 0.01, "read_floor_us": floor * 0.98,
        "floor_us": floor, "floor_p10_us": floor, "floor_p90_us": floor, "ratio_to_floor": ratio,
        "ratio_to_read_floor": ratio / 0.98, "launch_us": 0.5, "plan_host_us": 1.5, "run_host_us": 2.5,
        "bytes": rows * width * 4, "gb_per_s": rows * width * 4e-3 / median, "checked_rows": 8, "wrong_rows": 0,
        "fault": "", "max_second_reads": 0, "rows_with_second_read": 0, "mean_compactions": 0.25,
    }  # fmt: skip
    return {**result, **changes}


def peer_cell(name: str, **options) -> dict:
    result = cell(implementation=name, route_taken=None, split=None, threads=None, shared_bytes=None, **options)
    for key in ("max_second_reads", "rows_with_second_read", "mean_compactions"):
        del result[key]
    return result


def unmeasured(reason: str, **options) -> dict:
    asked = list(cell())[:18]  # what was asked, and the implementation
    return {**{key: value for key, value in cell(**options).items() if key in asked}, "reason": reason}


def bench(cells: list[dict], fingerprint: dict | None = None, **changes) -> dict:
    result = {
        "schema": "keysieve.bench/1",
        "fingerprint": {
            "revision": "0123456789abcdef0123456789abcdef01234567", "build": "keysieve 0.1.0", "date":
            "2026-11-30T12:00:00Z", "command": "keysieve bench", "device": "cuda", "gpu": "NVIDIA H200",
            "compute_capability": "9.0", "num_sms": 132, "l2_bytes": 62914560, "memory_bytes": 150109880320,
            "driver": "13.0", "driver_module": "", "toolkit": "13.0", "cuda_runtime": "13.0",
            "sm_clock_mhz": {"min": 345, "median": 1980, "max": 1980}, "memory_clock_mhz": None, **(fingerprint or {}),
        },
        "samples": 21, "launch_us": {"warm": 0.5}, "cells": cells,
        "wrong_cells": sum(c["wrong_rows"] > 0 for c in cells), "refused": [], "failed": [], "missing": [],
        "error": "",
    }  # fmt: skip
    return {**result, **changes}


def automatic(rows: int, width: int, k: int, **changes) -> dict:
    slow = (rows, width) == SLOW_CHOICE
    route = "tile" if slow else best_route(rows, width)
    return cell(rows, width, k, ratio_of(rows, width, k) * (1.25 if slow else 1), floor_us(rows, width),
                route_taken=route, split=8 if route == "split" else 1, **changes)


def grid() -> dict:
    cells = [automatic(rows, width, k) for k in ALL_K for rows in ROWS for width in WIDTHS]
    # A route's threshold, measured for one row count: no column of its own.
    cells += [cell(1024, width, 512, 1.5, 50.0) for width in (98303, 98304, 98305)]
    cells += [cell(rows, 65536, 512, 3.3, floor_us(rows, 65536), mode="cold") for rows in ROWS]
    return bench(cells)


def routes() -> dict:
    cells = []
    for rows in ROWS:
        for width in WIDTHS:
            best = floor_us(rows, width) * ratio_of(rows, width, 512)
            for route, split in (("tile", 1), ("sieve", 1), ("split", 8)):
                slower = 1 if route == best_route(rows, width) else 1.25 if route == "tile" else 1.5
                cells.append(cell(rows, width, 512, best * slower / floor_us(rows, width), floor_us(rows, width),
                                  route_asked=route, route_taken=route, split=split, split_asked=split))
    return bench(cells, refused=[unmeasured("no cluster of 16 fits", rows=1, route_asked="split", split_asked=16)])


ROBUST = {"constant": 1.3, "relu": 0.98, "hidden_peaks": 1.8, "defeats_sample": 3.7}


def scores() -> dict:
    cells = []
    for rows, width in ((64, 65536), (1024, 131072)):
        cells.append(cell(rows, width, 512, 2.0, 100.0))
        cells += [cell(rows, width, 512, 2.0 * ratio, 100.0, distribution=name) for name, ratio in ROBUST.items()]
    return bench(cells)


def peers() -> dict:
    """cub takes twice keysieve's time, raft three times; in one cell cub takes 0.8 of it, in one raft is wrong."""
    cells = []
    for i, (rows, width) in enumerate((rows, width) for rows in ROWS for width in WIDTHS):
        ratio, floor = ratio_of(rows, width, 1024), floor_us(rows, width)
        cells.append(cell(rows, width, 1024, ratio, floor, order="index"))
        cells.append(peer_cell(PEERS[0], rows=rows, width=width, k=1024, ratio=ratio * (0.8 if i == 7 else 2),
                               floor=floor, order="index"))
        cells.append(peer_cell(PEERS[1], rows=rows, width=width, k=1024, ratio=ratio * 3, floor=floor, order="index",
                               **({"wrong_rows": 3, "fault": "row 2: a score is missing"} if i == 9 else {})))
    return bench(cells)


def audit(**changes) -> dict:
    counts = {"cases": 6500, "forced": 5000, "forced_by_route": {"tile": 3000, "sieve": 2000}, "dispatch": 1500,
              "dispatch_by_route": {"tile": 1500}, "refused": 12, "skipped": 0, "failed": 0, "wrong_rows": 0}
    result = {
        "schema": "keysieve.audit/1",
        "fingerprint": {"revision": "abc", "build": "keysieve 0.1.0", "date": "2026-11-30T12:00:00Z",
                        "command": "keysieve audit", "device": "cpu"},
        "seed": 7,
        "requested": {"backends": ["cpu"], "routes": [], "families": ["table", "random"], "forced": 5000,
                      "dispatch": 1500, "seconds": 0, "max_scores": 4194304, "workers": 2, "peer_library": ""},
        "ok": True, "stopped": "cases", "totals": counts,
        "families": [{"name": "table", "bundles": 40, **counts}, {"name": "random", "bundles": 60, **counts}],
        "idle_families": [], "failures": [], "seconds": 12.5,
    }
    return {**result, **changes}


def write(folder: Path, **documents: dict) -> list[Path]:
    paths = []
    for name, document in documents.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(document))
    return paths
