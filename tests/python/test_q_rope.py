"""q_rope_store from Python."""

from __future__ import annotations

import re

import keysieve
import numpy as np
import pytest


def floats(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


@pytest.fixture
def call():
    rng = np.random.default_rng(3)
    q = (rng.standard_normal((9, 3, 512)).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    angles = np.arange(40)[:, None] * 10000.0 ** (-np.arange(32) / 32)
    return q, np.exp(1j * angles).astype(np.complex64), rng.integers(0, 40, 9)


@pytest.mark.parametrize("backend", ["auto", "reference", "cpu"])
def test_values(call, backend):
    q, freqs, positions = call
    out = np.full((9, 4, 512), 0x5A5A, np.uint16)[:, :3]
    assert keysieve.q_rope_store(q, freqs, positions, out=out, backend=backend) is out
    assert np.array_equal(out[..., :448], q[..., :448])
    assert (out.base[:, 3] == 0x5A5A).all()
    pairs = floats(q[..., 448:]).astype(np.float64)
    rotated = (pairs[..., ::2] + 1j * pairs[..., 1::2]) * freqs.astype(np.complex128)[positions][:, None]
    exact = np.stack([rotated.real, rotated.imag], -1).reshape(9, 3, 64)
    size = np.repeat(np.abs(rotated), 2, axis=-1)
    assert (np.abs(floats(out[..., 448:]) - exact) <= 2.0**-8 * np.abs(exact) + 2.0**-22 * size).all()


def test_forms_of_the_inputs(call):
    q, freqs, positions = call
    expected = keysieve.q_rope_store(q, freqs, positions)
    pairs = freqs.view(np.float32).reshape(40, 32, 2)
    assert np.array_equal(keysieve.q_rope_store(q, pairs, positions.astype(np.int32)), expected)
    in_place = q.copy()
    keysieve.q_rope_store(in_place, freqs, positions, out=in_place)
    assert np.array_equal(in_place, expected)


def test_bad_position(call):
    q, freqs, positions = call
    positions[4] = 40
    word = np.array([1], np.uint32)
    out = keysieve.q_rope_store(q, freqs, positions, error_word=word)
    assert word[0] == 1 | keysieve.ERROR_BAD_POSITION
    assert (out[4, :, 448:] == 0x7FFF).all()
    assert np.array_equal(out[4, :, :448], q[4, :, :448])


def test_refusals_name_the_argument(call):
    q, freqs, positions = call
    with pytest.raises(ValueError, match=re.escape("freqs: expected float32, got int64")):
        keysieve.q_rope_store(q, freqs.view(np.int64)[..., None].repeat(2, 2), positions)
    with pytest.raises(ValueError, match=re.escape("q: expected 3 dimensions, got 2")):
        keysieve.q_rope_store(q[0], freqs, positions)
    with pytest.raises(ValueError, match=re.escape("out: expected memory of its own, overlaps q")):
        keysieve.q_rope_store(q[:4], freqs, positions[:4], out=q[1:5])
    assert keysieve.q_rope_store.can_use(q, freqs, positions[:3], out=q[:2]) == [
        "out: expected [tokens=9, heads=3, dims=512], got [2, 3, 512]",
        "positions: expected [tokens=9], got [3]",
    ]
    assert keysieve.q_rope_store.can_use(q, freqs, positions) == []
