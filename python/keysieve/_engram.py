"""engram_gather: rows of an FP8 table as BF16."""

from __future__ import annotations

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import enqueue, given, kernel, new_bfloat16, written
from ._library import ffi


@kernel
def engram_gather(
    table: Array,
    scales: Array,
    ids: Array,
    *,
    first_row: int = 0,
    out: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> Array:
    """Gather rows of an FP8 table: ``out[n] = bf16(e4m3(table[ids[n] - first_row]) * 2^(scale - 127))``.

    An id outside [first_row, first_row + rows) belongs to another shard: its row is all zero, and nothing is read for
    it, so that the sum over all shards is the gather from the whole table.

    ``engram_gather.can_use(...)``, with the same arguments, launches nothing and returns the conditions that keep the
    call from running, as a list of str; so has every kernel of this package.

    Args:
        table: [rows, dim] e4m3 (torch.float8_e4m3fn, or the bits as uint8), adjacent columns; dim a power of two up to
            8192. May lie on the device of `ids` or in pinned host memory.
        scales: [rows, blocks] uint8: UE8M0 exponents of the dim / blocks columns of a block. 0 is 2^-127, 255 NaN.
        ids: [n] int32 or int64, contiguous. The call runs on their device.
        first_row: id of the table's first row.
        out: [n, dim] bfloat16 to write, contiguous.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or a new array: torch.bfloat16, or for NumPy the bits in uint16.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> table = np.full((2, 4), 0x38, np.uint8)  # e4m3 1.0
    >>> scales = np.array([[127], [128]], np.uint8)
    >>> bits = keysieve.engram_gather(table, scales, np.array([1, 7, 0], np.int32))
    >>> (bits.astype(np.uint32) << 16).view(np.float32)[:, 0]
    array([2., 0., 1.], dtype=float32)
    """
    number = opt.option("backend", backend, opt.BACKENDS)
    named = {"table": given("table", table), "scales": given("scales", scales), "ids": given("ids", ids)}
    for name, rank in (("table", 2), ("ids", 1)):
        if named[name].ndim != rank:
            raise ValueError(f"{name}: expected {rank} dimensions, got {named[name].ndim}")
    result = new_bfloat16(ids, (ids.shape[0], table.shape[1])) if out is None else out
    named["out"] = written("out", result)
    enqueue(
        ffi.engram_gather,
        named,
        named["out"],
        named["table"],
        named["scales"],
        named["ids"],
        opt.integer("first_row", first_row),
        number,
        opt.flag("dependent_launch", dependent_launch),
    )
    return result
