"""One source to PTX and to a cubin, by nvcc or by NVRTC."""

import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import time

import nvrtc
from legs import ROOT, Leg
from pointer_check import check_pointers

ARCHITECTURE = "sm_90a"
# What decides over device code; the build's own flags (cmake/KeysieveCuda.cmake) add only what concerns the host.
OPTIONS = ["-std=c++20", "-DNDEBUG", f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}"]
SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Compiled:
    source: pathlib.Path
    cubin: pathlib.Path | None  # None: the compiler failed
    ptx: str
    failure: str
    seconds: float

    @property
    def crashed(self) -> bool:
        return self.failure.startswith("crash")


def compile_sources(leg: Leg, sources: list[pathlib.Path], folder: pathlib.Path) -> list[Compiled]:
    """Side by side, results in the order of the sources."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda source: compile_source(leg, source, folder), sources))


def compile_source(leg: Leg, source: pathlib.Path, folder: pathlib.Path) -> Compiled:
    begin = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    cubin, ptx = folder / f"{source.stem}.cubin", folder / f"{source.stem}.ptx"
    cubin.unlink(missing_ok=True)
    ptx.unlink(missing_ok=True)
    if leg.is_nvrtc:
        command = nvrtc.command(leg, source, ARCHITECTURE, OPTIONS, ptx, cubin)
        failure = _failure(command)
    else:
        failure = _failure([leg.tool("nvcc"), "-O3", *OPTIONS, f"-arch={ARCHITECTURE}", "-ptx", "-o", str(ptx),
                            str(source)])
        if not failure:
            failure = _failure([leg.tool("ptxas"), f"-arch={ARCHITECTURE}", "-o", str(cubin), str(ptx)])
    text = ptx.read_text() if ptx.exists() else ""
    return Compiled(source, None if failure else cubin, text, failure, time.monotonic() - begin)


def _failure(command: list[str]) -> str:
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"no end within {SECONDS} s"
    if result.returncode == 0:
        return ""
    said = (result.stdout + result.stderr).strip()[-400:]
    # A driver that reports a crashed child ends with 128 + signal; a crash of its own is a negative number here.
    crashed = result.returncode < 0 or result.returncode > 128
    return f"{'crash' if crashed else 'error'} ({result.returncode}): {said}"


def static_verdict(compiled: Compiled) -> str:
    """`right`, `lost` (a pointer's own address became 0), `crash` or `error`."""
    if compiled.failure:
        return "crash" if compiled.crashed else "error"
    return "lost" if check_pointers(compiled.ptx).lost else "right"
