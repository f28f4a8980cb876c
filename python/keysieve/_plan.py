"""Plans: what a selection of given shapes and options would do, and why."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any

from . import _options as opt
from ._library import ffi


@dataclass(frozen=True)
class SelectProblem:
    """Shapes and options of a selection, as the plan records them."""

    device: str
    device_ordinal: int
    rows: int
    width: int
    k: int
    score_type: str
    index_type: str
    mode: str
    order: str
    ties: str
    nan: str
    mask_neg_inf: bool
    check_nan: bool


@dataclass(frozen=True)
class SelectPlan:
    """A decision: which route serves a problem, why, and what it needs. Plain data; ``str()`` explains it.

    ``automatic`` names the inputs that were left to keysieve. ``workspace_bytes`` is the exact need of one
    call; :func:`keysieve.select` provides it itself. ``threads`` counts CPU threads, or the threads of a CTA on a
    GPU; there ``chunks_per_row`` CTAs share a row, each with ``shared_bytes`` of shared memory and room for
    ``candidate_capacity`` candidates, and ``sample_vectors`` places, of one to four 16-byte vectors, give the first
    cutoff (0: no sample). ``runnable`` is False for the plan of a named device that is not this machine's.
    """

    backend: str
    route: str
    reason: str
    threads: int
    chunks_per_row: int
    workspace_bytes: int
    shared_bytes: int
    candidate_capacity: int
    sample_vectors: int
    runnable: bool
    automatic: tuple[str, ...]
    problem: SelectProblem
    _text: str = field(repr=False, compare=False)
    _json: str = field(repr=False, compare=False)
    _bytes: bytes = field(repr=False, compare=False)

    def serves_context(self, max_context: int) -> list[str]:
        """Why a graph captured with this plan does not serve rows of `max_context` columns, so that the step has to run
        eagerly; empty when it does.

        >>> import keysieve
        >>> keysieve.plan(rows=4, width=4096, k=64).serves_context(5000)
        ["max_context: expected at most the plan's width 4096, got 5000; run this step eagerly"]
        """
        text = str(ffi.serves_context(self._bytes, opt.integer("max_context", max_context)))
        return text.splitlines()

    def __str__(self) -> str:
        return self._text

    def json(self) -> str:
        """The plan as a JSON document (schema ``keysieve.plan/1``)."""
        return self._json


def make_problem(
    *,
    device: tuple[int, int],
    rows: int,
    width: int,
    k: int,
    score_type: int,
    index_dtype: object,
    mode: object,
    order: object,
    ties: object,
    nan: object,
    mask_neg_inf: object,
    check_nan: object,
    backend: object,
    route: object,
    threads: object,
    split: object,
) -> bytes:
    """Checks the options and gives the bytes of the C ABI's problem struct."""
    made: bytes = ffi.problem(
        device[0],
        device[1],
        opt.option("backend", backend, opt.BACKENDS),
        opt.option("route", route, opt.ROUTES),
        opt.threads_number(threads),
        rows,
        width,
        k,
        score_type,
        opt.option("index_dtype", opt.type_name(index_dtype), opt.INDEX_TYPES),
        opt.option("mode", mode, opt.MODES),
        opt.option("order", order, opt.ORDERS),
        opt.option("ties", ties, opt.TIES),
        opt.option("nan", nan, opt.NANS),
        opt.flag("mask_neg_inf", mask_neg_inf),
        opt.flag("check_nan", check_nan),
        opt.split_number(split),
    )
    return made


def _parse_device(device: object) -> tuple[tuple[int, int], str | None]:
    """((type, ordinal), profile) of "cpu", "cuda", "cuda:1" or the name of a device profile."""
    if device is None or device == "cpu":
        return (opt.CPU, 0), None
    if not isinstance(device, str):
        raise TypeError(f"device: expected None or a name such as 'cpu', 'cuda:0' or 'h200', got {device!r}")
    kind, colon, ordinal = device.partition(":")
    if kind != "cuda":
        return (opt.CUDA, 0), device
    if not colon:
        return (opt.CUDA, 0), None
    if not (ordinal.isascii() and ordinal.isdigit()):
        raise ValueError(f"device: expected 'cuda:' and a number, got {device!r}")
    return (opt.CUDA, opt.integer("device", int(ordinal), 0, 2**31 - 1)), None


