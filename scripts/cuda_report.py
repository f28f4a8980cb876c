"""Compiles the device code with the build's own flags and reports what each kernel takes of the machine.

Every CUDA file of src/cuda for the build's architecture, and one kernel file a route for other architectures, which
only has to compile without a warning. A kernel fails with more than 64 registers (split: 128), a spill, a stack frame or static
shared memory. Writes REPORTS/cuda_resources.json and REPORTS/cuda.xml (JUnit, one test per kernel).

usage: cuda_report.py BUILD_FOLDER REPORTS [--jobs N] [--nvcc PROGRAM] [--keep FOLDER]
  BUILD_FOLDER  a configured build; where it has no device code, the report is one skipped test
  --nvcc        another release of the compiler; the host compiler and all flags stay
  --keep        leaves the cubins of the build's architecture there, for tests that run another compiler's kernels
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "cuda"
MAIN_ARCHITECTURE = "90a"
OLDEST_ARCHITECTURE = "80"
OTHER_ARCHITECTURES = (OLDEST_ARCHITECTURE, "100f", "120f")
SCORE_TYPES = ("_float32", "_bfloat16", "_float16")
MOST_REGISTERS = 64  # blocks of 1024 threads, two blocks of 512 an SM
MOST_REGISTERS_OF_SPLIT = 128  # blocks of 512 threads, one an SM
SLOWEST = 10


@dataclasses.dataclass
class Kernel:
    name: str
    registers: int = 0
    spill_stores: int = 0
    spill_loads: int = 0
    stack_bytes: int = 0
    static_shared_bytes: int = 0
    code_bytes: int = 0

    def faults(self) -> list[str]:
        faults = []
        most = MOST_REGISTERS_OF_SPLIT if "_split_" in self.name else MOST_REGISTERS
        if self.registers > most:
            faults.append(f"expected at most {most} registers, found {self.registers}")
        for what in ("spill_stores", "spill_loads", "stack_bytes", "static_shared_bytes"):
            value = getattr(self, what)
            if value != 0:
                faults.append(f"expected no {what}, found {value}")
        return faults


@dataclasses.dataclass
class Compiled:
    source: pathlib.Path
    architecture: str
    seconds: float
    exit_code: int
    output: str
    kernels: list[Kernel]

    def faults(self) -> list[str]:
        if self.exit_code != 0:
            return [f"the compiler ended with {self.exit_code}: {self.output[-2000:]}"]
        return [line for line in self.output.splitlines() if "warning" in line.lower()]


def kernel_commands(build: pathlib.Path) -> dict[pathlib.Path, list[str]]:
    """The build's compile command of each CUDA file of src/cuda, from the compiler on, without what names its output."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.suffix != ".cu" or not source.is_relative_to(SOURCES):
            continue
        words = shlex.split(entry["command"])
        compiler = next(i for i, word in enumerate(words) if pathlib.Path(word).name.startswith("nvcc"))
        kept, skip = [], False
        for word in words[compiler:]:
            if skip or word in ("-c", "-MD") or word.startswith("--generate-code"):
                skip = False
            elif word in ("-o", "-MT", "-MF"):
                skip = True
            else:
                kept.append(word)
        commands[source] = kept
    return commands


def code_sizes(cubin: pathlib.Path) -> dict[str, int]:
    """Bytes of the sections .text.KERNEL of a 64-bit ELF file."""
    data = cubin.read_bytes()
    table, entry_size, count, names_index = struct.unpack_from("<Q10xHHH", data, 0x28)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * entry_size) for i in range(count)]
    names_offset = headers[names_index][4]
    sizes = {}
    for header in headers:
        begin = names_offset + header[0]
        name = data[begin : data.index(b"\0", begin)].decode()
        if name.startswith(".text."):
            sizes[name.removeprefix(".text.")] = header[5]
    return sizes


