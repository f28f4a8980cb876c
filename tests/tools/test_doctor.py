"""keysieve doctor end to end, on this machine and with a library that plays NVML."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from cli_helpers import run
from schema_support import validate

KEYS = ["schema", "ok", "problems", "warnings", "self_test", "self_test_seconds", "self_test_limit_seconds", "system",
        "libraries", "nvml", "mps", "environment"]
UNSET = ("FAKE_NVML", "LD_LIBRARY_PATH", "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
         "CUDA_LAUNCH_BLOCKING")


def environment(**variables) -> dict:
    return {**{name: value for name, value in os.environ.items() if name not in UNSET}, **variables}


def doctor(*arguments, **variables) -> dict:
    result = run("doctor", "--json", *arguments, env=environment(**variables))
    assert result.stderr == "", result
    report = json.loads(result.stdout)
    assert result.returncode == (0 if report["ok"] else 1)
    assert list(report) == KEYS
    validate(report, "doctor-1", closed=True)
    return report


def topics(report: dict) -> list[str]:
    return [warning.split(":")[0] for warning in report["warnings"]]


@pytest.fixture(scope="module")
def nvml(tmp_path_factory) -> Path:
    """A folder with a libnvidia-ml.so.1."""
    folder = tmp_path_factory.mktemp("nvml")
    source = Path(__file__).parent / "doctor" / "fake_nvml.c"
    try:
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(folder / "libnvidia-ml.so.1")], check=True,
                       capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler to build a library with")
    return folder


def test_the_report_conforms():
    report = doctor()
    assert report["ok"] and report["problems"] == []
    assert report["self_test_limit_seconds"] == 5
    loaded = {Path(entry["path"]).name.split(".so")[0] for entry in report["libraries"]["loaded"]}
    assert {"libkeysieve", "libkeysieve_cpu"} <= loaded
    for entry in report["self_test"]:
        assert entry["cases"] == sum(group["cases"] for group in entry["groups"])


def test_text_and_json_find_the_same(nvml):
    variables = {"LD_LIBRARY_PATH": str(nvml), "FAKE_NVML": "mig,busy"}
    text = run("doctor", env=environment(**variables)).stdout
    warnings = doctor(**variables)["warnings"]
    assert warnings and all(warning in text for warning in warnings)
    assert f"healthy, {len(warnings)} warnings" in text
    assert "Fake H200" in text and "MIG on" in text and "utilization: not in this library" in text


def test_an_idle_gpu_gives_no_warning(nvml):
    report = doctor(LD_LIBRARY_PATH=str(nvml))
    [gpu] = report["nvml"]["gpus"]
    assert gpu["sm_clock_mhz"] == 1755 and gpu["processes"] == [] and gpu["utilization_percent"] is None
    assert not {"mig", "clocks", "neighbours", "compute mode"} & set(topics(report))
    loaded = [entry["name"] for entry in report["libraries"]["loaded"]]
    assert "libnvidia-ml.so.1" in loaded
    assert report["environment"]["LD_LIBRARY_PATH"] == str(nvml)


def test_what_is_unusual_is_a_warning(nvml):
    report = doctor(LD_LIBRARY_PATH=str(nvml), FAKE_NVML="mig,throttled,busy,exclusive,no_power")
    assert report["ok"]
    assert {"mig", "clocks", "neighbours", "compute mode"} <= set(topics(report))
    [gpu] = report["nvml"]["gpus"]
    assert gpu["processes"] == [{"pid": 1000, "memory_bytes": 1 << 30}, {"pid": 1001, "memory_bytes": None}]
    assert gpu["power_watts"] is None and "power: Not Supported" in gpu["unseen"]


@pytest.mark.parametrize("plays", ["no_init", "two,lost", "crowd"])
def test_odd_drivers(nvml, plays):
    report = doctor(LD_LIBRARY_PATH=str(nvml), FAKE_NVML=plays)
    assert report["ok"]
    assert (plays == "no_init") == ("Driver Not Loaded" in report["nvml"]["problem"])


def test_a_library_that_is_not_nvml(tmp_path):
    (tmp_path / "libnvidia-ml.so.1").write_text("no library")
    report = doctor(LD_LIBRARY_PATH=str(tmp_path))
    assert report["ok"] and report["nvml"]["problem"] != ""


def test_mps(tmp_path):
    (tmp_path / "control").touch()
    (tmp_path / "nvidia-cuda-mps-control.pid").write_text(f"{os.getpid()}\n")
    report = doctor(CUDA_MPS_PIPE_DIRECTORY=str(tmp_path), CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="30")
    assert report["mps"] == {"pipe_directory": str(tmp_path), "pipe_seen": True, "daemon_runs": True,
                             "active_thread_percentage": "30"}
    assert topics(report).count("mps") == 2


def test_a_self_test_without_time():
    report = doctor("--self-test-seconds", 0)
    assert report["ok"] and topics(report).count("self-test") == 1
    routes = {entry["route"]: entry for entry in report["self_test"]}
    assert routes["reference"]["cases"] == 5, "the judge is always tested"
    assert routes["cpu_rows"]["cases"] == 0 and routes["cpu_rows"]["left_out"] == 42


@pytest.mark.parametrize("seconds", ["-1", "601", "nan", "inf", "five", "5s", ""])
def test_bad_seconds(seconds):
    result = run("doctor", f"--self-test-seconds={seconds}")
    assert (result.returncode, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1 and "--self-test-seconds" in result.stderr
