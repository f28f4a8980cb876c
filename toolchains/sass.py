"""What the machine code of the kernels may and must hold, by route (expected.json); registers and spills are
scripts/cuda_report.py's business."""

import collections
import json
import pathlib
import re

from legs import DISASSEMBLER, HERE, Leg, run

EXPECTED = HERE / "expected.json"
LOCAL_MEMORY = ("LDL", "STL")
ROUTES = ("trivial", "tile16", "tile32", "tile_cluster", "sieve", "split", "wide_collect", "wide_merge",
          "publish_sieve", "publish_split")
TYPES = ("float32", "bfloat16", "float16")
# Address, optional predicate, operation.
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)")
_KERNEL = re.compile(r"^\.text\.(\S+):", re.MULTILINE)


def disassemble(cubin: pathlib.Path) -> dict[str, collections.Counter[str]]:
    """Kernel -> how often each operation occurs."""
    text = run([Leg(DISASSEMBLER).tool("nvdisasm"), "-c", str(cubin)])
    return parse(text)


def parse(text: str) -> dict[str, collections.Counter[str]]:
    parts = _KERNEL.split(text)[1:]
    return {name: collections.Counter(_INSTRUCTION.findall(body)) for name, body in zip(parts[::2], parts[1::2])}


def extract_cubins(library: pathlib.Path, folder: pathlib.Path) -> list[pathlib.Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.cubin"):
        old.unlink()
    run([Leg(DISASSEMBLER).tool("cuobjdump"), "-xelf", "all", str(library.resolve())], cwd=folder)
    return sorted(folder.glob("*.cubin"))


def count(operations: collections.Counter[str], operation: str) -> int:
    """`ST.E` counts ST.E and ST.E.128, not STS."""
    return sum(number for name, number in operations.items() if name == operation or name.startswith(operation + "."))


def faults(leg: str, kernel: str, operations: collections.Counter[str]) -> list[str]:
    """Of a kernel of ours: keysieve_ROUTE_TYPE, or keysieve_NAME_kernel for those around selection."""
    route, kind = kernel.removeprefix("keysieve_").rsplit("_", 1)
    if kind == "kernel":
        route = "around_selection"
    table = json.loads(EXPECTED.read_text())
    expected = table["sass"].get(route)
    if expected is None:
        return [f"{kernel}: expected.json says nothing of route {route}"]
    # A spill costs time and no answer: a compiler that is only in the matrix may have one that is known.
    may_spill = kernel in table["local_memory_allowed"].get(leg, [])
    absent = [*([] if may_spill else LOCAL_MEMORY), *expected["absent"]]
    found = [f"{kernel}: expected no {name}, found {count(operations, name)}" for name in absent
             if count(operations, name)]
    return found + [f"{kernel}: expected {name}, found none" for name in expected["present"]
                    if not count(operations, name)]


def check_cubins(leg: str, cubins: list[pathlib.Path]) -> dict[str, list[str]]:
    """Kernel of ours -> faults. Kernels of other names (the key-order check) have no expectation."""
    checked: dict[str, list[str]] = {}
    for cubin in cubins:
        for kernel, operations in disassemble(cubin).items():
            if kernel.startswith("keysieve_"):
                checked[kernel] = faults(leg, kernel, operations)
    return checked


def expected_kernels(types: tuple[str, ...] = TYPES) -> set[str]:
    return {f"keysieve_{route}_{kind}" for route in ROUTES for kind in types}
