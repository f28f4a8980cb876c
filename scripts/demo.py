#!/usr/bin/env python3
"""Print the texts that `keysieve select` chose for each query of data/.

    keysieve select data/scores.npy -k 64 --lengths data/lengths.npy \\
        --page-table data/page_table.npy --page-size 64 --mode dual --order score \\
        --raw-out RAW.npy --values V.npy -o OUT.npy
    python scripts/demo.py --data data --slots OUT.npy --positions RAW.npy --values V.npy --top 4

OUT.npy holds cache slots, RAW.npy the column positions that they stand for, both best first and
padded with -1. Exit status 1 if the two disagree, judged by the page table, or if V.npy does not
hold the scores at those positions.
"""

from __future__ import annotations

import argparse
import lzma
import shutil
import sys
from pathlib import Path

import numpy as np

PAGE_SIZE = 64
PAD = -1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Print the texts that keysieve select chose.")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of the input")
    parser.add_argument("--slots", type=Path, required=True, help="int32 [rows, k], the -o file")
    parser.add_argument("--positions", type=Path, required=True, help="int32 [rows, k], --raw-out")
    parser.add_argument("--values", type=Path, help="float32 [rows, k], the --values file")
    parser.add_argument("--top", type=int, default=4, help="texts to print for each query")
    return parser.parse_args()


def find_problem(
    slots: np.ndarray, positions: np.ndarray, page_table: np.ndarray, lengths: np.ndarray
) -> str | None:
    """Return what is wrong with the slots or the positions, or None."""
    rows = len(lengths)
    if positions.ndim != 2 or len(positions) != rows or slots.shape != positions.shape:
        return f"slots {slots.shape} and positions {positions.shape} are not both [{rows}, k]"

    kept = positions != PAD
    outside = kept & ((positions < 0) | (positions >= lengths[:, None]))
    if outside.any():
        row, rank = np.argwhere(outside)[0]
        return (
            f"row {row}, rank {rank}: position {positions[row, rank]} is outside"
            f" the row's {lengths[row]} columns"
        )
    # A pad has no page: let it look up page 0, then drop the answer.
    column = np.where(kept, positions, 0)
    page = np.take_along_axis(page_table, column // PAGE_SIZE, axis=1)
    expected = np.where(kept, page * PAGE_SIZE + column % PAGE_SIZE, PAD)
    if (wrong := expected != slots).any():
        row, rank = np.argwhere(wrong)[0]
        return (
            f"row {row}, rank {rank}: slot {slots[row, rank]}, but the page table puts"
            f" position {positions[row, rank]} at slot {expected[row, rank]}"
        )
    for row, chosen in enumerate(positions):
        real = chosen[chosen != PAD]
        if len(np.unique(real)) != len(real):
            return f"row {row}: a position occurs twice"
    return None


def shorten(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 3, 0)].rstrip() + "..."


def main() -> int:
    arguments = parse_arguments()
    data: Path = arguments.data
    scores = np.load(data / "scores.npy", mmap_mode="r")
    lengths = np.load(data / "lengths.npy")
    slots, positions = np.load(arguments.slots), np.load(arguments.positions)

    problem = find_problem(slots, positions, np.load(data / "page_table.npy"), lengths)
    if not problem:
        values = np.take_along_axis(scores, np.maximum(positions, 0), axis=1)
        if arguments.values:
            written = np.load(arguments.values)
            if written.shape != values.shape or (written != values)[positions != PAD].any():
                problem = "the values are not the scores at the positions"
    if problem:
        print(f"demo: {problem}", file=sys.stderr)
        return 1

    queries = (data / "queries.txt").read_text("ascii").splitlines()
    with lzma.open(data / "verses.txt.xz", "rt", encoding="ascii") as file:
        verses = [line.rstrip("\n").split("\t", 1) for line in file]
    terminal = shutil.get_terminal_size().columns

    for row, query in enumerate(queries):
        print(f"{query}  [best of {lengths[row]} verses]")
        for rank in range(min(arguments.top, positions.shape[1])):
            if positions[row, rank] == PAD:
                break
            reference, text = verses[positions[row, rank]]
            line = (f"  {values[row, rank]:6.3f}  slot {slots[row, rank]:>6}"
                    f"  {reference:<18}  {text}")
            print(shorten(line, terminal))
        print()
    print(f"{(positions != PAD).sum()} slots agree with their positions through the page table.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
