// cub::DeviceBatchedTopK as a keysieve peer: one segment a row, keys are the scores, values the columns, keys dropped.
// The two translation units beside it differ in the headers they are compiled against and in what those offer.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/__execution/determinism.h>
#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cuda/__execution/tie_break.h>
#include <cuda/std/__execution/env.h>

#include <algorithm>
#include <cstdint>
#include <cub/device/device_batched_topk.cuh>
#include <cuda/argument>
#include <cuda/iterator>
#include <cuda/std/limits>
#include <memory>
#include <vector>

#include "../support/cuda_adapter.hpp"

namespace peers::cub_batched {

// Of one problem: its shape, and lengths for calls that give none, since an implementation is instantiated for
// per-row lengths alone (a second form for equal rows would double the library).
struct State {
  keysieve_select_problem problem;
  DeviceMemory full_lengths;
};

// Slots past a row's last one: the algorithm leaves them as they were. Who selects ragged rows needs this launch too.
__global__ void __launch_bounds__(256)
    fill_tails(std::int32_t* indices, std::int64_t row_stride, const std::int32_t* lengths, std::int64_t k) {
  const std::int64_t row = blockIdx.x;
  const std::int64_t first = min(max(std::int64_t{lengths[row]}, std::int64_t{0}), k);
  for (std::int64_t slot = first + threadIdx.x; slot < k; slot += blockDim.x) indices[row * row_stride + slot] = -1;
}

struct RowOf {
  std::int32_t* indices;
  std::int64_t row_stride;
  __host__ __device__ std::int32_t* operator()(std::int64_t row) const { return indices + row * row_stride; }
};

// With storage == nullptr it only asks for the size of the storage. kBound: what the headers ask to know of the width
// when they are compiled.
template <std::int64_t kBound, typename Score, typename Requirements>
cudaError_t select(void* storage, std::size_t& storage_bytes, const keysieve_select_problem& problem,
                   const keysieve_select_args& args, const std::int32_t* lengths, Requirements requirements,
                   cudaStream_t stream) {
  const auto keys_in = cuda::make_strided_iterator(cuda::make_counting_iterator(static_cast<const Score*>(args.scores)),
                                                   args.score_row_stride);
  const auto keys_out = cuda::make_constant_iterator(cuda::discard_iterator{});
  const auto columns_in = cuda::make_constant_iterator(cuda::make_counting_iterator(std::int32_t{0}));
  const auto columns_out =
      cuda::make_transform_iterator(cuda::make_counting_iterator(std::int64_t{0}),
                                    RowOf{static_cast<std::int32_t*>(args.indices), args.indices_row_stride});

  // The second, run-time bound keeps the launch as small as the width allows.
  constexpr std::int32_t kFloor = cuda::std::numeric_limits<std::int32_t>::min();
  const auto sizes =
      cuda::args::deferred_sequence{lengths, cuda::args::bounds<kFloor, static_cast<std::int32_t>(kBound)>(),
                                    cuda::args::bounds(kFloor, static_cast<std::int32_t>(problem.width))};
  const auto k =
      cuda::args::immediate{std::min(problem.k, problem.width), cuda::args::bounds<std::int64_t{1}, kBound>()};
  const auto environment = cuda::std::execution::env{requirements, cuda::stream_ref{stream}};
  return ::cub::DeviceBatchedTopK::MaxPairs(storage, storage_bytes, keys_in, keys_out, columns_in, columns_out, sizes,
                                            k, cuda::args::immediate{problem.rows}, environment);
}

// Over the score types. Configuration: kShortBound and kLongBound, the two bounds that it is compiled for, and
// requirements().
template <typename Configuration, typename Score>
cudaError_t select_by_width(void* storage, std::size_t& bytes, const State& state, const keysieve_select_args& args,
                            const std::int32_t* lengths, cudaStream_t stream) {
  const auto requirements = Configuration::requirements();
  if constexpr (Configuration::kLongBound > Configuration::kShortBound) {
    if (state.problem.width > Configuration::kShortBound) {
      return select<Configuration::kLongBound, Score>(storage, bytes, state.problem, args, lengths, requirements,
                                                      stream);
    }
  }
  return select<Configuration::kShortBound, Score>(storage, bytes, state.problem, args, lengths, requirements, stream);
}

template <typename Configuration>
cudaError_t select_by_type(void* storage, std::size_t& bytes, const State& state, const keysieve_select_args& args,
                           const std::int32_t* lengths, cudaStream_t stream) {
  switch (state.problem.score_type) {
    case KEYSIEVE_FLOAT32:
      return select_by_width<Configuration, float>(storage, bytes, state, args, lengths, stream);
    case KEYSIEVE_BFLOAT16:
      return select_by_width<Configuration, __nv_bfloat16>(storage, bytes, state, args, lengths, stream);
    case KEYSIEVE_FLOAT16:
      return select_by_width<Configuration, __half>(storage, bytes, state, args, lengths, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

template <typename Configuration>
const char* unmet_conditions(const keysieve_select_problem* problem) {
  if (problem->device_type != KEYSIEVE_DEVICE_CUDA) return "device_type: expected cuda";
  if (problem->index_type != KEYSIEVE_INT32) return "index_type: expected int32";
  if (problem->width > Configuration::kLongBound) return Configuration::kWidthCondition;
  return unmet_raw_selection(*problem);
}

template <typename Configuration>
keysieve_status create(const keysieve_select_problem* problem, void** state_out, std::int64_t* workspace_bytes) {
  return guarded([&]() -> keysieve_status {
    const DeviceScope device(problem->device_ordinal);
    if (device.error() != cudaSuccess) return fail_cuda(device.error(), "cudaSetDevice");
    auto state = std::make_unique<State>();
    state->problem = *problem;
    *workspace_bytes = 0;
    if (problem->rows > 0) {
      const std::vector<std::int32_t> full(static_cast<std::size_t>(problem->rows),
                                           static_cast<std::int32_t>(problem->width));
      const std::size_t full_bytes = full.size() * sizeof(full[0]);
      if (const auto error = state->full_lengths.allocate(full_bytes)) return fail_cuda(error, "cudaMalloc");
      if (const auto error = cudaMemcpy(state->full_lengths.data(), full.data(), full_bytes, cudaMemcpyHostToDevice)) {
        return fail_cuda(error, "cudaMemcpy");
      }
      if (problem->width > 0) {
        keysieve_select_args shapes = {};
        shapes.score_row_stride = problem->width;
        shapes.indices_row_stride = problem->k;
        std::size_t bytes = 0;
        const auto* lengths = static_cast<const std::int32_t*>(state->full_lengths.data());
        if (const auto error = select_by_type<Configuration>(nullptr, bytes, *state, shapes, lengths, nullptr)) {
          return fail_cuda(error, "DeviceBatchedTopK::MaxPairs (size of the storage)");
        }
        *workspace_bytes = static_cast<std::int64_t>(bytes);
      }
    }
    *state_out = state.release();
    return KEYSIEVE_OK;
  });
}

template <typename Configuration>
keysieve_status run(void* state_in, const keysieve_select_args* args, void* stream_in) {
  return guarded([&]() -> keysieve_status {
    const auto& state = *static_cast<const State*>(state_in);
    const auto& problem = state.problem;
    auto* const stream = static_cast<cudaStream_t>(stream_in);
    if (const char* condition = unmet_raw_tensors(*args)) return fail(KEYSIEVE_UNSUPPORTED, condition);
    if (problem.rows == 0) return KEYSIEVE_OK;
    const DeviceScope device(problem.device_ordinal);
    if (device.error() != cudaSuccess) return fail_cuda(device.error(), "cudaSetDevice");

    const auto* lengths = args->lengths ? args->lengths : static_cast<const std::int32_t*>(state.full_lengths.data());
    if (problem.width > 0) {
      auto bytes = static_cast<std::size_t>(args->workspace_bytes);
      // A storage of no bytes would be taken for the question after its size.
      void* const storage = bytes > 0 ? args->workspace : state.full_lengths.data();
      if (const auto error = select_by_type<Configuration>(storage, bytes, state, *args, lengths, stream)) {
        return fail_cuda(error, "DeviceBatchedTopK::MaxPairs");
      }
    }
    if (args->lengths || problem.k > problem.width) {
      fill_tails<<<static_cast<unsigned>(problem.rows), 256, 0, stream>>>(static_cast<std::int32_t*>(args->indices),
                                                                          args->indices_row_stride, lengths, problem.k);
      if (const auto error = cudaGetLastError()) return fail_cuda(error, "fill_tails");
    }
    return KEYSIEVE_OK;
  });
}

inline void destroy(void* state) { delete static_cast<State*>(state); }

inline const char* last_error() { return error_text().c_str(); }

template <typename Configuration>
constexpr keysieve_peer table(const char* name, std::uint32_t promises) {
  return {sizeof(keysieve_peer),
          KEYSIEVE_PEER_ABI_VERSION,
          name,
          Configuration::kVersion,
          promises,
          0,
          unmet_conditions<Configuration>,
          create<Configuration>,
          run<Configuration>,
          destroy,
          last_error};
}

}  // namespace peers::cub_batched
