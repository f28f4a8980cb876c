"""transform and row_lengths: the pure functions around a selection. Host arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _options as opt
from ._arrays import Array, explain_refusal, new_array, source, target
from ._library import ffi


def transform(
    positions: Array,
    *,
    page_table: Array | None = None,
    page_size: int | None = None,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    out_offsets: Array | None = None,
    next_n: int = 1,
    mode: opt.ModeName | None = None,
    out: Array | None = None,
    error_word: Array | None = None,
) -> Array:
    """Turn selected positions into cache slots, as :func:`keysieve.select` does inside its call.

    Args:
        positions: [rows, k] int32 or int64, any order; -1 stays -1.
        page_table, page_size, num_pages, row_to_table, out_offsets, error_word: as in `select`. The table has
            a line per row, or one per request when `next_n` > 1.
        next_n: rows per request.
        mode: "paged" or "offset". None: "paged" with a page table, else "offset".
        out: array to write, [rows, k] of the type of `positions`; may be `positions` itself.

    Returns:
        `out`, or a new array like `positions`.

    Raises:
        ValueError, TypeError, RuntimeError: as `select`.

    >>> import numpy as np
    >>> import keysieve
    >>> table = np.array([[7, 3]], dtype=np.int32)
    >>> keysieve.transform(np.array([[0, 65, -1]], dtype=np.int32), page_table=table, page_size=64)
    array([[448, 193,  -1]], dtype=int32)
    """
    if mode is None:
        mode = "paged" if page_table is not None else "offset"
    number = opt.option("mode", mode, {name: opt.MODES[name] for name in ("paged", "offset")})
    if mode == "paged":
        if page_table is None:
            raise ValueError("page_table: expected an array in mode 'paged', got None")
        if out_offsets is not None:
            raise ValueError("out_offsets: expected None in mode 'paged', got an array")
        pages = opt.integer("page_size", page_size, 1), opt.num_pages_number(num_pages)
    else:
        for name, value in (("page_table", page_table), ("page_size", page_size), ("num_pages", num_pages)):
            if value is not None:
                raise ValueError(f"{name}: expected None in mode 'offset', got a value")
        if out_offsets is None:
            raise ValueError("out_offsets: expected an array in mode 'offset', got None")
        pages = 0, opt.AUTO
    given = source("positions", positions)
    if given.ndim != 2:
        raise ValueError(f"positions: expected [rows, k], got {list(given.shape)}")
    if str(opt.type_name(given.dtype)) not in opt.INDEX_TYPES:
        raise TypeError(f"positions: expected int32 or int64, got {opt.type_name(given.dtype)}")
    written = new_array(positions, tuple(positions.shape), positions.dtype) if out is None else target("out", out)
    arrays: dict[str, Any] = {
        "out_offsets": out_offsets,
        "page_table": page_table,
        "row_to_table": row_to_table,
    }
    sources = [None if array is None else source(name, array) for name, array in arrays.items()]
    word = None if error_word is None else target("error_word", error_word)
    try:
        ffi.transform(written, given, *sources, word, number, opt.integer("next_n", next_n, 1), *pages)
    except BufferError as error:
        raise explain_refusal(
            error, {"positions": given, **arrays, "out": written, "error_word": word}
        ) from None
    return written if out is None else out


def row_lengths(
    request_lengths: Array, next_n: int = 1, compress_ratio: int = 1, *, out: Array | None = None
) -> Array:
    """Lengths of a decode step's rows: what draft token t of request b may see, in compressed columns.

    ``out[b, t] = max(0, request_lengths[b] - next_n + t + 1) // compress_ratio``

    Args:
        request_lengths: int32 [requests], contiguous: uncompressed tokens, this step's `next_n` included.
        next_n: query tokens per request, >= 1.
        compress_ratio: tokens per column, >= 1.
        out: int32 [requests, next_n] to write, contiguous.

    Returns:
        int32 [requests, next_n], which `select` takes as `lengths` as it is.

    Raises:
        ValueError, TypeError, RuntimeError: as `select`.

    >>> import numpy as np
    >>> import keysieve
    >>> keysieve.row_lengths(np.array([10, 3], dtype=np.int32), next_n=4, compress_ratio=2)
    array([[3, 4, 4, 5],
           [0, 0, 1, 1]], dtype=int32)
    """
    next_n = opt.integer("next_n", next_n, 1)
    compress_ratio = opt.integer("compress_ratio", compress_ratio, 1)
    given = source("request_lengths", request_lengths)
    if given.ndim != 1:
        raise ValueError(f"request_lengths: expected [requests], got {list(given.shape)}")
    if str(opt.type_name(given.dtype)) != "int32":
        raise TypeError(f"request_lengths: expected int32, got {opt.type_name(given.dtype)}")
    if out is None:
        dtype = np.dtype(np.int32) if isinstance(given, np.ndarray) else "int32"
        written = new_array(given, (given.shape[0], next_n), dtype)
    else:
        written = target("out", out)
    try:
        ffi.row_lengths(written, given, next_n, compress_ratio)
    except BufferError as error:
        raise explain_refusal(error, {"request_lengths": given, "out": written}) from None
    return written if out is None else out
