"""select against the oracle: element types, options, windows, transforms and sizes, on every engine."""

from __future__ import annotations

import keysieve
import numpy as np
import oracle
import pytest
from support import ENGINE_IDS, ENGINES, PATTERNS, Canaried, gauss, int32, specials

pytestmark = pytest.mark.parametrize(("backend", "route"), ENGINES, ids=ENGINE_IDS)


def run_and_compare(scores, lengths=None, k=1, *, backend, route, bfloat16=False, threads=None, **options):
    """Runs into poisoned, canaried, strided outputs and compares every bit with the oracle."""
    index_dtype = options.pop("index_dtype", "int32")
    rows = scores.shape[0]
    mode = options.get("mode", "raw")
    out = Canaried(rows, k, index_dtype)
    raw = Canaried(rows, k, index_dtype) if mode == "dual" else None
    values = Canaried(rows, k, scores.dtype)
    counts = np.full(rows + 2, 0x5A5A5A5A, np.int32)
    word = np.array([0, 0x5A5A5A5A], np.uint32)
    before = scores.copy()
    result = keysieve.select(
        scores, lengths, k, out=out.view, raw_out=raw and raw.view, values_out=values.view,
        counts_out=counts[1 : rows + 1], error_word=word[:1], backend=backend, route=route, threads=threads,
        index_dtype=index_dtype, score_dtype="bfloat16" if bfloat16 else None, **options,
    )  # fmt: skip
    bits = 64 if index_dtype == "int64" else 32
    expected = oracle.select(scores, lengths, k, bfloat16=bfloat16, index_bits=bits, **options)
    assert result.indices is out.view
    assert np.array_equal(before.view(np.uint8), scores.view(np.uint8)), "scores were written"
    for buffer in (out, raw, values):
        if buffer is not None:
            buffer.check()
    assert counts[0] == counts[-1] == 0x5A5A5A5A
    assert word[1] == 0x5A5A5A5A
    assert np.array_equal(counts[1:-1], expected.counts)
    assert word[0] == expected.errors
    if options.get("order") == "any":
        order = np.argsort(np.where(out.view < 0, np.iinfo(out.dtype).max, out.view), axis=1, kind="stable")
        got = np.take_along_axis(out.view, order, 1)
        wanted = np.take_along_axis(
            expected.indices,
            np.argsort(np.where(expected.indices < 0, 2**62, expected.indices), axis=1, kind="stable"), 1,
        )  # fmt: skip
        assert np.array_equal(got, wanted)
        return result
    assert np.array_equal(out.view, expected.indices)
    if raw is not None:
        assert np.array_equal(raw.view, expected.raw)
    wanted = oracle.values(scores, expected, k, bfloat16)
    bits_type = {2: np.uint16, 4: np.uint32}[scores.itemsize]
    assert np.array_equal(np.ascontiguousarray(values.view).view(bits_type), wanted.view(bits_type))
    return result


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    ("rows", "width", "k"),
    [(1, 1, 1), (3, 7, 3), (2, 64, 64), (5, 65, 16), (2, 300, 512), (1, 9000, 2048), (2, 70000, 1023), (37, 129, 1)],
)
def test_patterns_and_sizes(backend, route, pattern, rows, width, k):
    run_and_compare(PATTERNS[pattern](rows, width), k=k, backend=backend, route=route)


@pytest.mark.parametrize("ties", ["smallest", "largest"])
@pytest.mark.parametrize("nan", ["lowest", "highest"])
@pytest.mark.parametrize("order", ["index", "score", "any"])
@pytest.mark.parametrize("mask_neg_inf", [False, True])
def test_options(backend, route, ties, nan, order, mask_neg_inf):
    scores = specials(6, 700)
    for k in (1, 50, 600, 701):
        run_and_compare(
            scores, int32(700, 699, 3, 51, 0, -5), k, backend=backend, route=route, ties=ties, nan=nan, order=order,
            mask_neg_inf=mask_neg_inf, check_nan=True,
        )  # fmt: skip


def test_ties_any_gives_the_k_largest_scores(backend, route):
    scores = np.floor(gauss(4, 5000) * 2).astype(np.float32)
    got = keysieve.select(scores, k=700, ties="any", backend=backend, route=route).indices
    for row, chosen in zip(scores, got, strict=True):
        assert len(set(chosen.tolist())) == 700
        assert np.array_equal(np.sort(row[chosen]), np.sort(row)[-700:])


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("order", ["index", "score"])
def test_16_bit_scores(backend, route, kind, order):
    for make in (gauss, specials):
        scores = make(3, 5000)
        scores = oracle.float_to_bfloat16(scores) if kind == "bfloat16" else _half(scores)
        run_and_compare(
            scores, int32(5000, 4097, 100), 300, backend=backend, route=route, order=order, bfloat16=kind == "bfloat16"
        )


