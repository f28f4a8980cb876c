"""small_gemm from Python."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest


def floats(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def random_bits(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    # 64-byte rows, wherever NumPy puts the whole.
    buffer = np.empty(shape[0] * shape[1] + 32, np.uint16)
    start = -(buffer.ctypes.data // 2) % 32
    array = buffer[start : start + shape[0] * shape[1]].reshape(shape)
    array[:] = rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16
    return array


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
@pytest.mark.parametrize(("n", "k"), [(128, 512), (32, 5120)])
def test_values(n, k, backend):
    rng = np.random.default_rng(7)
    x, w = random_bits(rng, (9, 2 * k))[:, :k], random_bits(rng, (n, k))
    out = np.full((9, n + 3), 0x5A5A, np.uint16)
    assert keysieve.small_gemm(x, w, out=out[:, :n], backend=backend).base is out
    exact, size = floats(x) @ floats(w).T, np.abs(floats(x)) @ np.abs(floats(w)).T
    assert (np.abs(floats(out[:, :n]) - exact) <= 2.0**-8 * np.abs(exact) + 2.0**-20 * size).all()
    assert (out[:, n:] == 0x5A5A).all()
    assert np.array_equal(keysieve.small_gemm(x[4:5], w, backend=backend), out[4:5, :n])


def test_rows_up_to_max_m():
    rng = np.random.default_rng(8)
    x, w = random_bits(rng, (40, 512)), random_bits(rng, (128, 512))
    assert keysieve.small_gemm.can_use(x, w) == ["x: expected at most max_m=32 rows, got 40"]
    with pytest.raises(RuntimeError, match=re.escape("x: expected at most max_m=32 rows, got 40")):
        keysieve.small_gemm(x, w)
    assert np.array_equal(keysieve.small_gemm(x, w, max_m=40)[:32], keysieve.small_gemm(x[:32], w))
    assert keysieve.small_gemm(x[:0], w, max_m=0).shape == (0, 128)


def test_refusals_name_the_argument():
    rng = np.random.default_rng(9)
    x, w = random_bits(rng, (4, 512)), random_bits(rng, (128, 512))
    with pytest.raises(RuntimeError, match=re.escape("w: expected [N, K] = [128, 512] or [32, 5120], got [64, 512]")):
        keysieve.small_gemm(x, w[:64])
    with pytest.raises(ValueError, match=re.escape("x: expected [m, K=512], got [4, 256]")):
        keysieve.small_gemm(x[:, :256], w)
    with pytest.raises(ValueError, match=re.escape("x: expected 2 dimensions, got 1")):
        keysieve.small_gemm(x[0], w)
    with pytest.raises(ValueError, match=re.escape("max_m: expected an integer >= 0, got -1")):
        keysieve.small_gemm(x, w, max_m=-1)
    assert keysieve.small_gemm.can_use(x[:, 1:], w) == [
        "x: expected [m, K=512], got [4, 511]"
    ]
    shifted = random_bits(rng, (1, 520))[:, 4:516]
    assert keysieve.small_gemm.can_use(shifted, w) == [
        "x: expected an address and strides that are multiples of 16 bytes"
    ]
