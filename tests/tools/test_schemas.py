"""The schemas themselves, and every committed result that names one."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from schema_support import Invalid, SCHEMAS, load_schema, main, schema_names, schema_of, validate

RESULTS = SCHEMAS.parent / "results"


def results_with_a_schema() -> list[Path]:
    return [path for path in sorted(RESULTS.rglob("*.json"))
            if schema_of(json.loads(path.read_text())) in schema_names()]


def objects_of(schema):
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and "type" in schema:
            yield schema
        for value in schema.values():
            yield from objects_of(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from objects_of(each)


@pytest.mark.parametrize("name", schema_names())
def test_every_schema_is_valid(name):
    schema = load_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    tool, version = name.rsplit("-", 1)
    assert schema["properties"]["schema"]["const"] == f"keysieve.{tool}/{version}"
    assert "schema" in schema["required"]


@pytest.mark.parametrize("name", schema_names())
def test_what_is_required_is_described(name):
    for each in objects_of(load_schema(name)):
        assert set(each.get("required", [])) <= set(each["properties"]), each


@pytest.mark.parametrize("path", results_with_a_schema(), ids=lambda path: str(path.relative_to(RESULTS)))
def test_committed_results_conform(path):
    document = json.loads(path.read_text())
    validate(document, schema_of(document))


def test_some_results_are_checked():
    assert {schema_of(json.loads(path.read_text())) for path in results_with_a_schema()} >= {"doctor-1"}


def test_names_of_schemas():
    assert schema_of({"schema": "keysieve.gpu_suite/12"}) == "gpu_suite-12"
    for other in ({}, [], 3, None, {"schema": 7}, {"schema": "doctor/1"}, {"schema": "keysieve.doctor/x"}):
        assert schema_of(other) is None
    with pytest.raises(FileNotFoundError, match="doctor-1"):
        validate({}, "nothing-1")


@pytest.fixture
def doctor():
    return json.loads((RESULTS / "h200" / "2026-11-29-doctor.json").read_text())


@pytest.mark.parametrize("path, value", [
    ("schema", "keysieve.doctor/2"), ("ok", 1), ("problems", "none"), ("self_test", []),
    ("self_test.0.cases", -1), ("self_test.0.backend", "gpu"), ("system.cpu.threads", 0),
    ("system.cuda.toolkit", "thirteen"), ("system.cuda.devices.0.key_order_self_test", "probably"),
    ("system.cpu.loaded", False), ("ok", False), ("problems", ["something"]), ("system", 3),
])
def test_documents_that_do_not_conform(doctor, path, value):
    validate(doctor, "doctor-1")
    *way, last = path.split(".")
    place = doctor
    for step in way:
        place = place[int(step)] if step.isdigit() else place[step]
    place[last] = value
    with pytest.raises(Invalid, match="doctor-1"):
        validate(doctor, "doctor-1")


def test_closed_schemas_know_every_key(doctor):
    doctor["system"]["cuda"]["devices"][0]["colour"] = "green"
    validate(doctor, "doctor-1")
    with pytest.raises(Invalid, match="doctor-1"):
        validate(doctor, "doctor-1", closed=True)


def test_the_program(tmp_path, capsys, doctor):
    good, bad, other = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "other.json"
    good.write_text(json.dumps(doctor))
    bad.write_text(json.dumps({**doctor, "ok": False}))
    other.write_text("[]")
    assert main([str(good)]) == 0
    assert main([str(good), str(bad)]) == 1
    assert "bad.json" in capsys.readouterr().err
    assert main([str(other)]) == 2
    assert main([str(tmp_path / "absent.json")]) == 2
    assert main([]) == 2
