"""Arrays of the kernels around selection: what NumPy and the exchange protocol cannot say crosses as bits. And how such
a kernel is called, or asked whether it can be.

A function of a kernel is decorated with :func:`kernel` and ends in :func:`enqueue`; that alone gives it `can_use`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np

from ._arrays import Array, bits16, explain_refusal, is_bfloat16, is_torch, new_array, source, target

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

# Where `enqueue` leaves the unmet conditions instead of making the call; None outside of `can_use`.
_conditions: ContextVar[list[str] | None] = ContextVar("keysieve_conditions", default=None)


class Kernel(Protocol[P, R_co]):
    """A kernel's function."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

    def can_use(self, *args: P.args, **kwargs: P.kwargs) -> list[str]:
        """The conditions that keep this call from running, all of them; empty when it can run. Launches and writes
        nothing. What the call would raise as ValueError or RuntimeError is a condition; TypeError is raised."""


def kernel(function: Callable[P, R_co]) -> Kernel[P, R_co]:
    """Gives `function`, which ends in `enqueue`, its `can_use`: the same arguments, nothing launched."""

    def can_use(*args: P.args, **kwargs: P.kwargs) -> list[str]:
        conditions: list[str] = []
        token = _conditions.set(conditions)
        try:
            function(*args, **kwargs)
        except (ValueError, RuntimeError) as refused:
            conditions.append(str(refused))
        finally:
            _conditions.reset(token)
        return conditions

    can_use.__doc__ = Kernel.can_use.__doc__
    # The function itself and no wrapper, so that its signature and docstring stay what tools show.
    function.can_use = can_use  # type: ignore[attr-defined]
    return cast("Kernel[P, R_co]", function)


def enqueue(function: Callable[..., Any], arrays: dict[str, Any], *arguments: Any) -> None:
    """Calls `function` of the binding, or asks it, by its last argument, what keeps the call from running.

    `arrays`: those among `arguments`, by the names that the caller knows them by."""
    conditions = _conditions.get()
    try:
        text = function(*arguments, conditions is not None)
    except BufferError as error:
        raise explain_refusal(error, arrays) from None
    if conditions is not None:
        conditions.extend(str(text).splitlines())


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


__all__ = [
    "enqueue",
    "explain_refusal",
    "given",
    "kernel",
    "new_bfloat16",
    "new_e4m3",
    "new_of",
    "optional",
    "optional_written",
    "written",
]
