"""Hypothesis: any small problem gives what the oracle gives."""

from __future__ import annotations

import keysieve
import numpy as np
import oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ENGINES, Canaried

# Few distinct values, so that ties and NaN meet the k-th place often.
BITS = st.sampled_from(
    [0x7FC00000, 0xFFC00001, 0x7F800000, 0xFF800000, 0, 0x80000000, 1, 0x3F800000, 0x3F800001, 0xBF800000, 0x7F7FFFFF]
)


@st.composite
def problems(draw):
    rows = draw(st.integers(0, 6))
    width = draw(st.integers(0, 90))
    cells = draw(st.lists(BITS, min_size=rows * width, max_size=rows * width))
    scores = np.array(cells, np.uint32).reshape(rows, width)
    kind = draw(st.sampled_from(["float32", "bfloat16"]))
    scores = scores.view(np.float32) if kind == "float32" else (scores >> 16).astype(np.uint16)
    options = {
        "order": draw(st.sampled_from(["index", "score"])),
        "ties": draw(st.sampled_from(["smallest", "largest"])),
        "nan": draw(st.sampled_from(["lowest", "highest"])),
        "mask_neg_inf": draw(st.booleans()),
        "check_nan": draw(st.booleans()),
        "mode": draw(st.sampled_from(["raw", "offset", "paged", "dual"])),
    }
    some_int32 = st.one_of(st.integers(-3, 100), st.integers(-(2**31), 2**31 - 1))
    per_row = st.lists(some_int32, min_size=rows, max_size=rows).map(lambda v: np.array(v, np.int32))
    lengths = None
    window = draw(st.sampled_from(["none", "lengths", "ends", "starts+lengths", "starts+ends"]))
    if "starts" in window:
        options["row_starts"] = draw(per_row)
    if "ends" in window:
        options["row_ends"] = draw(per_row)
    if "lengths" in window:
        lengths = draw(per_row)
        next_n = draw(st.sampled_from([n for n in (1, 2, 3) if rows % n == 0]))
        if draw(st.booleans()):
            lengths = lengths.reshape(rows // next_n, next_n)
    if options["mode"] == "offset":
        options["out_offsets"] = draw(per_row)
    if options["mode"] in ("paged", "dual"):
        options["page_size"] = draw(st.integers(1, 40))
        columns = draw(st.integers(0, 6))
        pages = st.integers(-2, 50)
        cells = draw(st.lists(pages, min_size=rows * columns, max_size=rows * columns))
        options["page_table"] = np.array(cells, np.int32).reshape(rows, columns)
        options["num_pages"] = draw(st.one_of(st.none(), st.integers(0, 50)))
    if draw(st.booleans()):
        line = st.integers(-2, 7)
        options["row_to_table"] = np.array(draw(st.lists(line, min_size=rows, max_size=rows)), np.int32)
    k = draw(st.integers(1, 100))
    index_dtype = draw(st.sampled_from(["int32", "int64"]))
    return scores, lengths, k, kind == "bfloat16", index_dtype, options


@settings(max_examples=400, deadline=None)
@given(problems(), st.sampled_from(ENGINES), st.sampled_from([None, 2, 3]))
def test_any_problem(problem, engine, threads):
    scores, lengths, k, bfloat16, index_dtype, options = problem
    rows = scores.shape[0]
    out, values = Canaried(rows, k, index_dtype), Canaried(rows, k, scores.dtype)
    raw = Canaried(rows, k, index_dtype) if options["mode"] == "dual" else None
    word = np.zeros(1, np.uint32)
    result = keysieve.select(
        scores, lengths, k, out=out.view, values_out=values.view, raw_out=raw and raw.view, return_counts=True,
        error_word=word, backend=engine[0], route=engine[1], threads=threads, index_dtype=index_dtype,
        score_dtype="bfloat16" if bfloat16 else None, **options,
    )  # fmt: skip
    expected = oracle.select(
        scores, lengths, k, bfloat16=bfloat16, index_bits=int(index_dtype[3:]), **options
    )
    assert np.array_equal(result.indices, expected.indices)
    assert np.array_equal(result.counts, expected.counts)
    assert word[0] == expected.errors
    if raw is not None:
        assert np.array_equal(raw.view, expected.raw)
        raw.check()
    wanted = oracle.values(scores, expected, k, bfloat16)
    bits = {2: np.uint16, 4: np.uint32}[scores.itemsize]
    assert np.array_equal(np.ascontiguousarray(result.values).view(bits), wanted.view(bits))
    out.check()
    values.check()


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4), st.integers(1, 400), st.integers(1, 64), st.integers(0, 2**32 - 1))
def test_rows_do_not_know_their_neighbours(rows, width, k, seed):
    """A row's answer is the same alone, in any place of the batch and in any wider buffer."""
    rng = np.random.default_rng(seed)
    scores = np.round(rng.standard_normal((rows, width)) * 4).astype(np.float32)
    together = keysieve.select(scores, k=k, order="score").indices
    wider = np.full((rows, width + 9), np.inf, np.float32)
    wider[:, :width] = scores
    lengths = np.full(rows, width, np.int32)
    assert np.array_equal(together, keysieve.select(wider, lengths, k, order="score").indices)
    for r in range(rows):
        assert np.array_equal(together[r], keysieve.select(scores[r : r + 1], k=k, order="score").indices[0])
