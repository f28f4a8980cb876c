"""Shadow mode: live calls of select, results of others, reports, threads."""

from __future__ import annotations

import os
import signal
import threading
import time

import keysieve
import numpy as np
import pytest
from support import ENGINE_IDS, ENGINES, gauss, int32, relu, specials

ROWS, WIDTH, K = 4, 3000, 50


def watch_all(**options) -> keysieve.Shadow:
    return keysieve.Shadow(share=1.0, **{"max_rows_per_call": 1024, **options})


@pytest.mark.parametrize(("backend", "route"), ENGINES, ids=ENGINE_IDS)
@pytest.mark.parametrize("order", ["index", "score", "any"])
@pytest.mark.parametrize("mode", ["raw", "offset", "paged", "dual"])
def test_live_calls_are_right(backend, route, order, mode):
    places = {
        "raw": {},
        "offset": {"out_offsets": int32(5, -7, 2**31 - 60, 0)},
        "paged": {"page_table": np.arange(4 * 47, dtype=np.int32).reshape(4, 47), "page_size": 64},
    }
    options = {**places["paged" if mode == "dual" else mode], "mode": mode, "order": order}
    with watch_all() as shadow:
        for scores in (gauss(ROWS, WIDTH), relu(ROWS, WIDTH), specials(ROWS, WIDTH)):
            for ties in ("smallest", "largest", "any"):
                keysieve.select(
                    scores, int32(WIDTH, 20, 0, 1234), K, backend=backend, route=route, ties=ties, return_values=True,
                    return_counts=True, shadow=shadow, **options,
                )  # fmt: skip
                assert shadow.wait()
    report = shadow.report()
    assert (report.calls_seen, report.calls_checked, report.rows_checked) == (9, 9, 36)
    assert report.first_wrong is None
    assert report.first_failure is None


@pytest.mark.parametrize("dtype", [np.float16, "bfloat16"])
def test_16_bit_scores(dtype):
    scores = specials(ROWS, WIDTH).view(np.uint16)
    options = {"score_dtype": "bfloat16"} if dtype == "bfloat16" else {}
    scores = scores if options else scores.view(np.float16)
    with watch_all() as shadow:
        found = keysieve.select(scores, k=K, return_values=True, index_dtype="int64", shadow=shadow, **options)
    assert shadow.report().rows_checked == ROWS
    wrong = found.values.copy()
    wrong.view(np.uint16)[1, 7] ^= 1
    other = watch_all()
    other.observe(found.indices, scores, values=wrong, **options)
    with pytest.raises(keysieve.ShadowError, match=r"1 of 4 checked rows are wrong; the first: call 0, row 1 .*values"):
        other.close()


def test_a_wrong_result_of_another_implementation_is_named():
    scores = gauss(ROWS, WIDTH)
    right = np.sort(np.argpartition(-scores, K, axis=1)[:, :K], axis=1)  # int64
    shadow = watch_all()
    shadow.observe(right, scores)
    wrong = right.copy()
    wrong[2, 3] += 1
    shadow.observe(wrong, scores)
    with pytest.raises(keysieve.ShadowError) as raised:
        shadow.close()
    report = raised.value.report
    assert report == shadow.report()
    assert (report.rows_checked, report.rows_wrong) == (2 * ROWS, 1)
    first = report.first_wrong
    assert (first.call, first.row, first.output, first.slot) == (1, 2, "indices", 3)
    assert (first.expected, first.got) == (right[2, 3], wrong[2, 3])
    shadow.close()  # again


def test_an_unsorted_result_is_right_where_the_order_is_free():
    scores = gauss(ROWS, WIDTH)
    unsorted = np.argpartition(-scores, K, axis=1)[:, :K]
    with watch_all() as shadow:
        shadow.observe(unsorted, scores, order="any")
    with pytest.raises(keysieve.ShadowError), watch_all() as shadow:
        shadow.observe(unsorted, scores)


def test_arrays_may_change_at_once():
    scores = gauss(ROWS, WIDTH)
    with watch_all() as shadow:
        out = keysieve.select(scores, k=K, shadow=shadow).indices
        scores[:] = 0
        out[:] = -5
    assert shadow.report().rows_checked == ROWS


def test_the_share_is_met_and_repeatable():
    scores = gauss(1, 20)
    sampled = []
    for seed in (1, 1, 2):
        with keysieve.Shadow(share=0.25, seed=seed) as shadow:
            numbers = []
            for _ in range(400):
                before = shadow.report().calls_sampled
                keysieve.select(scores, k=3, shadow=shadow)
                numbers.append(shadow.report().calls_sampled - before)
        sampled.append(numbers)
    assert sampled[0] == sampled[1] != sampled[2]
    assert 55 < sum(sampled[0]) < 145


