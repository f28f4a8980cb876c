"""What keysieve takes from and gives to the caller's array framework, without copying and without importing
torch: a torch tensor can only be passed by a caller that has imported it."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np

# A numpy.ndarray or a torch.Tensor. Not spelled out, as torch need not be installed for a type check.
Array: TypeAlias = Any

_EXPECTED_TYPES = "a numpy.ndarray or a torch.Tensor"


class _SharedMemory:
    """Lends an array's memory under another set of flags and keeps the array alive meanwhile."""

    __slots__ = ("__array_interface__", "_owner")

    def __init__(self, owner: np.ndarray[Any, Any]) -> None:
        interface = dict(owner.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface
        self._owner = owner


def _lendable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same memory, not marked read-only.

    The exchange protocol in use cannot say "read-only", so NumPy refuses to export such an array. keysieve
    never writes an input, so the mark may be dropped for the length of the call."""
    return np.asarray(_SharedMemory(array))


def is_torch(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def source(name: str, array: Any) -> Any:
    """An input as the binding takes it."""
    if type(array) is np.ndarray:
        return array if array.flags.writeable else _lendable(array)
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{name}: expected a plain array, got a masked one, whose mask would be ignored")
    if isinstance(array, np.ndarray):
        return array if array.flags.writeable else _lendable(array)
    if is_torch(array):
        _check_dense(name, array)
        return array.detach() if array.requires_grad else array
    raise TypeError(f"{name}: expected {_EXPECTED_TYPES}, got {type(array).__name__}")


def target(name: str, array: Any) -> Any:
    """An output that the caller provides."""
    if isinstance(array, np.ndarray) and not isinstance(array, np.ma.MaskedArray):
        if not array.flags.writeable:
            raise ValueError(f"{name}: expected a writable array, got a read-only one")
        return array
    if is_torch(array):
        _check_dense(name, array)
        return array.detach() if array.requires_grad else array
    raise TypeError(f"{name}: expected {_EXPECTED_TYPES}, got {type(array).__name__}")


def _check_dense(name: str, tensor: Any) -> None:
    layout = str(tensor.layout)
    if layout != "torch.strided":
        raise ValueError(f"{name}: expected a dense tensor, got layout {layout}")
    # Lazily conjugated or negated views hold other bits than they show.
    if tensor.is_neg():
        raise ValueError(f"{name}: expected a materialised tensor, got a lazily negated view; call resolve_neg()")


def is_bfloat16(array: Any) -> bool:
    """Whether a NumPy array has the bfloat16 of an extension package, which NumPy itself cannot export."""
    return isinstance(array, np.ndarray) and array.dtype.name == "bfloat16"


def bits16(array: Any) -> Any:
    """The bits of a 16-bit array that NumPy cannot export."""
    return array.view(np.uint16)


def device_of(tensor: Any) -> tuple[str, int]:
    """Device type and ordinal of a torch tensor."""
    device = tensor.device
    return device.type, device.index or 0


def new_array(like: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """An uninitialised array in the framework of `like`, and on its device."""
    if isinstance(like, np.ndarray):
        return np.empty(shape, dtype)
    torch = sys.modules["torch"]
    if isinstance(dtype, str):
        dtype = getattr(torch, dtype)
    return torch.empty(shape, dtype=dtype, device=like.device)


def explain_refusal(error: BufferError, arrays: dict[str, Any]) -> Exception:
    """What to raise when NumPy would not export one of the arrays: it says why but not which."""
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            continue
        dtype = array.dtype
        if not dtype.isnative:
            return TypeError(f"{name}: expected native byte order, got {dtype.str}")
        try:
            array.__dlpack__()
        except BufferError:
            if any(stride % max(dtype.itemsize, 1) for stride in array.strides):
                return ValueError(
                    f"{name}: expected strides that are multiples of the element size {dtype.itemsize}, "
                    f"got {list(array.strides)} bytes"
                )
            return TypeError(f"{name}: expected a plain numeric element type, got {dtype}")
        except Exception as other:  # noqa: BLE001
            return TypeError(f"{name}: cannot be exchanged: {other}")
    return TypeError(f"arrays: cannot be exchanged: {error}")
