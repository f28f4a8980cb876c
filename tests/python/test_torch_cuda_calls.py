"""How a call behaves on a GPU: streams, graphs, threads, and what is refused."""

from __future__ import annotations

import re
import threading

import keysieve
import numpy as np
import pytest
from cuda_support import DEVICE, ROUTES, bits, cycled, int32, scores_of, torch
from support import gauss


def busy(seconds: float) -> None:
    """Keeps the current stream busy; about two cycles a nanosecond."""
    torch.cuda._sleep(int(seconds * 2e9))


@pytest.mark.parametrize("dependent_launch", [False, True])
def test_the_current_stream_is_used(dependent_launch):
    """The scores and lengths are written late on a side stream: a run on any other stream would miss them."""
    real = scores_of(8, 40000, torch.float32)
    lengths = cycled([40000, 777, 0, 12345], 8)
    wanted = keysieve.select(real, lengths, 500, return_values=True)
    source, source_lengths = real.to(DEVICE), lengths.to(DEVICE)
    scores, live = torch.zeros_like(source), torch.zeros_like(source_lengths)
    keysieve.select(scores, live, 500, return_values=True, dependent_launch=dependent_launch)
    torch.cuda.synchronize()
    for _ in range(3):
        stream = torch.cuda.Stream()
        scores.zero_()
        live.zero_()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            busy(0.05)
            scores.copy_(source)
            live.copy_(source_lengths)
            got = keysieve.select(scores, live, 500, return_values=True, dependent_launch=dependent_launch)
            copied = got.indices.clone()  # reads behind the run, on the same stream
        stream.synchronize()
        assert torch.equal(copied.cpu(), wanted.indices)
        assert np.array_equal(bits(got.values), bits(wanted.values))


def test_the_call_does_not_wait():
    scores = scores_of(8, 40000, torch.float32).to(DEVICE)
    lengths = cycled([40000, 9], 8).to(DEVICE)
    # The same call first: it loads the code, which may wait.
    wanted = keysieve.select(scores, lengths, 500, return_values=True, return_counts=True).indices.clone()
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")  # of torch's own: nothing in the package asks for a value
    try:
        busy(1.0)
        done = torch.cuda.Event()
        got = keysieve.select(scores, lengths, 500, return_values=True, return_counts=True)
        done.record()
        early = not done.query()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    torch.cuda.synchronize()
    assert early, "the call came back after the work that was in front of it"
    assert torch.equal(got.indices, wanted)


@pytest.mark.parametrize("route", ROUTES)
def test_graph_replay_follows_lengths_and_scores(route):
    rows, width, k = (9, 400, 512) if route == "trivial" else (9, 9000, 512)
    if keysieve.supports(rows=rows, width=width, k=k, route=route, device=DEVICE):
        pytest.skip("; ".join(keysieve.supports(rows=rows, width=width, k=k, route=route, device=DEVICE)))
    table = torch.from_numpy(np.random.default_rng(3).permutation(rows * 141).astype(np.int32).reshape(rows, 141))
    scores, lengths = torch.zeros(rows, width, device=DEVICE), torch.zeros(rows, dtype=torch.int32, device=DEVICE)
    out = torch.empty(rows, k, dtype=torch.int32, device=DEVICE)
    options = {"page_size": 64, "mode": "dual", "return_values": True, "return_counts": True, "route": route}
    there = {**options, "page_table": table.to(DEVICE)}
    keysieve.prepare("cuda:0")
    keysieve.select(scores, lengths, k, out=out, **there)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        got = keysieve.select(scores, lengths, k, out=out, **there)
    edges = [width, k, k + 1, k - 1, 1, 0, -1, width + 17, width - 1]
    for turn in range(12):
        new_scores = scores_of(rows, width, torch.float32, seed=turn)
        new_lengths = cycled(edges[turn % 9 :] + edges[: turn % 9], rows) if turn < 9 else cycled([turn * 7], rows)
        scores.copy_(new_scores)
        lengths.copy_(new_lengths)
        for field in got:
            field.fill_(77)
        graph.replay()
        torch.cuda.synchronize()
        wanted = keysieve.select(
            new_scores, new_lengths, k, page_table=table, **{**options, "route": "auto", "backend": "cpu"}
        )
        for name, value in wanted._asdict().items():
            assert np.array_equal(bits(getattr(got, name)), bits(value)), f"{name} of replay {turn}"


