"""Adds up one run of remote_gpu_suite.sh: JUnit files, exit codes of the stages, verdicts of compute-sanitizer.

usage: gpu_suite_report.py LOG_FOLDER --bundle FOLDER --seconds N -o FILE
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SCHEMA = "keysieve.gpu_suite/1"
REFUSED_BY_NAME = 3  # cold_capture: the first use in capture was refused, and right afterwards
UNUSABLE = ("Device not supported", "not supported on this device", "compute-sanitizer is not installed",
            "LibraryNotLoaded")


def output_of(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout.strip()
    except OSError:
        return ""


def machine() -> dict[str, str]:
    gpu = output_of("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader").split("\n")[0]
    fields = [field.strip() for field in gpu.split(",")] + ["", "", ""]
    toolkit = re.search(r"release [\d.]+, V([\d.]+)", output_of("nvcc", "--version"))
    return {"gpu": fields[0], "driver": fields[1], "memory": fields[2], "toolkit": toolkit[1] if toolkit else "",
            "kernel": os.uname().release, "cores": str(os.cpu_count())}


def add_report(path: pathlib.Path, result: dict, totals: collections.Counter, routes: dict) -> None:
    counts: collections.Counter[str] = collections.Counter()
    root = ElementTree.parse(path).getroot()
    for case in root.iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name')}"
        if case.find("failure") is not None:
            counts["failed"] += 1
            text = (case.find("failure").get("message") or "")[:600]
            result["failures"].append({"stage": path.stem, "test": name, "text": text})
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            counts["skipped"] += 1
            reason = case.find("skipped")
            result["skipped"].append({"test": name, "reason": (reason.get("message") or "") if reason is not None else ""})
        elif case.get("status") == "notrun":
            continue
        else:
            counts["passed"] += 1
    for element in root.iter("property"):
        add_property(element.get("name", ""), element.get("value", ""), result, totals, routes)
    # gtest writes a test suite's own properties as attributes of the root.
    for name, value in root.attrib.items():
        add_property(name, value, result, totals, routes)
    result["tests"][path.stem] = {kind: counts[kind] for kind in ("passed", "failed", "skipped")}
    totals.update(counts)


def add_property(name: str, value: str, result: dict, totals: collections.Counter, routes: dict) -> None:
    kind, _, route = name.partition("_")
    if kind in ("run", "refused") and value.isdigit():
        routes.setdefault(route, collections.Counter())[kind] += int(value)
    elif name == "cases":
        totals["cases"] += int(value)
    elif name.startswith("ratio_live_"):
        result["times"][name] = float(value)


def sanitizer_verdict(log: str, code: int) -> str:
    for reason in UNUSABLE:
        if reason in log:
            return f"not run: {reason}"
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", log)
    if code == 124:
        return "failed: out of time"
    if not summary:
        return f"failed: no summary, exit code {code}"
    return ("passed: " if code == 0 else "failed: ") + summary[-1]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", type=pathlib.Path)
    parser.add_argument("--bundle", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    arguments = parser.parse_args()

    revision = arguments.bundle / "revision"
    result: dict = {
        "schema": SCHEMA,
        "revision": " ".join(revision.read_text(encoding="ascii").split()) if revision.exists() else "",
        "machine": machine(),
        "seed": int(os.environ.get("KEYSIEVE_GPU_SEED", "0")),
        "random_cases": int(os.environ.get("KEYSIEVE_GPU_RANDOM_CASES", "0")),
        "seconds": arguments.seconds,
        "totals": {}, "routes": {}, "tests": {}, "stages": {}, "captures": {}, "sanitizers": {}, "times": {},
        "failures": [], "skipped": [],
    }
    totals: collections.Counter[str] = collections.Counter()
    routes: dict[str, collections.Counter] = {}
    for report in sorted(arguments.logs.glob("*.xml")):
        add_report(report, result, totals, routes)

    stages = (arguments.logs / "stages.tsv").read_text(encoding="ascii").splitlines()
    for name, code_text, seconds in (line.split("\t") for line in sorted(stages)):
        code = int(code_text)
        log = (arguments.logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        result["stages"][name] = {"exit": code, "seconds": int(seconds)}
        failed = code != 0 and not any(failure["stage"] == name for failure in result["failures"])
        if name.startswith("sanitizer_"):
            verdict = sanitizer_verdict(log, code)
            result["sanitizers"][name.removeprefix("sanitizer_")] = verdict
            failed = verdict.startswith("failed")
        elif name.startswith("capture_"):
            result["captures"][name.removeprefix("capture_")] = {0: "right", REFUSED_BY_NAME: "refused by name"}.get(
                code, "wrong")
            failed = code not in (0, REFUSED_BY_NAME)
        if failed:
            # A stage that ended without a failed test: a crash, the watchdog, out of time.
            totals["failed"] += 1
            result["failures"].append({"stage": name, "test": "", "text": f"exit code {code}: {log[-600:].strip()}"})
        if code == 0 and not name.startswith(("doctor", "sanitizer_", "capture_")) and name not in result["tests"]:
            totals["failed"] += 1
            result["failures"].append({"stage": name, "test": "", "text": "passed without a report"})
    result["totals"] = {kind: totals[kind] for kind in ("passed", "failed", "skipped", "cases")}
    result["routes"] = {route: {"run": counts["run"], "refused": counts["refused"]} for route, counts in routes.items()}

    arguments.output.write_text(json.dumps(result, indent=2) + "\n", encoding="ascii")
    for failure in result["failures"]:
        print(f"  failed: {failure['stage']} {failure['test']}\n{failure['text']}")
    for tool, verdict in result["sanitizers"].items():
        print(f"  {tool}: {verdict}")
    print(json.dumps(result["routes"]))
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped in {arguments.seconds} s")
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
