"""Keys of an indexer in FP4 and FP8: quantised, in paged caches, and made from the vectors of a model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _options as opt
from ._arrays import Array
from ._kernel_arrays import enqueue, given, kernel, new_e4m3, new_of, optional, optional_written, written
from ._library import ffi

RoundingName = Literal["ties_to_zero", "ties_to_even"]
# In the order of the enum of indexer_keys.h.
_ROUNDINGS: Mapping[str, int] = {"ties_to_zero": 0, "ties_to_even": 1}


class QuantisedVectors(NamedTuple):
    """Vectors of 128 dims, quantised to FP4 or to FP8."""

    payload: Array
    """FP4: uint8 [..., 64], the even dim in the low nibble. FP8: [..., 128] e4m3, for NumPy the bits in uint8."""
    scales: Array
    """FP4: int32 [...], 4 UE8M0 bytes, that of dims 0..31 lowest. FP8: float32 [...]."""


class QuantisedQueries(NamedTuple):
    """Queries of an indexer in FP4, as :func:`fp4_indexer_query` makes them."""

    payload: Array
    """uint8 [tokens, heads, 64]."""
    scales: Array
    """int32 [tokens, heads]."""
    weights: Array | None
    """float32 [tokens, heads]; None where no weights were given."""


def _folded(name: str, array: Any, inner: tuple[int, ...]) -> Any:
    """The same memory with all axes in front of `inner` as one."""
    leading = array.shape[: array.ndim - len(inner)]
    if len(leading) == 1 or array.ndim < len(inner):
        return array
    shape = (math.prod(leading), *inner)
    if not isinstance(array, np.ndarray):
        try:
            return array.view(shape)
        except RuntimeError:
            pass
    else:
        folded = array.reshape(shape)
        if array.size == 0 or np.may_share_memory(folded, array):
            return folded
    raise ValueError(f"{name}: expected leading dimensions that fold into one without a copy")


def _rows(name: str, array: Any) -> Any:
    return _folded(name, array, tuple(array.shape[-1:]))


def _pages(cache: Any) -> Any:
    """[pages, P, bytes], which also comes as [pages, P, 1, bytes]."""
    return cache[:, :, 0] if cache.ndim == 4 and cache.shape[2] == 1 else cache


def _freqs(array: Any) -> Any:
    """[max_positions, 64] of real and imaginary parts, which complex numbers come as [max_positions, 32, 2]."""
    if array.ndim != 3 or array.shape[2] != 2:
        return array
    shape = (array.shape[0], 2 * array.shape[1])
    return array.reshape(shape) if isinstance(array, np.ndarray) else array.flatten(1)


def _real(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    return float(value)


def _quantise(
    call: Any,
    x: Array,
    results: tuple[Array, Array],
    option: int | bool,
    backend: opt.BackendName,
    dependent_launch: bool,
) -> QuantisedVectors:
    payload, scales = results
    named = {
        "payload": _rows("payload", written("payload", payload)),
        "scales": _folded("scales", written("scales", scales), ()),
        "x": _rows("x", given("x", x)),
    }
    number, dependent = opt.option("backend", backend, opt.BACKENDS), opt.flag("dependent_launch", dependent_launch)
    enqueue(call, named, *named.values(), option, number, dependent)
    return QuantisedVectors(payload, scales)


@kernel
def fp4_quantise(
    x: Array,
    *,
    rounding: RoundingName = "ties_to_zero",
    payload: Array | None = None,
    scales: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> QuantisedVectors:
    """Quantise vectors of 128 dims to e2m1 with a power-of-two scale for each 32.

    The scale is the least power of two at or above max(amax / 6, 1e-4). A negative value that rounds to zero becomes
    code 0, never 8. Where 32 dims hold an infinity or a NaN, their byte is 254, and infinities and NaN get the largest
    magnitude.

    Args:
        x: [..., 128] bfloat16 (NumPy: the bits in uint16) or float32, adjacent dims. The call runs on its device.
        rounding: where a value lies midway between two codes, "ties_to_zero" (strict > at every midpoint) or
            "ties_to_even".
        payload: uint8 [..., 64] to write, adjacent bytes, rows multiples of 4 bytes apart.
        scales: int32 [...] to write, contiguous.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `payload` and `scales`, those given or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> x = np.zeros((1, 128), np.float32)
    >>> x[0, :4] = 6, -1, 0.75, 0.2
    >>> result = keysieve.fp4_quantise(x)
    >>> [hex(byte) for byte in result.payload[0, :2]], hex(result.scales[0])
    (['0xa7', '0x1'], '0x7272727f')
    """
    lead = tuple(x.shape[:-1])
    results = (
        new_of(x, (*lead, 64), "uint8") if payload is None else payload,
        new_of(x, lead, "int32") if scales is None else scales,
    )
    option = opt.option("rounding", rounding, _ROUNDINGS)
    return _quantise(ffi.fp4_quantise, x, results, option, backend, dependent_launch)


@kernel
def fp8_quantise(
    x: Array,
    *,
    scale_to_power_of_two: bool = False,
    payload: Array | None = None,
    scales: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> QuantisedVectors:
    """Quantise vectors of 128 dims to e4m3 with one scale, max(amax, 1e-4) / 448.

    ``payload = e4m3(x / scale)``, to nearest, ties to even. Where a vector holds an infinity or a NaN, its payload is
    NaN (0x7F) throughout and its scale 2^127.

    Args:
        x: [..., 128] bfloat16 (NumPy: the bits in uint16) or float32, adjacent dims. The call runs on its device.
        scale_to_power_of_two: round the scale up to a power of two.
        payload: [..., 128] float8_e4m3fn or uint8 to write, adjacent bytes, rows multiples of 4 bytes apart.
        scales: float32 [...] to write, contiguous.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `payload` and `scales`, those given or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> x = np.zeros((1, 128), np.float32)
    >>> x[0, :2] = 896, -2
    >>> result = keysieve.fp8_quantise(x)
    >>> [hex(code) for code in result.payload[0, :2]], float(result.scales[0])
    (['0x7e', '0xb8'], 2.0)
    """
    lead = tuple(x.shape[:-1])
    results = (
        new_e4m3(x, (*lead, 128)) if payload is None else payload,
        new_of(x, lead, "float32") if scales is None else scales,
    )
    option = opt.flag("scale_to_power_of_two", scale_to_power_of_two)
    return _quantise(ffi.fp8_quantise, x, results, option, backend, dependent_launch)


def _copy(
    call: Any,
    named: dict[str, Any],
    error_word: Array | None,
    backend: opt.BackendName,
    dependent_launch: bool,
) -> None:
    named["cache"] = _pages(named["cache"])
    named["error_word"] = optional_written("error_word", error_word)
    number, dependent = opt.option("backend", backend, opt.BACKENDS), opt.flag("dependent_launch", dependent_launch)
    order = ("cache", "payload", "scales", "slots", "error_word")
    enqueue(call, named, *(named[name] for name in order), number, dependent)


@kernel
def fp4_store(
    cache: Array,
    payload: Array,
    scales: Array,
    slots: Array,
    *,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> None:
    """Store FP4 vectors in slots of a paged cache.

    A negative slot stores nothing. One past the cache stores nothing and sets ERROR_BAD_ID. Where a slot is named
    twice, whose bytes it holds is unspecified.

    Args:
        cache: uint8 [pages, P, 68] or [pages, P, 1, 68] to write, P a power of two from 8 to 256. The shape says the
            size of a page: inside, 64 bytes of each slot come first, then the scales of all. Pages may be further
            apart, by multiples of 4 bytes (16: fastest). The call runs on its device.
        payload: uint8 [n, 64], adjacent bytes.
        scales: int32 [n], contiguous.
        slots: [n] int32 or int64, contiguous: page * P + entry.
        error_word: uint32 [1] that the error bits are OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> cache = np.zeros((2, 8, 68), np.uint8)
    >>> keysieve.fp4_store(cache, np.full((1, 64), 7, np.uint8), np.array([5], np.int32), np.array([9]))
    >>> cache[1].ravel()[64:66], cache[1].ravel()[8 * 64 + 4]
    (array([7, 7], dtype=uint8), np.uint8(5))
    """
    inputs = {"payload": given("payload", payload), "scales": given("scales", scales), "slots": given("slots", slots)}
    _copy(ffi.fp4_store, {"cache": written("cache", cache), **inputs}, error_word, backend, dependent_launch)


@kernel
def fp8_store(
    cache: Array,
    payload: Array,
    scales: Array,
    slots: Array,
    *,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> None:
    """:func:`fp4_store` of FP8 vectors.

    Args:
        cache: uint8 [pages, P, 132] or [pages, P, 1, 132] to write: 128 bytes of each slot of a page, then the scales.
        payload: [n, 128] float8_e4m3fn or uint8, adjacent bytes.
        scales: float32 [n], contiguous.
        slots, error_word, backend, dependent_launch: as :func:`fp4_store`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> cache = np.zeros((2, 8, 132), np.uint8)
    >>> keysieve.fp8_store(cache, np.full((1, 128), 7, np.uint8), np.ones(1, np.float32), np.array([9]))
    >>> cache[1].ravel()[128:130], cache[1].ravel()[8 * 128 + 4 :][:4].view(np.float32)
    (array([7, 7], dtype=uint8), array([1.], dtype=float32))
    """
    inputs = {"payload": given("payload", payload), "scales": given("scales", scales), "slots": given("slots", slots)}
    _copy(ffi.fp8_store, {"cache": written("cache", cache), **inputs}, error_word, backend, dependent_launch)


@kernel
def fp4_gather(
    cache: Array,
    slots: Array,
    *,
    payload: Array | None = None,
    scales: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> QuantisedVectors:
    """Gather FP4 vectors from slots of a paged cache.

    Slot -1 gives zeros, payload and scale. So does any other slot outside the cache, which also sets ERROR_BAD_ID.

    Args:
        cache: as in :func:`fp4_store`. The call runs on its device.
        slots: [n] int32 or int64, contiguous.
        payload: uint8 [n, 64] to write, adjacent bytes.
        scales: int32 [n] to write, contiguous.
        error_word: uint32 [1] that the error bits are OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `payload` and `scales`, those given or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> cache = np.full((2, 8, 68), 3, np.uint8)
    >>> result = keysieve.fp4_gather(cache, np.array([9, -1]))
    >>> result.payload[:, 0], [hex(scale) for scale in result.scales]
    (array([3, 0], dtype=uint8), ['0x3030303', '0x0'])
    """
    results = (
        new_of(cache, (*slots.shape, 64), "uint8") if payload is None else payload,
        new_of(cache, tuple(slots.shape), "int32") if scales is None else scales,
    )
    named = {"cache": given("cache", cache), "slots": given("slots", slots)}
    outputs = {"payload": written("payload", results[0]), "scales": written("scales", results[1])}
    _copy(ffi.fp4_gather, {**named, **outputs}, error_word, backend, dependent_launch)
    return QuantisedVectors(*results)


@kernel
def fp8_gather(
    cache: Array,
    slots: Array,
    *,
    payload: Array | None = None,
    scales: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> QuantisedVectors:
    """:func:`fp4_gather` of FP8 vectors.

    Args:
        cache: as in :func:`fp8_store`. The call runs on its device.
        slots: [n] int32 or int64, contiguous.
        payload: [n, 128] float8_e4m3fn or uint8 to write, adjacent bytes.
        scales: float32 [n] to write, contiguous.
        error_word, backend, dependent_launch: as :func:`fp4_gather`.

    Returns:
        `payload` and `scales`, those given or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> cache = np.full((2, 8, 132), 0x3F, np.uint8)
    >>> result = keysieve.fp8_gather(cache, np.array([9, -1]))
    >>> result.payload[:, 0], result.scales[1]
    (array([63,  0], dtype=uint8), np.float32(0.0))
    """
    results = (
        new_e4m3(cache, (*slots.shape, 128)) if payload is None else payload,
        new_of(cache, tuple(slots.shape), "float32") if scales is None else scales,
    )
    named = {"cache": given("cache", cache), "slots": given("slots", slots)}
    outputs = {"payload": written("payload", results[0]), "scales": written("scales", results[1])}
    _copy(ffi.fp8_gather, {**named, **outputs}, error_word, backend, dependent_launch)
    return QuantisedVectors(*results)


@kernel
def fp4_indexer_key(
    cache: Array,
    x: Array,
    weight: Array,
    eps: float,
    freqs: Array,
    positions: Array,
    slots: Array,
    *,
    ratio: int = 1,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> None:
    """Make FP4 keys of an indexer and store them in a paged cache: RMSNorm, rotation, quantisation, all in one.

    ``v = bf16(weight * (x * rsqrt(mean(x^2) + eps)))``; dims 64..127 of v are rotated by ``freqs[position & ~(ratio -
    1)]`` and rounded to bfloat16; each 32 dims are quantised to e2m1 and back with a scale of their own, ties to even,
    and what came back is packed as by :func:`fp4_quantise`.

    A slot <= 0 stores nothing. A slot past the cache stores nothing and sets ERROR_BAD_ID; else, a position outside
    the table stores nothing and sets ERROR_BAD_POSITION. Where a slot is named twice, whose key it holds is
    unspecified.

    Args:
        cache: as in :func:`fp4_store`, to write. The call runs on its device.
        x: [n, 128] bfloat16 (NumPy: the bits in uint16), adjacent dims: vectors before their norm.
        weight: [128] bfloat16, contiguous.
        eps: finite, >= 0.
        freqs: [max_positions, 64] float32, real and imaginary parts in turn, or [max_positions, 32] complex64;
            contiguous.
        positions: [n] int32 or int64, contiguous.
        slots: [n] int32 or int64, contiguous.
        ratio: tokens that share a key, a power of two.
        error_word: uint32 [1] that the error bits are OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> cache = np.zeros((2, 8, 68), np.uint8)
    >>> two = np.full((1, 128), 0x4000, np.uint16)  # bfloat16 2.0
    >>> still = np.ones((16, 32), np.complex64)  # no rotation
    >>> keysieve.fp4_indexer_key(cache, two, two[0], 0.0, still, np.array([5]), np.array([9]), ratio=4)
    >>> hex(cache[1].ravel()[64])  # 2 * 2 / |2| = 2, on the scale 1/2
    '0x66'
    """
    named = {
        "cache": _pages(written("cache", cache)),
        "x": given("x", x),
        "weight": given("weight", weight),
        "freqs": _freqs(given("freqs", freqs)),
        "positions": given("positions", positions),
        "slots": given("slots", slots),
        "error_word": optional_written("error_word", error_word),
    }
    enqueue(
        ffi.fp4_indexer_key,
        named,
        named["cache"],
        named["x"],
        named["weight"],
        _real("eps", eps),
        named["freqs"],
        named["positions"],
        named["slots"],
        opt.integer("ratio", ratio),
        named["error_word"],
        opt.option("backend", backend, opt.BACKENDS),
        opt.flag("dependent_launch", dependent_launch),
    )


@kernel
def fp4_indexer_query(
    x: Array,
    freqs: Array,
    positions: Array,
    *,
    weights: Array | None = None,
    weight_scale: float = 1.0,
    payload: Array | None = None,
    scales: Array | None = None,
    weights_out: Array | None = None,
    error_word: Array | None = None,
    backend: opt.BackendName = "auto",
    dependent_launch: bool = False,
) -> QuantisedQueries:
    """Make FP4 queries of an indexer: rotation and quantisation as in :func:`fp4_indexer_key`, for every head.

    A position outside the table gives zeros, payload and scales, for its token and sets ERROR_BAD_POSITION.

    Args:
        x: [tokens, heads, 128] bfloat16 (NumPy: the bits in uint16), adjacent dims. The call runs on its device.
        freqs: as in :func:`fp4_indexer_key`.
        positions: [tokens] int32 or int64, contiguous.
        weights: [tokens, heads] bfloat16, adjacent heads; comes back as
            ``float32(bf16(float32(weights) * weight_scale))``.
        weight_scale: factor of `weights`.
        payload: uint8 [tokens, heads, 64] to write, contiguous.
        scales: int32 [tokens, heads] to write, contiguous.
        weights_out: float32 [tokens, heads] to write, contiguous; with `weights` alone.
        error_word: uint32 [1] that the error bits are OR-ed into.
        backend: "auto", "reference", "cpu" or "cuda".
        dependent_launch: as in :func:`keysieve.select`.

    Returns:
        `payload`, `scales` and `weights_out`: those given or new ones.

    Raises:
        ValueError, TypeError, RuntimeError: as :func:`keysieve.select`.

    >>> import numpy as np
    >>> import keysieve
    >>> x = np.full((1, 2, 128), 0x4000, np.uint16)  # bfloat16 2.0
    >>> turn = np.full((1, 32), 1j, np.complex64)  # (a, b) -> (-b, a)
    >>> result = keysieve.fp4_indexer_query(x, turn, np.array([0]))
    >>> hex(result.payload[0, 1, 0]), hex(result.payload[0, 1, 63]), hex(result.scales[0, 1])
    ('0x66', '0x6e', '0x7e7e7e7e')
    """
    lead = tuple(x.shape[:2])
    payload = new_of(x, (*lead, 64), "uint8") if payload is None else payload
    scales = new_of(x, lead, "int32") if scales is None else scales
    if weights is not None and weights_out is None:
        weights_out = new_of(x, lead, "float32")
    named = {
        "payload": written("payload", payload),
        "scales": written("scales", scales),
        "weights_out": optional_written("weights_out", weights_out),
        "x": given("x", x),
        "freqs": _freqs(given("freqs", freqs)),
        "positions": given("positions", positions),
        "weights": optional("weights", weights),
        "error_word": optional_written("error_word", error_word),
    }
    enqueue(
        ffi.fp4_indexer_query,
        named,
        named["payload"],
        named["scales"],
        named["weights_out"],
        named["x"],
        named["freqs"],
        named["positions"],
        named["weights"],
        _real("weight_scale", weight_scale),
        named["error_word"],
        opt.option("backend", backend, opt.BACKENDS),
        opt.flag("dependent_launch", dependent_launch),
    )
    return QuantisedQueries(payload, scales, weights_out)
