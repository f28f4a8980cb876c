"""Records of the legs: what is known of a built one, what a run on a GPU found (keysieve.toolchain/1), and the list of
compilers that passed, which CMake and the library read."""

import datetime
import json
import pathlib
import re
from typing import Any

import positive_control
from legs import HERE, ROOT, ToolchainError, version_key

RESULTS = ROOT / "results" / "h200" / "toolchains"
PASSING = HERE / "passing.json"
PASSING_SCHEMA = "keysieve.passing_compilers/1"
SCHEMA = "keysieve.toolchain/1"
# What a run on a GPU has to hold. Smaller numbers are no pass: an audit of nothing finds nothing.
LEAST_CASES = {"toolchain": 620, "forced": 1200, "graph": 500, "random": 1500}


def read_leg(folder: pathlib.Path) -> dict[str, Any]:
    path = folder / "leg.json"
    if not path.exists():
        raise ToolchainError(f"{folder}: expected leg.json; build the leg first")
    described: dict[str, Any] = json.loads(path.read_text())
    return described


def write_json(path: pathlib.Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(value, indent=2) + "\n", encoding="ascii")
    temporary.replace(path)


def note_sass(folder: pathlib.Path, kernels: int, faults: list[str]) -> None:
    write_json(folder / "leg.json", read_leg(folder) | {"sass": {"kernels": kernels, "faults": faults}})


def collect(leg_folder: pathlib.Path, logs: pathlib.Path, output: pathlib.Path) -> list[str]:
    """LOGS holds, of each step, STEP.exit and STEP.log: control_VARIANT, audit_FAMILY (with audit_FAMILY.json), doctor
    (with doctor.json). What is missing is a fault, not a gap."""
    leg = read_leg(leg_folder)
    control = {name: {"static": static, **_device_verdict(logs, name, static)}
               for name, static in leg["control"].items()}
    audits = {family: _audit(logs, family) for family in LEAST_CASES}
    faults = list(leg.get("sass", {"faults": ["sass: not checked before the run"]})["faults"])
    faults += positive_control.faults(leg["leg"], leg["control"])
    for name, verdicts in control.items():
        if verdicts["device"] != verdicts["static"]:
            faults.append(f"control {name}: its code says {verdicts['static']}, the device {verdicts['device']}")
    for family, audit in audits.items():
        if not audit["ok"] or audit["cases"] < LEAST_CASES[family]:
            faults.append(f"audit {family}: expected {LEAST_CASES[family]} right cases, got {audit}")
    machine = _machine(logs)
    wanted = f"{leg['compiler']['major']}.{leg['compiler']['minor']}"
    if leg["compiler"]["kind"] == "nvcc" and not f"{machine.get('toolkit')}.".startswith(f"{wanted}."):
        faults.append(f"library: expected one built by {wanted} to be loaded, got {machine.get('toolkit')}")
    record = {
        "schema": SCHEMA,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": "scripts/remote_toolchains.sh",
        "leg": leg["leg"],
        "revision": leg["revision"],
        "compiler": leg["compiler"],
        "library": leg["library"],
        "machine": machine,
        "sass": leg.get("sass"),
        "control": control,
        "audit": audits,
        "faults": faults,
        "passed": not faults,
    }
    write_json(output, record)
    return [f"{leg['leg']}: {fault}" for fault in faults]


def _exit_code(logs: pathlib.Path, step: str) -> int | None:
    path = logs / f"{step}.exit"
    return int(path.read_text()) if path.exists() else None


def _device_verdict(logs: pathlib.Path, variant: str, static: str) -> dict[str, Any]:
    if static in ("crash", "error"):  # there is nothing to run
        return {"device": static, "said": []}
    code = _exit_code(logs, f"control_{variant}")
    verdict = {0: "right", 3: "lost", None: "not run"}.get(code, f"failed with {code}")
    log = logs / f"control_{variant}.log"
    return {"device": verdict, "said": log.read_text().splitlines()[-5:] if log.exists() else []}


def _audit(logs: pathlib.Path, family: str) -> dict[str, Any]:
    code = _exit_code(logs, f"audit_{family}")
    path = logs / f"audit_{family}.json"
    if code is None or not path.exists():
        return {"ok": False, "exit": code, "cases": 0}
    report = json.loads(path.read_text())
    totals = report.get("totals", {})
    return {"ok": code == 0 and report.get("ok") is True, "exit": code, "cases": totals.get("cases", 0),
            "seed": report.get("seed"), "totals": totals}


def _machine(logs: pathlib.Path) -> dict[str, Any]:
    path = logs / "doctor.json"
    if not path.exists():
        return {}
    report = json.loads(path.read_text())  # the library's report: `system` of the doctor's, or by itself
    cuda = (report.get("system") or report).get("cuda", {})
    device = (cuda.get("devices") or [{}])[0]
    return {"gpu": device.get("name"), "driver": cuda.get("driver"), "toolkit": cuda.get("toolkit")}


def passing(folder: pathlib.Path = RESULTS) -> list[dict[str, Any]]:
    """The compilers with a passing record. 13.0 passed the whole GPU suite before the matrix existed."""
    found: dict[str, dict[str, Any]] = {"13.0": {
        "leg": "13.0", "major": 13, "minor": 0, "record": "results/h200/2026-11-30-gpu-suite.json"}}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        if record.get("schema") != SCHEMA:
            raise ToolchainError(f"{path}: expected schema {SCHEMA}, got {record.get('schema')}")
        if record["passed"]:
            compiler = record["compiler"]
            found[record["leg"]] = {"leg": record["leg"], "major": compiler["major"], "minor": compiler["minor"],
                                    "record": path.relative_to(ROOT).as_posix()}
        else:
            found.pop(record["leg"], None)  # the newest word counts; names begin with the date
    return sorted(found.values(), key=lambda each: (each["leg"].startswith("nvrtc"), version_key(str(each["leg"]))))


def write_passing(check_only: bool) -> list[str]:
    compilers = passing()
    wanted = {"schema": PASSING_SCHEMA, "compilers": compilers}
    if check_only:
        have = json.loads(PASSING.read_text()) if PASSING.exists() else None
        return [] if have == wanted else [f"{PASSING}: not what the records say; run `toolchains.py record`"]
    write_json(PASSING, wanted)
    print(f"passing: {', '.join(each['leg'] for each in compilers)}")
    return []


def has_passed(leg: str) -> bool:
    if not PASSING.exists():
        return False
    return bool(re.search(rf'"leg": "{re.escape(leg)}"', PASSING.read_text()))
