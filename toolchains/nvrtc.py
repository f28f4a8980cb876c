"""NVRTC as a compiler program: a source in, PTX and cubin out. Run as a process of its own, so that a crash of the
library is a verdict and not the end of the matrix.

usage: nvrtc.py LIBRARY SOURCE ARCHITECTURE PTX CUBIN [OPTION...]
"""

import ctypes
import pathlib
import sys

from legs import HERE, Leg, ToolchainError


def command(leg: Leg, source: pathlib.Path, architecture: str, options: list[str], ptx: pathlib.Path,
            cubin: pathlib.Path) -> list[str]:
    return [sys.executable, str(HERE / "nvrtc.py"), str(library(leg)), str(source), architecture, str(ptx), str(cubin),
            *options, f"-I{HERE / 'nvrtc_include'}", f"-I{source.parent}",
            # The headers declare the C ABI as well, whose functions carry no word of CUDA and a visibility.
            "-default-device", "-diag-suppress=1097"]


def library(leg: Leg) -> pathlib.Path:
    found = sorted(leg.environment.glob("lib/python3*/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.*"))
    found = [path for path in found if "alt" not in path.name]
    if not found:
        raise ToolchainError(f"{leg.name}: expected libnvrtc.so; run `toolchains.py install {leg.name}` first")
    return found[0]


class Program:
    def __init__(self, path: str, source: pathlib.Path) -> None:
        self._nvrtc = ctypes.CDLL(path)
        self._handle = ctypes.c_void_p()
        self._call("nvrtcCreateProgram", ctypes.byref(self._handle), source.read_bytes(), source.name.encode(), 0,
                   None, None)

    def compile(self, options: list[str]) -> str:
        """Empty, or the log of what is wrong."""
        array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        code = self._nvrtc.nvrtcCompileProgram(self._handle, len(options), array)
        return "" if code == 0 else self._bytes("ProgramLog").decode(errors="replace")

    def ptx(self) -> bytes:
        return self._bytes("PTX").rstrip(b"\0")

    def cubin(self) -> bytes:
        return self._bytes("CUBIN")

    def _bytes(self, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", self._handle, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", self._handle, buffer)
        return buffer.raw

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._nvrtc, name)(*arguments)
        if code != 0:
            raise SystemExit(f"{name}: NVRTC error {code}")


def main() -> int:
    path, source, architecture, ptx, cubin, *options = sys.argv[1:]
    program = Program(path, pathlib.Path(source))
    # With a real architecture the PTX behind the cubin can be asked for as well.
    log = program.compile([*options, f"--gpu-architecture={architecture}"])
    if log:
        print(log, file=sys.stderr)
        return 1
    pathlib.Path(ptx).write_bytes(program.ptx())
    pathlib.Path(cubin).write_bytes(program.cubin())
    return 0


if __name__ == "__main__":
    sys.exit(main())
