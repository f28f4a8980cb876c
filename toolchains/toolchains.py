"""The compiler matrix: builds the device code with each CUDA compiler, judges it without a GPU, and keeps the records
of what passed on one. docs/tools/toolchains.md says why and how.

Exit codes: 0 good, 1 ran and found a fault, 2 bad input or a compiler that cannot be had.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

import build_leg
import compiler
import junit
import positive_control
import records
import sass
from legs import DISASSEMBLER, OUTPUT, ROOT, Leg, ToolchainError, Unreachable, all_legs, find_leg, install


def list_legs() -> int:
    for leg in all_legs():
        passing = "passed on a GPU" if records.has_passed(leg.name) else "no passing record"
        installed = "installed" if leg.installed else "-"
        built = "built" if (leg.output / "leg.json").exists() else "-"
        print(f"{leg.name:<11} {installed:<10} {built:<6} {passing}")
    return 0


def check_built(leg: Leg) -> list[str]:
    """The built library's machine code and the control's verdicts."""
    install(Leg(DISASSEMBLER))
    library = leg.output / "lib" / build_leg.LIBRARY
    if not library.exists():
        raise ToolchainError(f"{leg.name}: expected {library}; run `toolchains.py build {leg.name}` first")
    cubins = sass.extract_cubins(library, OUTPUT / "work" / leg.name / "cubins")
    checked = sass.check_cubins(leg.name, cubins)
    found = [fault for faults in checked.values() for fault in faults]
    if missing := sass.expected_kernels() - set(checked):
        found.append(f"{library.name}: expected {', '.join(sorted(missing))}, found {len(checked)} kernels of ours")
    if leg.is_nvrtc:
        made = {path.read_bytes() for path in (OUTPUT / "work" / leg.name / "nvrtc").glob("*.cubin")}
        carried = sum(path.read_bytes() in made for path in cubins)
        if carried != len(made):
            found.append(f"{library.name}: expected NVRTC's {len(made)} cubins, found {carried}")
    found += positive_control.faults(leg.name, records.read_leg(leg.output)["control"])
    records.note_sass(leg.output, len(checked), found)
    print(f"{leg.name}: {len(checked)} kernels, {len(found)} faults")
    return found


def check_routes(leg: Leg, suite: junit.Suite) -> list[str]:
    """One kernel a route and the control, compiled for the purpose: what CI has time for."""
    found: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        sources = [ROOT / "src/cuda/kernel" / f"{route}_float32.cu" for route in sass.ROUTES]
        for compiled in compiler.compile_sources(leg, sources, folder):
            kernel = f"keysieve_{compiled.source.stem}"
            faults = [compiled.failure] if compiled.cubin is None else []
            if compiled.cubin is not None:
                faults = sass.check_cubins(leg.name, [compiled.cubin]).get(kernel, [f"{kernel}: not in the cubin"])
                if compiler.static_verdict(compiled) != "right":
                    faults.append(f"{kernel}: a pointer lost its own block's address")
            found += suite.add(f"toolchains.{leg.name}", kernel, compiled.seconds, faults)
        begin = time.monotonic()
        variants = positive_control.compile_variants(leg, folder)
        faults = positive_control.faults(leg.name, {variant.name: variant.static for variant in variants})
        found += suite.add(f"toolchains.{leg.name}", "positive_control", time.monotonic() - begin, faults)
        print(f"{leg.name}: {len(sass.ROUTES)} kernels; control: {positive_control.summary(variants)}", flush=True)
    return found


def continuous_integration(reports: pathlib.Path) -> int:
    suite = junit.Suite("toolchains")
    found: list[str] = []
    try:
        legs = [find_leg("oldest"), find_leg("newest")]
        for leg in (Leg(DISASSEMBLER), *legs):
            install(leg)
        for leg in legs:
            found += check_routes(leg, suite)
    except Unreachable as problem:
        print(f"skipped: {problem}")
        suite.skip("toolchains", "every_leg", str(problem))
    suite.write(reports / "toolchains.xml")
    return finish(found)


def finish(found: list[str]) -> int:
    for fault in found:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if found else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="the compiler matrix")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="the legs, and what is known of each")
    for name, text in (("install", "into .venv-toolchains/LEG"), ("build", "into build-toolchains/LEG"),
                       ("sass", "machine code of a built leg, and its control")):
        command = commands.add_parser(name, help=text)
        command.add_argument("legs", nargs="+", metavar="LEG", help="13.1, nvrtc-12.9, oldest, newest or all")
        command.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ci = commands.add_parser("ci", help="one kernel a route and the control with the oldest and the newest compiler")
    ci.add_argument("reports", type=pathlib.Path, metavar="REPORTS")
    record = commands.add_parser("record", help="the list of passing compilers, from results/h200/toolchains/*.json")
    record.add_argument("--check", action="store_true", help="only say whether the list is up to date")
    collect = commands.add_parser("collect", help="one record from a leg's run on a GPU")
    collect.add_argument("leg", type=pathlib.Path, metavar="LEG_FOLDER")
    collect.add_argument("logs", type=pathlib.Path, metavar="LOGS")
    collect.add_argument("-o", "--output", type=pathlib.Path, required=True)
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    if options.command == "list":
        return list_legs()
    if options.command == "ci":
        return continuous_integration(options.reports)
    if options.command == "record":
        return finish(records.write_passing(options.check))
    if options.command == "collect":
        return finish(records.collect(options.leg, options.logs, options.output))
    legs = all_legs() if options.legs == ["all"] else [find_leg(name) for name in options.legs]
    found: list[str] = []
    for leg in legs:
        if options.command == "sass":
            found += check_built(leg)
            continue
        install(leg)
        if options.command == "build":
            if leg.is_nvrtc:
                install(find_leg(build_leg.NVRTC_HOST))
            build_leg.build(leg, options.jobs)
    return finish(found)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ToolchainError as error:
        print(f"toolchains: {error}", file=sys.stderr)
        sys.exit(2)
