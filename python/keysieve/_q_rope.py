"""q_rope_store: queries copied with the rotary part of every head rotated."""

from __future__ import annotations

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import enqueue, given, kernel, new_bfloat16, optional_written, written
from ._library import ffi


@kernel
def q_rope_store(
    q: Array,
    freqs: Array,
    positions: Array,
    *,
    out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> Array:
    """Copy every head and rotate its last 64 dims by the token's position.

    Dims 0..447 are copied bit for bit. Dims 448 + 2i and 449 + 2i, (a, b), become ``fma(a, c, -(b * s))`` and
    ``fma(a, s, b * c)`` with ``c + i s = freqs[positions[token], i]``: in FP32, then rounded once to BF16. A position
    outside the table makes the token's 64 dims NaN and sets ERROR_BAD_POSITION.

    ``q_rope_store.can_use(...)`` names the conditions that keep a call from running, as for
    :func:`keysieve.engram_gather`.

    Args:
        q: [tokens, heads, 512] bfloat16 (for NumPy the bits in uint16); tokens may have gaps between them.
        freqs: [max_position, 32] complex64, or [max_position, 32, 2] float32 of cosine and sine; contiguous.
        positions: [tokens] int32 or int64, contiguous.
        out: as `q`, with gaps of its own, which are not written. May be `q` itself.
        error_word: uint32 [1] that ERROR_BAD_POSITION is OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `out`, or a new array of the shape of `q`: torch.bfloat16, or for NumPy the bits in uint16.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> q = np.full((2, 1, 512), 0x3F80, np.uint16)  # 1
    >>> freqs = np.full((8, 32), 2 + 3j, np.complex64)
    >>> bits = keysieve.q_rope_store(q, freqs, np.array([5, 8], np.int32))
    >>> (bits.astype(np.uint32) << 16).view(np.float32)[:, 0, 446:450]
    array([[ 1.,  1., -1.,  5.],
           [ 1.,  1., nan, nan]], dtype=float32)
    """
    number = opt.option("backend", backend, opt.BACKENDS)
    named = {"q": given("q", q), "freqs": given("freqs", freqs), "positions": given("positions", positions)}
    if q.ndim != 3:
        raise ValueError(f"q: expected 3 dimensions, got {q.ndim}")
    result = new_bfloat16(q, tuple(q.shape)) if out is None else out
    named["out"] = written("out", result)
    named["error_word"] = optional_written("error_word", error_word)
    enqueue(
        ffi.q_rope_store,
        named,
        named["out"],
        named["q"],
        named["freqs"],
        named["positions"],
        named["error_word"],
        number,
        opt.flag("dependent_launch", dependent_launch),
    )
    return result
