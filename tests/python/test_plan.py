"""plan, supports, system, prepare and the package itself."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import json
import re

import keysieve
import numpy as np
import pytest

SHAPE = {"rows": 128, "width": 65536, "k": 2048}


def test_a_plan_is_plain_data():
    made = keysieve.plan(**SHAPE, backend="cpu", threads=2, order="score")
    assert (made.backend, made.threads, made.runnable) == ("cpu", 2, True)
    assert made.automatic == ("route", "split")
    assert made.problem.rows == 128
    assert made.problem.order == "score"
    assert made == keysieve.plan(**SHAPE, backend="cpu", threads=2, order="score")
    assert hash(made) == hash(keysieve.plan(**SHAPE, backend="cpu", threads=2, order="score"))
    assert made != keysieve.plan(**SHAPE, backend="cpu", threads=1, order="score")
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.threads = 3
    document = json.loads(made.json())
    assert document["schema"] == "keysieve.plan/1"
    assert document["workspace_bytes"] == made.workspace_bytes
    assert "route: " + made.route in str(made)
    assert made.reason in str(made)


def test_the_workspace_grows_with_every_size():
    base = keysieve.plan(**SHAPE, backend="cpu", threads=2).workspace_bytes
    for name in SHAPE:
        more = {**SHAPE, name: SHAPE[name] * 2}
        assert keysieve.plan(**more, backend="cpu", threads=2).workspace_bytes >= base


@pytest.mark.parametrize("device", ["h200", "a100"])
def test_plans_for_devices_that_are_not_here(device):
    made = keysieve.plan(**SHAPE, device=device)
    assert made.backend == "cuda"
    assert not made.runnable
    assert keysieve.supports(**SHAPE, device=device) == []
    with pytest.raises(RuntimeError, match="8192"):
        keysieve.plan(rows=1, width=100000, k=8193, device=device)
    assert len(keysieve.supports(rows=1, width=100000, k=8193, device=device)) == 1


def test_split_is_part_of_the_problem():
    made = keysieve.plan(rows=2, width=1 << 20, k=512, device="h200", route="split", split=4)
    assert "split" not in made.automatic
    assert "split" in keysieve.plan(rows=2, width=1 << 20, k=512, device="h200", route="split").automatic
    assert (made.shared_bytes, made.candidate_capacity, made.sample_vectors) == tuple(
        json.loads(made.json())[name] for name in ("shared_bytes", "candidate_capacity", "sample_vectors")
    )


def test_refused_plans():
    for changes, kind, message in [
        ({"rows": -1}, ValueError, "rows: expected an integer >= 0, got -1"),
        ({"rows": 2**31}, ValueError, "rows: expected 0..2147483647, got 2147483648"),
        ({"k": 0}, ValueError, "k: expected an integer >= 1, got 0"),
        ({"width": 1.5}, TypeError, "width: expected an integer >= 0, got 1.5"),
        ({"device": "h300"}, ValueError, "expected one of h200, a100, got 'h300'"),
        ({"device": "cuda:x"}, ValueError, "device: expected 'cuda:' and a number, got 'cuda:x'"),
        ({"device": 0}, TypeError, "device: expected None or a name such as"),
        ({"route": "tile"}, RuntimeError, "route: the cpu backend has"),
        ({"backend": "cpu", "device": "h200"}, ValueError, "backend: expected auto or cuda for the device profile h200"),
        ({"split": 0}, ValueError, "split: expected an integer >= 1, got 0"),
        ({"score_dtype": "float64"}, ValueError, "score_dtype: expected one of"),
    ]:
        with pytest.raises(kind, match=re.escape(message)):
            keysieve.plan(**{**SHAPE, **changes})


def test_every_unmet_condition_is_listed():
    assert keysieve.supports(**SHAPE) == []
    unmet = keysieve.supports(rows=-1, width=-2, k=0)
    assert [line.split(":")[0] for line in unmet] == ["rows", "width", "k"]
    with pytest.raises(ValueError, match="mode: expected one of"):
        keysieve.supports(**SHAPE, mode="pages")


def test_names_of_options_match_the_library():
    """The numbers in _options.py against the library's own names for them."""
    from keysieve import _options

    for option, names in [
        ("order", _options.ORDERS), ("ties", _options.TIES), ("nan", _options.NANS), ("mode", _options.MODES),
        ("index_dtype", _options.INDEX_TYPES), ("score_dtype", _options.SCORE_TYPES),
    ]:  # fmt: skip
        key = {"index_dtype": "index_type", "score_dtype": "score_type"}.get(option, option)
        for name in names:
            assert getattr(keysieve.plan(**SHAPE, **{option: name}).problem, key) == name
    for backend, route in [("reference", "reference"), ("cpu", "cpu_rows"), ("cpu", "cpu_chunks")]:
        made = keysieve.plan(**SHAPE, backend=backend, route=route)
        assert (made.backend, made.route) == (backend, route)
    for route in ("tile", "sieve", "split", "wide", "trivial"):
        assert keysieve.supports(**SHAPE, route=route)[0].endswith("got " + route)


def test_system():
    info = keysieve.system()
    assert info["version"] == keysieve.__version__
    assert info["cpu"]["threads"] >= 1
    assert info["python"]["numpy"] == np.__version__
    assert json.dumps(info)


def test_the_cpu_kernels_are_loaded():
    """Without them `auto` falls back to the reference, and the other tests would prove nothing about them."""
    assert keysieve.system()["cpu"]["loaded"], keysieve.system()["cpu"]
    assert keysieve.plan(**SHAPE).backend == "cpu"


def test_prepare():
    for _ in range(2):
        keysieve.prepare()
        keysieve.prepare("cpu")
    with pytest.raises(ValueError, match="device: expected None, 'cpu', 'cuda' or 'cuda:N', got 'h200'"):
        keysieve.prepare("h200")


def test_version_is_the_packages():
    try:
        from importlib.metadata import version

        installed = version("keysieve")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("keysieve is run from the source tree, not installed")
    assert keysieve.__version__ == installed


@pytest.mark.parametrize("module", ["_context", "_engram", "_plan", "_publish", "_q_rope", "_rmsnorm", "_select", "_small_gemm", "_system", "_transform"])
def test_examples_in_the_docstrings(module):
    failed, attempted = doctest.testmod(importlib.import_module("keysieve." + module))
    assert attempted > 0
    assert failed == 0


def test_every_public_function_is_documented_and_exported():
    for name in keysieve.__all__:
        assert getattr(keysieve, name) is not None
        if callable(getattr(keysieve, name)):
            assert len(getattr(keysieve, name).__doc__) > 40
