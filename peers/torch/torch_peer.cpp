// torch.topk through libtorch's C++ API, on tensors that are views of the caller's memory; on the CPU and on CUDA.
//
// It has no lengths: torch_topk serves whole rows alone. torch_topk_masked does what its users do with ragged rows, a
// copy of the scores with -inf past each row's length. That copy is part of its time, and it is not EXACT: a row's own
// -inf and the filler's are equal, so that a filler can displace a live column.
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ge.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/topk.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "../support/adapter.hpp"
#include "stream_scope.hpp"

namespace {

constexpr const char* kVersion = "libtorch " TORCH_VERSION;

// Everything that a call writes besides its output, so that run allocates what torch.topk itself does and nothing more.
struct State {
  keysieve_select_problem problem;
  at::TensorOptions scores;
  std::int64_t selected;  // torch.topk refuses k beyond the width
  at::Tensor values, indices;
  at::Tensor columns, filler, live, masked, outside;  // torch_topk_masked only
};

at::Device device_of(const keysieve_select_problem& problem) {
  if (problem.device_type == KEYSIEVE_DEVICE_CPU) return at::Device(at::kCPU);
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(problem.device_ordinal));
}

at::ScalarType score_type_of(const keysieve_select_problem& problem) {
  if (problem.score_type == KEYSIEVE_BFLOAT16) return at::kBFloat16;
  return problem.score_type == KEYSIEVE_FLOAT16 ? at::kHalf : at::kFloat;
}

// Views take no part in inference mode's bookkeeping: torch writes into them, and never into the scores.
at::Tensor view(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                const at::TensorOptions& options) {
  return at::from_blob(const_cast<void*>(data), {rows, columns}, {row_stride, 1}, options);
}

const char* unmet_conditions(const keysieve_select_problem* problem) {
  if (problem->device_type == KEYSIEVE_DEVICE_CUDA && !peers::kServesCuda) {
    return "device_type: expected cpu, this adapter was built against a libtorch without CUDA";
  }
  if (problem->device_type == KEYSIEVE_DEVICE_CPU && problem->score_type != KEYSIEVE_FLOAT32) {
    return "score_type: expected float32 on the CPU";
  }
  return peers::unmet_raw_selection(*problem);
}

template <bool kMasked>
keysieve_status create(const keysieve_select_problem* problem, void** state_out, std::int64_t* workspace_bytes) {
  return peers::guarded([&]() -> keysieve_status {
    const c10::InferenceMode inference;
    const at::Device device = device_of(*problem);
    const std::int64_t rows = problem->rows, width = problem->width;
    auto state = std::make_unique<State>();
    state->problem = *problem;
    state->scores = at::TensorOptions().device(device).dtype(score_type_of(*problem));
    state->selected = std::min(problem->k, width);
    state->values = at::empty({rows, state->selected}, state->scores);
    state->indices = at::empty({rows, state->selected}, state->scores.dtype(at::kLong));
    if (kMasked) {
      state->columns = at::arange(width, state->scores.dtype(at::kInt)).unsqueeze(0);
      state->filler = at::full({}, -std::numeric_limits<double>::infinity(), state->scores);
      state->live = at::empty({rows, width}, state->scores.dtype(at::kBool));
      state->masked = at::empty({rows, width}, state->scores);
      state->outside = at::empty({rows, state->selected}, state->scores.dtype(at::kBool));
    }
    *workspace_bytes = 0;
    peers::synchronize(device);
    *state_out = state.release();
    return KEYSIEVE_OK;
  });
}

template <bool kMasked>
keysieve_status run(void* state_in, const keysieve_select_args* args, void* stream) {
  return peers::guarded([&]() -> keysieve_status {
    auto& state = *static_cast<State*>(state_in);
    const auto& problem = state.problem;
    if (const char* condition = peers::unmet_raw_tensors(*args)) return peers::fail(KEYSIEVE_UNSUPPORTED, condition);
    if (args->lengths && !kMasked) return peers::fail(KEYSIEVE_UNSUPPORTED, "lengths: expected NULL, rows are whole");
    if (problem.rows == 0) return KEYSIEVE_OK;
    const c10::InferenceMode inference;
    const at::Device device = device_of(problem);
    const peers::StreamScope scope(device, stream);

    const at::Tensor scores = view(args->scores, problem.rows, problem.width, args->score_row_stride, state.scores);
    const bool wide = problem.index_type == KEYSIEVE_INT64;
    const at::Tensor out = view(args->indices, problem.rows, problem.k, args->indices_row_stride,
                                state.scores.dtype(wide ? at::kLong : at::kInt));
    at::Tensor lengths;
    if (args->lengths) {
      lengths = view(args->lengths, problem.rows, 1, 1, state.scores.dtype(at::kInt));
      at::lt_out(state.live, state.columns, lengths);
      at::where_out(state.masked, state.live, scores, state.filler);
    }
    if (state.selected > 0) {
      at::topk_out(state.values, state.indices, args->lengths ? state.masked : scores, state.selected, 1, true, false);
      if (args->lengths) {
        at::ge_out(state.outside, state.indices, lengths);
        state.indices.masked_fill_(state.outside, -1);
      }
      out.slice(1, 0, state.selected).copy_(state.indices);
    }
    if (problem.k > state.selected) out.slice(1, state.selected, problem.k).fill_(-1);
    return KEYSIEVE_OK;
  });
}

void destroy(void* state) { delete static_cast<State*>(state); }

const char* last_error() { return peers::error_text().c_str(); }

template <bool kMasked>
constexpr keysieve_peer table(const char* name, std::uint32_t promises) {
  return {sizeof(keysieve_peer), KEYSIEVE_PEER_ABI_VERSION, name,         kVersion, promises,  0,
          unmet_conditions,      create<kMasked>,           run<kMasked>, destroy,  last_error};
}

constexpr keysieve_peer kWhole = table<false>("torch_topk", KEYSIEVE_PEER_EXACT);
constexpr keysieve_peer kMasked = table<true>("torch_topk_masked", KEYSIEVE_PEER_ANY_LENGTH);

}  // namespace

extern "C" const keysieve_peer* keysieve_peer_at(std::int32_t index) {
  if (index == 0) return &kWhole;
  if (index == 1) return &kMasked;
  return nullptr;
}
