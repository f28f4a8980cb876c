"""small_gemm: x times the transpose of w, for few rows and two shapes of w."""

from __future__ import annotations

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import enqueue, given, kernel, new_bfloat16, written
from ._library import ffi


@kernel
def small_gemm(
    x: Array,
    w: Array,
    *,
    out: Array | None = None,
    max_m: int | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> Array:
    """``x @ w.T`` in BF16 with FP32 sums, for w of [128, 512] or [32, 5120].

    The sum has one order, given in kernels.h: a row's result does not depend on the number of rows or on the others,
    and is the same on CPU and CUDA ("reference" sums in double). Within 2^-8 |y| + 2^-20 sum|x||w| of the exact y.

    ``small_gemm.can_use(...)`` names the conditions that keep a call from running, as for
    :func:`keysieve.engram_gather`: another shape of w, more than `max_m` rows, a device before SM90.

    Args:
        x: [m, K] bfloat16 (for NumPy the bits in uint16), adjacent columns, rows at multiples of 16 bytes.
        w: [N, K] bfloat16, contiguous, at a multiple of 16 bytes.
        out: [m, N] bfloat16 to write; rows may have gaps between them.
        max_m: more rows are refused, as another GEMM is faster there; None: 32.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or a new array: torch.bfloat16, or for NumPy the bits in uint16.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> x, w = np.full((2, 512), 0x3F80, np.uint16), np.full((128, 512), 0x4000, np.uint16)  # 1 and 2
    >>> bits = keysieve.small_gemm(x, w)
    >>> (bits.astype(np.uint32) << 16).view(np.float32)[:, 127]
    array([1024., 1024.], dtype=float32)
    >>> keysieve.small_gemm.can_use(x, w, max_m=1)
    ['x: expected at most max_m=1 rows, got 2']
    """
    number = opt.option("backend", backend, opt.BACKENDS)
    named = {"x": given("x", x), "w": given("w", w)}
    for name, array in named.items():
        if array.ndim != 2:
            raise ValueError(f"{name}: expected 2 dimensions, got {array.ndim}")
    result = new_bfloat16(x, (x.shape[0], w.shape[0])) if out is None else out
    named["out"] = written("out", result)
    enqueue(
        ffi.small_gemm,
        named,
        named["out"],
        named["x"],
        named["w"],
        opt.AUTO if max_m is None else opt.integer("max_m", max_m, 0),
        number,
        opt.flag("dependent_launch", dependent_launch),
    )
    return result