def readable(symbol: str) -> str:
    """The plain name of a kernel that has none: its mangled one changes with the folder of the sources."""
    if not symbol.startswith("_Z") or shutil.which("c++filt") is None:
        return symbol
    text = subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=False).stdout.strip()
    return re.sub(r"\(.*", "", text.replace("(anonymous namespace)::", ""))


def parse_resources(output: str) -> list[Kernel]:
    kernels: dict[str, Kernel] = {}
    current = None
    for line in output.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            current = kernels.setdefault(match[1], Kernel(match[1]))
        elif current is None:
            continue
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            # Also said of functions that were not inlined, whose frames are no better than the kernel's own.
            current.stack_bytes = max(current.stack_bytes, int(match[1]))
            current.spill_stores += int(match[2])
            current.spill_loads += int(match[3])
        elif match := re.search(r"Used (\d+) registers", line):
            current.registers = int(match[1])
            if shared := re.search(r"(\d+) bytes smem", line):
                current.static_shared_bytes = int(shared[1])
    return list(kernels.values())


def compile_one(command: list[str], source: pathlib.Path, architecture: str, folder: pathlib.Path) -> Compiled:
    cubin = folder / f"{source.stem}.{architecture}.cubin"
    full = [*command, f"--generate-code=arch=compute_{architecture},code=sm_{architecture}", "-Xptxas=-v", "-cubin",
            "-o", str(cubin)]
    begin = time.monotonic()
    result = subprocess.run(full, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    output = result.stdout + result.stderr
    kernels = parse_resources(output)
    if result.returncode == 0:
        sizes = code_sizes(cubin)
        for kernel in kernels:
            kernel.code_bytes = sizes[kernel.name]
            kernel.name = readable(kernel.name)
    return Compiled(source, architecture, seconds, result.returncode, output, kernels)


def add_test(suite: ElementTree.Element, group: str, name: str, seconds: float, faults: list[str]) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=group, name=name, time=f"{seconds:.3f}")
    if faults:
        ElementTree.SubElement(case, "failure", message=faults[0]).text = "\n".join(faults)
        print(f"  failed: {name}: {'; '.join(faults)}")


def write_junit(suite: ElementTree.Element, reports: pathlib.Path) -> bool:
    cases = list(suite.iter("testcase"))
    failed = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(failed))
    suite.set("skipped", str(skipped))
    ElementTree.ElementTree(suite).write(reports / "cuda.xml", encoding="utf-8", xml_declaration=True)
    return failed == 0


def is_selection(source: pathlib.Path) -> bool:
    """A route for a score type; the other kernels are those around selection."""
    return source.stem.endswith(SCORE_TYPES)


def check_list(commands: dict[pathlib.Path, list[str]], compiled: list[Compiled]) -> list[str]:
    """A kernel that no report names is a kernel that nobody watches."""
    faults = []
    on_disk = set(SOURCES.rglob("*.cu"))
    if missing := on_disk - set(commands):
        faults.append(f"not part of the build: {', '.join(sorted(path.name for path in missing))}")
    for each in compiled:
        names = [kernel.name for kernel in each.kernels]
        expected = f"keysieve_{each.source.stem}" + ("" if is_selection(each.source) else "_kernel")
        if each.source.parent.name == "kernel" and each.exit_code == 0 and names != [expected]:
            faults.append(f"{each.source.name}: expected the one kernel {expected}, found {names}")
    return faults


def report(compiled: list[Compiled], build: pathlib.Path, nvcc: str) -> dict[str, Any]:
    main = [each for each in compiled if each.architecture == MAIN_ARCHITECTURE]
    kernels = [dataclasses.asdict(kernel) | {"file": each.source.relative_to(ROOT).as_posix()}
               for each in main for kernel in each.kernels]
    libraries = {path.name: path.stat().st_size for path in sorted((build / "lib").glob("libkeysieve*.so"))}
    version = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False).stdout
    revision = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"],
                              capture_output=True, text=True, check=False)
    return {
        "schema": "keysieve.cuda_resources/1",
        "revision": revision.stdout.strip(),
        "command": " ".join(sys.argv),
        "compiler": version.strip().splitlines()[-1],
        "architecture": MAIN_ARCHITECTURE,
        "kernels": kernels,
        "code_bytes": sum(kernel["code_bytes"] for kernel in kernels),
        "files": [{"file": each.source.relative_to(ROOT).as_posix(), "architecture": each.architecture,
                   "seconds": round(each.seconds, 2), "compiled": each.exit_code == 0} for each in compiled],
        "library_bytes": libraries,
    }