def plan(
    *,
    rows: int,
    width: int,
    k: int,
    score_dtype: opt.ScoreTypeName = "float32",
    index_dtype: Any = "int32",
    mode: opt.ModeName = "raw",
    order: opt.OrderName = "index",
    ties: opt.TiesName = "smallest",
    nan: opt.NanName = "lowest",
    mask_neg_inf: bool = False,
    check_nan: bool = False,
    backend: opt.BackendName = "auto",
    route: opt.RouteName = "auto",
    threads: int | None = None,
    split: int | None = None,
    device: str | None = None,
) -> SelectPlan:
    """Say how a selection would run. Pure host work: no array, no allocation, the same answer every time.

    Args:
        rows, width, k: sizes, in rows, columns and slots.
        score_dtype: "float32", "bfloat16" or "float16".
        device: None or "cpu" for this machine's CPU, "cuda" or "cuda:N" for its GPU, or the name of a device
            that need not be here ("h200", "a100"): then the plan says which route that device would take.
        backend: "auto" (the fastest that serves the device), "reference" (sorts whole rows), "cpu" or "cuda".
        route: "auto", or one of a backend's own: "reference"; "cpu_rows" and "cpu_chunks"; on CUDA "tile",
            "sieve", "split", "wide" and "trivial".
        threads: CPU threads, or threads of a CTA on CUDA (a multiple of 32), >= 1. None: keysieve decides.
        split: CTAs that share a row, >= 1, with the CUDA route "tile", "split" or "wide". None: keysieve decides.
        The rest: as in :func:`keysieve.select`.

    Raises:
        ValueError: a size or option that no backend takes.
        TypeError: an argument of the wrong type.
        RuntimeError: a legal request that the named backend, route or device cannot serve; the message lists
            every unmet condition.

    >>> import keysieve
    >>> made = keysieve.plan(rows=4, width=1000, k=16, backend="reference")
    >>> made.route, made.automatic
    ('reference', ('route', 'threads', 'split'))
    >>> keysieve.plan(rows=4, width=1000, k=16, device="h200").runnable
    False
    """
    place, profile = _parse_device(device)
    problem = make_problem(
        device=place,
        rows=opt.integer("rows", rows, 0),
        width=opt.integer("width", width, 0),
        k=opt.integer("k", k, 1),
        score_type=opt.option("score_dtype", opt.type_name(score_dtype), opt.SCORE_TYPES),
        index_dtype=index_dtype,
        mode=mode,
        order=order,
        ties=ties,
        nan=nan,
        mask_neg_inf=mask_neg_inf,
        check_nan=check_nan,
        backend=backend,
        route=route,
        threads=threads,
        split=split,
    )
    return _plan_of(ffi.make_plan(problem, profile))


def _plan_of(plan_bytes: bytes) -> SelectPlan:
    text = str(ffi.plan_json(plan_bytes))
    fields = json.loads(text)
    return SelectPlan(
        backend=fields["backend"],
        route=fields["route"],
        reason=fields["reason"],
        threads=fields["threads"],
        chunks_per_row=fields["chunks_per_row"],
        workspace_bytes=fields["workspace_bytes"],
        shared_bytes=fields["shared_bytes"],
        candidate_capacity=fields["candidate_capacity"],
        sample_vectors=fields["sample_vectors"],
        runnable=fields["runnable"],
        automatic=tuple(name for name, value in fields["automatic"].items() if value),
        problem=SelectProblem(**{each.name: fields["problem"][each.name] for each in dataclass_fields(SelectProblem)}),
        _text=str(ffi.plan_text(plan_bytes)),
        _json=text,
        _bytes=plan_bytes,
    )


def supports(
    *,
    rows: int,
    width: int,
    k: int,
    score_dtype: opt.ScoreTypeName = "float32",
    index_dtype: Any = "int32",
    mode: opt.ModeName = "raw",
    order: opt.OrderName = "index",
    ties: opt.TiesName = "smallest",
    nan: opt.NanName = "lowest",
    mask_neg_inf: bool = False,
    check_nan: bool = False,
    backend: opt.BackendName = "auto",
    route: opt.RouteName = "auto",
    threads: int | None = None,
    split: int | None = None,
    device: str | None = None,
) -> list[str]:
    """The conditions that keep a selection from running; empty when it can run. Arguments as :func:`plan`.

    Sizes out of range are conditions too; names that are no options raise ValueError, other types TypeError.

    >>> import keysieve
    >>> keysieve.supports(rows=4, width=1000, k=16)
    []
    >>> keysieve.supports(rows=4, width=1000, k=0)
    ['k: expected 1..2147483647, got 0']
    """
    place, profile = _parse_device(device)
    problem = make_problem(
        device=place,
        rows=opt.integer("rows", rows),
        width=opt.integer("width", width),
        k=opt.integer("k", k),
        score_type=opt.option("score_dtype", opt.type_name(score_dtype), opt.SCORE_TYPES),
        index_dtype=index_dtype,
        mode=mode,
        order=order,
        ties=ties,
        nan=nan,
        mask_neg_inf=mask_neg_inf,
        check_nan=check_nan,
        backend=backend,
        route=route,
        threads=threads,
        split=split,
    )
    if profile is None:
        return str(ffi.supports(problem)).splitlines()
    try:
        ffi.make_plan(problem, profile)
    except (RuntimeError, ValueError) as refused:
        return str(refused).splitlines()
    return []
