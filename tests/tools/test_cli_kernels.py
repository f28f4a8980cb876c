"""keysieve kernels where there is no GPU: the list, refusals; the example in its schema."""

from __future__ import annotations

import os

from cli_helpers import run
from schema_support import validate


def has_device_code() -> bool:
    return "no device code" not in run("--version").stdout


def test_list_names_every_kernel():
    done = run("kernels", "--list")
    assert done.returncode == 0, done.stderr
    if has_device_code():
        names = {line.split()[0] for line in done.stdout.splitlines()}
        assert {"publish", "block_max", "small_gemm", "engram_gather", "fp4_indexer_query"} <= names
        one = run("kernels", "--list", "--kernels", "publish")
        assert {line.split()[0] for line in one.stdout.splitlines()} == {"publish"}


def test_refusals():
    done = run("kernels", "--samples", "3")
    assert done.returncode == 2
    assert "--samples: expected 20 or more" in done.stderr
    if has_device_code():
        done = run("kernels", "--list", "--kernels", "nonesuch")
        assert done.returncode == 2
        assert "--kernels: expected names of kernels" in done.stderr


def test_without_a_gpu_it_says_so(tmp_path):
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = run("kernels", "--kernels", "context_guard", "-o", tmp_path / "out.json", env=environment)
    assert done.returncode == 2
    assert "kernels: expected" in done.stderr
    assert not (tmp_path / "out.json").exists()


def test_schema():
    cell = {"kernel": "k", "size": "s", "median_us": 2.0, "p10_us": 1.9, "p90_us": 2.1, "read_bytes": 1, "write_bytes": 1,
            "floor_us": 1.0, "ratio_to_floor": 2.0, "over_launch_us": 1.5, "second_median_us": 2.0}
    fingerprint = {"revision": "r", "build": "b", "date": "d", "command": "c", "device": "cuda", "gpu": "g",
                   "driver": "13.0", "toolkit": "13.0"}
    report = {"schema": "keysieve.kernels/1", "fingerprint": fingerprint, "samples": 21, "launch_us": 0.5,
              "cells": [cell], "failed": []}
    validate(report, "kernels-1", closed=True)
