"""keysieve: exact top-k selection over ragged rows of indexer scores, turned into cache slots.

The entry points are :func:`select` (the k best columns of every row), :func:`transform` (positions to cache
slots), :func:`row_lengths` (request lengths to row lengths), :func:`plan` and :func:`supports` (what would run
and why not), :func:`models` and :func:`plan_model` (the same for known models), :func:`prepare` and :func:`system`; :class:`Shadow` checks a share of live calls. Arrays are NumPy arrays or torch tensors; torch is optional
and never imported from here.
"""

from __future__ import annotations

from ._candidates import (
    CandidateLengths,
    CandidateSlots,
    FilteredPages,
    FinishedSelection,
    SortedBlocks,
    block_max,
    candidate_lengths,
    candidate_slots,
    filter_pages,
    finalize_selection,
    finish_flat,
    finish_paged,
    sort_blocks,
)
from ._context import context_guard, score_bytes, selection_stamp
from ._engram import engram_gather
from ._indexer_keys import (
    QuantisedQueries,
    QuantisedVectors,
    fp4_gather,
    fp4_indexer_key,
    fp4_indexer_query,
    fp4_quantise,
    fp4_store,
    fp8_gather,
    fp8_quantise,
    fp8_store,
)
from ._library import ffi as _ffi
from ._models import ModelPart, ModelPlan, models, plan_model
from ._plan import SelectPlan, SelectProblem, plan, supports
from ._publish import BlockTopkResult, PublishResult, block_topk, publish
from ._q_rope import q_rope_store
from ._rmsnorm import RmsnormMxfp8Result, hc_rmsnorm_mxfp8, mxfp8_scale_bytes, rmsnorm_mxfp8
from ._select import SelectResult, select
from ._shadow import Shadow, ShadowError, ShadowReport, WrongRow
from ._small_gemm import small_gemm
from ._system import prepare, system
from ._transform import row_lengths, transform

__version__: str = str(_ffi.version())

# Bits of `error_word`.
ERROR_BAD_PAGE = 0x1
ERROR_LENGTH_CLAMPED = 0x2
ERROR_START_OUTSIDE = 0x4
ERROR_INDEX_OVERFLOW = 0x8
ERROR_NAN_SEEN = 0x10
ERROR_BAD_ID = 0x20
ERROR_BAD_POSITION = 0x40
ERROR_STALE_SELECTION = 0x80
ERROR_CONTEXT_EXCEEDED = 0x100

__all__ = [
    "BlockTopkResult",
    "ERROR_BAD_ID",
    "ERROR_BAD_PAGE",
    "ERROR_BAD_POSITION",
    "ERROR_CONTEXT_EXCEEDED",
    "ERROR_INDEX_OVERFLOW",
    "ERROR_LENGTH_CLAMPED",
    "ERROR_NAN_SEEN",
    "ERROR_STALE_SELECTION",
    "ERROR_START_OUTSIDE",
    "CandidateLengths",
    "CandidateSlots",
    "FilteredPages",
    "FinishedSelection",
    "ModelPart",
    "ModelPlan",
    "PublishResult",
    "QuantisedQueries",
    "QuantisedVectors",
    "RmsnormMxfp8Result",
    "SelectPlan",
    "SelectProblem",
    "SelectResult",
    "Shadow",
    "ShadowError",
    "ShadowReport",
    "SortedBlocks",
    "WrongRow",
    "__version__",
    "block_max",
    "block_topk",
    "candidate_lengths",
    "candidate_slots",
    "context_guard",
    "engram_gather",
    "filter_pages",
    "finalize_selection",
    "finish_flat",
    "finish_paged",
    "fp4_gather",
    "fp4_indexer_key",
    "fp4_indexer_query",
    "fp4_quantise",
    "fp4_store",
    "fp8_gather",
    "fp8_quantise",
    "fp8_store",
    "hc_rmsnorm_mxfp8",
    "models",
    "mxfp8_scale_bytes",
    "plan",
    "plan_model",
    "prepare",
    "publish",
    "q_rope_store",
    "rmsnorm_mxfp8",
    "row_lengths",
    "score_bytes",
    "select",
    "selection_stamp",
    "small_gemm",
    "sort_blocks",
    "supports",
    "system",
    "transform",
]
