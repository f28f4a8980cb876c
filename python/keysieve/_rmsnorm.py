"""rmsnorm_mxfp8 and hc_rmsnorm_mxfp8: RMSNorm with the block-scaled FP8 copy that a projection reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import enqueue, given, kernel, new_bfloat16, new_e4m3, new_of, optional_written
from ._library import ffi


class RmsnormMxfp8Result(NamedTuple):
    """What was written; None where it was not asked for."""

    y: Array | None
    """[m, K] bfloat16; for NumPy the bits in uint16."""
    q: Array | None
    """[m, K] e4m3: torch.float8_e4m3fn, for NumPy the bits in uint8."""
    scales: Array | None
    """uint8 [mxfp8_scale_bytes(m, K)] in the 128x4 order of block-scaled matrix products, padding 0."""


def mxfp8_scale_bytes(rows: int, columns: int) -> int:
    """Bytes of the scales of an MXFP8 matrix: whole tiles of 128 rows and 128 columns, 512 bytes each.

    Args:
        rows: from 0 up.
        columns: a positive multiple of 32.

    >>> import keysieve
    >>> keysieve.mxfp8_scale_bytes(8, 5120)
    20480
    """
    return int(ffi.mxfp8_scale_bytes(opt.integer("rows", rows), opt.integer("columns", columns)))


@kernel
def rmsnorm_mxfp8(
    x: Array,
    weight: Array,
    eps: float,
    *,
    plain: bool = True,
    quantize: bool = True,
    y: Array | None = None,
    q: Array | None = None,
    scales: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> RmsnormMxfp8Result:
    """Normalise rows, ``y = bf16(x * rsqrt(mean(x^2) + eps) * weight)``, and quantise y to MXFP8.

    Each group of 32 columns of y gets a power of two as its scale, the least with which the group fits e4m3. A group
    with an infinity or a NaN gets scale byte 254 and NaN codes. A row's result does not depend on the other rows.

    Args:
        x: [m, K] bfloat16 (NumPy: the bits in uint16), adjacent columns; K a multiple of 32 up to 32768. The call runs
            on its device.
        weight: [K] bfloat16, contiguous.
        eps: finite, >= 0.
        plain: whether y is wanted.
        quantize: whether q and scales are wanted.
        y: [m, K] bfloat16 to write, adjacent columns.
        q: [m, K] float8_e4m3fn or uint8 to write, adjacent columns.
        scales: uint8 [mxfp8_scale_bytes(m, K)] to write, contiguous.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        y, q and scales: those given, or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> one = np.full((2, 32), 0x3F80, np.uint16)  # bfloat16 1.0
    >>> result = keysieve.rmsnorm_mxfp8(one, one[0], 0.0)
    >>> hex(result.y[1, 0]), hex(result.q[1, 0]), int(result.scales[0]), result.scales.shape
    ('0x3f80', '0x78', 119, (512,))
    """
    inputs = {"x": x, "weight": weight}
    return _normalize(ffi.rmsnorm_mxfp8, inputs, eps, plain, quantize, (y, q, scales), backend, dependent_launch)


@kernel
def hc_rmsnorm_mxfp8(
    x: Array,
    pre: Array,
    weight: Array,
    eps: float,
    *,
    plain: bool = True,
    quantize: bool = True,
    y: Array | None = None,
    q: Array | None = None,
    scales: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> RmsnormMxfp8Result:
    """:func:`rmsnorm_mxfp8` of four residual streams, combined first: ``bf16(sum of pre[c] * x[c * K : (c + 1) * K])``.

    Args:
        x: [m, 4 * K] bfloat16, the streams one behind the other, adjacent columns; K up to 16384.
        pre: [m, 4] bfloat16 or float32, adjacent columns. 16-bit integers count as the bits of bfloat16.
        weight: [K] bfloat16, contiguous.
        eps, plain, quantize, y, q, scales, backend, dependent_launch: as :func:`rmsnorm_mxfp8`.

    Returns:
        y, q and scales: those given, or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> x = np.full((1, 128), 0x3F80, np.uint16)  # bfloat16 1.0
    >>> pre = np.array([[1, 2, 3, -4]], np.float32)
    >>> result = keysieve.hc_rmsnorm_mxfp8(x, pre, x[0, :32], 0.0, quantize=False)
    >>> hex(result.y[0, 0]), result.q
    ('0x3f80', None)
    """
    inputs = {"x": x, "pre": pre, "weight": weight}
    return _normalize(ffi.hc_rmsnorm_mxfp8, inputs, eps, plain, quantize, (y, q, scales), backend, dependent_launch)


def _normalize(
    call: Any,
    inputs: dict[str, Array],
    eps: float,
    plain: bool,
    quantize: bool,
    outputs: tuple[Array | None, Array | None, Array | None],
    backend: opt.BackendName,
    dependent_launch: bool,
) -> RmsnormMxfp8Result:
    number = opt.option("backend", backend, opt.BACKENDS)
    if isinstance(eps, bool) or not isinstance(eps, (int, float, np.floating)):
        raise TypeError(f"eps: expected a number, got {eps!r}")
    named = {name: given(name, array) for name, array in inputs.items()}
    for name, rank in (("x", 2), ("weight", 1)):
        if named[name].ndim != rank:
            raise ValueError(f"{name}: expected {rank} dimensions, got {named[name].ndim}")
    y, q, scales = outputs
    x, m, columns = inputs["x"], inputs["x"].shape[0], inputs["weight"].shape[0]
    if opt.flag("plain", plain):
        y = new_bfloat16(x, (m, columns)) if y is None else y
    elif y is not None:
        raise ValueError("y: expected None with plain=False, got an array")
    if opt.flag("quantize", quantize):
        q = new_e4m3(x, (m, columns)) if q is None else q
        scales = new_of(x, (mxfp8_scale_bytes(m, columns),), "uint8") if scales is None else scales
    elif q is not None or scales is not None:
        raise ValueError("q, scales: expected None with quantize=False, got an array")
    outputs_by_name = {"y": y, "q": q, "scales": scales}
    written = {name: optional_written(name, array) for name, array in outputs_by_name.items()}
    arguments = (*written.values(), *named.values(), float(eps), number, opt.flag("dependent_launch", dependent_launch))
    enqueue(call, {**named, **written}, *arguments)
    return RmsnormMxfp8Result(y, q, scales)
