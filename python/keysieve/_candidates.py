"""Two-level candidates: keys and tables of blocks, candidates one by one, selections turned into slots."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import explain_refusal, given, new_of, optional, optional_written
from ._library import ffi


class CandidateLengths(NamedTuple):
    """What :func:`candidate_lengths` gives: int32 [rows] each."""

    num_blocks: Array
    valid: Array


class SortedBlocks(NamedTuple):
    """What :func:`sort_blocks` gives: int32 [rows, kept], the same or None, and twice int32 [rows]."""

    blocks: Array
    phys: Array | None
    valid: Array | None
    counts: Array | None


class CandidateSlots(NamedTuple):
    """What :func:`candidate_slots` gives: int64 and int32 [rows, kept * block_size], int32 [rows]."""

    positions: Array
    slots: Array
    counts: Array


class FilteredPages(NamedTuple):
    """What :func:`filter_pages` gives: int32 [rows, k] each."""

    slots: Array
    raw: Array | None


class FinishedSelection(NamedTuple):
    """A finished selection: slots and positions int32 [rows, k], valid entries of each row int32 [rows]."""

    slots: Array
    raw: Array | None
    counts: Array | None


class _Call:
    """The options that every function here has, and the arrays of a call by name."""

    def __init__(self, backend: object, dependent_launch: object, error_word: Array | None) -> None:
        self.number = opt.option("backend", backend, opt.BACKENDS)
        self.dependent = opt.flag("dependent_launch", dependent_launch)
        self.word = optional_written("error_word", error_word)
        self.arrays: dict[str, Any] = {"error_word": self.word}

    def inputs(self, **arrays: Array | None) -> list[Any]:
        converted = {name: optional(name, array) for name, array in arrays.items()}
        self.arrays.update(converted)
        return list(converted.values())

    def outputs(self, **arrays: Array | None) -> list[Any]:
        converted = {name: optional_written(name, array) for name, array in arrays.items()}
        self.arrays.update(converted)
        return list(converted.values())

    def run(self, function: Any, *arguments: Any) -> None:
        try:
            function(*arguments, self.number, self.dependent)
        except BufferError as error:
            raise explain_refusal(error, {k: v for k, v in self.arrays.items() if v is not None}) from None


def _shape(name: str, array: Array, rank: int) -> tuple[int, ...]:
    shape = tuple(given(name, array).shape)
    if len(shape) != rank:
        raise ValueError(f"{name}: expected {rank} dimensions, got {len(shape)}")
    return shape


def _block_size(value: object) -> int:
    number = opt.integer("block_size", value)
    if number not in (8, 16):
        raise ValueError(f"block_size: expected 8 or 16, got {number}")
    return number


def candidate_lengths(
    lengths: Array,
    kept_blocks: int,
    *,
    block_size: int = 8,
    out: CandidateLengths | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> CandidateLengths:
    """Lengths of candidate rows, when `kept_blocks` blocks of each are kept and the newest is among them.

    ``num_blocks = ceil(length / block_size)``, not capped; ``valid`` = positions of the kept blocks.

    Args:
        lengths: int32 [rows], or [requests, next_n]; contiguous. A negative length is 0.
        kept_blocks: blocks that the selection keeps, >= 1.
        block_size: positions of a block, 8 or 16.
        out: arrays to write.
        error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> keysieve.candidate_lengths(np.array([0, 9, 27], np.int32), 2)
    CandidateLengths(num_blocks=array([0, 2, 4], dtype=int32), valid=array([ 0,  9, 11], dtype=int32))
    """
    call = _Call(backend, dependent_launch, error_word)
    kept = opt.integer("kept_blocks", kept_blocks)
    rows = 1
    for size in given("lengths", lengths).shape:
        rows *= size
    result = out if out is not None else CandidateLengths(*(new_of(lengths, (rows,), "int32") for _ in range(2)))
    outputs = call.outputs(num_blocks=result.num_blocks, valid=result.valid)
    call.run(ffi.candidate_lengths, *outputs, *call.inputs(lengths=lengths), call.word, kept, _block_size(block_size))
    return result


def block_max(
    scores: Array,
    lengths: Array,
    *,
    kept_blocks: int = 0,
    block_size: int = 8,
    out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> Array:
    """Keys of blocks: the largest score of each, +inf for the newest.

    NaN counts as no score, a block of nothing else gets -inf; a largest score of zero is +0. Nothing is written past the
    newest block of a row, and nothing in a row of at most `kept_blocks` blocks where that is not 0.

    Args:
        scores: [rows, width] float32 or bfloat16, adjacent columns.
        lengths: int32 [rows], or [requests, next_n]; clamped to the width and to what `out` has room for.
        kept_blocks: rows of at most so many blocks are skipped; 0: none is.
        block_size: positions of a block, 8 or 16.
        out: float32 [rows, blocks] to write.
        error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or a new array with room for the whole width.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> keysieve.block_max(np.arange(24, dtype=np.float32)[None], np.array([20], np.int32))
    array([[ 7., 15., inf]], dtype=float32)
    """
    call = _Call(backend, dependent_launch, error_word)
    kept, size = opt.integer("kept_blocks", kept_blocks), _block_size(block_size)
    rows, width = _shape("scores", scores, 2)
    result = new_of(scores, (rows, -(-width // size)), "float32") if out is None else out
    (output,) = call.outputs(out=result)
    call.run(ffi.block_max, output, *call.inputs(scores=scores, lengths=lengths), call.word, kept, size)
    return result


def sort_blocks(
    selected: Array,
    lengths: Array,
    *,
    page_table: Array | None = None,
    page_size: int | None = None,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    block_size: int = 8,
    out: SortedBlocks | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> SortedBlocks:
    """The block table of each row: kept ids ascending and distinct, 2^31 - 1 behind the last; where they lie in the cache.

    A row of at most `kept` blocks keeps all of them, and `selected` is not read.

    Args:
        selected: int32 [rows, kept], any order, kept <= 8192. -1 and 2^31 - 1 are skipped, duplicates collapse, other ids
            outside the row are dropped (ERROR_BAD_ID).
        lengths: int32 [rows], or [requests, next_n].
        page_table: int32 [lines, pages]: a line a row, or a request, or any with `row_to_table`. None: no `phys`.
        page_size: slots of a page, a power of two >= block_size.
        num_pages, row_to_table: as in :func:`keysieve.select`.
        block_size: positions of a block, 8 or 16.
        out: arrays to write; `blocks` may be `selected`, `valid` and `counts` may be None.
        error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or new arrays: blocks, phys = blocks of the cache (-1 where the page is bad), valid positions, counts.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> table = np.array([[7, 3, 5]], np.int32)
    >>> chosen = np.array([[4, 1, -1]], np.int32)
    >>> result = keysieve.sort_blocks(chosen, np.array([35], np.int32), page_table=table, page_size=16)
    >>> result.blocks[:, :2], result.phys[:, :2], result.valid, result.counts
    (array([[1, 4]], dtype=int32), array([[15, 10]], dtype=int32), array([11], dtype=int32), array([2], dtype=int32))
    """
    call = _Call(backend, dependent_launch, error_word)
    size = _block_size(block_size)
    if (page_table is None) != (page_size is None):
        raise ValueError("page_size: expected a number with a page_table and None without, got the opposite")
    pages = (0 if page_size is None else opt.integer("page_size", page_size)), opt.num_pages_number(num_pages)
    rows, kept = _shape("selected", selected, 2)
    if out is None:
        phys = None if page_table is None else new_of(selected, (rows, kept), "int32")
        numbers = (new_of(selected, (rows,), "int32") for _ in range(2))
        out = SortedBlocks(new_of(selected, (rows, kept), "int32"), phys, *numbers)
    outputs = call.outputs(**out._asdict())
    inputs = call.inputs(selected=selected, lengths=lengths, page_table=page_table, row_to_table=row_to_table)
    call.run(ffi.sort_blocks, *outputs, *inputs, call.word, *pages, size)
    return out


def candidate_slots(
    blocks: Array,
    lengths: Array,
    token_table: Array,
    *,
    row_to_table: Array | None = None,
    ratio: int = 1,
    block_size: int = 8,
    out: CandidateSlots | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> CandidateSlots:
    """Candidates of each row one by one: their positions and slots, -1 where a column has none.

    ``slot = token_table[line][position * ratio] // ratio``

    Args:
        blocks: int32 [rows, kept], as :func:`sort_blocks` gives them.
        lengths: int32 [rows], or [requests, next_n].
        token_table: int32 [lines, tokens]: a line a row, or a request, or any with `row_to_table` (the request of a row).
        ratio: tokens a position.
        block_size: positions of a block, 8 or 16.
        out: arrays to write.
        row_to_table, error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> tokens = np.arange(100, 120, dtype=np.int32)[None]
    >>> result = keysieve.candidate_slots(np.array([[1, 2]], np.int32), np.array([18], np.int32), tokens)
    >>> result.positions[0, 6:12], result.slots[0, 6:12], result.counts
    (array([14, 15, 16, 17, -1, -1]), array([114, 115, 116, 117,  -1,  -1], dtype=int32), array([10], dtype=int32))
    """
    call = _Call(backend, dependent_launch, error_word)
    size, tokens = _block_size(block_size), opt.integer("ratio", ratio)
    rows, kept = _shape("blocks", blocks, 2)
    if out is None:
        shape = (rows, kept * size)
        out = CandidateSlots(
            new_of(blocks, shape, "int64"), new_of(blocks, shape, "int32"), new_of(blocks, (rows,), "int32")
        )
    outputs = call.outputs(**out._asdict())
    inputs = call.inputs(blocks=blocks, lengths=lengths, token_table=token_table, row_to_table=row_to_table)
    call.run(ffi.candidate_slots, *outputs, *inputs, call.word, tokens, size)
    return out


def filter_pages(
    selected: Array,
    scores: Array,
    page_table: Array,
    *,
    page_size: int,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    out: FilteredPages | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> FilteredPages:
    """Slots of selected positions, each in its place; -1 where the score is -inf or NaN, or the position outside the row.

    Args:
        selected: int32 [rows, k], any k.
        scores: [rows, width] float32, bfloat16 or float16.
        page_table: int32 [lines, pages]; `page_size` slots a page.
        out: arrays to write; either may be `selected`, `raw` may be None.
        num_pages, row_to_table, error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or new arrays: slots, and the positions that are valid.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> scores = np.array([[1, -np.inf, 2, np.nan]], np.float32)
    >>> keysieve.filter_pages(np.array([[3, 2, 1, 0]], np.int32), scores, np.array([[7, 9]], np.int32), page_size=2)
    FilteredPages(slots=array([[-1, 18, -1, 14]], dtype=int32), raw=array([[-1,  2, -1,  0]], dtype=int32))
    """
    call = _Call(backend, dependent_launch, error_word)
    pages = opt.integer("page_size", page_size), opt.num_pages_number(num_pages)
    shape = _shape("selected", selected, 2)
    if out is None:
        out = FilteredPages(new_of(selected, shape, "int32"), new_of(selected, shape, "int32"))
    outputs = call.outputs(out=out.slots, raw=out.raw)
    inputs = call.inputs(selected=selected, scores=scores, page_table=page_table, row_to_table=row_to_table)
    call.run(ffi.filter_pages, *outputs, *inputs, call.word, *pages)
    return out


def _finished(out: FinishedSelection | None, selected: Array) -> FinishedSelection:
    rows, k = _shape("selected", selected, 2)
    if out is not None:
        return out
    return FinishedSelection(
        new_of(selected, (rows, k), "int32"), new_of(selected, (rows, k), "int32"), new_of(selected, (rows,), "int32")
    )


def finalize_selection(
    selected: Array,
    scores: Array,
    lengths: Array,
    *,
    token_table: Array | None = None,
    ratio: int = 1,
    row_to_table: Array | None = None,
    candidates: CandidateSlots | None = None,
    out: FinishedSelection | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> FinishedSelection:
    """Selected columns with a score above -inf, ascending, as slots; -1 behind the last.

    Args:
        selected: int32 [rows, k], columns of `scores` in any order, k <= 8192. -1 and 2^31 - 1 are skipped.
        scores: [rows, width] float32, bfloat16 or float16.
        lengths: int32 [rows], or [requests, next_n]: live columns of `scores`.
        token_table, ratio: columns are positions, ``slot = token_table[line][position * ratio] // ratio``.
        candidates: instead of a table: what :func:`candidate_slots` gave; columns are candidates.
        out: arrays to write; slots and raw may be `selected`, raw and counts may be None.
        row_to_table, error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or new arrays: slots, positions, valid entries of each row.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> scores = np.array([[1, -np.inf, 2, 3]], np.float32)
    >>> chosen, tokens = np.array([[2, 1, 0]], np.int32), np.array([[50, 51, 42, 43]], np.int32)
    >>> keysieve.finalize_selection(chosen, scores, np.array([4], np.int32), token_table=tokens).slots
    array([[50, 42, -1]], dtype=int32)
    """
    call = _Call(backend, dependent_launch, error_word)
    tokens = opt.integer("ratio", ratio)
    result = _finished(out, selected)
    outputs = call.outputs(out=result.slots, raw=result.raw, counts=result.counts)
    inputs = call.inputs(
        selected=selected,
        scores=scores,
        lengths=lengths,
        token_table=token_table,
        row_to_table=row_to_table,
        candidate_positions=None if candidates is None else candidates.positions,
        candidate_slots=None if candidates is None else candidates.slots,
    )
    call.run(ffi.finalize_selection, *outputs, *inputs, call.word, tokens)
    return result


def finish_paged(
    selected: Array,
    scores: Array,
    lengths: Array,
    page_table: Array,
    *,
    page_size: int,
    num_pages: int | None = None,
    row_to_table: Array | None = None,
    blocks: Array | None = None,
    block_size: int = 8,
    out: FinishedSelection | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> FinishedSelection:
    """Selected columns with a score above -inf, ascending by position, as slots of pages; -1 behind the last.

    Args:
        selected, scores, lengths: as in :func:`finalize_selection`.
        page_table: int32 [lines, pages]; `page_size` slots a page.
        blocks: int32 [rows, kept]: column c of `scores` is position
            ``blocks[row][c // block_size] * block_size + c % block_size``. None: columns are positions.
        block_size: positions of a block, 8 or 16.
        out: arrays to write, whole: they may have more rows and columns than `selected`, which become -1.
        num_pages, row_to_table, error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or new arrays: slots, positions, valid entries of each row.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> chosen, scores = np.array([[9, 1]], np.int32), np.zeros((1, 16), np.float32)
    >>> blocks, table = np.array([[5, 2]], np.int32), np.array([[30, 20, 10]], np.int32)
    >>> length = np.array([16], np.int32)
    >>> keysieve.finish_paged(chosen, scores, length, table, page_size=16, blocks=blocks)[:2]
    (array([[321, 169]], dtype=int32), array([[17, 41]], dtype=int32))
    """
    call = _Call(backend, dependent_launch, error_word)
    pages = opt.integer("page_size", page_size), opt.num_pages_number(num_pages)
    size = _block_size(block_size)
    result = _finished(out, selected)
    outputs = call.outputs(out=result.slots, raw=result.raw, counts=result.counts)
    inputs = call.inputs(
        selected=selected,
        scores=scores,
        lengths=lengths,
        blocks=blocks,
        page_table=page_table,
        row_to_table=row_to_table,
    )
    call.run(ffi.finish_paged, *outputs, *inputs, call.word, *pages, size)
    return result


def finish_flat(
    selected: Array,
    slots: Array,
    starts: Array,
    *,
    out: FinishedSelection | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> FinishedSelection:
    """Selected columns of packed keys, ascending, as slots; -1 behind the last.

    Args:
        selected: int32 [rows, k], any order, k <= 8192. -1 and 2^31 - 1 are skipped.
        slots: int32 [keys]: the slot of each key.
        starts: int32 [rows]: the first key of each row, from which `raw` counts.
        out: arrays to write; slots and raw may be `selected`, raw and counts may be None.
        error_word, backend, dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or new arrays: slots, positions, valid entries of each row.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> slots = np.arange(70, 80, dtype=np.int32)
    >>> keysieve.finish_flat(np.array([[7, -1, 4]], np.int32), slots, np.array([4], np.int32))[:2]
    (array([[74, 77, -1]], dtype=int32), array([[ 0,  3, -1]], dtype=int32))
    """
    call = _Call(backend, dependent_launch, error_word)
    result = _finished(out, selected)
    outputs = call.outputs(out=result.slots, raw=result.raw, counts=result.counts)
    inputs = call.inputs(selected=selected, slots=slots, starts=starts)
    call.run(ffi.finish_flat, *outputs, *inputs, call.word)
    return result
