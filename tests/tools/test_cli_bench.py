"""keysieve bench on the CPU, and keysieve bench compare: reports, exit codes, refusals."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

from cli_helpers import run

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"--backend": "cpu", "--rows": "1,3", "--widths": "3000", "--k": "17", "--distributions": "normal"}


def small(*arguments):
    """A grid of two cells, but for what the arguments say otherwise."""
    return [text for flag, value in SMALL.items() if flag not in arguments for text in (flag, value)] + [*arguments]


def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((ROOT / "schemas/bench-1.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def bench(tmp_path, *arguments, rc=0, name="report.json"):
    path = tmp_path / name
    done = run("bench", *small(*arguments), "-o", path)
    assert done.returncode == rc, done.stderr
    report = json.loads(path.read_text())
    validator().validate(report)
    return report, done


def compile_peer(tmp_path, *flags) -> Path:
    compiler = shutil.which("cc")
    assert compiler, "cc: expected a C compiler, as the build itself needs one"
    path = tmp_path / "peer.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", *flags, f"-I{ROOT / 'include'}",
                    str(ROOT / "tests/tools/bench/peer_for_tests.c"), "-o", str(path)], check=True, timeout=60)
    return path


def test_report_is_whole_and_right(tmp_path):
    report, done = bench(tmp_path)
    assert [(c["rows"], c["width"], c["k"]) for c in report["cells"]] == [(1, 3000, 17), (3, 3000, 17)]
    assert report["fingerprint"]["device"] == "cpu"
    assert "--widths 3000" in report["fingerprint"]["command"]
    for cell in report["cells"]:
        assert cell["checked_rows"] == cell["rows"] and cell["wrong_rows"] == 0
        assert cell["timer"] == "host" and cell["median_us"] > 0 and cell["floor_us"] > 0
        assert cell["p10_us"] <= cell["median_us"] <= cell["p90_us"]
        assert cell["ratio_to_floor"] == pytest.approx(cell["median_us"] / cell["floor_us"])
        assert cell["ratio_to_read_floor"] == pytest.approx(cell["median_us"] / cell["read_floor_us"])
        noise = abs(cell["second_median_us"] - cell["median_us"]) / cell["median_us"]
        assert cell["noise"] == pytest.approx(noise)
        assert 0.8 * cell["rows"] * 3000 * 4 < cell["bytes"] <= cell["rows"] * (3000 + 17) * 4
    assert "2 measured, 0 wrong" in done.stdout


def test_stdout_without_a_file(tmp_path):
    done = run("bench", *small())
    assert done.returncode == 0
    validator().validate(json.loads(done.stdout))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_every_output_order_dtype_and_length(tmp_path, backend):
    report, _ = bench(tmp_path, "--backend", backend, "--outputs", "raw,offset,paged,dual", "--orders",
                      "any,index,score", "--values", "false,true", "--dtypes", "float32,bfloat16,float16",
                      "--capacity", "width,3100")
    assert len(report["cells"]) == 2 * 4 * 3 * 2 * 3 * 2 and report["wrong_cells"] == 0
    report, _ = bench(tmp_path, "--backend", backend, "--lengths", "full,log_uniform,skewed,live 5", "--distributions",
                      "all", "--modes", "warm,cold", "--samples", "20")
    assert report["wrong_cells"] == 0 and report["samples"] == 20
    live = [c for c in report["cells"] if c["lengths"] == "live 5" and c["rows"] == 3]
    assert {c["bytes"] for c in live} == {3 * 5 * 4 + 3 * 17 * 4}


def test_what_a_cpu_cannot_do_is_refused(tmp_path):
    report, done = bench(tmp_path, "--chains", "alone,dependent", "--busy-sms", "0,16")
    assert len(report["cells"]) == 2 and len(report["refused"]) == 6
    assert "chain: on a CPU" in done.stderr
    done = run("bench", *small("--chains", "chained"), "-o", tmp_path / "none.json")
    assert done.returncode == 2 and "expected a cell that can run here" in done.stderr
    done = run("bench", *small("--routes", "sieve"), "-o", tmp_path / "none.json")
    assert done.returncode == 2
    assert "route" in json.loads((tmp_path / "none.json").read_text())["refused"][0]["reason"]


def test_time_budget_leaves_cells_out(tmp_path):
    report, _ = bench(tmp_path, "--time-budget", "0.000001")
    assert report["cells"] == [] and len(report["missing"]) == 2
    assert report["missing"][0]["reason"] == "time budget spent"


def test_grid_file_parts_and_list(tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text("[[grid]]\nrows=[1,2]\nwidths=[100,200,300]\nk=8\n[[grid]]\nrows=4\nwidths=100\nk=9\n")
    everything = run("bench", "--backend", "cpu", "--grid", grid, "--list").stdout.splitlines()
    assert everything[-1] == "7 cells"
    parts = [run("bench", "--backend", "cpu", "--grid", grid, "--list", "--part", f"{i}/2").stdout.splitlines()[:-1]
             for i in (1, 2)]
    assert sorted(parts[0] + parts[1]) == sorted(everything[:-1]) and parts[0] and parts[1]
    done = run("bench", "--backend", "cpu", "--grid", grid, "--k", "3", "-o", tmp_path / "out.json")
    assert done.returncode == 0
    assert {c["k"] for c in json.loads((tmp_path / "out.json").read_text())["cells"]} == {3}


def test_full_grid_asks_the_planner(tmp_path):
    lines = run("bench", "--grid", "full", "--list", "--profile", "h200").stdout.splitlines()
    assert int(lines[-1].split()[0]) == len(lines) - 1 > 800
    # The last width of one route and the first of the next stand side by side.
    widths = sorted({int(line.split()[2]) for line in lines[:-1] if line.startswith("64 x ") and " k 2048" in line})
    routes = {width: json.loads(run("plan", "--rows", "64", "--width", str(width), "-k", "2048", "--device", "h200",
                                    "--json").stdout)["route"] for width in widths}
    neighbours = [(routes[width], routes[width + 1]) for width in widths if width + 1 in routes]
    assert any(here != there for here, there in neighbours), routes


@pytest.mark.parametrize("arguments, words", [
    (["--samples", "5"], "--samples"),
    (["--rows", "1,,2"], "--rows"),
    (["--time-budget", "nan"], "--time-budget"),
    (["--part", "3/2"], "--part"),
    (["--part", "half"], "--part: expected I/N"),
    (["--timer", "sundial"], "--timer"),
    (["--capacity", "10"], "--capacity: expected at least the width"),
    (["--grid", "no-such.toml"], "no-such.toml"),
    (["--profile", "h200"], "--profile"),
    (["--backend", "tpu"], "--backend"),
    (["--peers", "/no/such/peer.so"], "/no/such/peer.so"),
    (["-o", "/no/such/folder/x.json"], "/no/such/folder"),
    (["compare", "/no/such.json", "/no/such.json"], "BEFORE"),
])
def test_bad_arguments(tmp_path, arguments, words):
    done = run("bench", *(arguments if arguments[0] == "compare" else small(*arguments)))
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1 and done.stdout == ""


def test_peers_are_judged_by_their_promises(tmp_path):
    report, done = bench(tmp_path, "--peers", compile_peer(tmp_path), "--distributions", "normal,many_ties,constant")
    names = [c["implementation"] for c in report["cells"]]
    assert names == ["keysieve", "right"] * 6 and report["wrong_cells"] == 0
    assert {r["implementation"] for r in report["refused"]} == {"picky"}
    assert "serves nothing" in report["refused"][0]["reason"]
    peer = next(c for c in report["cells"] if c["implementation"] == "right")
    assert peer["route_taken"] is None and peer["workspace_bytes"] == 64 and peer["checked_rows"] == peer["rows"]
    header = done.stdout.splitlines()[0].split()
    assert header[-3:] == ["floor", "keysieve", "right"]


def test_wrong_and_failing_peers_are_faults(tmp_path):
    report, done = bench(tmp_path, "--peers", compile_peer(tmp_path, "-DWITH_FAULTS"), rc=1)
    wrong = [c for c in report["cells"] if c["wrong_rows"] > 0]
    assert {c["implementation"] for c in wrong} == {"wrong"} and report["wrong_cells"] == len(wrong) == 2
    assert "row 0" in wrong[0]["fault"] and "wrong at 1 x 3000" in done.stderr
    assert {c["implementation"] for c in report["failed"]} == {"failing"}
    assert "a peer's own words" in report["failed"][0]["reason"]
    assert "WRONG" in done.stdout


def test_compare(tmp_path):
    report, _ = bench(tmp_path)
    before = tmp_path / "report.json"
    done = run("bench", "compare", before, before)
    assert done.returncode == 0 and "2 cells compared" in done.stdout and "0 slower" in done.stdout

    slower = json.loads(before.read_text())
    slower["cells"][1]["ratio_to_floor"] *= 5
    after = tmp_path / "after.json"
    after.write_text(json.dumps(slower))
    done = run("bench", "compare", before, after, "--json")
    assert done.returncode == 1
    moved = json.loads(done.stdout)
    assert moved["slower"] == 1 and moved["same"] == 1
    assert moved["moved"][0]["rows"] == 3 and moved["moved"][0]["relative"] == pytest.approx(4)
    assert run("bench", "compare", after, before).returncode == 0
    done = run("bench", "compare", before, after, "--threshold", "4.5")
    assert done.returncode == 0 and "1 slower" not in done.stdout

    after.write_text("{]")
    done = run("bench", "compare", before, after)
    assert done.returncode == 2 and "AFTER: expected JSON" in done.stderr
