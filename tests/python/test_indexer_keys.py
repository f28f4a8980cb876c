"""Keys of an indexer in FP4 and FP8 from Python, against NumPy."""

from __future__ import annotations

import doctest
import importlib
import re

import keysieve
import numpy as np
import pytest

E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


def floats(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bfloat16(values):
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def unpacked(payload, scales):
    """Values of FP4 vectors."""
    codes = np.stack([payload & 15, payload >> 4], -1).reshape(*payload.shape[:-1], 128)
    values = E2M1[codes & 7] * np.where(codes & 8, -1, 1)
    bytes_ = np.ascontiguousarray(scales).view(np.uint8).reshape(*scales.shape, 4)
    return values * np.repeat(2.0 ** (bytes_.astype(float) - 127), 32, -1)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_fp4_quantise(rng, backend):
    x = rng.normal(size=(3, 7, 128)).astype(np.float32)
    payload, scales = keysieve.fp4_quantise(x, rounding="ties_to_even", backend=backend)
    assert payload.shape == (3, 7, 64)
    assert payload.dtype == np.uint8
    assert scales.shape == (3, 7)
    assert scales.dtype == np.int32
    amax = np.abs(x.reshape(3, 7, 4, 32)).max(-1)
    step = np.repeat(2.0 ** np.ceil(np.log2(amax / 6)), 32, -1)
    # Half of the widest distance between codes.
    assert (np.abs(unpacked(payload, scales) - x) <= step).all()
    nearest = np.abs((np.abs(x) / step)[..., None] - E2M1).argmin(-1)
    codes = np.stack([payload & 7, payload >> 4 & 7], -1).reshape(3, 7, 128)
    assert (codes == nearest).all()
    # The even dim is in the low nibble, and a code of 8 is never stored.
    assert not (((payload & 15) == 8) | (payload >> 4 == 8)).any()
    both = keysieve.fp4_quantise(bfloat16(x), rounding="ties_to_zero", backend=backend)
    assert both.payload.shape == (3, 7, 64)


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_fp8_quantise(rng, backend):
    x = rng.normal(size=(9, 128)).astype(np.float32)
    payload, scales = keysieve.fp8_quantise(x, backend=backend)
    assert np.array_equal(scales, np.abs(x).max(1) / np.float32(448))
    assert ((payload & 0x7F).max(1) == 0x7E).all()
    rounded = keysieve.fp8_quantise(x, scale_to_power_of_two=True, backend=backend).scales
    assert np.array_equal(rounded, 2.0 ** np.ceil(np.log2(scales)))


@pytest.mark.parametrize("kind", ["fp4", "fp8"])
def test_store_and_gather(rng, kind):
    store, gather, quantise = (getattr(keysieve, f"{kind}_{name}") for name in ("store", "gather", "quantise"))
    width = {"fp4": 64, "fp8": 128}[kind]
    vectors = quantise(rng.normal(size=(20, 128)).astype(np.float32))
    cache = np.zeros((4, 16, 1, width + 4), np.uint8)
    slots = rng.permutation(64)[:20]
    word = np.zeros(1, np.uint32)
    store(cache, vectors.payload, vectors.scales, slots, error_word=word)
    back = gather(cache, slots)
    assert np.array_equal(back.payload, vectors.payload)
    assert np.array_equal(back.scales, vectors.scales)
    assert word[0] == 0
    page, entry = divmod(int(slots[3]), 16)
    assert np.array_equal(cache[page].ravel()[entry * width :][:width], vectors.payload[3])
    store(cache, vectors.payload[:2], vectors.scales[:2], np.array([-1, 64], np.int32), error_word=word)
    assert word[0] == keysieve.ERROR_BAD_ID
    out = np.full((2, width), 7, np.uint8)
    assert gather(cache, np.array([-1, -1]), payload=out).payload is out
    assert not out.any()


def rotated(values, turns):
    """values [..., 128] with dims 64.. turned by complex [..., 32]."""
    pairs = values[..., 64::2] + 1j * values[..., 65::2]
    pairs = pairs * turns
    upper = np.stack([pairs.real, pairs.imag], -1).reshape(*pairs.shape[:-1], 64)
    return np.concatenate([values[..., :64], upper], -1)


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_fp4_indexer_query(rng, backend):
    x = bfloat16(rng.normal(size=(6, 5, 128)))
    freqs = np.exp(1j * rng.uniform(0, 6, (40, 32))).astype(np.complex64)
    positions = rng.integers(0, 40, 6)
    weights = bfloat16(rng.normal(size=(6, 5)))
    payload, scales, scaled = keysieve.fp4_indexer_query(
        x, freqs, positions, weights=weights, weight_scale=0.125, backend=backend
    )
    exact = rotated(floats(x).astype(float), freqs[positions][:, None])
    amax = np.abs(exact.reshape(6, 5, 4, 32)).max(-1)
    assert (np.abs(unpacked(payload, scales) - exact) <= np.repeat(amax / 3, 32, -1)).all()
    assert np.array_equal(scaled, floats(weights) * np.float32(0.125))
    parts = freqs.view(np.float32)
    again = keysieve.fp4_indexer_query(x, parts, positions, backend=backend)
    assert np.array_equal(again.payload, payload)
    assert again.weights is None


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_fp4_indexer_key(rng, backend):
    x, weight = bfloat16(rng.normal(size=(30, 128)) * 5), bfloat16(rng.uniform(0.5, 1.5, 128))
    freqs = np.exp(1j * rng.uniform(0, 6, (40, 32))).astype(np.complex64)
    positions, slots = rng.integers(0, 40, 30).astype(np.int32), 1 + rng.permutation(63)[:30]
    cache, word = np.zeros((4, 16, 68), np.uint8), np.zeros(1, np.uint32)
    slots[0], positions[1], slots[2] = 0, 40, 64
    keysieve.fp4_indexer_key(
        cache, x, weight, 1e-6, freqs, positions, slots, ratio=4, error_word=word, backend=backend
    )
    assert word[0] == keysieve.ERROR_BAD_ID | keysieve.ERROR_BAD_POSITION
    got = keysieve.fp4_gather(cache, slots[3:])
    values = floats(x).astype(float)
    normed = values / np.sqrt((values**2).mean(1, keepdims=True) + 1e-6) * floats(weight)
    exact = rotated(normed, freqs[positions % 40 & ~3])[3:]
    amax = np.abs(exact.reshape(27, 4, 32)).max(-1)
    assert (np.abs(unpacked(got.payload, got.scales) - exact) <= np.repeat(amax / 3, 32, -1)).all()
    nothing = keysieve.fp4_gather(cache, np.concatenate([slots[1:2], [0]]))
    assert not nothing.payload.any()


def test_refusals_name_the_argument(rng):
    x = np.zeros((4, 128), np.float32)
    with pytest.raises(ValueError, match=re.escape("x: expected [n, dims=128], got [8, 64]")):
        keysieve.fp4_quantise(x.reshape(8, 64))
    with pytest.raises(ValueError, match="rounding: expected one of 'ties_to_zero', 'ties_to_even', got 'up'"):
        keysieve.fp4_quantise(x, rounding="up")
    with pytest.raises(TypeError, match="scale_to_power_of_two"):
        keysieve.fp8_quantise(x, scale_to_power_of_two=1)
    with pytest.raises(ValueError, match="x: expected leading dimensions that fold into one without a copy"):
        keysieve.fp4_quantise(np.zeros((2, 6, 128), np.float32)[:, ::2].transpose(1, 0, 2))
    with pytest.raises(ValueError, match=re.escape("cache: expected [pages, P, bytes=68], got [2, 8, 132]")):
        keysieve.fp4_gather(np.zeros((2, 8, 132), np.uint8), np.zeros(1, np.int32))
    queries = np.zeros((1, 2, 128), np.uint16)
    freqs = np.ones((4, 32), np.complex64)
    with pytest.raises(TypeError, match="weight_scale: expected a number"):
        keysieve.fp4_indexer_query(queries, freqs, np.zeros(1, np.int32), weight_scale="1")
    with pytest.raises(ValueError, match=re.escape("positions: expected [tokens=1], got [2]")):
        keysieve.fp4_indexer_query(queries, freqs, np.zeros(2, np.int32))
    assert keysieve.fp4_quantise.can_use(x) == []
    cache = np.zeros((2, 8, 68), np.uint8)
    conditions = keysieve.fp4_indexer_key.can_use(
        cache, queries[0], queries[0, 0], -1.0, freqs, np.zeros(2, np.int32), np.zeros(2, np.int64), ratio=3
    )
    assert conditions == [
        "eps: expected a finite number from 0 up, got -1.000000",
        "ratio: expected a power of two, got 3",
    ]


def test_examples_in_the_docstrings():
    failed, attempted = doctest.testmod(importlib.import_module("keysieve._indexer_keys"))
    assert attempted > 0
    assert failed == 0
