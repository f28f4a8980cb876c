"""Bad arguments: the exception's type, its message, and that nothing was written."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest
from support import Canaried, gauss, int32

ROWS, WIDTH, K = 4, 64, 8
SCORES = gauss(ROWS, WIDTH)
LENGTHS = int32(64, 3, 0, 9)
TABLE = np.zeros((ROWS, 1), np.int32)
PAGED = {"page_table": TABLE, "page_size": 64}


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def misaligned() -> np.ndarray:
    return np.zeros(ROWS * WIDTH * 4 + 1, np.uint8)[1:].view(np.float32).reshape(ROWS, WIDTH)


def packed_field() -> np.ndarray:
    return np.zeros((ROWS, WIDTH), np.dtype([("pad", "u1"), ("score", "f4")]))["score"]


CASES = [
    # scores
    ([SCORES[0]], {}, ValueError, "scores: expected [rows, width], got [64]"),
    ([SCORES[None]], {}, ValueError, "scores: expected [rows, width], got [1, 4, 64]"),
    ([np.float32(1)], {}, TypeError, "scores: expected a numpy.ndarray or a torch.Tensor, got float32"),
    ([SCORES.tolist()], {}, TypeError, "scores: expected a numpy.ndarray or a torch.Tensor, got list"),
    ([None], {}, TypeError, "scores: expected a numpy.ndarray or a torch.Tensor, got NoneType"),
    ([SCORES.astype(np.float64)], {}, TypeError, "scores: expected float32, bfloat16 or float16 (or 16-bit "),
    ([SCORES.astype(np.int32)], {}, TypeError, "with score_dtype), got int32"),
    ([SCORES.astype(">f4")], {}, TypeError, "got >f4"),
    ([SCORES.astype(object)], {}, TypeError, "got object"),
    ([SCORES.astype(np.uint16)], {}, TypeError, "scores: expected score_dtype='bfloat16' or 'float16' to say what"),
    ([np.ma.masked_array(SCORES, False)], {}, TypeError, "scores: expected a plain array, got a masked one"),
    ([SCORES[:, ::2]], {}, ValueError, "scores: expected adjacent elements in a row (inner stride 1), got strides"),
    ([SCORES[:, ::-1]], {}, ValueError, "scores: expected adjacent elements in a row (inner stride 1), got strides"),
    ([SCORES.T.copy().T], {}, ValueError, "inner stride 1), got strides [1, 4]"),
    ([SCORES[::-1]], {}, ValueError, "scores: expected a row stride >= 64, got strides [-64, 1]"),
    ([np.broadcast_to(SCORES[0], (4, 64))], {}, ValueError, "scores: expected a row stride >= 64, got strides [0, 1]"),
    ([misaligned()], {}, ValueError, "scores: expected an address that is a multiple of 4 bytes, got one that is"),
    ([packed_field()], {}, ValueError, "scores: expected strides that are multiples of the element size 4"),
    # score_dtype, index_dtype
    ([SCORES], {"score_dtype": "bfloat16"}, ValueError, "score_dtype: expected None or 'float32' for float32 scores"),
    ([SCORES.astype(np.uint16)], {"score_dtype": "float32"}, ValueError, "score_dtype: expected 'bfloat16' or"),
    ([SCORES], {"score_dtype": "float8"}, ValueError, "score_dtype: expected one of 'float32', 'bfloat16', 'float16'"),
    ([SCORES], {"index_dtype": "int16"}, ValueError, "index_dtype: expected one of 'int32', 'int64', got 'int16'"),
    ([SCORES], {"index_dtype": np.uint32}, ValueError, "index_dtype: expected one of 'int32', 'int64', got 'uint32'"),
    # k and the other numbers
    ([SCORES], {"k": 0}, ValueError, "k: expected an integer >= 1, got 0"),
    ([SCORES], {"k": -1}, ValueError, "k: expected an integer >= 1, got -1"),
    ([SCORES], {"k": None}, TypeError, "k: expected an integer >= 1, got None"),
    ([SCORES], {"k": 8.0}, TypeError, "k: expected an integer >= 1, got 8.0"),
    ([SCORES], {"k": True}, TypeError, "k: expected an integer >= 1, got True"),
    ([SCORES], {"k": 2**31}, ValueError, "k: expected 1..2147483647, got 2147483648"),
    ([SCORES], {"k": 2**80}, ValueError, "k: expected an integer >= 1 and <= "),
    ([SCORES], {"threads": 0}, ValueError, "threads: expected an integer >= 1, got 0"),
    ([SCORES], {"threads": 5000}, ValueError, "threads: expected 1..4096, got 5000"),
    ([SCORES], {"threads": "2"}, TypeError, "threads: expected an integer >= 1, got '2'"),
    ([SCORES], {"split": 0}, ValueError, "split: expected an integer >= 1, got 0"),
    ([SCORES], {"split": "2"}, TypeError, "split: expected an integer >= 1, got '2'"),
    ([SCORES], {"split": True}, TypeError, "split: expected an integer >= 1, got True"),
    # named options
    ([SCORES], {"order": "best"}, ValueError, "order: expected one of 'index', 'score', 'any', got 'best'"),
    ([SCORES], {"ties": "first"}, ValueError, "ties: expected one of 'smallest', 'largest', 'any', got 'first'"),
    ([SCORES], {"nan": "error"}, ValueError, "nan: expected one of 'lowest', 'highest', got 'error'"),
    ([SCORES], {"mode": "page"}, ValueError, "mode: expected one of 'raw', 'offset', 'paged', 'dual', got 'page'"),
    ([SCORES], {"order": 1}, TypeError, "order: expected one of 'index', 'score', 'any', got 1"),
    ([SCORES], {"order": ["index"]}, TypeError, "order: expected one of 'index', 'score', 'any', got ['index']"),
    ([SCORES], {"mask_neg_inf": "yes"}, TypeError, "mask_neg_inf: expected True or False, got 'yes'"),
    ([SCORES], {"check_nan": None}, TypeError, "check_nan: expected True or False, got None"),
    ([SCORES], {"dependent_launch": 1}, TypeError, "dependent_launch: expected True or False, got 1"),
    ([SCORES], {"dependent_launch": None}, TypeError, "dependent_launch: expected True or False, got None"),
    ([SCORES], {"route": "fast"}, ValueError, "'split', 'wide', 'trivial', got 'fast'"),
    ([SCORES], {"route": "trivial"}, RuntimeError, "route: the cpu backend has cpu_rows and cpu_chunks, got trivial"),
    ([SCORES], {"backend": "gpu"}, ValueError, "backend: expected one of 'auto', 'reference', 'cpu', 'cuda', got 'gpu'"),
    ([SCORES], {"backend": "cuda"}, RuntimeError, "backend:"),
    ([SCORES], {"route": "sieve"}, RuntimeError, "route: the cpu backend has cpu_rows and cpu_chunks, got sieve"),
    ([SCORES], {"backend": "reference", "route": "cpu_rows"}, RuntimeError, "route: the reference backend has"),
    # lengths
    ([SCORES, LENGTHS[:3]], {}, ValueError, "lengths: expected [rows=4] int32 on cpu, got [3] int32 on cpu"),
    ([SCORES, LENGTHS.astype(np.int64)], {}, TypeError, "lengths: expected [rows=4] int32 on cpu, got [4] int64 on cpu"),
    ([SCORES, LENGTHS.astype(np.uint32)], {}, TypeError, "lengths: expected [rows=4] int32 on cpu, got [4] uint32"),
    ([SCORES, LENGTHS.astype(np.float32)], {}, TypeError, "lengths: expected [rows=4] int32 on cpu, got [4] float32"),
    ([SCORES, LENGTHS.astype(">i4")], {}, TypeError, "lengths: expected native byte order, got >i4"),
    ([SCORES, LENGTHS.astype(object)], {}, TypeError, "lengths: expected a plain numeric element type, got object"),
    ([SCORES, 5], {}, TypeError, "lengths: expected a numpy.ndarray or a torch.Tensor, got int"),
    ([SCORES, [64, 3, 0, 9]], {}, TypeError, "lengths: expected a numpy.ndarray or a torch.Tensor, got list"),
    ([SCORES, LENGTHS[::-1]], {}, ValueError, "lengths: expected strides >= 0, got -1"),
    ([SCORES, LENGTHS.reshape(2, 2)[::-1]], {}, ValueError, "lengths: expected strides >= 0, got -2"),
    ([SCORES, LENGTHS.reshape(1, 2, 2)], {}, ValueError, "lengths: expected [rows=4] int32 on cpu, got [1, 2, 2]"),
    ([SCORES, np.zeros((3, 2), np.int32)], {}, ValueError, "lengths: expected [requests, next_n] with requests * next_"),
    ([SCORES, np.zeros((0, 4), np.int32)], {}, ValueError, "next_n = rows=4, got [0, 4]"),
    ([SCORES, np.zeros((4, 0), np.int32)], {}, ValueError, "next_n = rows=4, got [4, 0]"),
    ([SCORES, np.zeros((2, 2), np.int64)], {}, TypeError, "lengths: expected [requests, next_n] int32 on cpu, got [2,"),
    ([SCORES, np.lib.stride_tricks.as_strided(LENGTHS, (2**30, 2**30), (0, 0))], {}, ValueError, "lengths: expected [requests, next_n] with"),
    # windows
    ([SCORES, LENGTHS], {"row_ends": LENGTHS}, ValueError, "row_ends: expected null where lengths are given"),
    ([SCORES], {"row_starts": LENGTHS[:2]}, ValueError, "row_starts: expected [rows=4] int32 on cpu, got [2]"),
    ([SCORES], {"row_starts": np.zeros((4, 2), np.int32)[:, 0]}, ValueError, "row_starts: expected a contiguous array"),
    ([SCORES], {"row_ends": LENGTHS.astype(np.int64)}, TypeError, "row_ends: expected [rows=4] int32 on cpu, got [4] int64"),
    ([SCORES], {"row_to_table": int32(1)}, ValueError, "row_to_table: expected [rows=4] int32 on cpu, got [1]"),
    # modes and their tables
    ([SCORES], {"mode": "offset"}, ValueError, "out_offsets: expected an array in mode 'offset', got None"),
    ([SCORES], {"mode": "raw", "out_offsets": LENGTHS}, ValueError, "out_offsets: expected None in mode 'raw', got ndarray"),
    ([SCORES], {"out_offsets": LENGTHS[:1]}, ValueError, "out_offsets: expected [rows=4] int32 on cpu, got [1]"),
    ([SCORES], {"mode": "paged"}, ValueError, "page_table: expected an array in mode 'paged', got None"),
    ([SCORES], {"mode": "dual", "page_size": 64}, ValueError, "page_table: expected an array in mode 'dual', got None"),
    ([SCORES], {"mode": "raw", **PAGED}, ValueError, "page_table: expected None in mode 'raw', got ndarray"),
    ([SCORES], {"page_size": 64}, ValueError, "page_size: expected None in mode 'raw', got 64"),
    ([SCORES], {"num_pages": 64}, ValueError, "num_pages: expected None in mode 'raw', got 64"),
    ([SCORES], {"page_table": TABLE}, TypeError, "page_size: expected an integer >= 1, got None"),
    ([SCORES], {"page_table": TABLE, "page_size": 0}, ValueError, "page_size: expected an integer >= 1, got 0"),
    ([SCORES], {"page_table": TABLE, "page_size": 2**31}, ValueError, "page_size: expected 1..2147483647 slots, got"),
    ([SCORES], {**PAGED, "num_pages": -1}, ValueError, "num_pages: expected an integer >= 0, got -1"),
    ([SCORES], {**PAGED, "page_table": TABLE[:3]}, ValueError, "page_table: expected [rows=4, columns], got [3, 1]"),
    ([SCORES], {**PAGED, "page_table": TABLE[0]}, ValueError, "page_table: expected [table_rows, pages_per_row] int32"),
    ([SCORES], {**PAGED, "page_table": TABLE.astype(np.int64)}, TypeError, "int32 on cpu, got [4, 1] int64 on cpu"),
    ([SCORES], {**PAGED, "page_table": np.zeros((2, 4), np.int32).T}, ValueError, "page_table: expected adjacent elem"),
    # outputs
    ([SCORES], {"out": np.zeros((4, 7), np.int32)}, ValueError, "out: expected [rows=4, k=8] int32 on cpu, got [4, 7]"),
    ([SCORES], {"out": np.zeros((4, 8), np.int64)}, TypeError, "out: expected [rows=4, k=8] int32 on cpu, got [4, 8] int64"),
    ([SCORES], {"out": np.zeros((4, 16), np.int32)[:, ::2]}, ValueError, "out: expected adjacent elements in a row"),
    ([SCORES], {"out": np.zeros((1, 8), np.int32).repeat(4, 0)[::-1]}, ValueError, "out: expected a row stride >= 8"),
    ([SCORES], {"out": read_only(np.zeros((4, 8), np.int32))}, ValueError, "out: expected a writable array, got a read-o"),
    ([SCORES], {"out": [[0] * 8] * 4}, TypeError, "out: expected a numpy.ndarray or a torch.Tensor, got list"),
    ([SCORES], {"raw_out": np.zeros((4, 8), np.int32)}, ValueError, "raw_out: expected None in mode 'raw', got ndarray"),
    ([SCORES], {"values_out": np.zeros((4, 8))}, TypeError, "values_out: expected [rows=4, k=8] float32 on cpu, got [4, 8]"),
    ([SCORES], {"values_out": np.zeros((8, 4), np.float32)}, ValueError, "values_out: expected [rows=4, k=8] float32"),
    ([SCORES], {"counts_out": np.zeros(5, np.int32)}, ValueError, "counts_out: expected [rows=4] int32 on cpu, got [5]"),
    ([SCORES], {"counts_out": np.zeros(8, np.int32)[::2]}, ValueError, "counts_out: expected a contiguous array"),
    ([SCORES], {"error_word": np.zeros(2, np.uint32)}, ValueError, "error_word: expected [words=1] uint32 on cpu, got [2]"),
    ([SCORES], {"error_word": np.zeros(1, np.uint64)}, TypeError, "error_word: expected [words=1] uint32 on cpu, got [1]"),
    ([SCORES], {"error_word": read_only(np.zeros(1, np.uint32))}, ValueError, "error_word: expected a writable array"),
    # hint, row_counters_out
    ([SCORES], {"hint": SCORES[:3, 0].copy()}, ValueError, "hint: expected [rows=4] float32 on cpu, got [3] float32"),
    ([SCORES], {"hint": SCORES[:, 0]}, ValueError, "hint: expected a contiguous array (stride 1), got strides [64]"),
    ([SCORES], {"hint": LENGTHS}, TypeError, "hint: expected [rows=4] float32 on cpu, got [4] int32 on cpu"),
    ([SCORES], {"hint": 1.5}, TypeError, "hint: expected a numpy.ndarray or a torch.Tensor, got float"),
    ([SCORES], {"row_counters_out": np.zeros(4, np.int32)}, ValueError, "row_counters_out: expected [rows=4, counters=2] int32"),
    ([SCORES], {"row_counters_out": np.zeros((4, 2))}, TypeError, "row_counters_out: expected [rows=4, counters=2] int32 on"),
    ([SCORES], {"row_counters_out": np.zeros((4, 3), np.int32)[:, :2]}, ValueError, "row_counters_out: expected a contiguous"),
    ([SCORES], {"row_counters_out": np.zeros((2, 4), np.int32).T}, ValueError, "row_counters_out: expected adjacent elements"),
    ([SCORES], {"row_counters_out": read_only(np.zeros((4, 2), np.int32))}, ValueError, "row_counters_out: expected a writ"),
    ([SCORES, LENGTHS], {"row_counters_out": np.lib.stride_tricks.as_strided(LENGTHS, (4, 2), (8, 4))}, ValueError, "row_counters_out: expected memory of its own, overlaps input lengths"),
    ([SCORES], {"out": SCORES[:, :K].view(np.int32)}, ValueError, "out: expected memory of its own, overlaps input scores"),
    ([SCORES], {"values_out": SCORES[:, :K]}, ValueError, "values_out: expected memory of its own, overlaps input scores"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "options", "kind", "message"), CASES, ids=[case[3][:60] for case in CASES])
def test_refusal(arguments, options, kind, message):
    out, word = Canaried(ROWS, K, np.int32), np.full(1, 0x5A5A5A5A, np.uint32)
    options = {"k": K, "out": out.view, "error_word": word, **options}
    before = SCORES.copy()
    for _ in range(2):  # again, as the second call may take a cached path
        with pytest.raises(kind, match=re.escape(message)) as caught:
            keysieve.select(*arguments, **options)
        assert type(caught.value) is kind
        assert "\n" not in str(caught.value)
    assert out.untouched()
    assert word[0] == 0x5A5A5A5A
    assert np.array_equal(SCORES, before)
    keysieve.select(SCORES, LENGTHS, K)  # the next call is right
    assert keysieve.select(SCORES, k=1).indices[0, 0] == SCORES[0].argmax()


def test_two_outputs_that_share_memory():
    shared = np.zeros((ROWS, 2 * K), np.int32)
    with pytest.raises(ValueError, match=r"^out: expected memory of its own, overlaps output "):
        keysieve.select(
            SCORES, k=K, mode="dual", page_table=TABLE, page_size=64, out=shared[:, :K], raw_out=shared[:, 1 : K + 1]
        )
    # Interleaved but disjoint halves are fine.
    keysieve.select(SCORES, k=K, mode="dual", page_table=TABLE, page_size=64, out=shared[:, :K], raw_out=shared[:, K:])
    assert np.array_equal(shared[:, :K], shared[:, K:])


def test_a_cached_plan_does_not_excuse_a_later_bad_call():
    keysieve.select(SCORES, LENGTHS, K)
    with pytest.raises(TypeError, match="k: expected an integer"):
        keysieve.select(SCORES, LENGTHS, float(K))
    with pytest.raises(ValueError, match="lengths: expected"):
        keysieve.select(SCORES, LENGTHS[:1], K)


def test_unknown_keyword():
    with pytest.raises(TypeError, match="sorted"):
        keysieve.select(SCORES, k=K, sorted=True)


def test_missing_library_is_named(tmp_path):
    import os
    import subprocess
    import sys

    environment = {**os.environ, "KEYSIEVE_LIBRARY_DIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", "import keysieve"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 1
    assert f"ImportError: keysieve: expected the binding library at {tmp_path}" in run.stderr
