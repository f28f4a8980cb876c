"""Arrays of the kernels around selection: what NumPy and the exchange protocol cannot say crosses as bits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._arrays import Array, bits16, explain_refusal, is_bfloat16, is_torch, new_array, source, target


def _as_bits(array: Any) -> Any:
    """The same memory in an element type that can be exchanged."""
    if is_bfloat16(array):
        return bits16(array)
    name = str(array.dtype).removeprefix("torch.")
    if name.startswith("float8"):
        return array.view(sys.modules["torch"].uint8 if is_torch(array) else np.uint8)
    if name == "complex64":
        if is_torch(array):
            return sys.modules["torch"].view_as_real(array)
        # Real and imaginary parts as a last axis.
        return np.ndarray((*array.shape, 2), np.float32, array, strides=(*array.strides, 4))
    return array


def given(name: str, array: Any) -> Any:
    """An input."""
    return _as_bits(source(name, array))


def optional(name: str, array: Any) -> Any:
    return None if array is None else given(name, array)


def written(name: str, array: Any) -> Any:
    """An output of the caller's."""
    return _as_bits(target(name, array))


def optional_written(name: str, array: Any) -> Any:
    return None if array is None else written(name, array)


def new_bfloat16(like: Array, shape: tuple[int, ...]) -> Any:
    """torch.bfloat16, or for NumPy the bits in uint16."""
    return new_array(like, shape, "bfloat16" if is_torch(like) else np.uint16)


def new_e4m3(like: Array, shape: tuple[int, ...]) -> Any:
    """torch.float8_e4m3fn; for NumPy, and for torch before 2.1, the bits in uint8."""
    known = is_torch(like) and hasattr(sys.modules["torch"], "float8_e4m3fn")
    return new_of(like, shape, "float8_e4m3fn" if known else "uint8")


def new_of(like: Array, shape: tuple[int, ...], name: str) -> Any:
    """An uninitialised array of the element type `name` ("int32", "uint8", ...)."""
    return new_array(like, shape, name if is_torch(like) else np.dtype(name))


__all__ = ["explain_refusal", "given", "new_bfloat16", "new_e4m3", "new_of", "optional", "optional_written", "written"]
