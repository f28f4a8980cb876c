"""Holding documents against the JSON schemas of schemas/. Also a program: schema_support.py FILE.json..."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from pathlib import Path

import jsonschema
from referencing import Registry, Resource

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"


class Invalid(AssertionError):
    """Names every place that does not conform."""


def schema_names() -> list[str]:
    """"doctor-1" for every file."""
    return sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json"))


def load_schema(name: str) -> dict:
    path = SCHEMAS / f"{name}.schema.json"
    if not path.is_file():
        raise FileNotFoundError(f"schema {name}: expected one of {', '.join(schema_names())}")
    return json.loads(path.read_text())


def schema_of(document: object) -> str | None:
    """"doctor-1" for a document whose schema is "keysieve.doctor/1"; None for one that names no schema of that form."""
    named = document.get("schema") if isinstance(document, dict) else None
    match = re.fullmatch(r"keysieve\.([a-z0-9_]+)/([0-9]+)", named) if isinstance(named, str) else None
    return f"{match[1]}-{match[2]}" if match else None


def _closed(schema):
    """The same schema with every object that names its keys closed to others."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: value if key in ("enum", "const", "if", "then", "else") else _closed(value)
           for key, value in schema.items()}
    # "properties" of an object schema, not a key that happens to be called so.
    if out.get("type") in ("object", ["object", "null"]) and "properties" in out:
        out.setdefault("additionalProperties", False)
    return out


@cache
def _validator(name: str, closed: bool) -> jsonschema.Draft202012Validator:
    prepare = _closed if closed else lambda schema: schema
    registry = Registry()
    for each in schema_names():
        schema = prepare(load_schema(each))
        if "$id" in schema:
            registry = registry.with_resource(schema["$id"], Resource.from_contents(schema))
    return jsonschema.Draft202012Validator(prepare(load_schema(name)), registry=registry)


def validate(document: object, name: str, closed: bool = False) -> None:
    """Raises Invalid where `document` does not conform to schemas/NAME.schema.json; with `closed` also where it holds
    keys that the schema does not name."""
    errors = sorted(_validator(name, closed).iter_errors(document), key=lambda error: list(map(str, error.path)))
    if errors:
        raise Invalid("\n".join(f"{name}: {error.json_path}: {error.message[:300]}" for error in errors))


def main(paths: list[str]) -> int:
    if not paths:
        print("usage: schema_support.py FILE.json...", file=sys.stderr)
        return 2
    status = 0
    for path in paths:
        try:
            document = json.loads(Path(path).read_text())
            name = schema_of(document)
            if name is None:
                raise ValueError('expected a key "schema" such as "keysieve.doctor/1"')
            validate(document, name)
            print(f"{path}: conforms to {name}")
        except Invalid as error:
            print(f"{path}: {error}", file=sys.stderr)
            status = max(status, 1)
        except (OSError, ValueError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