def test_streams_and_graphs_at_once():
    problems = [(scores_of(4, 20000 + 3001 * i, torch.float32, seed=i), 300 + 100 * i) for i in range(5)]
    wanted = [keysieve.select(scores, k=k).indices for scores, k in problems]
    inputs = [scores.to(DEVICE) for scores, _ in problems]
    streams, graphs, outputs = [], [], []
    for scores, (_, k) in zip(inputs, problems, strict=True):
        keysieve.select(scores, k=k)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs.append(keysieve.select(scores, k=k).indices)
        graphs.append(graph)
        streams.append(torch.cuda.Stream())
    torch.cuda.synchronize()
    for _ in range(20):
        direct = []
        for stream, graph, scores, (_, k) in zip(streams, graphs, inputs, problems, strict=True):
            with torch.cuda.stream(stream):
                direct.append(keysieve.select(scores, k=k).indices)
                graph.replay()
        torch.cuda.synchronize()
        for i, expected in enumerate(wanted):
            assert torch.equal(direct[i].cpu(), expected), f"problem {i}, called"
            assert torch.equal(outputs[i].cpu(), expected), f"problem {i}, replayed"


def test_python_threads_with_streams_of_their_own():
    problems = [(scores_of(3, 9000 + 777 * i, torch.float32, seed=i), 100 + 50 * i) for i in range(4)]
    wrong: list[str] = []

    def work(i: int) -> None:
        scores, k = problems[i]
        wanted = keysieve.select(scores, k=k).indices
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                there = torch.empty_like(scores, device=DEVICE)
                for turn in range(30):
                    there.zero_()
                    there.copy_(scores)
                    if not torch.equal(keysieve.select(there, k=k).indices.cpu(), wanted):
                        wrong.append(f"problem {i}, turn {turn}")
        except Exception as error:  # noqa: BLE001
            wrong.append(f"problem {i}: {error!r}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(problems))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads), "a call hangs"
    assert wrong == []


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_a_device_that_is_not_the_current_one():
    scores, lengths = scores_of(5, 30000, torch.float32), cycled([30000, 5, 0], 5)
    wanted = keysieve.select(scores, lengths, 400).indices
    with torch.cuda.device(0):
        got = keysieve.select(scores.to("cuda:1"), lengths.to("cuda:1"), 400).indices
        assert torch.cuda.current_device() == 0
        assert got.device == torch.device("cuda:1")
        assert torch.equal(got.cpu(), wanted)
        message = "lengths: expected [rows=5] int32 on cuda:1, got [5] int32 on cuda:0"
        with pytest.raises(RuntimeError, match=re.escape(message)):
            keysieve.select(scores.to("cuda:1"), lengths.to("cuda:0"), 400)


ROWS, WIDTH, K = 4, 640, 8
SCORES = torch.from_numpy(gauss(ROWS, WIDTH))
LENGTHS = int32([640, 3, 0, 9])


def there(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(DEVICE)


# Options as functions, so that nothing reaches the GPU while tests are collected.
REFUSED = [
    (lambda: {"lengths": LENGTHS}, RuntimeError, "lengths: expected [rows=4] int32 on cuda:0, got [4] int32 on cpu"),
    (lambda: {"lengths": LENGTHS.numpy()}, RuntimeError,
     "lengths: expected [rows=4] int32 on cuda:0, got [4] int32 on cpu"),
    (lambda: {"lengths": LENGTHS.pin_memory()}, RuntimeError,
     "lengths: expected [rows=4] int32 on cuda:0, got [4] int32 on"),
    (lambda: {"lengths": there(LENGTHS.long())}, TypeError,
     "lengths: expected [rows=4] int32 on cuda:0, got [4] int64 on cuda:0"),
    (lambda: {"lengths": there(LENGTHS)[:3]}, ValueError,
     "lengths: expected [rows=4] int32 on cuda:0, got [3] int32 on cuda:0"),
    (lambda: {"scores": SCORES}, RuntimeError, "lengths: expected [rows=4] int32 on cpu, got [4] int32 on cuda:0"),
    (lambda: {"scores": there(SCORES).double()}, TypeError, "scores: expected float32, bfloat16 or float16 (or 16-bit"),
    (lambda: {"scores": there(SCORES).t()}, ValueError, "scores: expected adjacent elements in a row"),
    (lambda: {"row_starts": LENGTHS}, RuntimeError,
     "row_starts: expected [rows=4] int32 on cuda:0, got [4] int32 on cpu"),
    (lambda: {"out_offsets": LENGTHS}, RuntimeError,
     "out_offsets: expected [rows=4] int32 on cuda:0, got [4] int32 on cpu"),
    (lambda: {"page_table": torch.zeros(4, 1, dtype=torch.int32), "page_size": 640}, RuntimeError,
     "page_table: expected [table_rows, pages_per_row] int32 on cuda:0, got [4, 1] int32 on cpu"),
    (lambda: {"out": torch.zeros(4, 8, dtype=torch.int32)}, RuntimeError,
     "out: expected [rows=4, k=8] int32 on cuda:0, got [4, 8] int32 on cpu"),
    (lambda: {"out": torch.zeros(4, 8, device=DEVICE)}, TypeError,
     "out: expected [rows=4, k=8] int32 on cuda:0, got [4, 8] float32 on cuda:0"),
    (lambda: {"values_out": torch.zeros(4, 8)}, RuntimeError,
     "values_out: expected [rows=4, k=8] float32 on cuda:0, got"),
    (lambda: {"counts_out": torch.zeros(4, dtype=torch.int32)}, RuntimeError,
     "counts_out: expected [rows=4] int32 on cuda:0"),
    (lambda: {"error_word": torch.zeros(1, dtype=torch.int32)}, RuntimeError,
     "error_word: expected [words=1] uint32 on cuda:0"),
    (lambda: {"hint": torch.zeros(4)}, RuntimeError,
     "hint: expected [rows=4] float32 on cuda:0, got [4] float32 on cpu"),
    (lambda: {"hint": there(SCORES)[:, 0]}, ValueError, "hint: expected a contiguous array"),
    (lambda: {"row_counters_out": torch.zeros(4, 2, dtype=torch.int32)}, RuntimeError,
     "row_counters_out: expected [rows=4, counters=2] int32 on cuda:0, got [4, 2] int32 on cpu"),
    (lambda: {"backend": "cpu"}, RuntimeError, "backend:"),
    (lambda: {"backend": "reference"}, RuntimeError, "backend:"),
    (lambda: {"route": "cpu_rows"}, RuntimeError, "route:"),
    (lambda: {"k": 8193}, RuntimeError, "8192"),
    (lambda: {"threads": 33}, (RuntimeError, ValueError), "threads:"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED, ids=[case[2][:60] for case in REFUSED])
def test_refusals(options, kind, message):
    out = torch.full((ROWS, K), 0x5A5A5A5A, dtype=torch.int32, device=DEVICE)
    arguments = {"scores": there(SCORES), "lengths": there(LENGTHS), "k": K, "out": out, **options()}
    if arguments["k"] != K:
        del arguments["out"]
    for _ in range(2):  # again, as the second call may take a cached path
        with pytest.raises(kind, match=re.escape(message)) as caught:
            keysieve.select(**arguments)
        assert "\n" not in str(caught.value)
    torch.cuda.synchronize()  # a refused call leaves no error behind on the device
    assert (out == 0x5A5A5A5A).all()
    wanted = keysieve.select(SCORES, LENGTHS, K).indices
    assert torch.equal(keysieve.select(there(SCORES), there(LENGTHS), K).indices.cpu(), wanted)


def test_host_tensors_stay_on_the_host():
    with pytest.raises(RuntimeError, match=r"^backend:"):
        keysieve.select(SCORES, k=K, backend="cuda")
    message = "positions: expected [rows, k] int32 on cpu, got [4, 8] int32 on cuda:0"
    with pytest.raises(RuntimeError, match=re.escape(message)):
        keysieve.transform(
            torch.zeros(4, 8, dtype=torch.int32, device=DEVICE), out_offsets=there(LENGTHS), mode="offset"
        )
