// FlashInfer's native selection for ragged rows, top_k_ragged_transform with offsets of 0, called through its headers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <flashinfer/math.cuh>  // topk.cuh needs it and does not include it
#include <flashinfer/topk.cuh>
#include <limits>
#include <memory>
#include <vector>

#include "../support/cuda_adapter.hpp"

namespace {

using flashinfer::sampling::FILTERED_TOPK_MAX_K;
using flashinfer::sampling::RadixRowState;
using flashinfer::sampling::TopKTieBreak;

constexpr const char* kVersion = "flashinfer-python 0.7.4";
constexpr std::size_t kRowStatesBytes = std::size_t{1} << 20;  // what FlashInfer's own Python layer takes
constexpr std::uintptr_t kVectorBytes = 16;

// A row state that the kernels leave zeroed, hence one a problem and calls of a problem in stream order; offsets of 0;
// lengths for calls that give none.
struct State {
  keysieve_select_problem problem;
  peers::DeviceMemory row_states;
  peers::DeviceMemory zero_offsets;
  peers::DeviceMemory full_lengths;
};

cudaError_t fill_int32(peers::DeviceMemory& memory, std::int64_t count, std::int32_t value) {
  const std::vector<std::int32_t> values(static_cast<std::size_t>(count), value);
  const std::size_t bytes = values.size() * sizeof(value);
  if (const auto error = memory.allocate(bytes)) return error;
  return cudaMemcpy(memory.data(), values.data(), bytes, cudaMemcpyHostToDevice);
}

template <bool kDeterministic, TopKTieBreak kTieBreak, typename Score>
cudaError_t select(const State& state, const keysieve_select_args& args, cudaStream_t stream) {
  const auto& problem = state.problem;
  // Neither scores nor lengths are written; FlashInfer's signatures lack the const.
  return flashinfer::sampling::TopKRaggedTransformDispatch<Score, std::int32_t>(
      const_cast<Score*>(static_cast<const Score*>(args.scores)), static_cast<std::int32_t*>(args.indices),
      static_cast<const std::int32_t*>(state.zero_offsets.data()),
      const_cast<std::int32_t*>(args.lengths ? args.lengths
                                             : static_cast<const std::int32_t*>(state.full_lengths.data())),
      nullptr, static_cast<std::uint32_t>(problem.rows), static_cast<std::uint32_t>(problem.k),
      static_cast<std::uint32_t>(problem.width), static_cast<RadixRowState*>(state.row_states.data()), kDeterministic,
      kTieBreak, stream);
}

template <TopKTieBreak kTieBreak>
const char* unmet_conditions(const keysieve_select_problem* problem) {
  if (problem->device_type != KEYSIEVE_DEVICE_CUDA) return "device_type: expected cuda";
  if (problem->index_type != KEYSIEVE_INT32) return "index_type: expected int32";
  if (kTieBreak != TopKTieBreak::None && problem->k > FILTERED_TOPK_MAX_K) return "k: expected at most 2048";
  if (problem->width < 1) return "width: expected 1 or more";
  // Its kernels count slots with 32 bits.
  if (problem->rows > 0 && problem->k > std::numeric_limits<std::uint32_t>::max() / problem->rows) {
    return "rows * k: expected below 2^32";
  }
  return peers::unmet_raw_selection(*problem);
}

keysieve_status create(const keysieve_select_problem* problem, void** state_out, std::int64_t* workspace_bytes) {
  return peers::guarded([&]() -> keysieve_status {
    const peers::DeviceScope device(problem->device_ordinal);
    if (device.error() != cudaSuccess) return peers::fail_cuda(device.error(), "cudaSetDevice");
    auto state = std::make_unique<State>();
    state->problem = *problem;
    *workspace_bytes = 0;
    if (problem->rows > 0) {
      if (const auto error = fill_int32(state->zero_offsets, problem->rows, 0)) {
        return peers::fail_cuda(error, "offsets");
      }
      if (const auto error =
              fill_int32(state->full_lengths, problem->rows, static_cast<std::int32_t>(problem->width))) {
        return peers::fail_cuda(error, "lengths");
      }
      if (const auto error = state->row_states.allocate(kRowStatesBytes)) return peers::fail_cuda(error, "cudaMalloc");
      if (const auto error = cudaMemset(state->row_states.data(), 0, kRowStatesBytes)) {
        return peers::fail_cuda(error, "cudaMemset");
      }
      // The stream of the first call need not wait for this one.
      if (const auto error = cudaDeviceSynchronize()) return peers::fail_cuda(error, "cudaDeviceSynchronize");
    }
    *state_out = state.release();
    return KEYSIEVE_OK;
  });
}

template <bool kDeterministic, TopKTieBreak kTieBreak>
keysieve_status run(void* state_in, const keysieve_select_args* args, void* stream_in) {
  return peers::guarded([&]() -> keysieve_status {
    const auto& state = *static_cast<const State*>(state_in);
    const auto& problem = state.problem;
    auto* const stream = static_cast<cudaStream_t>(stream_in);
    if (const char* condition = peers::unmet_raw_tensors(*args)) return peers::fail(KEYSIEVE_UNSUPPORTED, condition);
    if (args->score_row_stride != problem.width) {
      return peers::fail(KEYSIEVE_UNSUPPORTED, "score_row_stride: expected the width");
    }
    if (args->indices_row_stride != problem.k)
      return peers::fail(KEYSIEVE_UNSUPPORTED, "indices_row_stride: expected k");
    if (reinterpret_cast<std::uintptr_t>(args->scores) % kVectorBytes != 0) {
      return peers::fail(KEYSIEVE_UNSUPPORTED, "scores: expected an address that is a multiple of 16");
    }
    if (problem.rows == 0) return KEYSIEVE_OK;
    const peers::DeviceScope device(problem.device_ordinal);
    if (device.error() != cudaSuccess) return peers::fail_cuda(device.error(), "cudaSetDevice");

    cudaError_t error = cudaErrorInvalidValue;
    if (problem.score_type == KEYSIEVE_FLOAT32) error = select<kDeterministic, kTieBreak, float>(state, *args, stream);
    if (problem.score_type == KEYSIEVE_BFLOAT16) {
      error = select<kDeterministic, kTieBreak, __nv_bfloat16>(state, *args, stream);
    }
    if (problem.score_type == KEYSIEVE_FLOAT16) error = select<kDeterministic, kTieBreak, __half>(state, *args, stream);
    return error == cudaSuccess ? KEYSIEVE_OK : peers::fail_cuda(error, "TopKRaggedTransformDispatch");
  });
}

void destroy(void* state) { delete static_cast<State*>(state); }

const char* last_error() { return peers::error_text().c_str(); }

template <bool kDeterministic, TopKTieBreak kTieBreak>
constexpr keysieve_peer table(const char* name, std::uint32_t promises) {
  return {sizeof(keysieve_peer),
          KEYSIEVE_PEER_ABI_VERSION,
          name,
          kVersion,
          promises,
          0,
          unmet_conditions<kTieBreak>,
          create,
          run<kDeterministic, kTieBreak>,
          destroy,
          last_error};
}

constexpr keysieve_peer kPlain =
    table<false, TopKTieBreak::None>("flashinfer_topk", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_CAPTURABLE);
constexpr keysieve_peer kSmallIndex = table<false, TopKTieBreak::Small>(
    "flashinfer_topk_small_index", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST | KEYSIEVE_PEER_CAPTURABLE);
constexpr keysieve_peer kDeterministic = table<true, TopKTieBreak::Small>(
    "flashinfer_topk_deterministic",
    KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST | KEYSIEVE_PEER_REPRODUCIBLE | KEYSIEVE_PEER_CAPTURABLE);

}  // namespace

extern "C" const keysieve_peer* keysieve_peer_at(std::int32_t index) {
  if (index == 0) return &kPlain;
  if (index == 1) return &kSmallIndex;
  if (index == 2) return &kDeterministic;
  return nullptr;
}