def print_summary(summary: dict[str, Any]) -> None:
    print(f"{summary['compiler']}, sm_{summary['architecture']}: {len(summary['kernels'])} kernels, "
          f"{summary['code_bytes'] / 1024:.0f} KiB of code")
    for kernel in summary["kernels"]:
        print(f"  {kernel['name']:<34} {kernel['registers']:>3} registers  {kernel['code_bytes'] / 1024:6.1f} KiB"
              f"  spills {kernel['spill_stores']}/{kernel['spill_loads']}  stack {kernel['stack_bytes']}"
              f"  static shared {kernel['static_shared_bytes']}")
    files = sorted(summary["files"], key=lambda each: -each["seconds"])
    print(f"{len(files)} files in {sum(each['seconds'] for each in files):.0f} s of compiling, the slowest:")
    for each in files[:SLOWEST]:
        print(f"  {each['seconds']:6.1f} s  {each['file']} for sm_{each['architecture']}")
    for name, size in summary["library_bytes"].items():
        print(f"  {name}: {size / 1024:.0f} KiB")


def main() -> int:
    parser = argparse.ArgumentParser(description="resources of the kernels, and compilation for other architectures")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("reports", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--nvcc")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    options.reports.mkdir(parents=True, exist_ok=True)
    suite = ElementTree.Element("testsuite", name="cuda")

    commands = kernel_commands(options.build)
    if not commands and re.search(r"^CMAKE_CUDA_COMPILER:[A-Z]+=(?!.*NOTFOUND).+", (options.build / "CMakeCache.txt")
                                  .read_text(), re.MULTILINE) is None:
        reason = "no device code in this build: no CUDA compiler was found when it was configured"
        case = ElementTree.SubElement(suite, "testcase", classname="cuda.resources", name="every_kernel")
        ElementTree.SubElement(case, "skipped", message=reason)
        write_junit(suite, options.reports)
        print(f"skipped: {reason}")
        return 0
    if options.nvcc:
        commands = {source: [options.nvcc, *command[1:]] for source, command in commands.items()}

    routes = sorted(source for source in commands if source.stem.endswith("_float32"))
    tasks = [(source, MAIN_ARCHITECTURE) for source in sorted(commands)]
    tasks += [(source, architecture) for architecture in OTHER_ARCHITECTURES for source in routes]
    # The kernels around selection have branches for older architectures alone.
    tasks += [(source, OLDEST_ARCHITECTURE) for source in sorted(commands)
              if source.parent.name == "kernel" and not is_selection(source)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            compiled = list(pool.map(
                lambda task: compile_one(commands[task[0]], task[0], task[1],
                                         folder if task[1] == MAIN_ARCHITECTURE else pathlib.Path(temporary)), tasks))

    add_test(suite, "cuda.resources", "list_of_kernels", 0, check_list(commands, compiled))
    for each in compiled:
        add_test(suite, f"cuda.compile.sm_{each.architecture}", each.source.stem, each.seconds, each.faults())
        if each.architecture == MAIN_ARCHITECTURE:
            for kernel in each.kernels:
                add_test(suite, "cuda.resources", kernel.name, 0, kernel.faults())
    summary = report(compiled, options.build, next(iter(commands.values()))[0] if commands else "nvcc")
    (options.reports / "cuda_resources.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="ascii")
    print_summary(summary)
    return 0 if write_junit(suite, options.reports) else 1


sys.exit(main())
