"""models and plan_model."""

from __future__ import annotations

import dataclasses

import keysieve
import pytest


def test_parts_are_plain_data():
    parts = keysieve.models()
    assert parts == keysieve.models() and len({(part.model, part.part) for part in parts}) == len(parts)
    known = {part.model for part in parts}
    assert {"v3.2", "glm-5", "v4-flash", "v4-pro", "v4.1-flash"} <= known
    with pytest.raises(dataclasses.FrozenInstanceError):
        parts[0].k = 3
    unknown = next(part for part in parts if part.model == "qwen3.8-flash-next")
    assert unknown.heads is None and unknown.key_format == "unknown" and unknown.slot_bytes is None


def test_a_step_has_a_plan_for_every_part():
    steps = keysieve.plan_model("v4.1-flash", context=1 << 20, batch=64, next_n=2, device="h200")
    assert [step.part.part for step in steps] == ["encoder", "decoder source", "decoder consumers"]
    assert [step.plan.problem.width for step in steps] == [1 << 19, 1 << 20, 2048 * 8]
    assert all(step.plan.problem.rows == 128 and step.plan.problem.k == 512 for step in steps)
    assert [step.plan.problem.score_type for step in steps] == ["float32", "float32", "bfloat16"]
    assert [step.score_bytes for step in steps] == [128 << 21, 128 << 22, 128 << 15]
    source = steps[1]
    assert source.plan == keysieve.plan(rows=128, width=1 << 20, k=512, device="h200")


def test_options_go_to_the_plan():
    (step,) = keysieve.plan_model("v3.2", context=4096, score_dtype="float16", order="any", mode="paged", threads=2)
    problem = step.plan.problem
    assert (problem.score_type, problem.order, problem.mode, step.plan.threads) == ("float16", "any", "paged", 2)
    assert step.score_bytes == 2 * 4096
    assert keysieve.plan_model("v3.2", context=4096, batch=0)[0].plan.problem.rows == 0


@pytest.mark.parametrize(("arguments", "error", "text"), [
    ({"model": "v3", "context": 5}, ValueError, "model: expected one of v3.2, glm-5"),
    ({"model": 3, "context": 5}, TypeError, "model: expected a name, got 3"),
    ({"model": "v3.2", "context": 163841}, ValueError, "context: expected 1..163840, got 163841"),
    ({"model": "v3.2", "context": "1M"}, TypeError, "context"),
    ({"model": "v3.2", "context": 5, "batch": -1}, ValueError, "batch: expected 0..2147483647, got -1"),
    ({"model": "v3.2", "context": 5, "next_n": 0}, ValueError, "next_n: expected 1..2147483647, got 0"),
    ({"model": "v3.2", "context": 5, "k": 3}, TypeError, "k: expected it to be left to the model, got 3"),
    ({"model": "v3.2", "context": 5, "order": "up"}, ValueError, "order"),
])
def test_refusals(arguments, error, text):
    with pytest.raises(error) as refused:
        keysieve.plan_model(**arguments)
    assert text in str(refused.value)
