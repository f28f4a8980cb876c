"""Shadow mode: a sampled share of live calls, checked against the reference beside the engine."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from . import _options as opt
from ._arrays import Array
from ._library import ffi
from ._plan import _parse_device
from ._select import CallHook, select

# How long a wait stays in the library before Python may handle signals.
_SLICE_MS = 100


@dataclass(frozen=True)
class WrongRow:
    """The first wrong row that was found. ``expected`` and ``got`` are bits where ``output`` is "values"."""

    call: int
    row: int
    output: str
    slot: int
    expected: int
    got: int
    text: str


@dataclass(frozen=True)
class ShadowReport:
    """Counts since the shadow was made.

    ``calls_sampled`` is the sum of ``calls_checked``, the skipped, too large and failed ones and those in flight.
    ``first_wrong`` is None as long as every checked row was right, ``first_failure`` as long as every copy and check
    could be made.
    """

    calls_seen: int
    calls_sampled: int
    calls_checked: int
    calls_skipped_busy: int
    calls_skipped_capturing: int
    calls_too_large: int
    calls_failed: int
    rows_checked: int
    rows_wrong: int
    first_wrong: WrongRow | None
    first_failure: str | None


class ShadowError(RuntimeError):
    """A checked row was wrong. ``report`` has the counts and the row."""

    def __init__(self, report: ShadowReport) -> None:
        assert report.first_wrong is not None
        super().__init__(
            f"shadow: {report.rows_wrong} of {report.rows_checked} checked rows are wrong; "
            f"the first: {report.first_wrong.text}"
        )
        self.report = report


class Shadow(CallHook):
    """Checks a sampled share of live calls against the reference, in a thread of its own.

    Pass it to :func:`keysieve.select` as ``shadow``, or show it the results of another implementation with
    :meth:`observe`. What is compared is what the caller's stream shows right behind the call, so the arrays may be
    reused at once. A call that is not drawn costs a few lines of Python; a drawn one, the copies of a few rows: scores
    of the whole width, the row's outputs and its page-table line. On a GPU nothing waits and nothing is allocated on
    the way; calls inside a graph capture are counted and left out. Usable from any number of threads.

    Args:
        share: of the calls, 0..1, drawn by a hash of `seed` and the number of the call.
        device: None or "cpu", or "cuda:N": where the observed arrays lie.
        max_rows_per_call: rows checked of a drawn call, 1..1024.
        slots: drawn calls in flight at once, 1..1024; when all are, a call is left out and counted.
        slot_bytes: memory of a slot, pinned for CUDA. A call of which not one row fits is counted as too large.
        seed: 0..2^63 - 1; the same calls and rows are drawn for the same seed.

    Raises:
        ValueError, TypeError: an option out of range. RuntimeError: the device cannot be used. MemoryError: no
        memory for the slots.

    As a context manager it waits at the end and raises :class:`ShadowError` if a row was wrong.

    >>> import numpy as np
    >>> import keysieve
    >>> scores = np.array([[0.1, 0.9, 0.5, 0.7]], dtype=np.float32)
    >>> with keysieve.Shadow(share=1.0) as shadow:
    ...     found = keysieve.select(scores, k=2, shadow=shadow).indices
    >>> shadow.report().rows_checked, shadow.report().rows_wrong
    (1, 0)
    """

    def __init__(
        self,
        share: float = 0.01,
        *,
        device: str | None = None,
        max_rows_per_call: int = 2,
        slots: int = 4,
        slot_bytes: int = 4 << 20,
        seed: int = 0,
    ) -> None:
        self._address = 0
        self._last: ShadowReport | None = None
        self._users = 0
        self._idle = threading.Condition()
        self._process = os.getpid()
        place, profile = _parse_device(device)
        if profile is not None:
            raise ValueError(f"device: expected None, 'cpu', 'cuda' or 'cuda:N', got {device!r}")
        if isinstance(share, bool) or not isinstance(share, (int, float)):
            raise TypeError(f"share: expected a number in 0..1, got {share!r}")
        self._address = int(
            ffi.shadow_create(
                *place,
                float(share),
                opt.integer("max_rows_per_call", max_rows_per_call, 1),
                opt.integer("slots", slots, 1),
                opt.integer("slot_bytes", slot_bytes, 1),
                opt.integer("seed", seed, 0),
            )
        )

    def observe(
        self,
        indices: Array,
        scores: Array,
        lengths: Array | None = None,
        *,
        raw_indices: Array | None = None,
        values: Array | None = None,
        counts: Array | None = None,
        **options: Any,
    ) -> None:
        """Look at a result that something else has computed, right behind that call on the current stream.

        Args:
            indices: [rows, k] int32 or int64: the result.
            scores, lengths: as in :func:`keysieve.select`.
            raw_indices, values, counts: further outputs to check; mode "dual" needs `raw_indices`.
            options: what the result is of, by the names of `select`: row_starts, row_ends, page_table, page_size,
                num_pages, row_to_table, out_offsets, mode, order, ties, nan, mask_neg_inf, score_dtype.

        Raises:
            ValueError, TypeError, RuntimeError: as `select`; RuntimeError also where copying fails.
        """
        for name in ("return_values", "return_counts", "shadow"):
            if name in options:
                raise TypeError(f"{name}: expected none in observe, which only looks")
        if options.get("mode") == "dual" and raw_indices is None:
            raise ValueError("raw_indices: expected an array in mode 'dual', got None")
        shape: tuple[int, ...] = getattr(indices, "shape", ())
        if len(shape) != 2:
            raise ValueError(f"indices: expected [rows, k], got {list(shape)}")
        options.setdefault("index_dtype", opt.type_name(indices.dtype))
        select(
            scores, lengths, shape[1], out=indices, raw_out=raw_indices, values_out=values, counts_out=counts,
            shadow=_OnlyObserve(self), **options,
        )  # fmt: skip

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until every call observed before is checked; whether it is. None: as long as it takes."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _SLICE_MS if deadline is None else int(1000 * (deadline - time.monotonic()))
            if self._use(ffi.shadow_wait, max(0, min(left, _SLICE_MS))):
                return True
            if left <= 0:
                return False

    def report(self) -> ShadowReport:
        """The counts so far; after :meth:`close` those at the end."""
        if self._last is not None:
            return self._last
        fields = json.loads(str(self._use(ffi.shadow_report_json)))
        wrong = fields["first_wrong"]
        return ShadowReport(
            **{name: fields[name] for name in ShadowReport.__dataclass_fields__ if name != "first_wrong"},
            first_wrong=None if wrong is None else WrongRow(**wrong),
        )

    def close(self, check: bool = True) -> None:
        """End. With `check`: wait for the calls in flight and raise :class:`ShadowError` if a row was wrong;
        without, leave out what is not yet checked. Doing it again is harmless and raises nothing."""
        # The parent's thread does not exist in a forked child, and a lock of its may be held forever.
        if self._last is not None or os.getpid() != self._process:
            return
        if check:
            self.wait()
        report = self.report()
        with self._idle:
            if self._last is not None:
                return
            self._last = report
            self._idle.wait_for(lambda: self._users == 0)
        self._release()
        if check and report.first_wrong is not None:
            raise ShadowError(report)

    def __enter__(self) -> Shadow:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(check=kind is None)

    def __del__(self) -> None:
        # Nobody uses it any more, as a user would hold a reference. Without lock: it may be a forked child.
        self._release()

    def _release(self) -> None:
        address, self._address = getattr(self, "_address", 0), 0
        if address:
            ffi.shadow_destroy(address)

    def _call(self, arguments: tuple[Any, ...]) -> None:
        self._use(ffi.select_and_observe, *arguments)

    def _use(self, entry: Any, *arguments: Any) -> Any:
        """Calls an entry of the library; close() waits until it is back."""
        with self._idle:
            if self._last is not None:
                raise ValueError("shadow: expected one that is open, got a closed one")
            self._users += 1
        try:
            return entry(self._address, *arguments)
        finally:
            with self._idle:
                self._users -= 1
                self._idle.notify_all()


class _OnlyObserve(CallHook):
    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow

    def _call(self, arguments: tuple[Any, ...]) -> None:
        self._shadow._use(ffi.shadow_observe, *arguments)
