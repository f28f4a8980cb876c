"""Running the keysieve command, files for it, and an oracle in NumPy."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

import numpy as np

CLI = os.environ.get("KEYSIEVE_CLI", "")


def run(*arguments, cwd=None, **options) -> subprocess.CompletedProcess:
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([str(Path(CLI).resolve()), *map(str, arguments)], cwd=cwd,
                          stderr=subprocess.PIPE, text=True, timeout=120, **options)


def oracle(scores, k, lengths=None, starts=None, order="index", nan_highest=False, ties="smallest", mask=False):
    """Positions [rows, k], -1 padded, by a full sort with an explicit key."""
    rows, width = scores.shape
    out = np.full((rows, k), -1, np.int64)
    for row in range(rows):
        start = 0 if starts is None else int(starts[row])
        if not 0 <= start <= width:
            continue
        n = width - start if lengths is None else min(max(int(lengths[row]), 0), width - start)
        window = scores[row, start:start + n].astype(np.float64)
        positions = [i for i in range(n) if not (mask and (np.isnan(window[i]) or window[i] == -np.inf))]

        def key(i):
            value = window[i]
            rank = (2 if nan_highest else 0, 0.0) if np.isnan(value) else (1, value + 0.0)
            return (-rank[0], -rank[1])

        chosen = sorted(positions, key=lambda i: (key(i), i if ties == "smallest" else -i))[:k]
        chosen.sort(key=(lambda i: (key(i), i)) if order == "score" else None)
        out[row, :len(chosen)] = chosen
    return out


def write_safetensors(path: Path, tensors: dict[str, tuple[str, list[int], bytes]], pad: int = 0) -> None:
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode() + b" " * pad
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Bits of BF16 by cutting, which is all that a test needs."""
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def from_bfloat16(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sparse_scores(path: Path, rows: int, width: int) -> None:
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (rows, width)})
        file.truncate(file.tell() + rows * width * 4)
