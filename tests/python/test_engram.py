"""engram_gather from Python."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest


def floats(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def e4m3(codes: np.ndarray) -> np.ndarray:
    exponent, mantissa = (codes >> 3 & 15).astype(int), (codes & 7).astype(int)
    values = np.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0 ** (exponent - 10.0))
    values[(codes & 0x7F) == 0x7F] = np.nan
    return np.where(codes & 0x80, -values, values)


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_values(backend):
    rng = np.random.default_rng(5)
    table = rng.integers(0, 256, (50, 256)).astype(np.uint8)
    scales = rng.integers(110, 140, (50, 8)).astype(np.uint8)
    ids = rng.integers(95, 160, 200)
    out = np.full((200, 256), 0x5A5A, np.uint16)
    assert keysieve.engram_gather(table, scales, ids, first_row=100, out=out, backend=backend) is out
    owned = (ids >= 100) & (ids < 150)
    assert owned.any() and not owned.all()
    rows = np.where(owned, ids - 100, 0)
    exact = e4m3(table)[rows] * np.repeat(2.0 ** (scales.astype(float) - 127), 32, axis=1)[rows]
    exact[~owned] = 0
    # Four significant bits fit BF16's eight: nothing is rounded.
    assert np.array_equal(floats(out), exact.astype(np.float32), equal_nan=True)


def test_refusals_name_the_argument():
    table, scales, ids = np.zeros((4, 64), np.uint8), np.zeros((4, 2), np.uint8), np.zeros(3, np.int32)
    with pytest.raises(ValueError, match=re.escape("table: expected 2 dimensions, got 1")):
        keysieve.engram_gather(table[0], scales, ids)
    with pytest.raises(ValueError, match=re.escape("ids: expected int32 or int64, got float32")):
        keysieve.engram_gather(table, scales, ids.astype(np.float32))
    with pytest.raises(ValueError, match=re.escape("scales: expected [rows=4, blocks], got [3, 2]")):
        keysieve.engram_gather(table, scales[:3], ids)
    with pytest.raises(ValueError, match=re.escape("out: expected [n=3, dim=64], got [2, 64]")):
        keysieve.engram_gather(table, scales, ids, out=np.zeros((2, 64), np.uint16))
    with pytest.raises(TypeError, match="first_row"):
        keysieve.engram_gather(table, scales, ids, first_row=0.5)
    frozen = np.zeros((3, 64), np.uint16)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="out: expected a writable array"):
        keysieve.engram_gather(table, scales, ids, out=frozen)


def test_can_use_names_every_condition_and_writes_nothing():
    table, scales, ids = np.zeros((4, 64), np.uint8), np.zeros((4, 2), np.uint8), np.zeros(3, np.int32)
    out = np.full((3, 64), 0x5A5A, np.uint16)
    assert keysieve.engram_gather.can_use(table, scales, ids, out=out) == []
    assert (out == 0x5A5A).all()
    assert keysieve.engram_gather.can_use(table, scales[:3], ids.astype(np.float32)) == [
        "ids: expected int32 or int64, got float32",
        "scales: expected [rows=4, blocks], got [3, 2]",
    ]
    # What is found before the library is asked.
    assert keysieve.engram_gather.can_use(table[0], scales, ids) == ["table: expected 2 dimensions, got 1"]
    with pytest.raises(TypeError, match="first_row"):
        keysieve.engram_gather.can_use(table, scales, ids, first_row=0.5)
    # And asked once, the next call is a call again.
    keysieve.engram_gather(table, scales, ids, out=out)
    assert not (out == 0x5A5A).any()
