"""keysieve tune without a GPU: fits of made-up results, refusals, and the table that is compiled in."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import time
from pathlib import Path

import pytest

from cli_helpers import CLI, run, snapshot

ROOT = Path(__file__).resolve().parents[2]
_spec = importlib.util.spec_from_file_location("make_tuning", ROOT / "scripts" / "make_tuning.py")
make_tuning = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(make_tuning)

WIDTHS = [4096, 8192, 16384, 24576, 32768, 65536]
CROSSOVER = 16384  # tile is faster up to here


def cell(rows, width, route, us, **changes):
    result = {
        "rows": rows, "width": width, "k": 512, "dtype": "float32", "distribution": "normal", "lengths": "ragged",
        "mode": "warm", "order": "any", "route_asked": route, "route_taken": route, "split": 1, "threads": 512,
        "median_us": us, "wrong_rows": 0,
    }  # fmt: skip
    return {**result, **changes}


def bench(cells, **changes):
    fingerprint = {
        "revision": "0123456789abcdef", "build": "keysieve 0.1.0 (0123456789ab), 12.2.0, device code",
        "gpu": "NVIDIA H200", "compute_capability": "9.0", "num_sms": 132, "toolkit": "13.0", "driver": "13.0",
        "date": "2026-11-30T12:00:00Z",
    }  # fmt: skip
    return {"schema": "keysieve.bench/1", "fingerprint": {**fingerprint, **changes}, "cells": cells}


def crossing():
    cells = []
    for rows in (512, 1024):  # the threshold itself, not twice as much
        for width in WIDTHS:
            tile, sieve = (10.0, 15.0) if width <= CROSSOVER else (15.0, 10.0)
            if width <= 32768:
                cells.append(cell(rows, width, "tile", tile))
            cells.append(cell(rows, width, "sieve", sieve))
    return cells


@pytest.fixture
def result(tmp_path):
    """Writes a result; the answer is its path."""

    def write(content, name="result.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def refused(*arguments, words=(), code=2):
    outcome = run("tune", *arguments)
    assert (outcome.returncode, outcome.stdout) == (code, ""), outcome
    assert len(outcome.stderr.splitlines()) == 1, outcome.stderr
    for word in words:
        assert word in outcome.stderr, outcome.stderr


def has_gpu() -> bool:
    return bool(json.loads(run("doctor", "--json").stdout)["system"]["cuda"]["devices"])


def test_without_a_gpu_the_refusal_says_so(tmp_path):
    if has_gpu():
        pytest.skip("this machine has a GPU")
    refused(words=["--device: expected a GPU", "found none"])
    refused("-o", tmp_path / "x.json", words=["--device"])
    assert snapshot(tmp_path) == {}


def test_a_crossover_is_found_and_reported(result, tmp_path):
    before = snapshot(tmp_path)
    outcome = run("tune", "--from", result(bench(crossing())))
    assert outcome.returncode == 0, outcome.stderr
    assert re.search(rf"tile_max_bytes +[0-9]+ -> {CROSSOVER * 4}\n", outcome.stdout), outcome.stdout
    # Whichever way the built-in table errs on these times.
    assert re.search(r"1024 x (16384|8192) k=512 \(any ragged\): (tile|sieve), .* 15.0 us -> (tile|sieve), .* 10.0 us",
                     outcome.stdout), outcome.stdout
    assert ", 0.00 % after" in outcome.stdout and "nothing written" in outcome.stdout
    assert set(snapshot(tmp_path)) == {*before, "result.json"}


def test_the_file_is_written_and_serves_the_measured_device(result, tmp_path):
    path = tmp_path / "tuning.json"
    outcome = run("tune", "--from", result(bench(crossing())), "-o", path)
    assert outcome.returncode == 0 and f"written: {path}" in outcome.stdout
    content = json.loads(path.read_text())
    assert content["schema"] == "keysieve.tuning/1"
    assert content["key"] == {"library": "keysieve 0.1.0 (0123456789ab)", "gpu": "NVIDIA H200",
                              "compute_capability": 90, "num_sms": 132, "toolkit": "13.0"}
    assert content["values"]["tile_max_bytes"] == CROSSOVER * 4
    assert content["measured"]["points"] == 2 * len(WIDTHS)
    assert "cells" not in content
    assert [file.name for file in tmp_path.iterdir() if file.name not in ("result.json", "tuning.json")] == []


def test_a_dry_run_writes_nothing(result, tmp_path):
    outcome = run("tune", "--from", result(bench(crossing())), "-o", tmp_path / "tuning.json", "--dry-run")
    assert outcome.returncode == 0 and "nothing written" in outcome.stdout
    assert set(snapshot(tmp_path)) == {"result.json"}


def test_its_own_json_gives_the_same_fit_again(result):
    first = run("tune", "--from", result(bench(crossing())), "--json")
    assert first.returncode == 0, first.stderr
    content = json.loads(first.stdout)
    assert len(content["cells"]) == len(crossing())
    second = run("tune", "--from", result(content, "again.json"), "--json")
    assert second.returncode == 0, second.stderr
    again = json.loads(second.stdout)
    assert again["values"] == content["values"]
    assert again["measured"] == content["measured"]
    assert again["cells"] == content["cells"]


def test_output_follows_its_schema(result):
    import jsonschema  # noqa: PLC0415  (the other tests need it not)
    schema = json.loads((ROOT / "schemas" / "tuning-1.schema.json").read_text())
    content = json.loads(run("tune", "--from", result(bench(crossing())), "--json").stdout)
    jsonschema.Draft202012Validator(schema).validate(content)
    for broken in ({**content, "schema": "keysieve.tuning/2"}, {**content, "values": {}}, {"schema": content["schema"]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema).validate(broken)


def test_schema_and_command_name_the_same_values(result):
    schema = json.loads((ROOT / "schemas" / "tuning-1.schema.json").read_text())["$defs"]["values"]
    values = json.loads(run("tune", "--from", result(bench(crossing())), "--json").stdout)["values"]
    assert sorted(values) == sorted(schema["required"]) == sorted(schema["properties"])
    header = (ROOT / "src" / "plan" / "cuda_tuning.hpp").read_text()
    assert sorted(re.findall(r'TuningField\{"(\w+)"', header)) == sorted(values)


@pytest.mark.parametrize("change", [
    {"mode": "cold"}, {"distribution": "relu"}, {"chain": "dependent"}, {"hint": "exact"}, {"busy_sms": 32},
    {"implementation": "cub"}, {"values": True}, {"output": "paged"}, {"reason": "no such route"},
    {"lengths": "live 2048"}, {"lengths": "skewed"}, {"capacity": 65536}, {"implementation": "cub", "wrong_rows": 3},
])  # fmt: skip
def test_cells_that_do_not_compare_routes_are_left_out(result, change):
    misleading = [cell(1024, 4096, "sieve", 0.1, **change), cell(1024, 8192, "sieve", 0.1, **change)]
    outcome = run("tune", "--from", result(bench(crossing() + misleading)))
    assert outcome.returncode == 0, outcome.stderr
    assert "left out: 2 cells" in outcome.stdout
    assert re.search(rf"tile_max_bytes +[0-9]+ -> {CROSSOVER * 4}\n", outcome.stdout), outcome.stdout


def test_bad_results_are_refused_by_name(result, tmp_path):
    good = cell(1024, 8192, "tile", 10.0)

    def expect(content, *words):
        refused("--from", result(content), "-o", tmp_path / "out.json", words=["result.json", *words])
        assert not (tmp_path / "out.json").exists()

    refused("--from", tmp_path / "missing.json", words=["missing.json", "expected a readable file"])
    expect("{", "expected a JSON object")
    expect("[]", "expected a JSON object")
    expect({"schema": "other/1"}, "schema: expected keysieve.bench/1 or keysieve.tuning/1", '"other/1"')
    expect({"schema": 5}, "schema: expected a text")
    expect({**bench([]), "cells": {}}, "cells: expected an array")
    expect({key: value for key, value in bench([]).items() if key != "fingerprint"}, "fingerprint")
    expect(bench([good], compute_capability="nine"), "compute_capability")
    expect(bench([good], num_sms=7), "gpu: expected a device", "h200")
    expect(bench([]), "expected shapes with at least two routes")
    expect(bench([good]), "expected shapes with at least two routes")
    for name, value in [("rows", 0), ("rows", "1"), ("rows", 2**63), ("width", -1), ("k", None), ("dtype", "int8"),
                        ("route_taken", "cpu_rows"), ("split", 0), ("threads", 8), ("median_us", 0),
                        ("median_us", "fast"), ("wrong_rows", 1)]:  # fmt: skip
        expect(bench([good, {**good, name: value}]), f"cells[1].{name}: expected")
    expect(bench([good, 7]), "cells[1].")


def test_bad_usage():
    refused("--emit-table", "h200", words=["--emit-table", "--from"])
    refused("--seconds", "0", words=["--seconds", "'0'"])
    refused("--seconds", "soon", words=["--seconds", "'soon'"])
    refused("--device", "-1", words=["--device", "'-1'"])
    refused("--from", "x", "--seconds", "3", words=["--seconds", "--from"])
    refused("--from", "x", "--device", "0", words=["--device", "--from"])
    refused("--from", "x", "--emit-table", "h200", "--json", words=["--emit-table"])
    refused("surplus", words=["surplus"])


def test_output_in_a_missing_folder(result, tmp_path):
    refused("--from", result(bench(crossing())), "-o", tmp_path / "no" / "x.json", words=["x.json"])
    assert not (tmp_path / "no").exists()


# On a GPU: measured, written, used; and ignored where it does not serve.


@pytest.fixture
def gpu():
    if not has_gpu():
        if os.environ.get("KEYSIEVE_TEST_REQUIRE_GPU", "0") == "1":
            pytest.fail("KEYSIEVE_TEST_REQUIRE_GPU: expected a GPU, found none", pytrace=False)
        pytest.skip("no GPU")


def tuning_in_use(**variables):
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return json.loads(run("doctor", "--json", env=environment).stdout)["system"]["cuda"]["devices"][0]["tuning"]


def test_a_measured_file_is_used(gpu, tmp_path):
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("KEYSIEVE_TUNING_FILE", None)
    started = time.monotonic()
    outcome = run("tune", "--seconds", 5, "--json", env=environment)
    assert outcome.returncode == 0, outcome.stderr
    assert time.monotonic() - started < 40
    (path,) = (tmp_path / "keysieve").iterdir()
    content = json.loads(outcome.stdout)
    written = json.loads(path.read_text())
    assert written == {name: value for name, value in content.items() if name != "cells"}
    assert content["revision"] and content["revision"] in content["key"]["library"]
    assert {cell["route_taken"] for cell in content["cells"]} >= {"tile", "sieve"}
    assert content["measured"]["mean_loss_after"] <= content["measured"]["mean_loss_before"]

    used = tuning_in_use(KEYSIEVE_TUNING_FILE=path)
    assert (used["source"], used["path"], used["problem"]) == ("file", str(path), "")
    assert used["values"] == written["values"] and used["key"] == written["key"]
    assert tuning_in_use(KEYSIEVE_TUNING_FILE="")["source"] != "file"
    assert tuning_in_use(KEYSIEVE_TUNING_FILE="")["problem"] == ""

    path.write_text(json.dumps({**written, "key": {**written["key"], "toolkit": "1.0"}}))
    ignored = tuning_in_use(KEYSIEVE_TUNING_FILE=path)
    assert ignored["source"] != "file" and "key.toolkit" in ignored["problem"]


def test_a_tuned_plan_takes_the_tuned_route(gpu, tmp_path):
    path = tmp_path / "tuning.json"
    assert run("tune", "--seconds", 2, "-o", path).returncode == 0
    content = json.loads(path.read_text())
    content["values"].update(tile_max_bytes=0, tile_max_bytes_few_rows=0)
    path.write_text(json.dumps(content))
    shape = ["plan", "--rows", 4096, "--width", 8192, "-k", 512, "--device", "cuda", "--json"]
    routes = [json.loads(run(*shape, env={**os.environ, "KEYSIEVE_TUNING_FILE": str(file)}).stdout)["route"]
              for file in ("", path)]
    assert routes[1] == "sieve" and routes[0] in ("tile", "sieve")


# scripts/make_tuning.py


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A repository of the script's own."""
    (tmp_path / "src" / "plan").mkdir(parents=True)
    monkeypatch.setattr(make_tuning, "ROOT", tmp_path)
    monkeypatch.setattr(make_tuning, "TARGET", tmp_path / "src" / "plan" / "built_in_tunings.hpp")
    make_tuning.TARGET.write_text("// No table yet.\n")
    (tmp_path / "h200.json").write_text(json.dumps(bench(crossing())))
    return tmp_path


