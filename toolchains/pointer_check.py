"""Judges from a kernel's PTX whether a pointer of two meanings kept both.

In PTX the wrong code is plain to see: where a register holds either an address that `mapa` made (another block's shared
memory) or the block's own, the own address has become the constant 0, in a select or in one of the moves that meet in a
loop. An address is never the constant 0 in PTX, whose variables have names and not places.
"""

import dataclasses
import re

# What hands a value on unchanged, or changes only the address space that it is seen in.
_COPIES = re.compile(r"(mov|cvta(\.to)?|cvt|selp)\.")
_REGISTER = re.compile(r"%[a-z]+\d*")


@dataclasses.dataclass(frozen=True)
class PtxVerdict:
    maps: int  # instructions `mapa`
    lost: list[str]  # instructions that put 0 where the block's own address belongs


def _definitions(ptx: str) -> dict[str, list[tuple[str, list[str], str]]]:
    """Register -> (operation, sources, text) of each instruction that writes it."""
    found: dict[str, list[tuple[str, list[str], str]]] = {}
    for line in ptx.splitlines():
        text = re.sub(r"\s+", " ", line.strip().strip("{}").strip())
        match = re.match(r"(?:@!?%p\d+ )?([a-z][\w.:]*) (%[a-z]+\d*), (.*?);", text)
        if match is None or match[1].startswith(("st", "red", "bra")):
            continue
        sources = [part.strip() for part in match[3].split(",")]
        found.setdefault(match[2], []).append((match[1], sources, text))
    return found


def check_pointers(ptx: str) -> PtxVerdict:
    definitions = _definitions(ptx)
    mapped = {register for register, writers in definitions.items()
              if any(op.startswith("mapa") for op, _, _ in writers)}
    maps = sum(op.startswith("mapa") for writers in definitions.values() for op, _, _ in writers)
    changed = True
    while changed:  # forwards through copies and selects, until no register joins
        joined = {register for register, writers in definitions.items() if register not in mapped
                  and any(_COPIES.match(op) and mapped.intersection(sources[:2]) for op, sources, _ in writers)}
        changed = bool(joined)
        mapped |= joined
    lost = [text for register in sorted(mapped) for op, sources, text in definitions[register]
            if _COPIES.match(op) and "0" in sources[: 2 if op.startswith("selp") else 1]]
    return PtxVerdict(maps, lost)
