#!/usr/bin/env python3
"""Write the seed inputs of the fuzzers: FOLDER/npy and FOLDER/safetensors.

    python3 make_corpus.py FOLDER

Small files, good and bad, one for each branch that random bytes would take long to find.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path


def npy(header: str, data: bytes = b"", major: int = 1) -> bytes:
    text = header.encode("utf-8")
    length = struct.pack("<H" if major == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([major, 0]) + length + text + data


def npy_dict(descr: str, shape: str, fortran: bool = False) -> str:
    return f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n"


def npy_seeds() -> dict[str, bytes]:
    seeds = {
        f"type_{name}": npy(npy_dict(descr, "(2, 2)"), bytes(4 * size))
        for name, descr, size in (("f4", "<f4", 4), ("f2", "<f2", 2), ("i4", "<i4", 4),
                                  ("i8", "<i8", 8), ("f8", "<f8", 8), ("big", ">f4", 4),
                                  ("object", "|O", 8), ("raw", "|V2", 2))
    }
    seeds |= {f"version_{v}": npy(npy_dict("<f4", "(3,)"), bytes(12), v) for v in (1, 2, 3, 4)}
    seeds |= {
        "scalar": npy(npy_dict("<i4", "()"), bytes(4)),
        "empty": npy(npy_dict("<f4", "(0, 7)")),
        "fortran": npy(npy_dict("<f4", "(2, 2)", True), bytes(16)),
        "long_integers": npy(npy_dict("<i8", "(1L, 2L)"), bytes(16)),
        "overflow": npy(npy_dict("<f4", "(4294967296, 4294967296, 4294967296)")),
        "short": npy(npy_dict("<f4", "(1000, 1000)"), bytes(8)),
        "structured": npy("{'descr': [('a', '<f4'), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }\n"),
        "double_quotes": npy('{"shape": (1,), "fortran_order": False, "descr": "<f4"}', bytes(4)),
        "header_beyond_file": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{",
    }
    return seeds


def safetensors(header: object, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors_seeds() -> dict[str, bytes]:
    return {
        "one": safetensors({"a": entry("F32", [1, 2], 0, 8)}, bytes(8)),
        "three": safetensors({"__metadata__": {"format": "pt"}, "b": entry("BF16", [2, 2], 4, 12),
                              "a": entry("F16", [2], 0, 4), "c": entry("I64", [0], 12, 12)}, bytes(12)),
        "six_bits": safetensors({"a": entry("F6_E2M3", [4], 0, 3)}, bytes(3)),
        "unknown_type": safetensors({"a": entry("F128", [1], 0, 5)}, bytes(5)),
        "padded": safetensors(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}   ', b"x"),
        "none": safetensors({}),
        "hole": safetensors({"a": entry("U8", [1], 1, 2)}, bytes(2)),
        "overlap": safetensors({"a": entry("U8", [2], 0, 2), "b": entry("U8", [2], 1, 3)}, bytes(3)),
        "negative": safetensors({"a": entry("U8", [1], -1, 0)}),
        "beyond": safetensors({"a": entry("U8", [9], 0, 9)}, bytes(3)),
        "fraction": safetensors(b'{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}', b"x"),
        "twice": safetensors(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{}}'),
        "deep": safetensors(b'{"a":' + b"[" * 200),
        "overflow": safetensors({"a": entry("F32", [2**40, 2**40], 0, 0)}),
        "length_beyond_file": struct.pack("<Q", 2**63) + b"{}",
    }


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("make_corpus: expected one argument, the folder to write to")
    for name, seeds in (("npy", npy_seeds()), ("safetensors", safetensors_seeds())):
        folder = Path(sys.argv[1]) / name
        folder.mkdir(parents=True, exist_ok=True)
        for seed, content in seeds.items():
            (folder / seed).write_bytes(content)


if __name__ == "__main__":
    main()
