"""Names of options as users type them, and the numbers that the C ABI gives them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index as to_index
from typing import Any, Literal

BackendName = Literal["auto", "reference", "cpu", "cuda"]
RouteName = Literal["auto", "reference", "cpu_rows", "cpu_chunks", "tile", "sieve", "split", "wide", "trivial"]
ModeName = Literal["raw", "offset", "paged", "dual"]
OrderName = Literal["index", "score", "any"]
TiesName = Literal["smallest", "largest", "any"]
NanName = Literal["lowest", "highest"]
ScoreTypeName = Literal["float32", "bfloat16", "float16"]
IndexTypeName = Literal["int32", "int64"]


def _numbered(*names: str) -> Mapping[str, int]:
    return {name: number for number, name in enumerate(names)}


# In the order of the enums of c_api.h.
BACKENDS = _numbered("auto", "reference", "cpu", "cuda")
ROUTES = _numbered("auto", "reference", "cpu_rows", "cpu_chunks", "tile", "sieve", "split", "wide", "trivial")
MODES = _numbered("raw", "offset", "paged", "dual")
ORDERS = _numbered("index", "score", "any")
TIES = _numbered("smallest", "largest", "any")
NANS = _numbered("lowest", "highest")
SCORE_TYPES = _numbered("float32", "bfloat16", "float16")
INDEX_TYPES = _numbered("int32", "int64")

AUTO = -1
CPU = 0
CUDA = 1

_MAX_INT32 = 2**31 - 1
_MIN_INT64, _MAX_INT64 = -(2**63), 2**63 - 1


def option(name: str, value: object, numbers: Mapping[str, int]) -> int:
    """The number of a named option."""
    if isinstance(value, str) and value in numbers:
        return numbers[value]
    message = f"{name}: expected one of {', '.join(map(repr, numbers))}, got {value!r}"
    raise ValueError(message) if isinstance(value, str) else TypeError(message)


def flag(name: str, value: object) -> bool:
    """An on/off option; 0 and 1 are refused with everything else, as they hide a misplaced argument."""
    if isinstance(value, bool):
        return value
    raise TypeError(f"{name}: expected True or False, got {value!r}")


def integer(name: str, value: object, low: int = _MIN_INT64, high: int = _MAX_INT64) -> int:
    """An integer of any integer type, within [low, high]."""
    wanted = f"an integer >= {low}" if low > _MIN_INT64 else "an integer"
    try:
        number = to_index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name}: expected {wanted}, got {value!r}") from None
    if isinstance(value, bool):
        raise TypeError(f"{name}: expected {wanted}, got {value!r}")
    if not low <= number <= high:
        bound = f" and <= {high}" if number > high else ""
        raise ValueError(f"{name}: expected {wanted}{bound}, got {number}")
    return number


def threads_number(threads: object) -> int:
    return AUTO if threads is None else integer("threads", threads, 1, _MAX_INT32)


def split_number(split: object) -> int:
    return AUTO if split is None else integer("split", split, 1, _MAX_INT32)


def num_pages_number(num_pages: object) -> int:
    return AUTO if num_pages is None else integer("num_pages", num_pages, 0)


def type_name(value: Any) -> object:
    """'int64' for "int64", numpy.int64, numpy.dtype("int64") and torch.int64."""
    if isinstance(value, str):
        return value
    text = str(getattr(value, "__name__", None) or getattr(value, "name", None) or value)
    return text.removeprefix("torch.")
