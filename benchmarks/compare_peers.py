"""CPU selection against the thread's read floor, numpy.argpartition and torch.topk, in one run. Writes JSON.

usage: compare_peers.py --bench BUILD/bin/keysieve_cpu_bench [--threads N] [--samples N] [--revision R] -o OUT.json

Scores are FP32 N(0,1), 64 x 131072, k = 2048; the peers and keysieve's Python call get the same array. The floor and
the other patterns come from the C++ benchmark, which is run first, on the same machine. torch is used where it can be
imported, and is said to be missing otherwise.
"""

import argparse
import datetime
import importlib
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from typing import Any, Callable

import numpy as np

ROWS, WIDTH, K = 64, 131072, 2048


def cpu_model() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def timing(work: Callable[[], Any], samples: int) -> dict[str, float]:
    work()
    times = []
    for _ in range(samples):
        begin = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - begin) / 1e3)
    times.sort()
    return {"median_us": statistics.median(times), "p10_us": times[samples // 10], "p90_us": times[-1 - samples // 10]}


def numpy_peer(scores: np.ndarray) -> Callable[[], Any]:
    return lambda: np.argpartition(scores, WIDTH - K, axis=1)[:, WIDTH - K :]


def torch_peer(scores: np.ndarray, threads: int) -> tuple[str, Callable[[], Any] | None]:
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        return f"not available: {error}", None
    torch.set_num_threads(threads)
    tensor = torch.from_dlpack(scores)
    return f"torch {torch.__version__}", lambda: torch.topk(tensor, K, dim=1, sorted=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--samples", type=int, default=21)
    parser.add_argument("--revision", default="unknown")
    parser.add_argument("-o", "--output", required=True)
    options = parser.parse_args()

    shape = ["--rows", str(ROWS), "--width", str(WIDTH), "-k", str(K)]
    command = [options.bench, *shape, "--threads", str(options.threads), "--samples", str(options.samples)]
    bench = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    keysieve = importlib.import_module("keysieve")
    scores = np.random.default_rng(20261129).standard_normal((ROWS, WIDTH), dtype=np.float32)
    select = lambda: keysieve.select(scores, k=K, threads=options.threads)  # noqa: E731
    expected = np.sort(np.argsort(-scores, axis=1, kind="stable")[:, :K], axis=1)
    if not np.array_equal(select().indices, expected):
        print("keysieve.select: wrong result", file=sys.stderr)
        return 1

    peers: dict[str, Any] = {"keysieve": {"version": keysieve.__version__, **timing(select, options.samples)}}
    peers["numpy.argpartition"] = {"version": np.__version__, **timing(numpy_peer(scores), max(5, options.samples // 4))}
    torch_version, torch_work = torch_peer(scores, options.threads)
    peers["torch.topk"] = {"version": torch_version}
    if torch_work is not None:
        peers["torch.topk"].update(timing(torch_work, max(5, options.samples // 4)))
    own = peers["keysieve"]["median_us"]
    for name, peer in peers.items():
        if name != "keysieve" and "median_us" in peer:
            peer["times_keysieve"] = peer["median_us"] / own

    normal = bench["patterns"]["normal"]
    report = {
        "schema": "keysieve.cpu_report/1",
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "machine": {"cpu": cpu_model(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "revision": options.revision,
        "command": " ".join(["compare_peers.py", "--threads", str(options.threads), "--samples", str(options.samples)]),
        "summary": {
            "share_of_read_bandwidth": normal["share_of_read_bandwidth"],
            "times_slower": {name: peer.get("times_keysieve") for name, peer in peers.items() if name != "keysieve"},
            "ratio_to_normal": {name: p["ratio_to_normal"] for name, p in bench["patterns"].items()},
        },
        "peers": peers,
        "bench": bench,
    }
    pathlib.Path(options.output).write_text(json.dumps(report, indent=2) + "\n", encoding="ascii")
    print(json.dumps(report["summary"], indent=2))
    return 0


sys.exit(main())
