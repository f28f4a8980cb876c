"""What arrays select takes without a copy, and what it gives back."""

from __future__ import annotations

import keysieve
import numpy as np
import oracle
import pytest
from support import Canaried, gauss, int32


def assert_right(got, scores, lengths=None, k=1, **options):
    assert np.array_equal(got, oracle.select(scores, lengths, k, **options).indices)


def test_row_views_of_a_wider_buffer():
    wide = gauss(7, 900)
    for scores in (wide[:, 100:400], wide[::2, 13:], wide[1:2, ::1]):
        assert_right(keysieve.select(scores, k=30).indices, scores, k=30)


def test_any_base_alignment_of_the_element_type():
    block = gauss(1, 5000).reshape(-1)
    for offset in range(1, 9):
        scores = block[offset : offset + 4800].reshape(4, 1200)
        assert_right(keysieve.select(scores, k=100).indices, scores, k=100)
    halves = gauss(1, 5000).astype(np.float16).reshape(-1)
    for offset in range(1, 17):
        scores = halves[offset : offset + 4800].reshape(4, 1200)
        assert_right(keysieve.select(scores, k=100).indices, scores, k=100)


def test_read_only_inputs():
    scores, lengths, table = gauss(3, 200), int32(200, 10, 3), np.arange(12, dtype=np.int32).reshape(3, 4)
    for array in (scores, lengths, table):
        array.flags.writeable = False
    got = keysieve.select(scores, lengths, 20, page_table=table, page_size=64)
    assert_right(
        got.indices, scores, lengths, 20, page_table=table, page_size=64, mode="paged"
    )
    assert not scores.flags.writeable
    from_bytes = np.frombuffer(scores.tobytes(), np.float32).reshape(3, 200)
    assert_right(keysieve.select(from_bytes, k=20).indices, scores, k=20)


@pytest.mark.parametrize("file_mode", ["r", "r+", "c"])
def test_memory_mapped_scores(tmp_path, file_mode):
    path = tmp_path / "scores.npy"
    scores = gauss(5, 3000)
    np.save(path, scores)
    before = path.read_bytes()
    mapped = np.load(path, mmap_mode=file_mode)
    assert isinstance(mapped, np.memmap)
    got = keysieve.select(mapped, k=64, return_values=True)
    assert type(got.indices) is np.ndarray
    assert_right(got.indices, scores, k=64)
    assert path.read_bytes() == before


