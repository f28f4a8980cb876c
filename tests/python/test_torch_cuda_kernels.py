"""The kernels around selection on torch tensors of a GPU: the bits that the CPU backend gives on NumPy arrays, plainly
and from a captured graph."""

from __future__ import annotations

import keysieve
import numpy as np
import pytest
from cuda_support import DEVICE, torch

RNG = np.random.default_rng(11)


def bf16(*shape: int) -> np.ndarray:
    """Bits of BF16 numbers of ordinary magnitude."""
    return (RNG.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def on_device(array: np.ndarray, bfloat16: bool = False) -> torch.Tensor:
    if array.dtype == np.uint16:
        tensor = torch.from_numpy(array.view(np.int16)).to(DEVICE)
        return tensor.view(torch.bfloat16) if bfloat16 else tensor
    return torch.from_numpy(array).to(DEVICE)


def bits(value: object) -> bytes:
    """The bytes of an array of either framework."""
    if isinstance(value, torch.Tensor):
        return value.contiguous().view(torch.uint8).cpu().numpy().tobytes()
    return np.ascontiguousarray(value).tobytes()


def arrays_of(result: object) -> list[object]:
    values = result if isinstance(result, tuple) else (result,)
    return [value for value in values if value is not None]


def scores_of(rows: int, width: int) -> np.ndarray:
    return RNG.standard_normal((rows, width)).astype(np.float32)


def int32(low: int, high: int, *shape: int) -> np.ndarray:
    return RNG.integers(low, high, shape).astype(np.int32)


# name: (function, positional arrays, options)
CALLS = {
    "fp4_quantise": (keysieve.fp4_quantise, [bf16(300, 128)], {}),
    "fp4_quantise, to even": (keysieve.fp4_quantise, [bf16(300, 128)], {"rounding": "ties_to_even"}),
    "fp8_quantise": (keysieve.fp8_quantise, [bf16(300, 128)], {"scale_to_power_of_two": True}),
    "fp4_gather": (keysieve.fp4_gather, [RNG.integers(0, 256, (9, 64, 68)).astype(np.uint8), int32(-1, 576, 200)], {}),
    "fp8_gather": (keysieve.fp8_gather, [RNG.integers(0, 256, (9, 64, 132)).astype(np.uint8), int32(-1, 576, 200)], {}),
    "candidate_lengths": (keysieve.candidate_lengths, [int32(-5, 40000, 50)], {"kept_blocks": 2048}),
    "block_max": (keysieve.block_max, [scores_of(6, 5000), np.full(6, 5000, np.int32)], {}),

    "engram_gather": (
        keysieve.engram_gather,
        [
            RNG.integers(0, 256, (40, 256)).astype(np.uint8),
            RNG.integers(110, 140, (40, 8)).astype(np.uint8),
            int32(-5, 50, 300),
        ],
        {"first_row": 2},
    ),
    "q_rope_store": (
        keysieve.q_rope_store,
        [bf16(20, 16, 512), RNG.standard_normal((64, 32, 2)).astype(np.float32), int32(0, 64, 20)],
        {},
    ),
    "small_gemm 128 x 512": (keysieve.small_gemm, [bf16(9, 512), bf16(128, 512)], {}),
    "small_gemm 32 x 5120": (keysieve.small_gemm, [bf16(32, 5120), bf16(32, 5120)], {}),
    "rmsnorm_mxfp8": (keysieve.rmsnorm_mxfp8, [bf16(5, 5120), bf16(5120)], {"eps": 1e-6}),
    "hc_rmsnorm_mxfp8": (
        keysieve.hc_rmsnorm_mxfp8,
        [bf16(7, 4 * 1024), RNG.standard_normal((7, 4)).astype(np.float32), bf16(1024)],
        {"eps": 1e-6},
    ),
    "context_guard": (keysieve.context_guard, [int32(-3, 900, 70)], {"max_context": 500}),
    "selection_stamp": (keysieve.selection_stamp, [int32(0, 900, 70)], {}),
    "publish": (keysieve.publish, [scores_of(6, 30000), int32(0, 30001, 6)], {"k": 512, "blocks": 300}),
}


def run(name: str, device: bool, **more: object) -> list[object]:
    function, arrays, options = CALLS[name]
    given = [on_device(array, bfloat16=True) if device else array for array in arrays]
    return arrays_of(function(*given, **options, **more))


@pytest.mark.parametrize("name", CALLS)
def test_same_bits_as_cpu(name):
    expected, got = run(name, False), run(name, True)
    assert len(expected) == len(got)
    for one, other in zip(expected, got, strict=True):
        assert other.is_cuda
        assert bits(one) == bits(other)


@pytest.mark.parametrize("name", CALLS)
def test_captured(name):
    function, arrays, options = CALLS[name]
    given = [on_device(array, bfloat16=True) for array in arrays]
    function(*given, **options)  # nothing is prepared for the first time inside the capture
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = arrays_of(function(*given, **options))
    for _ in range(2):
        graph.replay()
    torch.cuda.synchronize()
    for one, other in zip(run(name, False), captured, strict=True):
        assert bits(one) == bits(other)


@pytest.mark.parametrize("name", CALLS)
def test_runs_on_the_current_stream(name):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        got = run(name, True)
    stream.synchronize()
    for one, other in zip(run(name, False), got, strict=True):
        assert bits(one) == bits(other)


def test_tensors_on_two_devices_are_refused():
    function, arrays, options = CALLS["small_gemm 128 x 512"]
    with pytest.raises(RuntimeError, match="expected a tensor on"):
        function(on_device(arrays[0], True), torch.from_numpy(arrays[1].view(np.int16)).view(torch.bfloat16), **options)


def test_engram_table_in_pinned_memory():
    function, (table, scales, ids), options = CALLS["engram_gather"]
    pinned = [torch.from_numpy(array).pin_memory() for array in (table, scales)]
    got = function(*pinned, on_device(ids), **options)
    assert bits(got) == bits(function(table, scales, ids, **options))
