"""Shadow mode on torch CUDA tensors."""

from __future__ import annotations

import keysieve
import pytest
from cuda_support import DEVICE, DTYPES, ROUTES, SHAPES, refusal, scores_of, tables_of, to_device, torch, windows_of

# torch's spin kernel counts clock ticks: some 0.2 s.
LONG = 400_000_000


def watch_all(**options) -> keysieve.Shadow:
    return keysieve.Shadow(share=1.0, device="cuda:0", **{"max_rows_per_call": 64, "slot_bytes": 16 << 20, **options})


@pytest.mark.parametrize("mode", ["raw", "offset", "paged", "dual"])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
def test_live_calls_are_right(dtype, mode):
    rows_seen = 0
    with watch_all() as shadow:
        for rows, width, k in SHAPES:
            scores = scores_of(rows, width, dtype)
            for route in ROUTES:
                if refusal(scores, k, route, mode, "any"):
                    continue
                for window in windows_of(rows, width, k):
                    options = {**window, **tables_of(mode, rows, width)}
                    options = {name: to_device(value) for name, value in options.items()}
                    keysieve.select(
                        scores.to(DEVICE), k=k, mode=mode, order="any", route=route, return_values=True,
                        return_counts=True, shadow=shadow, **options,
                    )  # fmt: skip
                    assert shadow.wait(30)
                    rows_seen += rows
    assert shadow.report().rows_checked == rows_seen > 0


def test_a_wrong_result_is_named():
    scores = scores_of(4, 5000, torch.float32).to(DEVICE)
    found = keysieve.select(scores, k=100).indices
    found[1, 5] += 1
    shadow = watch_all()
    shadow.observe(found, scores)
    with pytest.raises(keysieve.ShadowError, match="call 0, row 1 of 4 x 5000"):
        shadow.close()


def test_observing_neither_waits_nor_sees_what_comes_later():
    scores = scores_of(4, 5000, torch.float32).to(DEVICE)
    with watch_all(slots=1) as shadow:
        keysieve.select(scores, k=100, shadow=shadow)
        assert shadow.wait(30)
        torch.cuda.synchronize()
        torch.cuda._sleep(LONG)
        found = keysieve.select(scores, k=100, shadow=shadow).indices
        assert not torch.cuda.current_stream().query()
        scores.zero_()
        found.fill_(-7)
        keysieve.select(scores, k=100, shadow=shadow)
        assert shadow.report().calls_skipped_busy == 1
    assert shadow.report().calls_checked == 2


def test_a_captured_call_is_counted_and_its_replays_can_be_observed():
    scores = scores_of(4, 5000, torch.float32).to(DEVICE)
    out = torch.empty(4, 100, dtype=torch.int32, device=DEVICE)
    with watch_all() as shadow:
        keysieve.select(scores, k=100, out=out, shadow=shadow)
        assert shadow.wait(30)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            keysieve.select(scores, k=100, out=out, shadow=shadow)
        out.fill_(-7)
        graph.replay()
        shadow.observe(out, scores)
    report = shadow.report()
    assert (report.calls_seen, report.calls_skipped_capturing, report.calls_checked) == (3, 1, 2)


def test_tensors_of_another_device_are_refused():
    shadow = keysieve.Shadow(share=1.0)
    with pytest.raises(ValueError, match="plan: expected one for the shadow's device cpu, got one for cuda:0"):
        keysieve.select(scores_of(2, 100, torch.float32).to(DEVICE), k=5, shadow=shadow)
    shadow.close()
