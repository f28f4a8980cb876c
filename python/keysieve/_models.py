"""Known models: what their indexers select, and the plans of a decode step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from . import _options as opt
from ._library import ffi
from ._plan import SelectPlan, plan


@dataclass(frozen=True)
class ModelPart:
    """One selection of a model; None: not known, or there is none.

    A key stands for ``ratio`` tokens, so a row has ``context // ratio`` columns, ``max_columns`` at most
    (``max_context`` tokens). A selected column becomes ``expand`` positions. A source layer publishes
    ``candidate_blocks`` blocks of ``block_columns`` columns, which are all that its consumers score. ``inferred`` names
    the fields that were worked out and not published.
    """

    model: str
    part: str | None
    heads: int | None
    head_dim: int | None
    rotary_dim: int | None
    k: int
    ratio: int
    max_columns: int | None
    max_context: int | None
    expand: int
    candidate_blocks: int | None
    block_columns: int | None
    key_format: str
    slot_bytes: int | None
    score_type: str
    page_slots: int | None
    layers: str | None
    inferred: str | None


@dataclass(frozen=True)
class ModelPlan:
    """What one part of a model selects in a decode step, and how. ``score_bytes`` is the size of its score buffer."""

    part: ModelPart
    plan: SelectPlan
    score_bytes: int


def models() -> tuple[ModelPart, ...]:
    """Every part of every known model, a model's own side by side.

    >>> import keysieve
    >>> sorted({part.model for part in keysieve.models()})[:2]
    ['glm-5', 'glm-5.3-flash']
    """
    return tuple(ModelPart(**fields) for fields in json.loads(str(ffi.model_presets_json())))


def plan_model(model: str, *, context: int, batch: int = 1, next_n: int = 1, **options: Any) -> tuple[ModelPlan, ...]:
    """Plans of all selections that a model makes in a decode step.

    Args:
        model: a name of :func:`models`.
        context: tokens of each request, 1 or more.
        batch: requests, 0 or more.
        next_n: rows a request, more than 1 with draft tokens.
        options: of :func:`keysieve.plan` but for rows, width and k. ``score_dtype`` is the model's unless given.

    Raises:
        ValueError: a model that is not known, or a context that is longer than the model's.
        As :func:`keysieve.plan`.

    >>> import keysieve
    >>> [step.plan.problem.width for step in keysieve.plan_model("v4.1-flash", context=1 << 20, batch=64)]
    [524288, 1048576, 16384]
    """
    for name in ("rows", "width", "k"):
        if name in options:
            raise TypeError(f"{name}: expected it to be left to the model, got {options[name]!r}")
    if not isinstance(model, str):
        raise TypeError(f"model: expected a name, got {model!r}")
    sizes = (opt.integer("context", context), opt.integer("batch", batch), opt.integer("next_n", next_n))
    # The first call names the models where there is none of that name.
    ffi.model_step(model, 0, *sizes)
    plans = []
    for number, part in enumerate(part for part in models() if part.model == model):
        rows, width, k = (int(value) for value in ffi.model_step(model, number, *sizes))
        made = plan(rows=rows, width=width, k=k, **{"score_dtype": part.score_type, **options})
        score_bytes = rows * width * (4 if made.problem.score_type == "float32" else 2)
        plans.append(ModelPlan(part, made, score_bytes))
    return tuple(plans)
