"""publish, fixed contexts and stamps from Python."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest
from support import gauss

NO_BLOCK = 2**31 - 1


def block_table(scores, lengths, blocks):
    """By the definition: (ids, counts, valid lengths)."""
    ids = np.full((len(lengths), blocks), NO_BLOCK, np.int32)
    counts, valid = np.zeros(len(lengths), np.int32), np.zeros(len(lengths), np.int32)
    for row, length in enumerate(np.clip(lengths, 0, scores.shape[1])):
        starts = range(0, int(length), 8)
        keys = [np.max(scores[row, i : min(i + 8, length)]) for i in starts]
        kept = list(range(len(keys)))
        if len(keys) > blocks:
            others = sorted(range(len(keys) - 1), key=lambda i: (-keys[i], i))[: blocks - 1]
            kept = sorted([*(i for i in others if keys[i] > -np.inf), len(keys) - 1])
        ids[row, : len(kept)] = kept
        counts[row] = len(kept)
        valid[row] = sum(min(8, int(length) - 8 * i) for i in kept)
    return ids, counts, valid


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_publish(backend):
    scores = gauss(9, 3000)
    scores[2, 64:2000] = -np.inf
    lengths = np.array([3000, 2999, 2990, 0, -2, 5000, 80, 320, 321], np.int32)
    result = keysieve.publish(scores, lengths, k=50, blocks=40, backend=backend, return_values=True, return_counts=True)
    plain = keysieve.select(scores, lengths, k=50, return_values=True, return_counts=True)
    assert np.array_equal(result.indices, plain.indices)
    assert np.array_equal(result.values, plain.values)
    assert np.array_equal(result.counts, plain.counts)
    ids, counts, valid = block_table(scores, lengths, 40)
    assert np.array_equal(result.blocks, ids)
    assert np.array_equal(result.block_counts, counts)
    assert np.array_equal(result.valid_lengths, valid)
    assert result.physical_blocks is None and result.raw_indices is None


def test_physical_blocks():
    scores = gauss(4, 1024)
    table = np.arange(4 * 16, dtype=np.int32)[::-1].copy().reshape(4, 16)
    out = np.full((4, 20), 7, np.int32)
    result = keysieve.publish(
        scores, k=32, blocks=20, page_table=table, page_size=64, mode="dual", physical_blocks_out=out
    )
    assert result.physical_blocks is out
    expected = np.take_along_axis(table, result.blocks // 8, axis=1) * 8 + result.blocks % 8
    assert np.array_equal(out, expected)
    assert np.array_equal(result.raw_indices, keysieve.select(scores, k=32).indices)
    # A consumer's slots: column c of its compact rows lies at physical[c // 8] * 8 + c % 8.
    assert result.valid_lengths.tolist() == [160] * 4


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_block_topk_is_the_second_half_of_publish(backend):
    scores = gauss(5, 2000)
    scores[1, 8:800] = -np.inf
    lengths = np.array([2000, 1999, 7, 0, 400], np.int32)
    table = np.arange(5 * 32, dtype=np.int32).reshape(5, 32)
    whole = keysieve.publish(scores, lengths, k=9, blocks=60, page_table=table, page_size=64, mode="raw")
    keys = keysieve.block_max(scores, lengths)
    made = keysieve.block_topk(keys, lengths, blocks=60, page_table=table, page_size=64, backend=backend)
    for name in ("blocks", "physical_blocks", "block_counts", "valid_lengths"):
        assert np.array_equal(getattr(made, name), getattr(whole, name)), name
    # The same table as sorting any order of the kept ids gives.
    shuffled = np.where(made.blocks == NO_BLOCK, -1, made.blocks)[:, ::-1].copy()
    ordered = keysieve.sort_blocks(shuffled, lengths, page_table=table, page_size=64)
    assert np.array_equal(ordered.blocks, made.blocks)
    with pytest.raises(ValueError, match="keys: expected"):
        keysieve.block_topk(keys[0], lengths)


@pytest.mark.parametrize("kept", [400, 60])
def test_consumer_of_published_blocks(kept):
    """A later layer scores only the published columns, in compact BF16 rows, and selects among them: what it would have
    selected among all columns where every block was kept, and the best of the published ones where not."""
    rows, width, k = 5, 3000, 64
    lengths = np.array([3000, 2777, 500, 9, 0], np.int32)
    table = np.random.default_rng(2).permutation(rows * 47).astype(np.int32).reshape(rows, 47)
    source = gauss(rows, width, 5)
    own = (gauss(rows, width, 6).view(np.uint32) >> 16).astype(np.uint16)  # BF16 bits of its own scores
    made = keysieve.publish(source, lengths, k=k, blocks=kept, page_table=table, page_size=64)
    columns = np.arange(kept * 8)
    position = np.minimum(made.blocks, 400)[:, columns // 8] * 8 + columns % 8
    compact = np.take_along_axis(np.pad(own, ((0, 0), (0, 400))), np.minimum(position, width + 399), axis=1)
    compact = np.ascontiguousarray(compact)
    compact[columns[None] >= made.valid_lengths[:, None]] = 0x7F80  # +inf: must never be looked at
    pages = np.where(made.physical_blocks == NO_BLOCK, -1, made.physical_blocks).astype(np.int32)
    got = keysieve.select(
        compact, made.valid_lengths, k, page_table=pages, page_size=8, mode="dual", score_dtype="bfloat16"
    )
    # The same among all columns, those of other blocks masked.
    dense = own.copy()
    for row in range(rows):
        kept_columns = np.isin(np.arange(width) // 8, made.blocks[row])
        dense[row, ~kept_columns] = 0xFF80
    wanted = keysieve.select(
        dense, lengths, k, page_table=table, page_size=64, mode="dual", score_dtype="bfloat16", mask_neg_inf=True
    )
    assert np.array_equal(got.indices, wanted.indices)
    logical = np.where(got.raw_indices < 0, -1, np.take_along_axis(position, np.maximum(got.raw_indices, 0), axis=1))
    assert np.array_equal(logical, wanted.raw_indices)
    if kept == 400:
        plain = keysieve.select(own, lengths, k, score_dtype="bfloat16")
        assert np.array_equal(logical, plain.indices)


def test_publish_refuses_by_name():
    scores = gauss(2, 500)
    with pytest.raises(ValueError, match=re.escape("blocks: expected 1..8192, got 9000")):
        keysieve.publish(scores, k=5, blocks=9000)
    with pytest.raises(ValueError, match="page_size: expected a number with a page table"):
        keysieve.publish(scores, k=5, page_size=64)
    with pytest.raises(ValueError, match="page_size: expected a power of two >= 8"):
        keysieve.publish(scores, k=5, mode="raw", page_table=np.zeros((2, 90), np.int32), page_size=6)
    with pytest.raises(ValueError, match=re.escape("blocks_out: expected [rows=2, blocks=16]")):
        keysieve.publish(scores, k=5, blocks=16, blocks_out=np.zeros((2, 15), np.int32))
    with pytest.raises(ValueError, match="mode: expected"):
        keysieve.publish(scores, k=5, mode="offset")


def test_context_guard():
    lengths, word = np.array([4, 9, -7], np.int32), np.zeros(1, np.uint32)
    assert keysieve.context_guard(lengths, 9, error_word=word).tolist() == [4, 9, 0]
    assert word[0] == 0
    assert keysieve.context_guard(lengths, 8, out=lengths, error_word=word) is lengths
    assert lengths.tolist() == [4, 8, 0]
    assert word[0] == keysieve.ERROR_CONTEXT_EXCEEDED
    assert keysieve.context_guard.can_use(lengths, -1) == ["max_context: expected 0..2147483647, got -1"]
    plan = keysieve.plan(rows=3, width=100, k=5)
    assert plan.serves_context(100) == []
    assert "run this step eagerly" in plan.serves_context(101)[0]


def test_stamps():
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 2000, 12).astype(np.int32)
    table = rng.integers(0, 500, (4, 32)).astype(np.int32)
    word = np.zeros(1, np.uint32)
    options = {"page_table": table, "page_size": 64, "next_n": 3}
    stamps = keysieve.selection_stamp(lengths, **options)
    assert np.array_equal(stamps, keysieve.selection_stamp(lengths, **options, backend="reference"))
    assert len(set(stamps.tolist())) == 12
    assert keysieve.selection_stamp(lengths, **options, expected=stamps, error_word=word) is None
    assert word[0] == 0
    table[:, 0] += 1
    keysieve.selection_stamp(lengths, **options, expected=stamps, error_word=word)
    assert word[0] == keysieve.ERROR_STALE_SELECTION
    with pytest.raises(ValueError, match="error_word: expected a pointer beside `expected`"):
        keysieve.selection_stamp(lengths, **options, expected=stamps)


def test_score_bytes():
    assert keysieve.score_bytes(3, 257, mode="fixed_context", dtype="bfloat16") == 3 * 512 * 2
    with pytest.raises(ValueError, match="mode: expected one of"):
        keysieve.score_bytes(1, 1, mode="slab")
    with pytest.raises(ValueError, match="element: expected bfloat16 or float16"):
        keysieve.score_bytes(1, 1, mode="candidates")
