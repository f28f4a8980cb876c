"""The parts of the compiler matrix that need neither a compiler nor a GPU: verdicts on PTX and machine code, records,
and the stop of the configuration."""

import json
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "toolchains"))

import positive_control  # noqa: E402
import records  # noqa: E402
import sass  # noqa: E402
from legs import ToolchainError, all_legs, find_leg  # noqa: E402
from pointer_check import check_pointers  # noqa: E402

SELECTED = """
    mapa.shared::cluster.u32 %r21, %r20, 1;
    setp.eq.s32 %p4, %r5, 0;
    selp.b32 %r7, %r21, {own}, %p4;
    add.s32 %r30, %r7, %r29;
    st.shared::cluster.u32 [%r30+4096], %r17;
"""


def test_pointer_that_keeps_both_meanings_is_right() -> None:
    verdict = check_pointers(SELECTED.format(own="%r20"))
    assert verdict.maps == 1 and verdict.lost == []


def test_own_address_that_became_0_in_a_select_is_lost() -> None:
    assert check_pointers(SELECTED.format(own="0")).lost == ["selp.b32 %r7, %r21, 0, %p4;"]


def test_own_address_that_became_0_where_moves_meet_is_lost() -> None:
    ptx = """
    mov.b64 %rd9, 0;
    $L1:
    st.u32 [%rd9], %r1;
    mapa.u64 %rd4, %rd3, %r2;
    mov.b64 %rd9, %rd4;
    bra $L1;
    """
    assert check_pointers(ptx).lost == ["mov.b64 %rd9, 0;"]


def test_zeros_beside_the_pointer_do_not_count() -> None:
    ptx = """
    mapa.shared::cluster.u32 %r21, %r20, 0;
    mov.u32 %r11, 0;
    selp.u32 %r30, 1, 0, %p9;
    st.shared::cluster.u32 [%r21], %r11;
    """
    assert check_pointers(ptx).lost == []


SASS = """
.text.keysieve_split_float32:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.NA.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0020*/                   ATOMS.ADD R5, [R6], R7 ;
        /*0030*/                   UCGABAR_ARV ;
        /*0040*/                   UCGABAR_WAIT ;
        /*0050*/             @!UP0 ACQBULK ;
        /*0060*/                   LD.E R5, desc[UR4][R8.64] ;
        /*0070*/                   LD.E.64 R6, desc[UR4][R8.64] ;
        /*0080*/                   ST.E desc[UR4][R8.64], R5 ;
        /*0090*/                   ST.E.64 desc[UR4][R8.64], R6 ;
        /*00a0*/                   ATOM.E.ADD.STRONG.GPU R5, desc[UR4][R8.64], R5 ;
.text.other:
        /*0000*/                   STL [R1], R2 ;
"""


def test_machine_code_is_counted_by_kernel() -> None:
    kernels = sass.parse(SASS)
    assert list(kernels) == ["keysieve_split_float32", "other"]
    assert sass.count(kernels["keysieve_split_float32"], "LD.E") == 2
    assert sass.count(kernels["keysieve_split_float32"], "LD") == 2
    assert sass.count(kernels["keysieve_split_float32"], "ATOM") == 1
    assert sass.faults("13.0", "keysieve_split_float32", kernels["keysieve_split_float32"]) == []


@pytest.mark.parametrize("line, fault", [
    ("LDL R1, [R2] ;", "keysieve_split_float32: expected no LDL, found 1"),
    ("STL [R1], R2 ;", "keysieve_split_float32: expected no STL, found 1"),
])
def test_what_must_not_be_there_is_a_fault(line: str, fault: str) -> None:
    text = SASS.replace(".text.other", f"        /*00b0*/   {line}\n.text.other")
    assert sass.faults("13.0", "keysieve_split_float32", sass.parse(text)["keysieve_split_float32"]) == [fault]


def test_a_known_spill_is_allowed_to_its_leg_alone() -> None:
    spilled = sass.parse(".text.keysieve_sieve_float32:\n    /*0000*/  STL [R1], R2 ;\n")["keysieve_sieve_float32"]
    fault = "keysieve_sieve_float32: expected no STL, found 1"
    assert fault in sass.faults("13.0", "keysieve_sieve_float32", spilled)
    assert fault not in sass.faults("nvrtc-12.9", "keysieve_sieve_float32", spilled)


def test_what_must_be_there_is_a_fault_when_missing() -> None:
    kernel = sass.parse(SASS.replace("UCGABAR_WAIT", "NOP"))["keysieve_split_float32"]
    found = sass.faults("13.0", "keysieve_split_float32", kernel)
    assert found == ["keysieve_split_float32: expected UCGABAR_WAIT, found none"]


def test_every_leg_has_an_expectation_for_every_variant() -> None:
    legs = [leg.name for leg in all_legs()]
    assert legs[0] == "13.0" and legs[-1].startswith("nvrtc-") and len(legs) == 7
    for leg in legs:
        assert set(positive_control.expected_verdicts(leg)) == {path.stem for path in positive_control.sources()}
    assert set(positive_control.expected_verdicts("13.0").values()) == {"right"}
    for broken in ("13.1", "13.2", "13.3"):
        verdicts = positive_control.expected_verdicts(broken)
        assert verdicts["store_ternary"] == "lost" and verdicts["own_type"] == "right"


