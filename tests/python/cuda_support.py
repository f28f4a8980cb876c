"""Tensors on a GPU, and comparison with the CPU backend. Importing this skips the module that does, with the reason,
where there is no GPU or the engine refuses to run there; KEYSIEVE_TEST_REQUIRE_GPU=1 makes that a failure.
"""

from __future__ import annotations

import os

import keysieve
import numpy as np
import pytest
from support import gauss, specials

torch = pytest.importorskip("torch", reason="torch is not installed, so its tensors cannot be tested")

DEVICE = "cuda"
ROUTES = ["auto", "tile", "sieve", "split", "wide", "trivial"]


def _why_not() -> str:
    if not torch.cuda.is_available():
        return "no CUDA device is visible to torch"
    return "; ".join(keysieve.supports(rows=4, width=1000, k=16, device=DEVICE))


if _why_not():
    if os.environ.get("KEYSIEVE_TEST_REQUIRE_GPU", "0") == "1":
        pytest.fail("KEYSIEVE_TEST_REQUIRE_GPU: " + _why_not(), pytrace=False)
    pytest.skip(_why_not(), allow_module_level=True)

DTYPES = [torch.float32, torch.bfloat16, torch.float16]
POISON = 0x5A
# rows, width, k: short and long rows, an odd width (rows then start at any alignment), k above the width.
SHAPES = [(6, 300, 512), (9, 700, 40), (5, 20001, 777), (3, 150000, 2048)]


def to_device(value):
    return value.to(DEVICE) if isinstance(value, torch.Tensor) else value


def int32(values) -> torch.Tensor:
    return torch.tensor(list(values), dtype=torch.int32)


def scores_of(rows: int, width: int, dtype, seed: int = 0) -> torch.Tensor:
    """Coarse N(0,1) with many ties, and a row of infinities, NaNs and zeros of both signs."""
    values = np.round(gauss(rows, width, seed) * 64) / 64
    values[rows - 1] = specials(1, width)[0]
    return torch.from_numpy(values.astype(np.float32)).to(dtype)


def cycled(values, rows: int) -> torch.Tensor:
    values = list(values)
    return int32(values[row % len(values)] for row in range(rows))


def windows_of(rows: int, width: int, k: int) -> list[dict]:
    lengths = cycled([width, k, k + 1, 0, -1, width + 17, k - 1, 1, width // 2], rows)
    starts = cycled([0, 5, width, width // 2, -1, width + 1, 1, 3], rows)
    ends = cycled([width, 4, width, width - 1, 3, 9, k + 1, width + 5], rows)
    return [
        {},
        {"lengths": lengths},
        {"lengths": lengths, "row_starts": starts},
        {"row_ends": ends, "row_starts": starts},
    ]


def tables_of(mode: str, rows: int, width: int) -> dict:
    random = np.random.default_rng(5)
    if mode == "offset":
        offsets = torch.from_numpy(random.integers(-1000, 1 << 20, rows).astype(np.int32))
        offsets[0] = 2**31 - 50  # some results do not fit int32
        return {"out_offsets": offsets}
    if mode in ("paged", "dual"):
        table = torch.from_numpy(random.integers(0, 5000, (rows, -(-width // 48))).astype(np.int32))
        table[0, 0] = -1
        return {"page_table": table, "page_size": 48, "num_pages": 4900}
    return {}


class Poisoned:
    """A [rows, k] output with a gap between its rows, inside a block that must not change elsewhere."""

    def __init__(self, rows: int, k: int, dtype, device) -> None:
        element = torch.empty((), dtype=dtype).element_size()
        self.block = torch.full((rows + 2, (k + 3) * element), POISON, dtype=torch.uint8, device=device)
        self.view = self.block.view(dtype)[1 : rows + 1, 1 : k + 1]

    def check(self) -> None:
        inside = torch.full_like(self.block, POISON).view(self.view.dtype)
        inside[1 : self.view.shape[0] + 1, 1 : self.view.shape[1] + 1] = self.view
        # As bytes: NaN is not equal to itself.
        assert torch.equal(inside.view(torch.uint8), self.block), "written outside the output"


def bits(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach().cpu().contiguous()
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]).numpy()


def run(scores, k, options, device) -> dict[str, np.ndarray]:
    """All outputs of one call into poisoned, strided memory of the device, as bits."""
    rows = scores.shape[0]
    index_dtype = getattr(torch, options.get("index_dtype", "int32"))
    out, values = Poisoned(rows, k, index_dtype, device), Poisoned(rows, k, scores.dtype, device)
    raw = Poisoned(rows, k, index_dtype, device) if options.get("mode") == "dual" else None
    counts = torch.full((rows,), -9, dtype=torch.int32, device=device)
    word = torch.zeros(1, dtype=torch.int32, device=device)
    result = keysieve.select(
        scores, k=k, out=out.view, values_out=values.view, raw_out=None if raw is None else raw.view,
        counts_out=counts, error_word=word, **options,
    )  # fmt: skip
    assert result.indices is out.view
    got = {"counts": bits(counts), "error_word": bits(word), "indices": bits(out.view), "values": bits(values.view)}
    if raw is not None:
        got["raw_indices"] = bits(raw.view)
    for each in (out, values, raw):
        if each is not None:
            each.check()
    return got


def in_one_order(got: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The chosen slots of every row sorted together; padding stays where it is."""
    slots = [name for name in ("indices", "raw_indices", "values") if name in got]
    sorted_slots = {name: got[name].copy() for name in slots}
    for row, count in enumerate(got["counts"]):
        order = np.lexsort([got[name][row, :count] for name in slots])
        for name in slots:
            sorted_slots[name][row, :count] = got[name][row, :count][order]
    return {**got, **sorted_slots}


def compare(scores, k, options, route="auto", **cuda_only) -> None:
    """The GPU's answer against the CPU's; `scores` and the arrays in `options` are CPU tensors."""
    expected = run(scores, k, {**options, "backend": "cpu"}, "cpu")
    there = {name: to_device(value) for name, value in options.items()}
    got = run(scores.to(DEVICE), k, {**there, "route": route, **cuda_only}, DEVICE)
    if options.get("order") == "any":
        got, expected = in_one_order(got), in_one_order(expected)
    for name, wanted in expected.items():
        assert np.array_equal(got[name], wanted), (
            f"{name}: row {np.argwhere(got[name] != wanted)[0].tolist()} of {[*scores.shape]}, k {k}, {options}"
        )


def refusal(scores, k, route, mode, order) -> list[str]:
    return keysieve.supports(
        rows=scores.shape[0], width=scores.shape[1], k=k, score_dtype=str(scores.dtype).removeprefix("torch."),
        mode=mode, order=order, route=route, device=DEVICE,
    )  # fmt: skip
