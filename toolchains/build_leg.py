"""Builds one leg: the library with that compiler's device code, the control's kernels, and what is known of both.

Result, everything that travels to a GPU: build-toolchains/LEG/{lib/libkeysieve.so.0, control/*.cubin, control_run,
leg.json}.
"""

import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import compiler
import positive_control
from legs import OUTPUT, ROOT, Leg, ToolchainError, find_leg, run

LIBRARY = "libkeysieve.so.0"
MOST_BYTES = 5 << 20
# The leg whose host side carries NVRTC's kernels: the oldest, which nothing is said against.
NVRTC_HOST = "oldest"


def build(leg: Leg, jobs: int) -> None:
    work = OUTPUT / "work" / leg.name
    host = find_leg(NVRTC_HOST) if leg.is_nvrtc else leg
    shutil.rmtree(leg.output, ignore_errors=True)
    (leg.output / "lib").mkdir(parents=True)
    positive_control.build_runner(host, leg.output / "control_run")
    configure(host, work)
    run(["cmake", "--build", str(work), "-j", str(jobs), "--target", "keysieve"])
    if leg.is_nvrtc:
        substitute_kernels(leg, host, work)
        run(["cmake", "--build", str(work), "-j", str(jobs), "--target", "keysieve"])
    library = leg.output / "lib" / LIBRARY
    shutil.copyfile(work / "lib" / LIBRARY, library)
    run(["strip", "--strip-unneeded", str(library)])

    variants = positive_control.compile_variants(leg, work / "control")
    cubins = leg.output / "control"
    cubins.mkdir()
    for variant in variants:
        if variant.cubin:
            shutil.copyfile(variant.cubin, cubins / f"{variant.name}.cubin")

    described: dict[str, object] = {
        "leg": leg.name,
        "compiler": versions(leg, (work / "control" / "own_type.ptx").read_text()),
        "library": {"bytes": library.stat().st_size, "sha256": hashlib.sha256(library.read_bytes()).hexdigest()},
        "revision": run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]).strip(),
        "control": {variant.name: variant.static for variant in variants},
    }
    (leg.output / "leg.json").write_text(json.dumps(described, indent=2) + "\n", encoding="ascii")
    size = sum(path.stat().st_size for path in leg.output.rglob("*") if path.is_file())
    print(f"{leg.name}: {size / 2**20:.2f} MiB; control: {positive_control.summary(variants)}")
    if size > MOST_BYTES:
        raise ToolchainError(f"{leg.output}: expected at most {MOST_BYTES} bytes, found {size}")


def configure(host: Leg, work: pathlib.Path) -> None:
    options = {"CMAKE_CUDA_COMPILER": host.tool("nvcc"), "KEYSIEVE_CUDA": "ON", "KEYSIEVE_CUDA_TARGETS": "90a",
               "KEYSIEVE_WERROR": "ON", "KEYSIEVE_UNRECORDED_COMPILER": "ON", "KEYSIEVE_BUILD_TESTS": "OFF",
               "KEYSIEVE_BUILD_TOOLS": "OFF", "KEYSIEVE_BUILD_BENCHMARKS": "OFF"}
    definitions = [f"-D{name}={value}" for name, value in options.items()]
    run(["cmake", "-S", str(ROOT), "-B", str(work), "-G", "Ninja", *definitions])


def substitute_kernels(leg: Leg, host: Leg, work: pathlib.Path) -> None:
    """Makes each kernel's object again with NVRTC's cubin where the host compiler's own would be. The host side (stubs,
    registration, and the key-order check of the device traits) stays as it was compiled."""
    entries = json.loads((work / "compile_commands.json").read_text())
    kernels = [entry for entry in entries if pathlib.Path(entry["file"]).parent.match("src/cuda/kernel")]
    if not kernels:
        raise ToolchainError(f"{work}: expected kernels among the compile commands")
    sources = [pathlib.Path(entry["file"]) for entry in kernels]
    for entry, compiled in zip(kernels, compiler.compile_sources(leg, sources, work / "nvrtc")):
        if compiled.cubin is None:
            raise ToolchainError(f"{leg.name}: {compiled.source.name}: {compiled.failure}")
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if word == host.tool("nvcc")):]
        output = pathlib.Path(entry["directory"]) / words[words.index("-o") + 1]
        made = output.stat().st_mtime_ns
        _replay_with_cubin(words, pathlib.Path(entry["directory"]), compiled.cubin)
        os.utime(output, ns=(made, made))  # ninja makes an object anew whose time it does not know
    for archive in work.rglob("libkeysieve_cuda.a"):
        archive.unlink()


def _replay_with_cubin(command: list[str], directory: pathlib.Path, cubin: pathlib.Path) -> None:
    """Runs the steps that nvcc says it would run, but for the assembler's, whose output is the given cubin."""
    with tempfile.TemporaryDirectory() as temporary:
        environment = {**os.environ, "TMPDIR": temporary}
        planned = subprocess.run([*command, "--dryrun"], capture_output=True, text=True, check=True, cwd=directory,
                                 env=environment)
        replaced = 0
        for line in planned.stderr.splitlines():
            step = line.removeprefix("#$ ")
            if assignment := re.match(r"(PATH|LD_LIBRARY_PATH|CICC_PATH|NVVMIR_LIBRARY_DIR|TOP)=(.*)", step):
                environment[assignment[1]] = assignment[2].strip()
            elif assembler := re.match(r'"?ptxas"? .* -o "([^"]+)"', step):
                shutil.copyfile(cubin, assembler[1])
                replaced += 1
            elif not re.match(r"\w+=|rm ", step):  # what is left over goes with the folder
                run(["bash", "-c", step], cwd=directory, env=environment)
        if replaced != 1:
            raise ToolchainError(f"{cubin.name}: expected one step of the assembler, found {replaced}")


def versions(leg: Leg, ptx: str) -> dict[str, object]:
    """`ptx`: any that the leg made; its head names the build of the optimiser, which answers no --version."""
    name = leg.name.removeprefix("nvrtc-")
    major, minor = (int(part) for part in name.split("."))
    packages = leg.packages()
    optimiser = re.search(r"Compiler Build ID: (\S+)", ptx)
    builds = {"optimiser": optimiser[1] if optimiser else "unknown"}
    if leg.is_nvrtc:
        return {"kind": "nvrtc", "major": major, "minor": minor, "version": packages["nvidia-cuda-nvrtc-cu12"],
                "packages": packages, "builds": builds}
    builds |= {tool: _build_id(leg.tool(tool)) for tool in ("nvcc", "ptxas")}
    return {"kind": "nvcc", "major": major, "minor": minor, "version": packages["nvidia-cuda-nvcc"],
            "packages": packages, "builds": builds}


def _build_id(tool: str) -> str:
    said = run([tool, "--version"])
    found = re.search(r"^Build (\S+)", said, re.MULTILINE)
    if found is None:
        raise ToolchainError(f"{tool}: expected its build in --version, got '{said.strip()[-200:]}'")
    return found[1]