def test_a_call_too_large_and_an_empty_one():
    with watch_all(slot_bytes=1000) as shadow:
        keysieve.select(gauss(2, 1000), k=3, shadow=shadow)
        keysieve.select(gauss(0, 1000), k=3, shadow=shadow)
    report = shadow.report()
    assert (report.calls_seen, report.calls_sampled, report.calls_too_large, report.rows_checked) == (2, 1, 1, 0)


def test_an_exception_in_the_block_is_not_replaced():
    with pytest.raises(KeyError), watch_all() as shadow:
        shadow.observe(np.zeros((1, 2), np.int32), gauss(1, 20))
        raise KeyError


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"share": 1.5}, ValueError, "share: expected 0..1, got 1.5"),
        ({"share": float("nan")}, ValueError, "share: expected 0..1, got nan"),
        ({"share": "1"}, TypeError, "share: expected a number in 0..1, got '1'"),
        ({"slots": 0}, ValueError, "slots: expected an integer >= 1, got 0"),
        ({"slots": 1025}, ValueError, "slots: expected 1..1024, got 1025"),
        ({"max_rows_per_call": 1.0}, TypeError, "max_rows_per_call: expected an integer >= 1, got 1.0"),
        ({"slot_bytes": 63}, ValueError, "slot_bytes: expected 64..1099511627776, got 63"),
        ({"seed": -1}, ValueError, "seed: expected an integer >= 0, got -1"),
        ({"device": "h200"}, ValueError, "device: expected None, 'cpu', 'cuda' or 'cuda:N', got 'h200'"),
        ({"device": "cuda:63"}, RuntimeError, "device"),
    ],
)
def test_bad_options(options, kind, message):
    with pytest.raises(kind) as raised:
        keysieve.Shadow(**options)
    assert str(raised.value).startswith(message)


def test_bad_calls():
    scores, indices = gauss(2, 20), np.zeros((2, 3), np.int32)
    with keysieve.Shadow(share=0.0) as shadow:
        for change, kind, message in [
            ({"indices": indices[0]}, ValueError, "indices: expected [rows, k], got [3]"),
            ({"indices": indices[:1]}, ValueError, "out: expected [rows=2, k=3] int32 on cpu, got [1, 3]"),
            ({"mode": "dual"}, ValueError, "raw_indices: expected an array in mode 'dual', got None"),
            ({"return_values": True}, TypeError, "return_values: expected none in observe"),
            ({"values": np.zeros((2, 3))}, TypeError, "values_out: expected"),
            ({"counts": np.zeros(3, np.int32)}, ValueError, "counts_out: expected [rows=2]"),
        ]:
            with pytest.raises(kind) as raised:
                shadow.observe(**{"indices": indices, "scores": scores, **change})
            assert str(raised.value).startswith(message)
        with pytest.raises(TypeError, match="shadow: expected a keysieve.Shadow or None, got bool"):
            keysieve.select(scores, k=3, shadow=True)
        assert shadow.report().calls_seen == 0
    for use in (lambda: keysieve.select(scores, k=3, shadow=shadow), lambda: shadow.observe(indices, scores)):
        with pytest.raises(ValueError, match="shadow: expected one that is open, got a closed one"):
            use()
    assert shadow.report().calls_seen == 0


def test_threads_observe_while_another_closes():
    scores = gauss(2, 500)
    shadow = watch_all()
    stopped = []

    def work() -> None:
        try:
            while True:
                keysieve.select(scores, k=9, shadow=shadow)
        except ValueError as error:
            stopped.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    while shadow.report().calls_seen < 200:
        time.sleep(0.001)
    shadow.close()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    assert len(stopped) == 4
    assert all("closed" in text for text in stopped)
    report = shadow.report()
    assert report.rows_wrong == 0
    assert report.calls_checked > 0


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_is_refused_and_can_end():
    scores = gauss(1, 20)
    shadow = watch_all()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            keysieve.select(scores, k=3, shadow=shadow)
        except RuntimeError as error:
            code = 0 if "forked child" in str(error) else 2
        finally:
            shadow.close()
            del shadow
            os._exit(code)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.01)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status) == 0
    keysieve.select(scores, k=3, shadow=shadow)
    shadow.close()
    assert shadow.report().calls_checked == 1
