"""select: the k best columns of every row."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from . import _options as opt
from ._arrays import Array, bits16, device_of, explain_refusal, is_bfloat16, is_torch, new_array, source, target
from ._library import ffi
from ._plan import make_problem


class SelectResult(NamedTuple):
    """What :func:`select` wrote. ``raw_indices``, ``values`` and ``counts`` are None unless asked for."""

    indices: Array
    raw_indices: Array | None = None
    values: Array | None = None
    counts: Array | None = None


class CallHook:
    """Takes the place of the plain call: something that also looks at a call, or looks instead of running it."""

    def _call(self, arguments: tuple[Any, ...]) -> None:
        raise NotImplementedError


class _Prepared(NamedTuple):
    plan: bytes
    workspace_bytes: int
    index_dtype: Any
    int32: Any
    paged: bool
    offset: bool
    dual: bool
    # The scores are an extension package's bfloat16, which crosses as its bits.
    as_bits: bool


_select_ffi = ffi.select
_ndarray = np.ndarray
_empty = np.empty
_uint8 = np.dtype(np.uint8)

# Plans of the shapes and options seen so far. Bounded: a server that sees ever new shapes starts over rather
# than growing. Emptied at once, as that is one atomic step and needs no lock between threads.
_PREPARED_BOUND = 1024
_prepared: dict[tuple[Any, ...], _Prepared] = {}


def select(
    scores: Array,
    lengths: Array | None = None,
    k: int | None = None,
    *,
    row_starts: Array | None = None,
    row_ends: Array | None = None,
    page_table: Array | None = None,
    page_size: int | None = None,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    out_offsets: Array | None = None,
    mode: opt.ModeName | None = None,
    order: opt.OrderName = "index",
    ties: opt.TiesName = "smallest",
    nan: opt.NanName = "lowest",
    mask_neg_inf: bool = False,
    check_nan: bool = False,
    index_dtype: Any = "int32",
    score_dtype: opt.ScoreTypeName | None = None,
    return_values: bool = False,
    return_counts: bool = False,
    out: Array | None = None,
    raw_out: Array | None = None,
    values_out: Array | None = None,
    counts_out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    route: opt.RouteName = "auto",
    threads: int | None = None,
    split: int | None = None,
    hint: Array | None = None,
    row_counters_out: Array | None = None,
    dependent_launch: bool = False,
    shadow: CallHook | None = None,
) -> SelectResult:
    """Select the k best columns of every row: exactly, with ties and NaN settled by rule.

    Row r has n live columns (its window); its first m = min(k, n) slots get the m largest scores' columns and
    the other slots -1. NaN is below -inf, -0 equals +0, and of equal scores the smaller column wins. Inputs are
    read where they lie, never copied and never written.

    Scores on a GPU (torch) are selected there: the call enqueues on torch's current stream of their device and
    returns without waiting, reads no array on the host, and may be captured in a graph. All other arrays must lie
    on the same device; outputs and the workspace are allocated there. What the graph of a captured call writes is
    right for any lengths that are in place when it runs.

    Args:
        scores: [rows, width] float32, float16 or bfloat16 (torch, ml_dtypes, or 16-bit integers with
            `score_dtype`); any row stride >= width, adjacent columns. NumPy (also read-only or memory-mapped)
            or torch.
        lengths: int32, live columns of each row: [rows] or [requests, next_n] with requests * next_n = rows;
            any strides >= 0. Negative counts as 0, more than the room as the room. None: to the end of the row.
        k: slots per row, >= 1; may exceed the width.
        row_starts: int32 [rows], first column of each window; None: 0.
        row_ends: int32 [rows], instead of lengths: length = end - start.
        page_table: int32 [rows or requests, pages], page of each block of `page_size` columns; a slot is then
            page_table[line][i // page_size] * page_size + i % page_size.
        page_size: slots of a page, >= 1.
        num_pages: pages that exist; a page outside gives -1 in its slot. None: only negative pages are bad.
        row_to_table: int32 [rows], line of the page table for each row; -1: the row is empty.
        out_offsets: int32 [rows], added to the columns of a row.
        mode: "raw" (columns), "offset", "paged" or "dual" (paged, and the columns in `raw_indices`). None:
            "paged" with a page table, "offset" with offsets, else "raw".
        order: "index" (ascending column), "score" (best first) or "any".
        ties: which of equal scores are kept: "smallest" column, "largest" or "any".
        nan: "lowest" or "highest".
        mask_neg_inf: count -inf and NaN scores as absent.
        check_nan: report NaN in live columns through `error_word`.
        index_dtype: "int32" or "int64".
        score_dtype: what 16-bit integer scores hold: "bfloat16" or "float16".
        return_values: also give the selected scores, -inf past m. They carry no gradient.
        return_counts: also give m of each row, int32.
        out, raw_out, values_out, counts_out: arrays to write instead of new ones; [rows, k] (counts [rows])
            with adjacent elements in a row. Passing one asks for it.
        error_word: uint32 [1] that warning bits are OR-ed into: 1 bad page, 2 length clamped, 4 start outside
            the row, 8 index past int32, 16 NaN seen.
        backend, route, threads, split: who computes and how; see :func:`keysieve.plan`. None threads on the CPU:
            one per CPU.
        hint: [rows] of the type of `scores`, contiguous: a guess of each row's k-th score, such as the previous
            step's. Speed only: any value, NaN included, gives the same result. The CPU ignores it.
        row_counters_out: int32 [rows, 2] to write, contiguous: how often a row was read a second time, and how
            often its candidate buffers were compacted. The CPU writes zeros.
        dependent_launch: launch on CUDA with programmatic stream serialization: the kernel may be set up while
            the one in front still runs, and touches no global memory before that one has completed. The CPU
            ignores it.
        shadow: a :class:`keysieve.Shadow` that observes this call: a sampled share of such calls is checked against
            the reference, later and elsewhere.

    Returns:
        SelectResult of arrays in the framework of `scores`.

    Raises:
        ValueError: a value, shape, stride or overlap that is not allowed.
        TypeError: an argument or element type that is not allowed.
        RuntimeError: arrays on different devices, or a request that this build or machine cannot serve.
        Each message names the argument, what was expected and what was given; nothing has been written.

    >>> import numpy as np
    >>> import keysieve
    >>> scores = np.array([[0.1, 0.9, 0.5, 0.7], [0.3, 0.3, 0.3, 9.0]], dtype=np.float32)
    >>> lengths = np.array([4, 3], dtype=np.int32)
    >>> keysieve.select(scores, lengths, k=2).indices
    array([[1, 3],
           [0, 1]], dtype=int32)
    """
    if mode is None:
        mode = "paged" if page_table is not None else "offset" if out_offsets is not None else "raw"
    if type(k) is not int:
        k = opt.integer("k", k, 1)
    if type(scores) is _ndarray:
        device = None
    else:
        scores = source("scores", scores)
        device = device_of(scores) if is_torch(scores) else None
    shape = scores.shape
    key = (
        shape, k, scores.dtype, device, mode, index_dtype, score_dtype, order, ties, nan,
        mask_neg_inf, check_nan, backend, route, threads, split,
    )  # fmt: skip
    try:
        ready = _prepared.get(key)
    except TypeError:  # an unhashable option; the checks name it
        ready = None
    if ready is None:
        ready = _prepare(
            scores, k, device, mode, index_dtype, score_dtype, order, ties, nan,
            mask_neg_inf, check_nan, backend, route, threads, split,
        )  # fmt: skip
        if len(_prepared) >= _PREPARED_BOUND:
            _prepared.clear()
        _prepared[key] = ready

    if ready.paged or page_table is not None or page_size is not None or num_pages is not None:
        page_size, num_pages = _page_numbers(mode, ready.paged, page_table, page_size, num_pages)
    else:
        page_size, num_pages = 0, -1
    if ready.offset is (out_offsets is None):
        raise _mismatch("out_offsets", mode, out_offsets)
    if raw_out is not None and not ready.dual:
        raise _mismatch("raw_out", mode, raw_out)

    guess = None
    if hint is not None:
        guess = source("hint", hint)
        if is_bfloat16(guess):
            guess = bits16(guess)
    if shadow is not None and not isinstance(shadow, CallHook):
        raise TypeError(f"shadow: expected a keysieve.Shadow or None, got {type(shadow).__name__}")
    if dependent_launch is not False:
        dependent_launch = opt.flag("dependent_launch", dependent_launch)

    rows = shape[0]
    score_dtype_out = scores.dtype
    given = source("scores", scores)
    if ready.as_bits:
        given = bits16(given)
    if device is None:
        indices = _empty((rows, k), ready.index_dtype) if out is None else target("out", out)
        workspace = _empty(ready.workspace_bytes, _uint8) if ready.workspace_bytes else None
    else:
        indices = new_array(scores, (rows, k), ready.index_dtype) if out is None else target("out", out)
        workspace = new_array(scores, (ready.workspace_bytes,), "uint8") if ready.workspace_bytes else None
    raw = values = counts = scored = None
    if ready.dual:
        raw = new_array(scores, (rows, k), ready.index_dtype) if raw_out is None else target("raw_out", raw_out)
    if return_values or values_out is not None:
        values = new_array(scores, (rows, k), score_dtype_out) if values_out is None else values_out
        scored = target("values_out", values)
        if is_bfloat16(scored):
            scored = bits16(scored)
    if return_counts or counts_out is not None:
        counts = new_array(scores, (rows,), ready.int32) if counts_out is None else target("counts_out", counts_out)
    arguments = (
        indices,
        raw,
        scored,
        counts,
        given,
        None if lengths is None else source("lengths", lengths),
        None if row_starts is None else source("row_starts", row_starts),
        None if row_ends is None else source("row_ends", row_ends),
        None if out_offsets is None else source("out_offsets", out_offsets),
        None if page_table is None else source("page_table", page_table),
        None if row_to_table is None else source("row_to_table", row_to_table),
        None if error_word is None else target("error_word", error_word),
        workspace,
        guess,
        None if row_counters_out is None else target("row_counters_out", row_counters_out),
        ready.plan,
        page_size,
        num_pages,
        dependent_launch,
    )
    try:
        if shadow is None:
            _select_ffi(*arguments)
        else:
            shadow._call(arguments)
    except BufferError as error:
        named = {
            "scores": given, "lengths": lengths, "row_starts": row_starts, "row_ends": row_ends,
            "out_offsets": out_offsets, "page_table": page_table, "row_to_table": row_to_table,
            "out": indices, "raw_out": raw, "values_out": scored, "counts_out": counts, "error_word": error_word,
            "hint": guess, "row_counters_out": row_counters_out,
        }  # fmt: skip
        raise explain_refusal(error, named) from None
    return SelectResult(
        indices if out is None else out,
        raw if raw_out is None else raw_out,
        values,
        counts if counts_out is None else counts_out,
    )


def _prepare(
    scores: Array,
    k: int,
    device: tuple[str, int] | None,
    mode: object,
    index_dtype: object,
    score_dtype: object,
    order: object,
    ties: object,
    nan: object,
    mask_neg_inf: object,
    check_nan: object,
    backend: object,
    route: object,
    threads: object,
    split: object,
) -> _Prepared:
    """Everything that depends on shapes and options alone: their checks and the plan."""
    if scores.ndim != 2:
        raise ValueError(f"scores: expected [rows, width], got {list(scores.shape)}")
    if device is not None and device[0] not in ("cpu", "cuda"):
        raise RuntimeError(f"scores: expected a tensor on cpu or cuda, got one on {device[0]}")
    opt.integer("k", k, 1)
    place = (opt.CUDA, device[1]) if device is not None and device[0] == "cuda" else (opt.CPU, 0)
    score_type = _score_type(scores, score_dtype)
    problem = make_problem(
        device=place,
        rows=scores.shape[0],
        width=scores.shape[1],
        k=k,
        score_type=score_type,
        index_dtype=index_dtype,
        mode=mode,
        order=order,
        ties=ties,
        nan=nan,
        mask_neg_inf=mask_neg_inf,
        check_nan=check_nan,
        backend=backend,
        route=route,
        threads=threads,
        split=split,
    )
    plan: bytes = ffi.make_plan(problem, None)
    name = str(opt.type_name(index_dtype))
    if device is None:
        index_type, int32 = np.dtype(name), np.dtype(np.int32)
    else:
        torch = sys.modules["torch"]
        index_type, int32 = getattr(torch, name), torch.int32
    return _Prepared(
        plan=plan,
        workspace_bytes=ffi.plan_workspace_bytes(plan),
        index_dtype=index_type,
        int32=int32,
        paged=mode in ("paged", "dual"),
        offset=mode == "offset",
        dual=mode == "dual",
        as_bits=is_bfloat16(scores),
    )


def _score_type(scores: Array, score_dtype: object) -> int:
    dtype = scores.dtype
    given = str(opt.type_name(dtype))
    if isinstance(dtype, np.dtype) and not dtype.isnative:
        given = dtype.str
    named = None if score_dtype is None else opt.option("score_dtype", opt.type_name(score_dtype), opt.SCORE_TYPES)
    if given in ("uint16", "int16"):
        if named is None:
            raise TypeError(
                f"scores: expected score_dtype='bfloat16' or 'float16' to say what {given} scores hold, got None"
            )
        if named == opt.SCORE_TYPES["float32"]:
            raise ValueError(f"score_dtype: expected 'bfloat16' or 'float16' for {given} scores, got {score_dtype!r}")
        return named
    if given not in opt.SCORE_TYPES:
        raise TypeError(
            "scores: expected float32, bfloat16 or float16 (or 16-bit integers with score_dtype), "
            f"got {given}"
        )
    if named is not None and named != opt.SCORE_TYPES[given]:
        raise ValueError(f"score_dtype: expected None or {given!r} for {given} scores, got {score_dtype!r}")
    return opt.SCORE_TYPES[given]


def _page_numbers(
    mode: str, paged: bool, page_table: object, page_size: object, num_pages: object
) -> tuple[int, int]:
    if not paged:
        for name, value in (("page_table", page_table), ("page_size", page_size), ("num_pages", num_pages)):
            if value is not None:
                raise _mismatch(name, mode, value)
    if page_table is None:
        raise _mismatch("page_table", mode, None)
    return opt.integer("page_size", page_size, 1), opt.num_pages_number(num_pages)


def _mismatch(name: str, mode: str, value: object) -> ValueError:
    if value is None:
        return ValueError(f"{name}: expected an array in mode {mode!r}, got None")
    given = value if isinstance(value, int) else type(value).__name__
    return ValueError(f"{name}: expected None in mode {mode!r}, got {given}")