def test_a_control_that_turns_out_otherwise_is_a_fault() -> None:
    verdicts = positive_control.expected_verdicts("13.1")
    assert positive_control.faults("13.1", verdicts) == []
    assert positive_control.faults("13.1", verdicts | {"store_ternary": "right"}) == [
        "control store_ternary: expected lost, found right"]
    assert positive_control.faults("13.9", verdicts) != []


def test_a_leg_that_is_not_there_is_named() -> None:
    assert find_leg("oldest").name == "13.0"
    with pytest.raises(ToolchainError, match="expected one of 13.0, .*got '12.0'"):
        find_leg("12.0")


LEG = "13.1"


@pytest.fixture
def run_on_gpu(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The folders of a leg and of its run, as scripts/remote_toolchains.sh leaves them where all is well."""
    leg, logs = tmp_path / "leg", tmp_path / "logs"
    verdicts = positive_control.expected_verdicts(LEG)
    records.write_json(leg / "leg.json", {
        "leg": LEG, "revision": "0123456789ab", "library": {"bytes": 1, "sha256": "0" * 64}, "control": verdicts,
        "compiler": {"kind": "nvcc", "major": 13, "minor": 1, "version": "13.1.115", "packages": {}, "builds": {}},
        "sass": {"kernels": 18, "faults": []}})
    records.write_json(logs / "doctor.json",
                       {"system": {"cuda": {"driver": "13.0", "toolkit": "13.1", "devices": [{"name": "H200"}]}}})
    for name, verdict in verdicts.items():
        if verdict != "crash":
            (logs / f"control_{name}.exit").write_text("3\n" if verdict == "lost" else "0\n")
            (logs / f"control_{name}.log").write_text("rank 2: 0 of 64 words\n")
    for family, cases in records.LEAST_CASES.items():
        (logs / f"audit_{family}.exit").write_text("0\n")
        records.write_json(logs / f"audit_{family}.json", {"ok": True, "seed": 1, "totals": {"cases": cases}})
    return leg, logs


def collected(folders: tuple[pathlib.Path, pathlib.Path], output: pathlib.Path) -> tuple[list[str], dict[str, Any]]:
    faults = records.collect(*folders, output)
    record: dict[str, Any] = json.loads(output.read_text())
    assert record["passed"] == (not faults)
    required = json.loads((ROOT / "schemas/toolchain-1.schema.json").read_text())["required"]
    assert set(required) <= set(record)
    return faults, record


def test_a_run_where_all_is_as_expected_passes(run_on_gpu: tuple[pathlib.Path, pathlib.Path],
                                               tmp_path: pathlib.Path) -> None:
    faults, record = collected(run_on_gpu, tmp_path / "record.json")
    assert faults == [] and record["control"]["store_ternary"]["device"] == "lost"
    assert record["control"]["loop_carried"] == {"static": "crash", "device": "crash", "said": []}


@pytest.mark.parametrize("file, text, fault", [
    ("control_store_ternary.exit", "0\n", "its code says lost, the device right"),
    ("control_own_type.exit", "1\n", "its code says right, the device failed with 1"),
    ("audit_random.exit", "1\n", "audit random"),
    ("audit_graph.json", '{"ok": true, "totals": {"cases": 499}}', "audit graph"),
    ("audit_toolchain.json", None, "audit toolchain"),
    ("doctor.json", '{"cuda": {"toolkit": "13.0"}}', "expected one built by 13.1"),
])
def test_what_is_wrong_or_missing_fails_the_leg(run_on_gpu: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path,
                                                file: str, text: str | None, fault: str) -> None:
    path = run_on_gpu[1] / file
    assert path.exists()
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    faults, _ = collected(run_on_gpu, tmp_path / "record.json")
    assert len(faults) == 1 and fault in faults[0]


def test_the_newest_record_of_a_leg_decides(run_on_gpu: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path,
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "ROOT", tmp_path)
    results = tmp_path / "results"
    assert [each["leg"] for each in records.passing(results)] == ["13.0"]
    collected(run_on_gpu, results / "2026-12-01-13.1.json")
    assert [each["leg"] for each in records.passing(results)] == ["13.0", "13.1"]
    (run_on_gpu[1] / "audit_random.exit").write_text("1\n")
    collected(run_on_gpu, results / "2026-12-02-13.1.json")
    assert [each["leg"] for each in records.passing(results)] == ["13.0"]


def test_the_list_is_what_the_records_say() -> None:
    assert records.write_passing(check_only=True) == []


@pytest.mark.parametrize("version, options, stops", [
    ("13.0.88", [], False),
    ("13.99.1", [], True),
    ("13.99.1", ["-DKEYSIEVE_UNRECORDED_COMPILER=ON"], False),
])
def test_configuring_stops_on_a_compiler_without_a_record(tmp_path: pathlib.Path, version: str, options: list[str],
                                                          stops: bool) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    for folder in ("toolchains", "src", "cmake"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(gate LANGUAGES NONE)\ninclude(cmake/KeysieveToolchains.cmake)\n"
        f"keysieve_check_compiler_record({version})\n")
    command = ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "build"), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (result.returncode != 0) == stops, result.stderr
    assert ("has no passing record in results/" in result.stderr.replace("\n", " ")) == (version != "13.0.88")