def _half(scores: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return scores.astype(np.float16)


def test_every_16_bit_pattern_in_one_row(backend, route):
    every = np.arange(65536, dtype=np.uint16)
    row = every[np.random.default_rng(5).permutation(65536)].reshape(1, -1)
    for k in (1, 1000, 65536):
        run_and_compare(row.view(np.float16), k=k, backend=backend, route=route, order="score")
        run_and_compare(row, k=k, backend=backend, route=route, order="score", bfloat16=True)


@pytest.mark.parametrize("index_dtype", ["int32", "int64"])
def test_windows(backend, route, index_dtype):
    scores = gauss(9, 1000)
    starts = int32(0, 1, 999, 1000, 1001, -1, 500, 2**31 - 1, 250)
    lengths = int32(1000, 1000, 5, 5, 5, 5, -(2**31), 3, 2**31 - 1)
    ends = int32(10, 1, 1000, 2000, 0, 7, 400, -(2**31), 251)
    options = {"backend": backend, "route": route, "index_dtype": index_dtype, "k": 40}
    run_and_compare(scores, lengths, row_starts=starts, **options)
    run_and_compare(scores, row_starts=starts, row_ends=ends, **options)
    run_and_compare(scores, row_ends=ends, **options)
    run_and_compare(scores, row_starts=starts, **options)


@pytest.mark.parametrize("page_size", [1, 3, 64])
@pytest.mark.parametrize("mode", ["paged", "dual"])
def test_page_tables(backend, route, page_size, mode):
    rows, width, k = 6, 500, 60
    scores = gauss(rows, width)
    lengths = np.array([[500, 130, 1], [0, 64, 65]], np.int32)
    pages = -(-width // page_size)
    rng = np.random.default_rng(9)
    by_row = rng.integers(0, 1000, (rows, pages)).astype(np.int32)
    options = {"backend": backend, "route": route, "mode": mode, "page_size": page_size, "k": k}
    run_and_compare(scores, lengths, page_table=by_row, **options)
    run_and_compare(scores, lengths, page_table=by_row[:2], **options)
    run_and_compare(scores, lengths, page_table=by_row, num_pages=400, index_dtype="int64", **options)
    # -1: an empty row. 7: past the table, so every page is bad.
    run_and_compare(scores, lengths, page_table=by_row, row_to_table=int32(5, -1, 0, 3, 7, 3), **options)
    broken = by_row.copy()
    broken[:, ::3] = -4
    run_and_compare(scores, lengths, page_table=broken, order="score", **options)
    # Too narrow: the missing pages are bad, the rest is right.
    run_and_compare(scores, lengths, page_table=by_row[:, : pages // 2], **options)


def test_offsets(backend, route):
    scores = gauss(4, 300)
    offsets = int32(0, -100, 2**31 - 1, 2**31 - 200)
    for index_dtype in ("int32", "int64"):
        run_and_compare(
            scores, int32(300, 3, 2, 300), 20, backend=backend, route=route, mode="offset", out_offsets=offsets,
            index_dtype=index_dtype,
        )  # fmt: skip


def test_a_slot_past_int32_is_minus_one(backend, route):
    scores = gauss(1, 100)
    table = np.full((1, 2), 2**31 - 1, np.int32)
    table[0, 0] = 3
    for index_dtype in ("int32", "int64"):
        run_and_compare(
            scores, k=100, backend=backend, route=route, mode="paged", page_table=table, page_size=64,
            index_dtype=index_dtype,
        )  # fmt: skip


@pytest.mark.parametrize(("rows", "width", "k"), [(0, 100, 5), (3, 0, 5), (0, 0, 1)])
def test_empty_batches(backend, route, rows, width, k):
    scores = np.zeros((rows, width), np.float32)
    run_and_compare(scores, k=k, backend=backend, route=route)
    run_and_compare(scores, np.zeros(rows, np.int32), k, backend=backend, route=route)
    run_and_compare(gauss(2, 50), k=5, backend=backend, route=route)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_thread_counts_agree(backend, route, threads):
    run_and_compare(
        specials(5, 20000), int32(20000, 8192, 8193, 63, 64), 777, backend=backend, route=route, threads=threads,
        order="score",
    )  # fmt: skip


def test_results_repeat(backend, route):
    scores = np.maximum(gauss(8, 20000), 1).astype(np.float32)
    first = keysieve.select(scores, k=512, order="score", backend=backend, route=route).indices
    for _ in range(5):
        again = keysieve.select(scores, k=512, order="score", backend=backend, route=route).indices
        assert np.array_equal(first, again)
    shuffled = keysieve.select(scores[::-1].copy(), k=512, order="score", backend=backend, route=route).indices
    assert np.array_equal(first, shuffled[::-1])
