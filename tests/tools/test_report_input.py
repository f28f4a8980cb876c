"""keysieve report: what is read and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import report_fixtures as made
from cli_helpers import run
from report_fixtures import BASELINE_HEADER, bench, cell, write

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "other/1"}, 'schema: expected keysieve.bench/1, keysieve.audit/1 or keysieve.toolchain/1, found "other'),
        ({"schema": None}, "schema: expected a value, found no such key"),
        ({"schema": 3}, "schema: expected a text, found 3"),
        ({"cells": None}, "cells: expected a value, found no such key"),
        ({"cells": {}}, "cells: expected an array, found an object"),
        ({"cells": [cell(), 3]}, "cells[1]: expected an object, found 3"),
        ({"cells": [cell(rows=0)]}, "cells[0].rows: expected an integer, 1 or more, found 0"),
        ({"cells": [cell(k=2**70)]}, "cells[0].k: expected"),
        ({"cells": [cell(width=2**31)]}, "cells[0].width: expected at most 2147483647, found 2147483648"),
        ({"cells": [cell(), cell(median_us="fast")]}, 'cells[1].median_us: expected a number, found "fast"'),
        ({"cells": [cell(median_us=None)]}, "cells[0].median_us: expected a value, found no such key"),
        ({"cells": [cell(median_us=-1)]}, "cells[0].median_us: expected a number above 0, found -1"),
        ({"cells": [cell(values="no")]}, 'cells[0].values: expected true or false, found "no"'),
        ({"cells": [cell(distribution=[])]}, "cells[0].distribution: expected a text, found an array"),
        ({"failed": [{}]}, "failed[0].rows: expected an integer, 1 or more, found no such key"),
        ({"fingerprint": []}, "fingerprint: expected an object, found an array"),
        ({"wrong_cells": -1}, "wrong_cells: expected an integer, 0 or more, found -1"),
    ],
)
def test_documents_that_break_the_schema(report, change, message):
    code, page, markdown, errors = report(bench([cell()]), {**bench([cell()]), **change})
    assert (code, page, markdown) == (2, "", "")
    assert f"result1.json: {message}" in errors and errors.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "keysieve.bench/1", "cells": [1e999]}', "{}x", "\x00",
                                  '"' + "[" * 100000])
def test_files_that_are_not_json_objects(tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    result = run("report", path, "-o", tmp_path / "page.html")
    assert result.returncode == 2 and f"{path}: " in result.stderr and result.stderr.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["broken.json"]


def test_deep_nesting_is_refused_or_read_but_never_a_crash(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"schema": "keysieve.bench/1", "cells": [], "more": ' + "[" * 200000 + "]" * 200000 + "}")
    assert run("report", path, "-o", tmp_path / "page.html").returncode in (0, 2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 0: expected a line of column names, found an empty file"),
        (BASELINE_HEADER, "expected a line with a best_us, found none"),
        ("rows,width\n1,2\n", "line 2: expected a column best_us, found none"),
        (BASELINE_HEADER + "1,2,3,warm,1,x,p,\n", "line 2: expected a number above 0 for column best_us, found 'x'"),
        (BASELINE_HEADER + "1,2,3,warm,0,1,p,\n", "line 2: expected a number above 0 for column read_floor_us, found '0'"),
        (BASELINE_HEADER + "1.5,2,3,warm,1,1,p,\n", "line 2: expected an integer for column rows, found '1.5'"),
        (BASELINE_HEADER + "1,2,3,warm,1\n", "line 2: expected a field for column best_us, found the end of the line"),
        (BASELINE_HEADER + '1,2,3,"warm",1,1,p,\n', "expected no quoted fields, found a quote"),
    ],
)
def test_baselines_that_cannot_be_read(tmp_path, content, message):
    write(tmp_path, result=bench([cell()]))
    (tmp_path / "baseline.csv").write_text(content)
    result = run("report", tmp_path / "result.json", "-o", tmp_path / "page.html", "--baseline",
                 tmp_path / "baseline.csv")
    assert result.returncode == 2 and message in result.stderr and "baseline.csv: " in result.stderr
    assert not (tmp_path / "page.html").exists()


def test_usage(tmp_path):
    write(tmp_path, result=bench([cell()]))
    path = tmp_path / "result.json"
    content = path.read_bytes()
    assert "-o: expected an output" in run("report", path).stderr
    result = run("report", path, "-o", path)
    assert result.returncode == 2 and "expected an output of its own, found an input" in result.stderr
    result = run("report", path, "-o", tmp_path / "x", "--markdown", tmp_path / "x")
    assert result.returncode == 2 and "expected another file than the page" in result.stderr
    assert run("report", "-o", tmp_path / "x").returncode == 2
    missing = run("report", tmp_path / "none.json", "-o", tmp_path / "x")
    assert missing.returncode == 2 and "none.json" in missing.stderr
    assert path.read_bytes() == content and sorted(p.name for p in tmp_path.iterdir()) == ["result.json"]
    result = run("report", path, "-o", tmp_path / "page.html")
    assert result.returncode == 0
    assert result.stdout == f"1 cell of 1 file, 0 wrong; wrote {tmp_path / 'page.html'}\n"


@pytest.mark.parametrize("name", ["grid", "routes", "scores", "peers", "audit"])
def test_the_fixtures_conform_to_their_schemas(name):
    document = getattr(made, name)()
    schema = document["schema"].removeprefix("keysieve.").replace("/", "-")
    if not (SCHEMAS / f"{schema}.schema.json").exists():
        pytest.skip(f"schemas/{schema}.schema.json: expected the schema of the instrument, found none")
    schema_support = pytest.importorskip("schema_support")
    schema_support.validate(document, schema)