def test_big_read_only_scores_are_not_copied():
    tracemalloc = pytest.importorskip("tracemalloc")
    scores = gauss(2, 500_000)
    scores.flags.writeable = False
    keysieve.select(scores, k=4)
    tracemalloc.start()
    keysieve.select(scores, k=4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < scores.nbytes // 4


def test_lengths_as_a_column_of_a_wider_array():
    """faults.md R40: context lengths that are a non-contiguous column."""
    scores = gauss(6, 300)
    wide = np.full((6, 4), 2**30, np.int32)
    wide[:, 2] = [300, 0, -3, 17, 299, 1]
    assert_right(keysieve.select(scores, wide[:, 2], 40).indices, scores, wide[:, 2].copy(), 40)
    by_request = np.full((2, 3, 5), 2**30, np.int32)
    by_request[:, :, 1] = [[300, 0, -3], [17, 299, 1]]
    view = by_request[:, :, 1]
    assert_right(keysieve.select(scores, view, 40).indices, scores, view.copy(), 40)
    transposed = np.ascontiguousarray(view.T).T
    assert_right(keysieve.select(scores, transposed, 40).indices, scores, view.copy(), 40)


def test_broadcast_lengths():
    scores = gauss(6, 300)
    same = np.broadcast_to(np.int32(123), (6,))
    assert_right(keysieve.select(scores, same, 40).indices, scores, same.copy(), 40)
    per_request = np.broadcast_to(int32(50, 100)[:, None], (2, 3))
    assert_right(keysieve.select(scores, per_request, 40).indices, scores, per_request.copy(), 40)


def test_one_row_may_have_any_strides():
    base = gauss(1, 64)
    odd = np.lib.stride_tricks.as_strided(base, (1, 64), (12, 4))
    assert_right(keysieve.select(odd, k=5).indices, base, k=5)
    column = gauss(5, 8)[:, :1]
    assert_right(keysieve.select(column, k=2).indices, column, k=2)


def test_new_outputs():
    scores = gauss(3, 50)
    plain = keysieve.select(scores, k=7)
    assert plain.indices.dtype == np.int32
    assert plain.indices.flags.c_contiguous
    assert plain[1:] == (None, None, None)
    table = np.zeros((3, 1), np.int32)
    full = keysieve.select(
        scores, k=7, page_table=table, page_size=64, mode="dual", index_dtype=np.int64, return_values=True,
        return_counts=True,
    )  # fmt: skip
    assert full.indices.dtype == full.raw_indices.dtype == np.int64
    assert full.values.dtype == np.float32
    assert full.counts.dtype == np.int32
    assert np.array_equal(full.values, np.take_along_axis(scores, full.raw_indices, 1))


def test_mode_follows_the_tables():
    scores = gauss(2, 50)
    raw = keysieve.select(scores, k=7).indices
    assert np.array_equal(keysieve.select(scores, k=7, out_offsets=int32(100, 200)).indices - raw, [[100] * 7, [200] * 7])
    table = int32(3, 9).reshape(2, 1)
    paged = keysieve.select(scores, k=7, page_table=table, page_size=64).indices
    assert np.array_equal(paged - raw, [[192] * 7, [576] * 7])


def test_values_out_and_counts_out_ask_for_themselves():
    scores = gauss(3, 50)
    values, counts = Canaried(3, 7, np.float32), np.full(3, -9, np.int32)
    result = keysieve.select(scores, int32(50, 2, 0), 7, values_out=values.view, counts_out=counts)
    assert result.values is values.view
    assert result.counts is counts
    assert counts.tolist() == [7, 2, 0]
    values.check()


def test_bfloat16_as_integers_or_as_an_extension_type():
    bits = oracle.float_to_bfloat16(gauss(3, 400))
    expected = oracle.select(bits, None, 33, bfloat16=True)
    for scores in (bits, bits.view(np.int16)):
        got = keysieve.select(scores, k=33, score_dtype="bfloat16", return_values=True)
        assert np.array_equal(got.indices, expected.indices)
        assert got.values.dtype == scores.dtype
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the optional package ml_dtypes is not installed")
    typed = bits.view(ml_dtypes.bfloat16)
    typed.flags.writeable = False
    got = keysieve.select(typed, k=33, return_values=True)
    assert got.values.dtype == typed.dtype
    assert np.array_equal(got.indices, expected.indices)
    assert np.array_equal(got.values.view(np.uint16), oracle.values(bits, expected, 33, True))


def test_float16_bits_in_integers():
    scores = gauss(3, 400).astype(np.float16)
    got = keysieve.select(scores.view(np.uint16), k=33, score_dtype="float16").indices
    assert_right(got, scores, k=33)


def test_error_word_is_only_ever_ored():
    scores = gauss(1, 50)
    word = np.array([0x80000000], np.uint32)
    keysieve.select(scores, int32(51), 7, error_word=word)
    keysieve.select(scores, int32(50), 7, error_word=word)
    assert word[0] == 0x80000000 | keysieve.ERROR_LENGTH_CLAMPED
    scalar = np.zeros((), np.uint32)
    keysieve.select(scores, int32(-1), 7, error_word=scalar)
    assert scalar == keysieve.ERROR_LENGTH_CLAMPED


def test_speed_options_change_no_result():
    """hint, split and dependent_launch are for the GPU; the CPU takes them, and counts nothing."""
    scores = gauss(4, 700)
    wanted = keysieve.select(scores, k=40, order="score").indices
    for hint in (np.full(4, np.nan, np.float32), np.full(4, np.inf, np.float32), np.zeros(4, np.float32)):
        counters = np.full((6, 2), -7, np.int32)
        hint.flags.writeable = False
        got = keysieve.select(
            scores, k=40, order="score", hint=hint, row_counters_out=counters[1:5], split=4, dependent_launch=True
        )
        assert np.array_equal(got.indices, wanted)
        assert np.array_equal(counters, [[-7, -7]] + [[0, 0]] * 4 + [[-7, -7]])


def test_a_bfloat16_hint():
    bits = oracle.float_to_bfloat16(gauss(3, 400))
    wanted = oracle.select(bits, None, 33, bfloat16=True).indices
    got = keysieve.select(bits, k=33, score_dtype="bfloat16", hint=bits[:, 5].copy())
    assert np.array_equal(got.indices, wanted)
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="the optional package ml_dtypes is not installed")
    typed = bits.view(ml_dtypes.bfloat16)
    assert np.array_equal(keysieve.select(typed, k=33, hint=typed[:, 5].copy()).indices, wanted)


def test_many_shapes_leave_the_plan_cache_bounded():
    from keysieve import _select

    for width in range(1, _select._PREPARED_BOUND + 40):
        keysieve.select(np.zeros((1, width), np.float32), k=1)
    assert len(_select._prepared) <= _select._PREPARED_BOUND


def test_numpy_integers_are_integers():
    scores = gauss(2, 50)
    assert np.array_equal(
        keysieve.select(scores, k=np.int64(5), threads=np.int8(1)).indices, keysieve.select(scores, k=5).indices
    )
