"""The positive control: kernels with the construct that some compilers get wrong. It gives a green matrix its meaning.

`expected.json` says of each variant what each leg makes of it: `right`; `lost`, the pointer's own meaning is gone; or
`crash`, the compiler dies on it. A leg whose control turns out otherwise fails, also where it turns out better: then
either the compiler has been mended or the control no longer holds what it should, and somebody has to look.
"""

import dataclasses
import json
import pathlib

import compiler
from legs import HERE, Leg, run

SOURCES = HERE / "control"
EXPECTED = HERE / "expected.json"


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    static: str
    cubin: pathlib.Path | None


def sources() -> list[pathlib.Path]:
    return sorted((SOURCES / "variants").glob("*.cu"))


def compile_variants(leg: Leg, folder: pathlib.Path) -> list[Variant]:
    return [Variant(compiled.source.stem, compiler.static_verdict(compiled), compiled.cubin)
            for compiled in compiler.compile_sources(leg, sources(), folder)]


def build_runner(host: Leg, output: pathlib.Path) -> None:
    toolkit = host.toolkit
    run(["c++", "-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-s", f"-I{toolkit / 'include'}",
         str(SOURCES / "control_run.cpp"), "-o", str(output), str(toolkit / "lib" / "libcudart_static.a"), "-lpthread",
         "-ldl", "-lrt"])


def expected_verdicts(leg: str) -> dict[str, str]:
    """Variant -> verdict; a leg that the file does not know has none, and fails."""
    table = json.loads(EXPECTED.read_text())["control"]
    if leg not in table:
        return {}
    return {source.stem: table[leg].get(source.stem, table[leg]["others"]) for source in sources()}


def faults(leg: str, verdicts: dict[str, str]) -> list[str]:
    expected = expected_verdicts(leg)
    if not expected:
        return [f"{leg}: expected.json says nothing of this leg's control"]
    return [f"control {name}: expected {expected[name]}, found {verdicts.get(name, 'nothing')}" for name in expected
            if verdicts.get(name) != expected[name]]


def summary(variants: list[Variant]) -> str:
    counts: dict[str, int] = {}
    for variant in variants:
        counts[variant.static] = counts.get(variant.static, 0) + 1
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
