"""torch tensors on a GPU: the CPU backend's answer, bit for bit."""

from __future__ import annotations

import keysieve
import numpy as np
import pytest
from cuda_support import (
    DEVICE,
    DTYPES,
    ROUTES,
    SHAPES,
    bits,
    compare,
    cycled,
    int32,
    refusal,
    scores_of,
    tables_of,
    torch,
    windows_of,
)


@pytest.mark.parametrize("order", ["index", "score", "any"])
@pytest.mark.parametrize("mode", ["raw", "offset", "paged", "dual"])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
@pytest.mark.parametrize("route", ROUTES)
def test_every_route_gives_the_answer_of_the_cpu(route, dtype, mode, order):
    ran, refusals = 0, []
    for rows, width, k in SHAPES:
        scores = scores_of(rows, width, dtype)
        refused = refusal(scores, k, route, mode, order)
        if refused:
            assert route != "auto", refused
            refusals += refused
            continue
        for window in windows_of(rows, width, k):
            compare(scores, k, {**window, **tables_of(mode, rows, width), "mode": mode, "order": order}, route)
            ran += 1
    if route == "split" and not ran and any("cluster" in line for line in refusals):
        pytest.skip("; ".join(refusals))
    if route == "trivial" and order == "score":
        assert not ran and any("cannot order by it" in line for line in refusals)
        return
    assert ran, refusals


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
@pytest.mark.parametrize(
    "options",
    [
        {"ties": "largest"}, {"nan": "highest"}, {"mask_neg_inf": True}, {"check_nan": True}, {"index_dtype": "int64"},
        {"nan": "highest", "ties": "largest", "order": "score", "index_dtype": "int64"},
    ],
    ids=str,
)  # fmt: skip
def test_options(dtype, options):
    for rows, width, k in SHAPES:
        scores = scores_of(rows, width, dtype, seed=1)
        for window in windows_of(rows, width, k)[1:3]:
            compare(scores, k, {**window, **options})


@pytest.mark.parametrize("make", [torch.zeros, torch.ones], ids=["zeros", "ones"])
def test_equal_scores(make):
    for rows, width, k in SHAPES:
        compare(make(rows, width), k, windows_of(rows, width, k)[1])


@pytest.mark.parametrize("columns", [False, True])
def test_lengths_of_requests(columns):
    """2-D lengths, as an array of their own or as a column of a wider one; a table line per request."""
    rows, width, k = 12, 5000, 300
    lengths = cycled([5000, 300, 301, 0, -1, 17], rows).reshape(4, 3)
    if columns:
        lengths = torch.stack([torch.full_like(lengths, 2**30), lengths], dim=2)[:, :, 1]
    scores = scores_of(rows, width, torch.float32)
    table = torch.from_numpy(np.random.default_rng(1).permutation(4 * 79).astype(np.int32).reshape(4, 79))
    for order in ("index", "score"):
        compare(scores, k, {"lengths": lengths, "page_table": table, "page_size": 64, "mode": "dual", "order": order})
    expected = keysieve.select(scores, lengths, k).indices
    there = lengths.to(DEVICE)
    if columns:
        there = torch.stack([torch.full_like(there, 2**30), there], dim=2)[:, :, 1]
        assert not there.is_contiguous()
    assert torch.equal(keysieve.select(scores.to(DEVICE), there, k).indices.cpu(), expected)
    broadcast = int32([4000]).to(DEVICE).expand(rows)
    got = keysieve.select(scores.to(DEVICE), broadcast, k).indices
    assert torch.equal(got.cpu(), keysieve.select(scores, int32([4000] * rows), k).indices)


def test_rows_that_share_table_lines():
    rows, width, k = 6, 3000, 200
    table = torch.from_numpy(np.random.default_rng(1).permutation(2 * 47).astype(np.int32).reshape(2, 47))
    compare(
        scores_of(rows, width, torch.float32), k,
        {"page_table": table, "page_size": 64, "row_to_table": int32([0, 1, -1, 1, 0, 0]), "mode": "dual"},
    )  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
def test_views_are_read_in_place(dtype):
    wide = scores_of(8, 9000, dtype)
    there = wide.to(DEVICE)
    before = there.clone()
    for rows, columns in [(slice(None, None, 2), slice(13, 8001)), (slice(1, None), slice(1, 700)),
                          (slice(0, 1), slice(3, None)), (slice(None), slice(5, 6))]:  # fmt: skip
        view = there[rows, columns]
        got = keysieve.select(view, k=60, order="score", return_values=True)
        wanted = keysieve.select(wide[rows, columns], k=60, order="score", return_values=True)
        assert torch.equal(got.indices.cpu(), wanted.indices)
        assert np.array_equal(bits(got.values), bits(wanted.values))
    assert np.array_equal(bits(there), bits(before))


def test_new_outputs_lie_on_the_device_of_the_scores():
    scores = scores_of(4, 1000, torch.bfloat16).to(DEVICE)
    table = torch.zeros(4, 16, dtype=torch.int32, device=DEVICE)
    got = keysieve.select(
        scores.requires_grad_(), k=30, page_table=table, page_size=64, mode="dual", index_dtype=torch.int64,
        return_values=True, return_counts=True,
    )  # fmt: skip
    assert all(field.device == scores.device and not field.requires_grad for field in got)
    assert [field.dtype for field in got] == [torch.int64, torch.int64, torch.bfloat16, torch.int32]
    assert [list(field.shape) for field in got] == [[4, 30], [4, 30], [4, 30], [4]]


@pytest.mark.parametrize(("rows", "width"), [(0, 10), (3, 0), (0, 0)])
def test_empty_tensors(rows, width):
    lengths = torch.zeros(rows, dtype=torch.int32, device=DEVICE)
    got = keysieve.select(torch.zeros(rows, width, device=DEVICE), lengths, 4, return_values=True, return_counts=True)
    assert got.indices.shape == (rows, 4)
    assert (got.indices == -1).all()
    assert (got.values == -float("inf")).all()
    assert (got.counts == 0).all()


def test_hints_and_counters_change_no_result():
    rows, width, k = 6, 60000, 1000
    scores = scores_of(rows, width, torch.float32, seed=3)
    kth = keysieve.select(scores, k=k, order="score", return_values=True).values[:, -1].contiguous()
    constants = [torch.full((rows,), x) for x in (float("nan"), float("inf"), -float("inf"), 0.0)]
    for hint in (kth, kth + 0.5, kth - 0.5, *constants):
        for route in ("auto", "sieve"):
            counters = torch.full((rows + 2, 2), -7, dtype=torch.int32, device=DEVICE)
            compare(scores, k, {"order": "score"}, route, hint=hint.to(DEVICE), row_counters_out=counters[1:-1])
            assert (counters[1:-1] >= 0).all(), counters
            assert (counters[[0, -1]] == -7).all()


@pytest.mark.parametrize("route", ["auto", "sieve", "split", "wide"])
def test_threads_and_split_change_no_result(route):
    scores = scores_of(3, 150000, torch.float32)
    ran = 0
    for options in ({"threads": 256}, {"threads": 512}, {"split": 2}, {"threads": 256, "split": 4}):
        if not keysieve.supports(rows=3, width=150000, k=500, route=route, device=DEVICE, **options):
            compare(scores, 500, {}, route, **options)
            ran += 1
    assert ran
