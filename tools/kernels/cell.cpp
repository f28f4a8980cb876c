#include "kernels/cell.hpp"

#include <stdexcept>

#include "bench/kernels.hpp"
#include "bench/score_rows.hpp"
#include "kernels/byte_floor.hpp"

namespace keysieve::kernel_bench {
namespace {

std::int64_t bytes_of(std::int32_t element) {
  switch (element) {
    case KEYSIEVE_ELEMENT_INT64:
      return 8;
    case KEYSIEVE_ELEMENT_FLOAT32:
    case KEYSIEVE_ELEMENT_INT32:
      return 4;
    case KEYSIEVE_ELEMENT_BYTE:
      return 1;
    default:
      return 2;
  }
}

}  // namespace

std::int64_t num_elements(std::initializer_list<std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

void* Arena::allocate(std::int64_t bytes) {
  buffers_.push_back(std::make_unique<bench::DeviceBuffer>(bytes + 16));
  return buffers_.back()->get();
}

keysieve_tensor Arena::tensor(std::int32_t element, std::initializer_list<std::int64_t> shape) {
  keysieve_tensor tensor{};
  tensor.element = element;
  tensor.rank = static_cast<std::int32_t>(shape.size());
  std::int32_t axis = 0;
  for (const std::int64_t size : shape) {
    tensor.shape[axis] = size;
    tensor.strides[axis++] = KEYSIEVE_AUTO;
  }
  tensor.data = allocate(num_elements(shape) * bytes_of(element));
  return tensor;
}

keysieve_tensor Arena::bfloat16(std::initializer_list<std::int64_t> shape) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_BFLOAT16, shape);
  fill_bfloat16(made.data, num_elements(shape), seed_++, stream_);
  return made;
}
keysieve_tensor Arena::float32(std::initializer_list<std::int64_t> shape) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_FLOAT32, shape);
  fill_float32(made.data, num_elements(shape), seed_++, stream_);
  return made;
}
keysieve_tensor Arena::bytes(std::initializer_list<std::int64_t> shape, std::uint8_t low, std::uint32_t span) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_BYTE, shape);
  fill_bytes(made.data, num_elements(shape), low, span, seed_++, stream_);
  return made;
}
keysieve_tensor Arena::int32(std::initializer_list<std::int64_t> shape, std::int32_t low, std::uint32_t span) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_INT32, shape);
  fill_int32(made.data, num_elements(shape), low, span, seed_++, stream_);
  return made;
}
keysieve_tensor Arena::int64(std::initializer_list<std::int64_t> shape, std::int64_t low, std::uint32_t span) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_INT64, shape);
  fill_int64(made.data, num_elements(shape), low, span, seed_++, stream_);
  return made;
}
keysieve_tensor Arena::sequence(std::initializer_list<std::int64_t> shape, std::int32_t low) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_INT32, shape);
  fill_sequence(made.data, num_elements(shape), low, stream_);
  return made;
}
keysieve_tensor Arena::copy_of(const std::vector<std::int32_t>& values, std::initializer_list<std::int64_t> shape) {
  const keysieve_tensor made = tensor(KEYSIEVE_ELEMENT_INT32, shape);
  bench::check_cuda(
      cudaMemcpyAsync(made.data, values.data(), values.size() * sizeof(values[0]), cudaMemcpyHostToDevice, stream_),
      "copy of an input");
  bench::check_cuda(cudaStreamSynchronize(stream_), "copy of an input");  // the caller's vector may end
  return made;
}
keysieve_tensor Arena::scores(ScoreType type, std::int64_t rows, std::int64_t width, const keysieve_tensor& lengths) {
  const std::int32_t element = type == ScoreType::kFloat32    ? KEYSIEVE_ELEMENT_FLOAT32
                               : type == ScoreType::kBFloat16 ? KEYSIEVE_ELEMENT_BFLOAT16
                                                              : KEYSIEVE_ELEMENT_FLOAT16;
  const keysieve_tensor made = tensor(element, {rows, width});
  bench::ScoreRows filled;
  filled.scores = made.data;
  filled.lengths = static_cast<const std::int32_t*>(lengths.data);
  filled.rows = rows;
  filled.width = filled.stride = width;
  filled.type = type;
  bench::fill_scores(filled, made.data, bench::Distribution::kNormal, 0, stream_);
  return made;
}

keysieve_call call_on_device() {
  keysieve_call call{};
  call.device_type = KEYSIEVE_DEVICE_CUDA;
  return call;
}

void check_call(keysieve_status status, const char* what) {
  if (status != KEYSIEVE_OK) throw std::runtime_error(std::string(what) + ": " + keysieve_last_error());
}

std::vector<KernelCell> all_cells() {
  std::vector<KernelCell> cells;
  for (auto* group : {candidate_cells, engram_cells, indexer_key_cells, lengths_cells, publish_cells, q_rope_cells,
                      rmsnorm_cells, short_select_cells, small_gemm_cells}) {
    for (KernelCell& cell : group()) cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace keysieve::kernel_bench
