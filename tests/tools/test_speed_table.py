"""tools/bench/speed_table.py on reports made up for the purpose."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "bench" / "speed_table.py"
_spec = importlib.util.spec_from_file_location("speed_table", SCRIPT)
speed_table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(speed_table)
Shape = speed_table.Shape

HEADER = "rows,width,k,mode,read_floor_us,best_us,best_impl\n"


def cell(rows=1024, width=262144, k=512, ratio=1.1, floor=200.0, distribution="normal", **changes):
    result = {
        "rows": rows, "width": width, "k": k, "dtype": "float32", "distribution": distribution, "lengths": "ragged",
        "mode": "warm", "order": "any", "route_asked": "auto", "split_asked": "auto", "threads_asked": "auto",
        "route_taken": "sieve", "split": 1, "threads": 256, "floor_us": floor, "floor_rw_us": floor * 1.02,
        "launch_us": 0.8, "median_us": floor * ratio, "p10_us": floor * ratio, "p90_us": floor * ratio,
        "second_median_us": floor * ratio * 1.01, "ratio_to_floor": ratio, "checked_rows": 8, "wrong_rows": 0,
        "max_second_reads": 0, "mean_compactions": 0.25,
    }  # fmt: skip
    return {**result, **changes}


def report(cells, **changes):
    result = {
        "schema": "keysieve.gpu_bench/1",
        "fingerprint": {"revision": "abc", "gpu": "NVIDIA H200", "driver": "13.0", "toolkit": "13.0"},
        "cells": cells,
        "wrong_cells": sum(c["wrong_rows"] > 0 for c in cells),
        "refused": [],
        "failed": [],
        "missing": [],
        "error": "",
    }
    return {**result, **changes}


@pytest.fixture
def table(tmp_path):
    """Runs the script; the answer is (exit code, text)."""

    def run(*reports, baseline="1024,262144,512,warm,100,150,public\n", arguments=()):
        (tmp_path / "baseline.csv").write_text(HEADER + baseline)
        paths = []
        for i, content in enumerate(reports):
            paths.append(tmp_path / f"report{i}.json")
            paths[-1].write_text(json.dumps(content))
        output = tmp_path / "table.md"
        output.unlink(missing_ok=True)
        code = speed_table.main(
            [*map(str, paths), "--baseline", str(tmp_path / "baseline.csv"), "-o", str(output), *arguments]
        )
        return code, output.read_text() if output.exists() else ""

    return run


def row_of(text, start):
    rows = [line for line in text.splitlines() if line.startswith(start)]
    assert len(rows) == 1, text
    return [field.strip() for field in rows[0].strip("|").split("|")]


@pytest.mark.parametrize(
    ("rows", "width", "goal"),
    [
        (1024, 262144, 1.20), (4096, 262144, 1.20), (1024, 131072, 1.35), (4096, 131072, 1.35), (1024, 65536, None),
        (128, 131072, 1.6), (132, 262144, 1.6), (256, 131072, 1.6), (64, 262144, None), (257, 262144, None),
        (128, 65536, None),
    ],
)  # fmt: skip
def test_goals(rows, width, goal):
    assert speed_table.floor_goal(Shape(rows, width, 2048)) == goal


def test_robust_goals():
    assert speed_table.robust_goal("constant") == 2.0
    assert speed_table.robust_goal("defeats_sample") == 4.0


def test_ratios_are_scaled_by_the_floors(table):
    # Floor 200 here and 100 there: the public 150 would be 300 here, and 240 is 0.8 of that.
    code, text = table(report([cell(ratio=1.2)]))
    row = row_of(text, "| 1024 | 262144 | 512 ")
    assert code == 0
    assert row[5:10] == ["200.00", "204.00", "240.00", "1.20", "0.80"]
    assert row[10:] == ["1.0%", "met"]


def test_a_ratio_just_above_the_goal_misses_although_it_prints_alike(table):
    code, text = table(report([cell(ratio=1.2001)]))
    assert row_of(text, "| 1024 |")[8:] == ["1.20", "0.80", "1.0%", "**MISS** 1.20"]
    assert "- 1024 x 262144 k=512: 1.200x the floor, goal 1.20x" in text
    assert code == 0, "a missed goal is a finding, not an error"
    assert table(report([cell(ratio=1.2001)]), arguments=["--strict"])[0] == 1


def test_goal_cells_that_were_not_measured_are_named(table):
    baseline = "1024,262144,512,warm,100,150,p\n256,131072,2048,warm,30,57,p\n1,8192,512,warm,2,4,p\n"
    _, text = table(report([cell()]), baseline=baseline)
    assert "- 256 x 131072 k=2048: not measured" in text
    assert "8192" not in text, "no goal there"


def test_wrong_rows_beat_every_goal(table):
    code, text = table(report([cell(ratio=1.0, wrong_rows=2, fault="row 3, slot 1: expected 4, got 5")]))
    assert code == 1
    assert row_of(text, "| 1024 |")[-1] == "**WRONG** 2 of 8 rows"
    assert "expected 4, got 5" in text


def test_wrong_rows_of_cells_outside_the_table_are_found(table):
    code, text = table(report([cell(), cell(route_asked="split", route_taken="split", wrong_rows=1)]))
    assert code == 1
    assert "route split: 1 of 8 rows wrong" in text


@pytest.mark.parametrize("field", ["refused", "failed"])
def test_an_automatic_cell_without_result_is_an_error(table, field):
    unmeasured = {**cell(rows=4), "reason": "no such route"}
    code, text = table(report([cell()], **{field: [unmeasured]}))
    assert code == 1 and "no such route" in text
    unmeasured["route_asked"] = "tile"
    assert table(report([cell()], **{field: [unmeasured]}))[0] == 0, "a forced route may refuse"


def test_an_error_of_the_run_is_shown(table):
    code, text = table(report([cell()], error="illegal memory access"))
    assert code == 1 and "illegal memory access" in text


def test_other_options_stay_out_of_the_table(table):
    others = [
        cell(order="score"), cell(dtype="float16"), cell(mode="cold"), cell(lengths="full"), cell(split_asked=4),
        cell(threads_asked=512), cell(route_asked="sieve"),
    ]  # fmt: skip
    code, text = table(report([cell(), *others]))
    assert code == 0
    row_of(text, "| 1024 |")
    _, text = table(report([cell(), *others]), arguments=["--order", "score"])
    assert "order score" in text
    row_of(text, "| 1024 |")


def test_modes_use_their_own_baseline(table):
    baseline = "1024,262144,512,warm,100,150,p\n1024,262144,512,cold,100,300,p\n"
    _, text = table(report([cell(ratio=1.2, mode="cold")]), baseline=baseline, arguments=["--mode", "cold"])
    assert row_of(text, "| 1024 |")[9] == "0.40"


def test_shapes_without_a_public_time(table):
    _, text = table(report([cell()]), baseline="1024,262144,512,warm,100,,\n1024,262144,1024,warm,100,150,p\n")
    assert row_of(text, "| 1024 |")[9] == "-"


def test_robustness_against_normal_of_the_same_report(table):
    shape = {"rows": 1024, "width": 131072, "floor": 100.0}
    good = [cell(**shape, ratio=2.0, distribution=name) for name in speed_table.ROBUST_DISTRIBUTIONS]
    good[-1] = cell(**shape, ratio=4.0, distribution="defeats_sample", max_second_reads=1)
    robust = report([cell(**shape, ratio=1.0), *good])
    # The first report has another, faster N(0,1): it must not serve as the yardstick.
    code, text = table(report([cell(**shape, ratio=0.5), cell()]), robust, arguments=["--strict"])
    assert code == 0, text
    assert "Goals against N(0,1) at 1024 x 131072: all met." in text
    assert row_of(text, "| defeats_sample |")[5:] == ["4.00", "1", "0.25", "met"]

    robust["cells"][1]["median_us"] = 201.0
    code, text = table(report([cell()]), robust, arguments=["--strict"])
    assert code == 1
    assert row_of(text, "| constant |")[-1] == "**MISS** 2.00"
    assert "- constant k=512: 2.010x N(0,1), goal 2.00x" in text


def test_distributions_that_were_not_measured_are_named(table):
    shape = {"rows": 1024, "width": 131072}
    cells = [cell(**shape), cell(**shape, distribution="relu", max_second_reads=None, mean_compactions=None)]
    _, text = table(report(cells))
    assert "- constant k=512: not measured" in text
    assert row_of(text, "| relu |")[6:8] == ["-", "-"]


def test_bad_input(table, tmp_path, capsys):
    assert table(report([cell()], schema="other/1"))[0] == 2
    assert "expected schema keysieve.gpu_bench/1, got other/1" in capsys.readouterr().err
    assert table(report([cell(), cell()]))[0] == 2
    assert "is there twice" in capsys.readouterr().err
    assert table(report([]))[0] == 2
    assert "no N(0,1) cell" in capsys.readouterr().err
    assert table(report([cell()]), baseline="")[0] == 2
    assert "no line of mode warm" in capsys.readouterr().err
    incomplete = cell()
    del incomplete["floor_us"]
    assert table(report([incomplete]))[0] == 2
    assert "no field 'floor_us'" in capsys.readouterr().err
    (tmp_path / "broken.json").write_text("{")
    assert speed_table.main([str(tmp_path / "broken.json"), "--baseline", str(tmp_path / "baseline.csv")]) == 2
