"""torch tensors on the CPU: no copies, outputs in torch, and the same answers as NumPy.

Runs with any torch from 1.13 on. The first import of tvm_ffi beside a torch older than 2.10 may try to compile a
helper of its own; TVM_FFI_DISABLE_TORCH_C_DLPACK=1 keeps it from that.
"""

from __future__ import annotations

import re
import subprocess
import sys

import keysieve
import numpy as np
import oracle
import pytest
from support import ENGINE_IDS, ENGINES, gauss, int32, specials

torch = pytest.importorskip("torch", reason="torch is not installed, so its tensors cannot be tested")


def tensor(array: np.ndarray):
    return torch.from_numpy(np.ascontiguousarray(array))


@pytest.mark.parametrize(("backend", "route"), ENGINES, ids=ENGINE_IDS)
@pytest.mark.parametrize("make", [gauss, specials])
def test_float32(backend, route, make):
    scores, lengths = make(5, 700), int32(700, 3, 0, -1, 350)
    table = np.random.default_rng(4).integers(0, 99, (5, 11)).astype(np.int32)
    got = keysieve.select(
        tensor(scores), tensor(lengths), 40, page_table=tensor(table), page_size=64, mode="dual", order="score",
        return_values=True, return_counts=True, backend=backend, route=route,
    )  # fmt: skip
    expected = oracle.select(
        scores, lengths, 40, page_table=table, page_size=64, mode="dual", order="score"
    )
    assert all(isinstance(field, torch.Tensor) for field in got)
    assert got.indices.dtype == got.raw_indices.dtype == got.counts.dtype == torch.int32
    assert np.array_equal(got.indices.numpy(), expected.indices)
    assert np.array_equal(got.raw_indices.numpy(), expected.raw)
    assert np.array_equal(got.counts.numpy(), expected.counts)
    wanted = oracle.values(scores, expected, 40, False)
    assert np.array_equal(got.values.numpy().view(np.uint32), wanted.view(np.uint32))


@pytest.mark.parametrize(("backend", "route"), ENGINES, ids=ENGINE_IDS)
def test_bfloat16_and_float16(backend, route):
    options = {"k": 55, "order": "score", "backend": backend, "route": route, "return_values": True}
    bits = oracle.float_to_bfloat16(specials(4, 600))
    scores = torch.from_numpy(bits.view(np.int16)).view(torch.bfloat16)
    got = keysieve.select(scores, **options)
    expected = oracle.select(bits, None, 55, bfloat16=True, order="score")
    assert got.values.dtype == torch.bfloat16
    assert np.array_equal(got.indices.numpy(), expected.indices)
    wanted = oracle.values(bits, expected, 55, True)
    assert np.array_equal(got.values.view(torch.int16).numpy().view(np.uint16), wanted)
    halves = gauss(4, 600).astype(np.float16)
    got = keysieve.select(torch.from_numpy(halves), **options)
    assert got.values.dtype == torch.float16
    assert np.array_equal(got.indices.numpy(), oracle.select(halves, None, 55, order="score").indices)
    as_integers = keysieve.select(torch.from_numpy(bits.view(np.int16)), score_dtype="bfloat16", **options)
    assert as_integers.values.dtype == torch.int16
    assert np.array_equal(as_integers.indices.numpy(), expected.indices)


def test_views_are_read_in_place():
    wide = torch.from_numpy(gauss(8, 900))
    scores = wide[::2, 100:400]
    lengths = torch.full((4, 3), 2**30, dtype=torch.int32)
    lengths[:, 1] = torch.tensor([300, 0, 17, -2], dtype=torch.int32)
    got = keysieve.select(scores, lengths[:, 1], 33).indices
    expected = oracle.select(scores.numpy(), lengths[:, 1].numpy(), 33).indices
    assert np.array_equal(got.numpy(), expected)
    expanded = torch.tensor([123], dtype=torch.int32).expand(4)
    got = keysieve.select(scores, expanded, 33).indices
    assert np.array_equal(got.numpy(), oracle.select(scores.numpy(), expanded.numpy(), 33).indices)


def test_preallocated_outputs():
    scores = torch.from_numpy(gauss(3, 100))
    block = torch.full((3, 20), 0x5A5A5A5A, dtype=torch.int64)
    out = block[:, 4:12]
    counts = torch.full((3,), -9, dtype=torch.int32)
    word = torch.zeros(1, dtype=torch.int32)
    got = keysieve.select(
        scores, torch.tensor([100, 2, 101], dtype=torch.int32), 8, out=out, index_dtype=torch.int64, counts_out=counts,
        error_word=word,
    )  # fmt: skip
    assert got.indices is out
    assert got.counts is counts
    assert counts.tolist() == [8, 2, 8]
    assert out[1].tolist() == [0, 1] + [-1] * 6
    assert word.item() == keysieve.ERROR_LENGTH_CLAMPED
    assert (block[:, :4] == 0x5A5A5A5A).all()
    assert (block[:, 12:] == 0x5A5A5A5A).all()


