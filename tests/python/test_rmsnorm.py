"""rmsnorm_mxfp8 and hc_rmsnorm_mxfp8 from Python."""

from __future__ import annotations

import doctest
import importlib
import re

import keysieve
import numpy as np
import pytest
from test_engram import e4m3, floats


def bfloat16(values: np.ndarray) -> np.ndarray:
    """Nearest, ties to even; finite values."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def group_scales(scales: np.ndarray, m: int, groups: int) -> np.ndarray:
    tiles = scales.reshape(-(-m // 128), -(-groups // 4), 32, 4, 4)  # row tile, word, row % 32, row / 32, group % 4
    return tiles.transpose(0, 3, 2, 1, 4).reshape(tiles.shape[0] * 128, -1)


def check(result: keysieve.RmsnormMxfp8Result, v: np.ndarray, weight: np.ndarray, eps: float) -> None:
    m, columns = v.shape
    exact = v / np.sqrt((v * v).mean(axis=1, keepdims=True) + eps) * floats(weight).astype(float)
    assert np.abs(result.y.astype(int) - bfloat16(exact)).max() <= 1
    unswizzled = group_scales(result.scales, m, columns // 32)
    assert not unswizzled[m:].any() and not unswizzled[:, columns // 32 :].any()
    scale = 2.0 ** (unswizzled[:m, : columns // 32].astype(float) - 127)
    groups = np.abs(floats(result.y).astype(float)).reshape(m, -1, 32).max(axis=2)
    assert np.all(groups <= 448 * scale) and np.all(groups > 224 * scale)
    error = np.abs(e4m3(result.q) * np.repeat(scale, 32, axis=1) - floats(result.y))
    assert np.all(error <= np.maximum(np.abs(floats(result.y)) / 16, np.repeat(scale, 32, axis=1) * 2.0**-10))


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_one_stream(backend):
    rng = np.random.default_rng(6)
    x, weight = bfloat16(rng.normal(size=(130, 160))), bfloat16(rng.normal(size=160))
    result = keysieve.rmsnorm_mxfp8(x, weight, 1e-6, backend=backend)
    assert result.scales.shape == (keysieve.mxfp8_scale_bytes(130, 160),) == (2048,)
    check(result, floats(x).astype(float), weight, 1e-6)


@pytest.mark.parametrize("backend", ["auto", "reference"])
@pytest.mark.parametrize("wide", [False, True])
def test_four_streams(backend, wide):
    rng = np.random.default_rng(7)
    x, weight = bfloat16(rng.normal(size=(9, 4 * 96))), bfloat16(rng.normal(size=96))
    pre = rng.normal(size=(9, 4)).astype(np.float32)
    factors = pre if wide else floats(bfloat16(pre))
    v = np.einsum("mc,mck->mk", factors.astype(float), floats(x).astype(float).reshape(9, 4, 96))
    result = keysieve.hc_rmsnorm_mxfp8(x, pre if wide else bfloat16(pre), weight, 1e-6, backend=backend)
    exact = v / np.sqrt((v * v).mean(axis=1, keepdims=True)) * floats(weight).astype(float)
    # v is rounded to BF16 first.
    assert np.all(np.abs(floats(result.y) - exact) <= np.abs(exact) * 2.0**-6 + 2.0**-12)


def test_outputs_of_the_caller():
    x, weight = np.full((3, 64), 0x3F80, np.uint16), np.full(64, 0x4000, np.uint16)
    wide = np.full((3, 80), 0xEEEE, np.uint16)
    q, scales = np.zeros((3, 64), np.uint8), np.full(512, 0x5A, np.uint8)
    result = keysieve.rmsnorm_mxfp8(x, weight, 0, y=wide[:, :64], q=q, scales=scales)
    assert result.q is q and result.scales is scales and np.shares_memory(result.y, wide)
    assert np.all(wide[:, :64] == 0x4000) and np.all(wide[:, 64:] == 0xEEEE)
    assert np.all(e4m3(q) == 256) and np.count_nonzero(scales) == 6 and scales[0] == 120
    plain = keysieve.rmsnorm_mxfp8(x, weight, 0, quantize=False)
    assert plain.q is None and plain.scales is None and np.all(plain.y == 0x4000)
    quantized = keysieve.rmsnorm_mxfp8(x, weight, 0, plain=False)
    assert quantized.y is None and np.array_equal(quantized.q, q) and np.array_equal(quantized.scales, scales)


def test_no_rows():
    result = keysieve.rmsnorm_mxfp8(np.zeros((0, 64), np.uint16), np.zeros(64, np.uint16), 1e-6)
    assert result.y.shape == result.q.shape == (0, 64) and result.scales.shape == (0,)


def test_refusals_name_the_argument():
    x, weight = np.zeros((3, 64), np.uint16), np.zeros(64, np.uint16)
    with pytest.raises(ValueError, match=re.escape("x: expected 2 dimensions, got 1")):
        keysieve.rmsnorm_mxfp8(x[0], weight, 1e-6)
    with pytest.raises(TypeError, match=re.escape("eps: expected a number, got '1'")):
        keysieve.rmsnorm_mxfp8(x, weight, "1")
    with pytest.raises(ValueError, match="eps: expected a finite number from 0 up"):
        keysieve.rmsnorm_mxfp8(x, weight, float("inf"))
    with pytest.raises(ValueError, match=re.escape("x: expected [m, K=32], got [3, 64]")):
        keysieve.rmsnorm_mxfp8(x, weight[:32], 1e-6)
    with pytest.raises(ValueError, match=re.escape("columns: expected a multiple of 32, got 48")):
        keysieve.rmsnorm_mxfp8(x[:, :48], weight[:48], 1e-6)
    with pytest.raises(ValueError, match=re.escape("x: expected [m, 4 * K=256], got [3, 64]")):
        keysieve.hc_rmsnorm_mxfp8(x, np.zeros((3, 4), np.float32), weight, 1e-6)
    with pytest.raises(ValueError, match=re.escape("y: expected None with plain=False, got an array")):
        keysieve.rmsnorm_mxfp8(x, weight, 1e-6, plain=False, y=x.copy())
    with pytest.raises(ValueError, match=re.escape("y, q: expected an output, got none")):
        keysieve.rmsnorm_mxfp8(x, weight, 1e-6, plain=False, quantize=False)
    with pytest.raises(ValueError, match="y: expected memory of its own, overlaps x"):
        keysieve.rmsnorm_mxfp8(x, weight, 1e-6, y=x)
    with pytest.raises(ValueError, match="columns: expected"):
        keysieve.mxfp8_scale_bytes(1, 33)


def test_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(importlib.import_module("keysieve._rmsnorm"))
    assert attempted > 0 and failed == 0
