"""The contract, written again in NumPy: a full sort of every row. Shares no code with the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

BAD_PAGE, LENGTH_CLAMPED, START_OUTSIDE, INDEX_OVERFLOW, NAN_SEEN = 1, 2, 4, 8, 16


def bfloat16_to_float(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def float_to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Truncates; the tests need some bfloat16 numbers, not the nearest ones."""
    return (np.ascontiguousarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@dataclass
class Expected:
    indices: np.ndarray
    raw: np.ndarray
    columns: list[np.ndarray]  # chosen columns of the score buffer, in slot order
    counts: np.ndarray
    errors: int = 0


def ranking(row: np.ndarray, ties: str, nan: str) -> np.ndarray:
    """Window positions, best first, by the strict order of the selection."""
    position = np.arange(len(row), dtype=np.int64)
    is_nan = np.isnan(row)
    value = np.where(is_nan, 0.0, row).astype(np.float64) + 0.0  # -0 becomes +0
    group = np.where(is_nan, 1 if nan == "highest" else -1, 0)
    tie = -position if ties == "largest" else position
    return np.lexsort((tie, -value, -group))


def select(
    scores: np.ndarray,
    lengths: Any = None,
    k: int = 1,
    *,
    bfloat16: bool = False,
    row_starts: Any = None,
    row_ends: Any = None,
    page_table: Any = None,
    page_size: int = 1,
    num_pages: int | None = None,
    row_to_table: Any = None,
    out_offsets: Any = None,
    mode: str = "raw",
    order: str = "index",
    ties: str = "smallest",
    nan: str = "lowest",
    mask_neg_inf: bool = False,
    check_nan: bool = False,
    index_bits: int = 32,
) -> Expected:
    numeric = bfloat16_to_float(scores) if bfloat16 else scores
    rows, width = scores.shape
    next_n = 1
    flat_lengths = None
    if lengths is not None:
        flat_lengths = np.asarray(lengths).reshape(-1)
        next_n = np.asarray(lengths).shape[1] if np.asarray(lengths).ndim == 2 else 1
    indices = np.full((rows, k), -1, np.int64)
    raw = np.full((rows, k), -1, np.int64)
    counts = np.zeros(rows, np.int32)
    columns = []
    errors = 0
    for r in range(rows):
        line = r if page_table is None or len(page_table) == rows else r // max(next_n, 1)
        start = int(row_starts[r]) if row_starts is not None else 0
        columns.append(np.zeros(0, np.int64))
        if row_to_table is not None:
            line = int(row_to_table[r])
            if line == -1:
                continue
        if not 0 <= start <= width:
            errors |= START_OUTSIDE
            continue
        length = width - start
        if flat_lengths is not None:
            length = int(flat_lengths[r])
        elif row_ends is not None:
            length = int(row_ends[r]) - start
        n = min(max(length, 0), width - start)
        if n != length:
            errors |= LENGTH_CLAMPED
        window = numeric[r, start : start + n]
        if check_nan and np.isnan(window).any():
            errors |= NAN_SEEN
        ranked = ranking(window, ties, nan)
        if mask_neg_inf:
            ranked = ranked[~(np.isnan(window[ranked]) | np.isneginf(window[ranked]))]
        chosen = ranked[: min(k, n)]
        chosen = np.sort(chosen)
        if order == "score":
            # Inside equal scores always ascending, whichever of them `ties` kept.
            chosen = chosen[ranking(window[chosen], "smallest", nan)]
        m = len(chosen)
        counts[r] = m
        columns[-1] = chosen + start
        raw[r, :m] = chosen
        for slot, position in enumerate(chosen.tolist()):
            value, bits = _slot(position, r, line, mode, page_table, page_size, num_pages, out_offsets)
            errors |= bits
            if index_bits == 32 and value > 2**31 - 1:
                value, errors = -1, errors | INDEX_OVERFLOW
            indices[r, slot] = value
    return Expected(indices, raw, columns, counts, errors)


def _slot(
    position: int, r: int, line: int, mode: str, table: Any, page_size: int, num_pages: int | None, offsets: Any
) -> tuple[int, int]:
    if mode == "raw":
        return position, 0
    if mode == "offset":
        return position + int(offsets[r]), 0
    page_column = position // page_size
    if not 0 <= line < table.shape[0] or page_column >= table.shape[1]:
        return -1, BAD_PAGE
    page = int(table[line, page_column])
    if page < 0 or (num_pages is not None and page >= num_pages):
        return -1, BAD_PAGE
    return page * page_size + position % page_size, 0


def values(scores: np.ndarray, expected: Expected, k: int, bfloat16: bool) -> np.ndarray:
    """Bit copies of the chosen scores, -inf in the slots past m."""
    rows = scores.shape[0]
    filler = np.uint16(0xFF80) if bfloat16 else -np.inf
    wanted = np.full((rows, k), filler, scores.dtype)
    for r, chosen in enumerate(expected.columns):
        wanted[r, : len(chosen)] = scores[r, chosen]
    return wanted
