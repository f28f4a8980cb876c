"""Two-level candidates from Python."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest

NONE = 2**31 - 1


def int32(values):
    return np.array(values, np.int32)


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_chain_is_dense_selection_where_every_block_is_kept(backend):
    """Keys, table, candidates and the finish of a selection: with few blocks, all positions are candidates."""
    rng = np.random.default_rng(3)
    rows, width, k = 4, 500, 32
    scores = rng.standard_normal((rows, width)).astype(np.float32)
    lengths = int32([500, 77, 8, 0])
    sizes = keysieve.candidate_lengths(lengths, 64, backend=backend)
    assert sizes.num_blocks.tolist() == [63, 10, 1, 0]
    assert sizes.valid.tolist() == lengths.tolist()
    table = rng.permutation(1000)[: rows * 32].reshape(rows, 32).astype(np.int32)
    unread = np.zeros((rows, 64), np.int32)
    sorted_blocks = keysieve.sort_blocks(unread, lengths, page_table=table, page_size=16, backend=backend)
    assert sorted_blocks.counts.tolist() == [63, 10, 1, 0]
    assert sorted_blocks.valid.tolist() == lengths.tolist()
    dense = keysieve.select(scores, lengths, k, page_table=table, page_size=16, mode="dual")
    chosen = keysieve.select(scores, sorted_blocks.valid, k, order="score").indices.astype(np.int32)
    finished = keysieve.finish_paged(
        chosen, scores, lengths, table, page_size=16, blocks=sorted_blocks.blocks, backend=backend
    )
    assert np.array_equal(finished.slots, dense.indices)
    assert np.array_equal(finished.raw, dense.raw_indices)
    filtered = keysieve.filter_pages(chosen, scores, table, page_size=16, backend=backend)
    assert np.array_equal(np.sort(filtered.slots), np.sort(finished.slots))
    tokens = rng.permutation(5000)[: rows * width].reshape(rows, width).astype(np.int32)
    candidates = keysieve.candidate_slots(sorted_blocks.blocks, lengths, tokens, backend=backend)
    assert candidates.counts.tolist() == lengths.tolist()
    by_table = keysieve.finalize_selection(chosen, scores, lengths, token_table=tokens, backend=backend)
    wide = np.pad(scores, ((0, 0), (0, 12)))
    by_candidates = keysieve.finalize_selection(chosen, wide, lengths, candidates=candidates, backend=backend)
    for a, b in zip(by_table, by_candidates, strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_block_max_of_bits(backend):
    rng = np.random.default_rng(4)
    scores = rng.standard_normal((3, 64)).astype(np.float32)
    bits = (scores.view(np.uint32) >> 16).astype(np.uint16)
    exact = (bits.astype(np.uint32) << 16).view(np.float32)
    out = keysieve.block_max(bits, int32([64, 64, 64]), block_size=16, backend=backend)
    expected = exact.reshape(3, 4, 16).max(axis=2)
    expected[:, 3] = np.inf
    assert np.array_equal(out, expected)


def test_outputs_given():
    selected = int32([[5, 4, 4]])
    out = keysieve.SortedBlocks(selected, None, None, None)
    word = np.zeros(1, np.uint32)
    assert keysieve.sort_blocks(selected, int32([50]), out=out, error_word=word) is out
    assert selected.tolist() == [[4, 5, NONE]] and word[0] == 0
    keysieve.sort_blocks(int32([[5, 70, -1]]), int32([50]), error_word=word)
    assert word[0] == keysieve.ERROR_BAD_ID
    flat = keysieve.FinishedSelection(int32([[9, 9]]), None, None)
    keysieve.finish_flat(int32([[1, -1]]), int32([30, 31]), int32([0]), out=flat)
    assert flat.slots.tolist() == [[31, -1]]


def test_refusals_name_the_argument():
    lengths, blocks = int32([20, 20]), np.zeros((2, 4), np.int32)
    with pytest.raises(ValueError, match="block_size: expected 8 or 16, got 4"):
        keysieve.candidate_lengths(lengths, 4, block_size=4)
    with pytest.raises(ValueError, match=re.escape("lengths: expected [rows=2], got [3]")):
        keysieve.sort_blocks(blocks, int32([1, 2, 3]))
    with pytest.raises(ValueError, match="page_size"):
        keysieve.sort_blocks(blocks, lengths, page_size=64)
    with pytest.raises(ValueError, match=re.escape("scores: expected 2 dimensions, got 1")):
        keysieve.block_max(np.zeros(8, np.float32), lengths)
    with pytest.raises(ValueError, match="scores: expected float32 or bfloat16, got float16"):
        keysieve.block_max(np.zeros((2, 8), np.float16), lengths)
    with pytest.raises(ValueError, match="token_table: expected a tensor, got none"):
        keysieve.finalize_selection(blocks, np.zeros((2, 8), np.float32), lengths)
    with pytest.raises(TypeError, match="ratio"):
        keysieve.candidate_slots(blocks, lengths, blocks, ratio=1.5)
