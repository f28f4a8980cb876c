"""Fixed contexts and stamps: what keeps captured graphs and selections that are used again honest."""

from __future__ import annotations

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import enqueue, given, kernel, new_of, optional, optional_written, written
from ._library import ffi

_ELEMENTS = {"float32": 0, "bfloat16": 1, "float16": 2}
_MODES = {"full": 0, "fixed_context": 1, "candidates": 2}


@kernel
def context_guard(
    lengths: Array,
    max_context: int,
    *,
    out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> Array:
    """Clamp row lengths to the context that a graph was captured for: ``min(max(lengths, 0), max_context)``.

    The first kernel of such a graph: nothing behind it goes past its buffers, and a row that is longer sets
    ERROR_CONTEXT_EXCEEDED, so that the caller knows to run the step eagerly. Ask :meth:`SelectPlan.serves_context`
    before a replay where the lengths are known on the host.

    Args:
        lengths: int32 [rows], contiguous. The call runs on their device.
        max_context: columns, >= 0.
        out: int32 [rows] to write, contiguous; may be `lengths` itself.
        error_word: uint32 [1] that ERROR_CONTEXT_EXCEEDED is OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or a new array.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> word = np.zeros(1, np.uint32)
    >>> keysieve.context_guard(np.array([5, -1, 900], np.int32), 512, error_word=word), int(word[0])
    (array([  5,   0, 512], dtype=int32), 256)
    """
    number = opt.option("backend", backend, opt.BACKENDS)
    named = {"lengths": given("lengths", lengths), "error_word": optional_written("error_word", error_word)}
    if named["lengths"].ndim != 1:
        raise ValueError(f"lengths: expected [rows], got {list(named['lengths'].shape)}")
    result = new_of(lengths, (lengths.shape[0],), "int32") if out is None else out
    named["out"] = written("out", result)
    enqueue(
        ffi.context_guard,
        named,
        named["out"],
        named["lengths"],
        named["error_word"],
        opt.integer("max_context", max_context),
        number,
        opt.flag("dependent_launch", dependent_launch),
    )
    return result


@kernel
def selection_stamp(
    lengths: Array,
    *,
    page_table: Array | None = None,
    page_size: int | None = None,
    row_to_table: Array | None = None,
    next_n: int = 1,
    expected: Array | None = None,
    out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> Array | None:
    """Stamp what a selection is made for, or check the stamps of one that is used again.

    A row's stamp changes when its length or one of its live pages does. Layers that reuse a selection call this with
    `expected`, the stamps that were made beside it: a row that differs sets ERROR_STALE_SELECTION.

    Args:
        lengths: int32 [rows], contiguous. The call runs on their device.
        page_table: int32 [rows or requests, pages]; None: the lengths alone are stamped.
        page_size: columns of a page, with a page table.
        row_to_table: int32 [rows], line of each row.
        next_n: rows per request, where the table has a line per request.
        expected: int64 [rows]: compared with; `error_word` is then needed, and nothing is written.
        out: int64 [rows] to write.
        error_word: uint32 [1] that ERROR_STALE_SELECTION is OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        The stamps, int64 [rows]; None with `expected`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> lengths, word = np.array([70, 9], np.int32), np.zeros(1, np.uint32)
    >>> pages = np.array([[3, 4], [8, 0]], np.int32)
    >>> stamps = keysieve.selection_stamp(lengths, page_table=pages, page_size=64)
    >>> lengths[1] = 10
    >>> keysieve.selection_stamp(lengths, page_table=pages, page_size=64, expected=stamps, error_word=word)
    >>> int(word[0]) == keysieve.ERROR_STALE_SELECTION
    True
    """
    number = opt.option("backend", backend, opt.BACKENDS)
    if (page_table is None) is not (page_size is None):
        raise ValueError("page_size: expected a number with a page table and None without")
    named = {
        "lengths": given("lengths", lengths),
        "page_table": optional("page_table", page_table),
        "row_to_table": optional("row_to_table", row_to_table),
        "expected": optional("expected", expected),
        "error_word": optional_written("error_word", error_word),
    }
    if named["lengths"].ndim != 1:
        raise ValueError(f"lengths: expected [rows], got {list(named['lengths'].shape)}")
    if expected is not None and out is not None:
        raise ValueError("out: expected None with `expected`, got an array")
    result = out
    if expected is None and out is None:
        result = new_of(lengths, (lengths.shape[0],), "int64")
    named["out"] = optional_written("out", result)
    enqueue(
        ffi.selection_stamp,
        named,
        named["out"],
        named["expected"],
        named["lengths"],
        named["page_table"],
        named["row_to_table"],
        named["error_word"],
        0 if page_size is None else opt.integer("page_size", page_size, 1),
        opt.integer("next_n", next_n, 1, 2**31 - 1),
        number,
        opt.flag("dependent_launch", dependent_launch),
    )
    return result


def score_bytes(
    rows: int, context: int, *, mode: str = "full", dtype: opt.ScoreTypeName = "float32"
) -> int:
    """Bytes that the scores of `rows` rows take between scorer and selection.

    Args:
        rows: from 0 up.
        context: columns of the longest row ("full"), captured maximum ("fixed_context"), or kept blocks ("candidates").
        mode: "full", "fixed_context" (rows rounded up to 256 columns) or "candidates" (8 columns a block).
        dtype: "float32", "bfloat16" or "float16".

    >>> import keysieve
    >>> keysieve.score_bytes(8192, 262144) >> 30
    8
    >>> keysieve.score_bytes(8192, 2048, mode="candidates", dtype="bfloat16") >> 20
    256
    """
    number = opt.option("mode", mode, _MODES)
    element = opt.option("dtype", opt.type_name(dtype), _ELEMENTS)
    return int(ffi.score_bytes(number, opt.integer("rows", rows), opt.integer("context", context), element))