def make(*arguments):
    return make_tuning.main(["--keysieve", str(Path(CLI).resolve()), *arguments])


def test_the_compiled_in_table_is_what_the_script_makes():
    assert make("--check") == 0


def test_a_table_is_made_and_made_again(tree):
    assert make("h200=h200.json") == 0
    text = make_tuning.TARGET.read_text()
    assert "//   h200 = h200.json, revision 0123456789ab\n" in text
    assert 'BuiltInTuning{"h200", "NVIDIA H200", 90, 132,' in text
    assert f".tile_max_bytes = {CROSSOVER * 4}," in text and ".split_min_columns = 4096," in text
    assert "std::array<BuiltInTuning, 1>" in text
    assert make("--check") == 0
    assert make() == 0 and make_tuning.TARGET.read_text() == text
    make_tuning.TARGET.write_text(text.replace(str(CROSSOVER * 4), "32768"))
    assert make("--check") == 1, "an edited table"
    assert make_tuning.TARGET.read_text() != text, "--check must not write"


def test_the_script_refuses_bad_sources(tree, capsys):
    for source in ("h200", "=h200.json", "H200=h200.json", "h200=missing.json", "h200=../x"):
        assert make(source) == 2
    assert make("a=h200.json", "a=h200.json") == 2
    (tree / "bad.json").write_text(json.dumps(bench([])))
    assert make("h200=bad.json") == 2
    assert "at least two routes" in capsys.readouterr().err
    assert make_tuning.TARGET.read_text() == "// No table yet.\n"
