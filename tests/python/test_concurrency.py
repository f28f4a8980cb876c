"""Several Python threads at once, a full workspace watch, and life after fork."""

from __future__ import annotations

import os
import signal
import threading
import time

import keysieve
import numpy as np
import pytest
from keysieve import _select
from support import ENGINE_IDS, ENGINES, gauss, int32, specials


@pytest.mark.parametrize(("backend", "route"), ENGINES, ids=ENGINE_IDS)
def test_threads_do_not_disturb_each_other(backend, route):
    """faults.md R85, on the host: different data and shapes at once, each as if it were alone."""
    problems = [(gauss(3, 3000 + 777 * i, seed=i), 100 + 50 * i) for i in range(6)]
    options = {"order": "score", "backend": backend, "route": route}
    alone = [keysieve.select(scores, k=k, **options).indices for scores, k in problems]
    wrong: list[str] = []
    start = threading.Barrier(len(problems))

    def work(i: int) -> None:
        scores, k = problems[i]
        start.wait()
        for turn in range(40):
            if turn % 10 == 0:
                _select._prepared.clear()
            if not np.array_equal(keysieve.select(scores, k=k, **options).indices, alone[i]):
                wrong.append(f"problem {i}, turn {turn}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(problems))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads), "a call hangs"
    assert wrong == []


def test_errors_belong_to_the_thread_that_made_them():
    scores = gauss(2, 100)
    wrong: list[str] = []

    def work(rows: int) -> None:
        lengths = np.zeros(rows, np.int32)
        for _ in range(200):
            try:
                keysieve.select(scores, lengths, 5)
            except ValueError as error:
                if f"got [{rows}]" not in str(error):
                    wrong.append(str(error))
            else:
                wrong.append("not refused")

    threads = [threading.Thread(target=work, args=(rows,)) for rows in (1, 3, 4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert wrong == []


def test_the_interpreter_runs_while_a_call_works():
    """A long call lets other Python threads go on."""
    scores = gauss(8, 1 << 18)
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0)

    counter = threading.Thread(target=count)
    counter.start()
    before = ticks
    keysieve.select(scores, k=4096, backend="reference")
    after = ticks
    done.set()
    counter.join()
    assert after > before


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize(("backend", "route"), ENGINES[:3], ids=ENGINE_IDS[:3])
@pytest.mark.parametrize("order", ["index", "score"])
@pytest.mark.parametrize("poison", [0x00, 0xFF, 0x5A])
def test_the_workspace_has_the_planned_size_and_any_contents(backend, route, threads, order, poison):
    """faults.md R63: no byte outside the reported workspace, whatever it held and wherever it lies."""
    guard = 1 << 16
    for scores, lengths in [
        (gauss(5, 20000), int32(*[20000] * 5)),
        (specials(5, 20000), int32(20000, 8192, 8193, 63, 64)),
        (specials(5, 20), int32(20, 19, 1, 0, -1)),
    ]:
        ready = _select._prepare(
            scores, 777, None, "raw", "int32", None, order, "smallest", "lowest", False, False, backend, route, threads,
            None,
        )  # fmt: skip
        wanted = keysieve.select(scores, lengths, 777, order=order, backend="reference").indices
        for shift in (0, 1, 7):
            block = np.full(ready.workspace_bytes + 2 * guard, poison, np.uint8)
            inside = slice(guard + shift, guard + shift + ready.workspace_bytes)
            out = np.full((5, 777), 0x5A5A5A5A, np.int32)
            _select.ffi.select(
                out, None, None, None, scores, lengths, None, None, None, None, None, None, block[inside], None, None,
                ready.plan, 0, -1, False,
            )  # fmt: skip
            assert np.array_equal(out, wanted)
            assert (block[: inside.start] == poison).all()
            assert (block[inside.stop :] == poison).all()
        if ready.workspace_bytes:
            with pytest.raises(ValueError, match="^workspace: expected"):
                _select.ffi.select(
                    out, None, None, None, scores, lengths, None, None, None, None, None, None,
                    np.zeros(ready.workspace_bytes - 1, np.uint8), None, None, ready.plan, 0, -1, False,
                )  # fmt: skip


def test_a_changed_plan_is_refused():
    scores = gauss(2, 100)
    ready = _select._prepare(
        scores, 5, None, "raw", "int32", None, "index", "smallest", "lowest", False, False, "auto", "auto", None,
        None,
    )  # fmt: skip
    out, workspace = np.full((2, 5), -7, np.int32), np.zeros(1 << 20, np.uint8)
    device_ordinal = 48  # says nothing on the CPU, so the library does not compare it
    for at in range(0, len(ready.plan), 4):
        if at == device_ordinal:
            continue
        changed = bytearray(ready.plan)
        changed[at] ^= 0x41
        with pytest.raises((ValueError, TypeError, RuntimeError)) as refused:
            _select.ffi.select(
                out, None, None, None, scores, None, None, None, None, None, None, None, workspace, None, None,
                bytes(changed), 0, -1, False,
            )  # fmt: skip
        assert "number of arguments" not in str(refused.value)
        assert (out == -7).all()
    with pytest.raises(ValueError, match="plan: expected .* bytes, got 3"):
        _select.ffi.select(
            out, None, None, None, scores, None, None, None, None, None, None, None, workspace, None, None, b"abc", 0, -1,
            False,
        )  # fmt: skip


def _wait(child: int, seconds: float) -> int:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail(f"the child still works after {seconds} s")


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(("backend", "route"), ENGINES, ids=ENGINE_IDS)
def test_a_forked_child_can_select(backend, route):
    """The parent's worker threads do not exist in the child: a pool that waits for them hangs there."""
    scores = gauss(8, 1 << 17)
    options = {"k": 500, "backend": backend, "route": route, "threads": 2}
    wanted = keysieve.select(scores, **options).indices
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if np.array_equal(keysieve.select(scores, **options).indices, wanted) else 2
        finally:
            os._exit(code)
    assert _wait(child, 20) == 0
    assert np.array_equal(keysieve.select(scores, **options).indices, wanted)
