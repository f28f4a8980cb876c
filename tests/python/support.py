"""Inputs and buffers of the tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

# Backend and route of every way to run on the CPU.
ENGINES = [("reference", "reference"), ("cpu", "cpu_rows"), ("cpu", "cpu_chunks"), ("auto", "auto")]
ENGINE_IDS = ["reference", "cpu_rows", "cpu_chunks", "auto"]

POISON = 0x5A


class Canaried:
    """A poisoned [rows, columns] output inside a larger poisoned block, so that rows are strided and a write
    outside the output shows."""

    def __init__(self, rows: int, columns: int, dtype: object, gap: int = 5) -> None:
        self.dtype = np.dtype(dtype)
        self.block = np.full(((rows + 2) * (columns + gap) * self.dtype.itemsize,), POISON, np.uint8)
        grid = self.block.view(self.dtype).reshape(rows + 2, columns + gap)
        self.view = grid[1 : rows + 1, 2 : 2 + columns]
        self._inside = np.zeros(grid.shape, bool)
        self._inside[1 : rows + 1, 2 : 2 + columns] = True

    def check(self) -> None:
        grid = self.block.view(np.uint8).reshape(*self._inside.shape, self.dtype.itemsize)
        assert (grid[~self._inside] == POISON).all(), "written outside the output"

    def untouched(self) -> bool:
        return bool((self.block == POISON).all())


def gauss(rows: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32)


def relu(rows: int, width: int) -> np.ndarray:
    return np.maximum(gauss(rows, width, 1) - np.float32(1.28), np.float32(0))


def constant(rows: int, width: int) -> np.ndarray:
    return np.full((rows, width), 0.5, np.float32)


def ulp_ascending(rows: int, width: int) -> np.ndarray:
    """All distinct and inside one coarse bin, winners last."""
    bits = np.uint32(0x3F800000) + np.arange(width, dtype=np.uint32)
    return np.broadcast_to(bits.view(np.float32), (rows, width)).copy()


def plateau(rows: int, width: int) -> np.ndarray:
    scores = np.zeros((rows, width), np.float32)
    for j in range(min(37, width)):
        scores[:, 7919 * j % width] = 1000 + j
    return scores


def specials(rows: int, width: int) -> np.ndarray:
    """Infinities, both zeros, denormals and NaNs of several payloads and signs."""
    pool = np.array(
        [0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7F800000, 0xFF800000, 0, 0x80000000, 1, 0x80000001,
         0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000],
        np.uint32,
    )  # fmt: skip
    picks = np.random.default_rng(2).integers(0, len(pool), (rows, width))
    return pool[picks].view(np.float32)


PATTERNS: dict[str, Callable[[int, int], np.ndarray]] = {
    "gauss": gauss,
    "relu": relu,
    "constant": constant,
    "ulp_ascending": ulp_ascending,
    "plateau": plateau,
    "specials": specials,
}


def int32(*values: int) -> np.ndarray:
    return np.array(values, np.int32)
