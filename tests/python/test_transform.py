"""transform and row_lengths."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest
from support import Canaried, gauss, int32


def paged(positions, table, page_size, next_n=1):
    lines = np.arange(positions.shape[0]) // (1 if len(table) == positions.shape[0] else next_n)
    pages = table[lines[:, None], np.maximum(positions, 0) // page_size].astype(np.int64)
    return np.where(positions < 0, -1, pages * page_size + np.maximum(positions, 0) % page_size)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("page_size", [1, 7, 64])
def test_pages(dtype, page_size):
    rng = np.random.default_rng(3)
    positions = rng.integers(-1, 400, (6, 50)).astype(dtype)
    table = rng.integers(0, 1000, (6, 400)).astype(np.int32)
    out = Canaried(6, 50, dtype)
    result = keysieve.transform(positions, page_table=table, page_size=page_size, out=out.view)
    assert result is out.view
    out.check()
    assert np.array_equal(result, paged(positions, table, page_size))
    by_request = keysieve.transform(positions, page_table=table[:3], page_size=page_size, next_n=2)
    assert by_request.dtype == dtype
    assert np.array_equal(by_request, paged(positions, table[:3], page_size, 2))
    in_place = positions.copy()
    keysieve.transform(in_place, page_table=table, page_size=page_size, out=in_place)
    assert np.array_equal(in_place, paged(positions, table, page_size))


def test_partial_batches():
    """faults.md R84: more index rows than table rows, the padded ones mapped to -1."""
    positions = np.broadcast_to(np.arange(16, dtype=np.int32), (8, 16)).copy()
    table = np.arange(5, dtype=np.int32).reshape(5, 1)
    lines = int32(0, 1, 2, 3, 4, -1, -1, -1)
    slots = keysieve.transform(positions, page_table=table, page_size=16, row_to_table=lines)
    assert np.array_equal(slots[:5], positions[:5] + 16 * np.arange(5)[:, None])
    assert (slots[5:] == -1).all()


def test_offsets():
    positions = np.array([[0, 5, -1], [2, -1, -1]], np.int32)
    slots = keysieve.transform(positions, out_offsets=int32(100, 2**31 - 1))
    assert slots.tolist() == [[100, 105, -1], [-1, -1, -1]]
    wide = keysieve.transform(positions.astype(np.int64), out_offsets=int32(100, 2**31 - 1))
    assert wide.tolist() == [[100, 105, -1], [2**31 + 1, -1, -1]]


def test_bad_pages_lose_their_slot_alone():
    word = np.zeros(1, np.uint32)
    table = np.array([[3, -1, 9]], np.int32)
    positions = np.array([[0, 4, 8, 12, -1]], np.int32)
    slots = keysieve.transform(positions, page_table=table, page_size=4, num_pages=9, error_word=word)
    assert slots.tolist() == [[12, -1, -1, -1, -1]]
    assert word[0] == keysieve.ERROR_BAD_PAGE


def test_select_then_transform_is_one_paged_select():
    scores = gauss(4, 300)
    table = np.random.default_rng(1).permutation(20).astype(np.int32).reshape(4, 5)
    raw = keysieve.select(scores, k=33).indices
    fused = keysieve.select(scores, k=33, page_table=table, page_size=64).indices
    assert np.array_equal(keysieve.transform(raw, page_table=table, page_size=64), fused)


TABLE = np.zeros((2, 1), np.int32)
POSITIONS = np.zeros((2, 4), np.int32)


@pytest.mark.parametrize(
    ("positions", "options", "kind", "message"),
    [
        (POSITIONS[0], {"page_table": TABLE, "page_size": 8}, ValueError, "positions: expected [rows, k], got [4]"),
        (POSITIONS.astype(np.int16), {"page_table": TABLE, "page_size": 8}, TypeError, "positions: expected int32 or int64"),
        (POSITIONS, {}, ValueError, "out_offsets: expected an array in mode 'offset', got None"),
        (POSITIONS, {"mode": "paged"}, ValueError, "page_table: expected an array in mode 'paged', got None"),
        (POSITIONS, {"mode": "raw"}, ValueError, "mode: expected one of 'paged', 'offset', got 'raw'"),
        (POSITIONS, {"page_table": TABLE}, TypeError, "page_size: expected an integer >= 1, got None"),
        (POSITIONS, {"page_table": TABLE, "page_size": 8, "next_n": 3}, ValueError, "next_n: expected a divisor of rows=2"),
        (POSITIONS, {"out_offsets": int32(1)}, ValueError, "out_offsets: expected [rows=2] int32 on cpu, got [1] int32"),
        (POSITIONS, {"page_table": TABLE, "page_size": 8, "out_offsets": int32(1, 2)}, ValueError, "out_offsets: expected None"),
        (POSITIONS, {"out_offsets": int32(1, 2), "out": np.zeros((2, 4), np.int64)}, TypeError, "out: expected [rows=2, k=4]"),
        (POSITIONS[:, ::2], {"out_offsets": int32(1, 2)}, ValueError, "positions: expected adjacent elements in a row"),
        ([[1]], {"out_offsets": int32(1)}, TypeError, "positions: expected a numpy.ndarray or a torch.Tensor, got list"),
    ],
)  # fmt: skip
def test_refused_transforms(positions, options, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        keysieve.transform(positions, **options)


@pytest.mark.parametrize("next_n", [1, 2, 4])
@pytest.mark.parametrize("ratio", [1, 4, 128])
def test_row_lengths(next_n, ratio):
    """faults.md R26, R32, R33: the unit of the lengths, and what an early draft token may see."""
    requests = int32(0, 1, 3, 4, 7, 8, 1000, 2**31 - 1, -5, -(2**31))
    token = np.arange(next_n)
    wanted = np.maximum(requests.astype(np.int64)[:, None] - next_n + token + 1, 0) // ratio
    got = keysieve.row_lengths(requests, next_n, ratio)
    assert got.dtype == np.int32
    assert np.array_equal(got, wanted)
    out = np.full((10, next_n), -7, np.int32)
    assert keysieve.row_lengths(requests, next_n, ratio, out=out) is out
    assert np.array_equal(out, wanted)


def test_row_lengths_feed_select():
    lengths = keysieve.row_lengths(int32(8, 4), next_n=4)
    counts = keysieve.select(gauss(8, 16), lengths, 16, return_counts=True).counts
    assert counts.tolist() == [5, 6, 7, 8, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ([np.zeros(3, np.int64)], TypeError, "request_lengths: expected int32, got int64"),
        ([np.zeros((3, 1), np.int32)], ValueError, "request_lengths: expected [requests], got [3, 1]"),
        ([np.zeros(6, np.int32)[::2]], ValueError, "request_lengths: expected a contiguous array (stride 1)"),
        ([int32(1), 0], ValueError, "next_n: expected an integer >= 1, got 0"),
        ([int32(1), 1, 0], ValueError, "compress_ratio: expected an integer >= 1, got 0"),
        ([int32(1), 1.5], TypeError, "next_n: expected an integer >= 1, got 1.5"),
    ],
)
def test_refused_row_lengths(arguments, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        keysieve.row_lengths(*arguments)


def test_row_lengths_refuse_a_wrong_output():
    for out in (np.zeros((2, 2), np.int32), np.zeros((1, 4), np.int32), np.zeros((2, 8), np.int32)[:, ::2]):
        before = out.copy()
        with pytest.raises(ValueError, match="^out: expected"):
            keysieve.row_lengths(int32(5, 6), 4, out=out)
        assert np.array_equal(out, before)
