"""`keysieve audit` from end to end: counts, exit codes, JSON, and peers that are wrong on purpose."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import jsonschema
import pytest

from cli_helpers import CLI, run

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "schemas/audit-1.schema.json").read_text())
FAMILIES = ["table", "random", "faults", "adversarial", "graph", "streams"]


def faulty_peer() -> Path:
    library = Path(CLI).resolve().parent.parent / "lib/libkeysieve_faulty_peer.so"
    if not library.exists():
        pytest.fail(f"{library}: expected it beside the command; build the target keysieve_faulty_peer")
    return library


def audit(tmp_path, *arguments):
    path = tmp_path / "audit.json"
    result = run("audit", "--quiet", "--json", path, "--hang-seconds", 120, *arguments)
    report = json.loads(path.read_text()) if path.exists() else None
    if report is not None:
        jsonschema.validate(report, SCHEMA)
    return result, report


def test_a_clean_run_counts_every_family(tmp_path):
    result, report = audit(tmp_path, "--backend", "cpu", "--cases", 400, "--seed", 3)
    assert (result.returncode, result.stderr) == (0, "")
    assert "clean" in result.stdout.splitlines()[-1]
    assert report["ok"] and report["stopped"] == "cases" and report["seed"] == 3
    assert report["fingerprint"]["device"] == "cpu" and "--seed 3" in report["fingerprint"]["command"]
    names = [family["name"] for family in report["families"]]
    assert names[:6] == FAMILIES
    totals = report["totals"]
    assert totals["forced"] >= 400 and totals["dispatch"] >= 400 * 1500 // 6500
    assert set(totals["forced_by_route"]) == {"cpu_rows", "cpu_chunks"}
    for key in ["forced", "dispatch", "cases", "failed", "wrong_rows", "refused", "skipped"]:
        assert totals[key] == sum(family[key] for family in report["families"])
    assert all(family["cases"] > 0 for family in report["families"])


def test_the_same_seed_runs_the_same_cases(tmp_path):
    reports = [audit(tmp_path, "--backend", "cpu", "--cases", 60, "--workers", 1)[1] for _ in range(2)]
    assert reports[0]["families"] == reports[1]["families"]


def test_seconds_alone_have_no_goal(tmp_path):
    result, report = audit(tmp_path, "--backend", "cpu", "--seconds", 1)
    assert result.returncode == 0 and report["stopped"] == "seconds"
    assert report["requested"]["forced"] == 0 and report["totals"]["forced"] > 0


def test_families_and_routes_can_be_chosen(tmp_path):
    result, report = audit(tmp_path, "--backend", "cpu", "--cases", 50, "--families", "graph,table", "--routes",
                           "cpu_chunks")
    assert result.returncode == 0
    assert [family["name"] for family in report["families"]] == ["graph", "table"]
    assert set(report["totals"]["forced_by_route"]) == {"cpu_chunks"} and report["totals"]["dispatch"] == 0


def test_the_reference_can_be_audited(tmp_path):
    result, report = audit(tmp_path, "--backend", "reference", "--cases", 40, "--max-scores", 50000)
    assert result.returncode == 0 and set(report["totals"]["forced_by_route"]) == {"reference"}
    assert report["totals"]["skipped"] > 0


def test_a_family_that_runs_nothing_is_a_fault(tmp_path):
    result, report = audit(tmp_path, "--backend", "cpu", "--cases", 5, "--families", "adversarial", "--max-scores", 1)
    assert result.returncode == 1
    assert report["idle_families"] == ["adversarial"] and report["stopped"] == "exhausted"
    assert "family adversarial ran no case" in result.stdout


@pytest.mark.parametrize("name,smallest", [
    ("drops_last", lambda case: case.startswith("rows=1 width=2 k=1 ")),
    ("ties_larger", lambda case: case.startswith("rows=1 width=2 k=1 ")),
    ("swaps_rows", lambda case: case.startswith("rows=2 ")),
    ("past_k", lambda case: "k=1 " in case and "output_padding=" in case),
    ("wide_only", lambda case: case.startswith("rows=1 width=4097 ")),
    ("changes", lambda case: case.startswith("rows=1 ")),
    ("fails", lambda case: case.startswith("rows=1 ")),
    ("not_even_approximate", lambda case: case.startswith("rows=1 width=2 k=1 ")),
])
def test_a_wrong_peer_is_found_and_its_command_shows_it(tmp_path, name, smallest):
    peer = faulty_peer()
    # One worker: the peer that changes its mind counts its calls.
    result, report = audit(tmp_path, "--peer", peer, "--implementation", name, "--cases", 2000, "--workers", 1,
                           "--max-scores", 200000, "--backend", "cpu", "--families",
                           "table,random,faults,adversarial")
    assert result.returncode == 1 and "WRONG" in result.stdout
    assert not report["ok"] and report["stopped"] == "failure" and report["totals"]["failed"] >= 1
    failure = report["failures"][0]
    assert failure["failed_again"] and len(failure["cases"]) == 1
    assert smallest(failure["cases"][0]), failure["cases"]
    assert failure["command"] in result.stdout
    words = shlex.split(failure["command"])
    assert words[:2] == ["keysieve", "audit"]
    again = run(*words[1:])
    assert again.returncode == 1 and again.stdout.startswith("WRONG on cpu " + name), again.stdout + again.stderr
    # The same case is right where nothing is wrong.
    words[words.index(name)] = "exact"
    assert run(*words[1:]).returncode == 0


@pytest.mark.parametrize("name", ["exact", "free_ties", "approximate", "refuses_padding"])
def test_a_peer_is_held_to_its_promises_alone(tmp_path, name):
    result, report = audit(tmp_path, "--peer", faulty_peer(), "--implementation", name, "--cases", 300, "--workers", 1,
                           "--max-scores", 100000, "--backend", "cpu")
    assert result.returncode == 0, result.stdout
    assert report["totals"]["forced_by_route"].keys() == {name}
    assert report["totals"]["refused"] > 0  # FP16


def test_a_hang_ends_with_its_command(tmp_path):
    path = tmp_path / "audit.json"
    result = run("audit", "--quiet", "--json", path, "--hang-seconds", 1, "--peer", faulty_peer(), "--implementation",
                 "hangs", "--workers", 1, "--backend", "cpu")
    report = json.loads(path.read_text())
    jsonschema.validate(report, SCHEMA)
    assert result.returncode == 1 and report["stopped"] == "hang" and not report["ok"]
    failure = report["failures"][0]
    assert failure["hang"] and failure["difference"] == "no answer for 1 s"
    words = shlex.split(failure["command"])
    again = run(*words[1:], "--hang-seconds", 1)
    assert again.returncode == 1 and "no answer for 1 s" in again.stdout


def test_keep_going_counts_all(tmp_path):
    result, report = audit(tmp_path, "--peer", faulty_peer(), "--implementation", "drops_last", "--cases", 200,
                           "--workers", 1, "--keep-going", "--max-scores", 20000, "--backend", "cpu")
    assert result.returncode == 1 and report["stopped"] == "cases"
    assert report["totals"]["failed"] > 20 and report["totals"]["wrong_rows"] >= report["totals"]["failed"]
    assert len(report["failures"]) == 5


def test_a_case_runs_alone():
    case = "rows=3 width=500 k=20 pattern=few_values mode=dual order=score"
    result = run("audit", "--case", case, "--backend", "cpu", "--route", "cpu_chunks", "--threads", 3)
    assert (result.returncode, result.stdout) == (0, "right on cpu cpu_chunks, 3 threads, once\n")
    result = run("audit", "--case", case, "--case", case, "--manner", "streams", "--backend", "all-here")
    assert result.returncode == 0
    assert result.stdout.splitlines()[:2] == ["right on reference reference, streams", "right on cpu auto, streams"]


@pytest.mark.parametrize("arguments,message", [
    (["--cases", "many"], "--cases: expected a whole number from 0 to 1000000000, found 'many'"),
    (["--cases", "0"], "--cases: expected some number of cases that the routes can run, found '0'"),
    (["--backend", "tpu"], "--backend: expected one of cpu, reference, cuda, all-here, found 'tpu'"),
    (["--families", "table,maybe"], "--families: expected some of table,random,faults,adversarial,graph,streams"),
    (["--families", "table,table"], "--families: expected every family once, found 'table'"),
    (["--routes", "tile"], "--routes: expected routes of the backend, found 'tile'"),
    (["--routes", "fast"], "--routes: expected one of auto, "),
    (["--route", "cpu_rows"], "--route: expected a --case to go with, found 'cpu_rows'"),
    (["--case", "rows=1"], "--case: width: expected a value, found ''"),
    (["--case", "rows=1 width=5 k=2 pattern=gauss", "--manner", "twice"],
     "--manner: expected one of once, graph, streams, found 'twice'"),
    (["--case", "rows=1 width=5 k=2 pattern=gauss", "--route", "tile"], "refused on cpu tile, once: "),
    (["--case", "rows=1 width=5 k=2 pattern=gauss", "--case", "rows=2 width=5 k=2 pattern=gauss", "--manner", "graph"],
     "--case: expected one shape for all cases of a graph"),
    (["--case", "rows=1 width=5 k=2 pattern=gauss", "--case", "rows=1 width=5 k=2 pattern=gauss index_type=int64",
      "--manner", "graph"], "--case: expected one shape for all cases of a graph"),
    (["--peer", "no-such-library.so"], "--peer: "),
    (["--implementation", "exact"], "--implementation: expected a --peer that has it"),
    (["--json", "no/such/folder/a.json"], "no/such/folder"),
])
def test_what_cannot_be_served_is_refused(arguments, message):
    if "cpu" not in arguments and "--backend" not in arguments:
        arguments = [*arguments, "--backend", "cpu"]
    result = run("audit", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr and result.stderr.count("\n") == 1


def test_a_peer_without_that_implementation_is_refused():
    result = run("audit", "--peer", faulty_peer(), "--implementation", "none", "--backend", "cpu")
    assert result.returncode == 2 and "--implementation: expected one of exact, drops_last" in result.stderr
