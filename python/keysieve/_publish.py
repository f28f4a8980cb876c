"""publish: what the source layer of a two-level model publishes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _options as opt
from ._arrays import Array, device_of, is_torch, new_array, target
from ._kernel_arrays import explain_refusal, given, new_of, optional, optional_written
from ._library import ffi
from ._plan import make_problem
from ._select import _score_type


class PublishResult(NamedTuple):
    """What :func:`publish` wrote: the selection of every row and its table of blocks. None where it was not asked for."""

    indices: Array
    raw_indices: Array | None
    values: Array | None
    counts: Array | None
    blocks: Array
    """int32 [rows, blocks]: ids of the kept blocks, ascending, then 2^31 - 1."""
    physical_blocks: Array | None
    """int32 [rows, blocks]: where they lie, with a page table."""
    block_counts: Array
    """int32 [rows]: how many are kept."""
    valid_lengths: Array
    """int32 [rows]: columns in them."""


def publish(
    scores: Array,
    lengths: Array | None = None,
    k: int | None = None,
    *,
    blocks: int = 2048,
    keep_neg_inf: bool = False,
    page_table: Array | None = None,
    page_size: int | None = None,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    mode: opt.ModeName | None = None,
    order: opt.OrderName = "index",
    mask_neg_inf: bool = False,
    index_dtype: Any = "int32",
    score_dtype: opt.ScoreTypeName | None = None,
    return_values: bool = False,
    return_counts: bool = False,
    out: Array | None = None,
    raw_out: Array | None = None,
    blocks_out: Array | None = None,
    physical_blocks_out: Array | None = None,
    block_counts_out: Array | None = None,
    valid_lengths_out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    route: opt.RouteName = "auto",
    dependent_launch: bool = False,
) -> PublishResult:
    """Select the k best columns of every row, and from the same read of the scores the row's best blocks of 8 columns.

    A block's key is its largest score (NaN counts as none). The newest block is always kept; of the others the best
    are, smaller ids first among equal keys, and none whose key is -inf unless `keep_neg_inf`. A row of at most `blocks`
    blocks keeps them all. On CUDA the scores are read once for both.

    Args:
        scores, lengths, k, page_table, page_size, num_pages, row_to_table, order, mask_neg_inf, index_dtype,
            score_dtype, return_values, return_counts, out, raw_out, error_word, backend, dependent_launch: as in
            :func:`keysieve.select`.
        blocks: blocks kept per row, 1 to 8192.
        keep_neg_inf: keep blocks whose key is -inf like others.
        page_table: gives `physical_blocks` too, whatever the mode; `page_size` is then a power of two >= 8.
        mode: of the indices: "raw", "paged" or "dual". None: "paged" with a page table, else "raw".
        blocks_out, physical_blocks_out: int32 [rows, blocks] to write, adjacent columns.
        block_counts_out, valid_lengths_out: int32 [rows] to write, contiguous.
        route: "auto"; on CUDA also "sieve" and "split".

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> scores = np.zeros((1, 40), np.float32)
    >>> scores[0, 12] = 3
    >>> made = keysieve.publish(scores, np.array([37], np.int32), k=1, blocks=2)
    >>> made.indices, made.blocks, made.block_counts, made.valid_lengths
    (array([[12]], dtype=int32), array([[1, 4]], dtype=int32), array([2], dtype=int32), array([13], dtype=int32))
    """
    if mode is None:
        mode = "paged" if page_table is not None else "raw"
    if mode == "offset":
        raise ValueError("mode: expected 'raw', 'paged' or 'dual', got 'offset'")
    k = opt.integer("k", k, 1)
    blocks = opt.integer("blocks", blocks, 1)
    if (page_table is None) is not (page_size is None):
        raise ValueError("page_size: expected a number with a page table and None without")
    read = given("scores", scores)
    if read.ndim != 2:
        raise ValueError(f"scores: expected [rows, width], got {list(read.shape)}")
    device = device_of(scores) if is_torch(scores) else ("cpu", 0)
    if device[0] not in ("cpu", "cuda"):
        raise RuntimeError(f"scores: expected a tensor on cpu or cuda, got one on {device[0]}")
    rows = scores.shape[0]
    problem = make_problem(
        device=(opt.CUDA if device[0] == "cuda" else opt.CPU, device[1]),
        rows=rows,
        width=scores.shape[1],
        k=k,
        score_type=_score_type(scores, score_dtype),
        index_dtype=index_dtype,
        mode=mode,
        order=order,
        ties="smallest",
        nan="lowest",
        mask_neg_inf=mask_neg_inf,
        check_nan=False,
        backend=backend,
        route=route,
        threads=None,
        split=None,
    )
    plan = ffi.publish_plan(problem, blocks, page_table is not None, opt.flag("keep_neg_inf", keep_neg_inf))

    def made(name: str, array: Array | None, shape: tuple[int, ...], dtype: str) -> Array:
        return new_of(scores, shape, dtype) if array is None else target(name, array)

    index_name = str(opt.type_name(index_dtype))
    dual = mode == "dual"
    if raw_out is not None and not dual:
        raise ValueError(f"raw_out: expected None in mode {mode!r}, got an array")
    if physical_blocks_out is not None and page_table is None:
        raise ValueError("physical_blocks_out: expected None without a page table, got an array")
    result = PublishResult(
        made("out", out, (rows, k), index_name),
        made("raw_out", raw_out, (rows, k), index_name) if dual else None,
        new_array(scores, (rows, k), scores.dtype) if return_values else None,
        new_of(scores, (rows,), "int32") if return_counts else None,
        made("blocks_out", blocks_out, (rows, blocks), "int32"),
        made("physical_blocks_out", physical_blocks_out, (rows, blocks), "int32") if page_table is not None else None,
        made("block_counts_out", block_counts_out, (rows,), "int32"),
        made("valid_lengths_out", valid_lengths_out, (rows,), "int32"),
    )
    workspace_bytes = int(ffi.publish_workspace_bytes(plan))
    workspace = None
    if workspace_bytes:
        workspace = new_array(scores, (workspace_bytes,), "uint8" if is_torch(scores) else np.dtype(np.uint8))
    named = {
        "out": result.indices,
        "raw_out": result.raw_indices,
        "values_out": optional_written("values_out", result.values),
        "counts_out": result.counts,
        "blocks_out": result.blocks,
        "physical_blocks_out": result.physical_blocks,
        "block_counts_out": result.block_counts,
        "valid_lengths_out": result.valid_lengths,
        "scores": read,
        "lengths": optional("lengths", lengths),
        "page_table": optional("page_table", page_table),
        "row_to_table": optional("row_to_table", row_to_table),
        "error_word": optional_written("error_word", error_word),
    }
    try:
        ffi.publish(
            *named.values(),
            workspace,
            plan,
            0 if page_size is None else opt.integer("page_size", page_size, 1),
            opt.num_pages_number(num_pages),
            opt.flag("dependent_launch", dependent_launch),
        )
    except BufferError as error:
        raise explain_refusal(error, named) from None
    return result


class BlockTopkResult(NamedTuple):
    """What :func:`block_topk` wrote: the table of blocks of every row, as :func:`publish` has it."""

    blocks: Array
    physical_blocks: Array | None
    block_counts: Array
    valid_lengths: Array


def block_topk(
    keys: Array,
    lengths: Array,
    *,
    blocks: int = 2048,
    keep_neg_inf: bool = False,
    page_table: Array | None = None,
    page_size: int | None = None,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    next_n: int = 1,
    blocks_out: Array | None = None,
    physical_blocks_out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> BlockTopkResult:
    """Choose each row's best blocks by keys that are there: the second half of :func:`publish`.

    Args:
        keys: float32 [rows, capacity], adjacent columns, as :func:`keysieve.block_max` makes them. The newest block's
            key is not read: it is kept whatever the others are. A NaN counts as -inf.
        lengths: int32 [rows], contiguous: columns of the rows that the keys are of, 8 a key.
        blocks, keep_neg_inf, page_table, page_size, num_pages, row_to_table: as in :func:`publish`.
        next_n: rows per request, where the page table has a line per request.
        blocks_out, physical_blocks_out: int32 [rows, blocks] to write, adjacent columns.
        error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> keys = np.array([[0.5, 3.0, 0.25, 0.0, 0.0]], np.float32)
    >>> made = keysieve.block_topk(keys, np.array([37], np.int32), blocks=2)
    >>> made.blocks, made.valid_lengths
    (array([[1, 4]], dtype=int32), array([13], dtype=int32))
    """
    blocks = opt.integer("blocks", blocks, 1)
    if (page_table is None) is not (page_size is None):
        raise ValueError("page_size: expected a number with a page table and None without")
    if physical_blocks_out is not None and page_table is None:
        raise ValueError("physical_blocks_out: expected None without a page table, got an array")
    read = given("keys", keys)
    if read.ndim != 2:
        raise ValueError(f"keys: expected [rows, capacity], got {list(read.shape)}")
    rows = keys.shape[0]

    def table(name: str, array: Array | None) -> Array:
        return new_of(keys, (rows, blocks), "int32") if array is None else target(name, array)

    result = BlockTopkResult(
        table("blocks_out", blocks_out),
        table("physical_blocks_out", physical_blocks_out) if page_table is not None else None,
        new_of(keys, (rows,), "int32"),
        new_of(keys, (rows,), "int32"),
    )
    number = opt.option("backend", backend, opt.BACKENDS)
    keep = opt.flag("keep_neg_inf", keep_neg_inf)
    size = int(ffi.block_topk_workspace_bytes(read, blocks, page_table is not None, keep, number))
    named = {
        "blocks_out": result.blocks,
        "physical_blocks_out": result.physical_blocks,
        "block_counts": result.block_counts,
        "valid_lengths": result.valid_lengths,
        "keys": read,
        "lengths": given("lengths", lengths),
        "page_table": optional("page_table", page_table),
        "row_to_table": optional("row_to_table", row_to_table),
        "error_word": optional_written("error_word", error_word),
    }
    try:
        ffi.block_topk(
            *named.values(),
            new_of(keys, (size,), "uint8") if size else None,
            keep,
            number,
            0 if page_size is None else opt.integer("page_size", page_size, 1),
            opt.num_pages_number(num_pages),
            opt.integer("next_n", next_n, 1, 2**31 - 1),
            opt.flag("dependent_launch", dependent_launch),
        )
    except BufferError as error:
        raise explain_refusal(error, named) from None
    return result