def test_frameworks_mix_and_the_scores_decide():
    scores = gauss(3, 100)
    lengths = int32(100, 50, 3)
    from_torch = keysieve.select(torch.from_numpy(scores), lengths, 8).indices
    from_numpy = keysieve.select(scores, torch.from_numpy(lengths), 8).indices
    assert isinstance(from_torch, torch.Tensor)
    assert isinstance(from_numpy, np.ndarray)
    assert np.array_equal(from_torch.numpy(), from_numpy)


def test_scores_that_carry_a_gradient():
    scores = torch.from_numpy(gauss(3, 100)).requires_grad_()
    got = keysieve.select(scores * 2, k=8, return_values=True)
    assert not got.values.requires_grad
    assert np.array_equal(got.indices.numpy(), oracle.select(scores.detach().numpy(), None, 8).indices)


def test_empty_tensors():
    for rows, width in [(0, 10), (3, 0), (0, 0)]:
        got = keysieve.select(torch.zeros(rows, width), torch.zeros(rows, dtype=torch.int32), 4, return_counts=True)
        assert got.indices.shape == (rows, 4)
        assert (got.indices == -1).all()
        assert (got.counts == 0).all()


def test_agrees_with_torch_topk():
    scores = torch.from_numpy(gauss(16, 5000))
    ours = keysieve.select(scores, k=100, order="score", nan="highest", return_values=True)
    theirs = torch.topk(scores, 100, dim=1)
    assert torch.equal(ours.values, theirs.values)
    assert torch.equal(ours.indices.long(), theirs.indices)


def test_transform_and_row_lengths():
    positions = torch.tensor([[0, 65, -1]])
    slots = keysieve.transform(positions, page_table=torch.tensor([[7, 3]], dtype=torch.int32), page_size=64)
    assert slots.dtype == torch.int64
    assert slots.tolist() == [[448, 193, -1]]
    lengths = keysieve.row_lengths(torch.tensor([10, 3], dtype=torch.int32), 4, 2)
    assert isinstance(lengths, torch.Tensor)
    assert lengths.tolist() == [[3, 4, 4, 5], [0, 0, 1, 1]]


SCORES = torch.from_numpy(gauss(4, 64))


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        ([SCORES.double()], {}, TypeError, "scores: expected float32, bfloat16 or float16 (or 16-bit integers with"),
        ([SCORES[0]], {}, ValueError, "scores: expected [rows, width], got [64]"),
        ([SCORES.t()], {}, ValueError, "scores: expected adjacent elements in a row (inner stride 1), got strides [1, 64]"),
        ([SCORES[:1].expand(4, 64)], {}, ValueError, "scores: expected a row stride >= 64, got strides [0, 1]"),
        ([SCORES.to_sparse()], {}, ValueError, "scores: expected a dense tensor, got layout torch.sparse_coo"),
        ([SCORES.to("meta")], {}, RuntimeError, "scores: expected a tensor on cpu or cuda, got one on meta"),
        ([SCORES, torch.tensor([1, 2, 3, 4])], {}, TypeError, "lengths: expected [rows=4] int32 on cpu, got [4] int64"),
        ([SCORES, torch.tensor([1], dtype=torch.int32)], {}, ValueError, "lengths: expected [rows=4] int32 on cpu, got [1]"),
        ([SCORES], {"out": torch.zeros(4, 8)}, TypeError, "out: expected [rows=4, k=8] int32 on cpu, got [4, 8] float32"),
        ([SCORES], {"out": torch.zeros(8, 4, dtype=torch.int32).t()}, ValueError, "out: expected adjacent elements"),
        ([SCORES], {"index_dtype": torch.int16}, ValueError, "index_dtype: expected one of 'int32', 'int64', got 'int16'"),
    ],
)  # fmt: skip
def test_refusals(arguments, options, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        keysieve.select(*arguments, **{"k": 8, **options})


def test_keysieve_itself_does_not_import_torch():
    """tvm_ffi imports torch where there is one; with that import stopped, keysieve must not bring it back."""
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import numpy as np, keysieve\n"
        "keysieve.select(np.zeros((2, 9), np.float32), k=3); keysieve.system()\n"
        "assert sys.modules['torch'] is None"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
