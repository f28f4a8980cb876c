#include "cases/operation/candidate_tensors.hpp"

namespace keysieve::cases {
namespace {

std::uint32_t random_score_bits(std::int32_t element, Random& random, int special) {
  // Sign, exponent and mantissa of FP32; narrower types take the high bits, FP16 its own.
  static constexpr std::uint32_t kSpecial[] = {0x7FC00000u, 0xFFC12345u, 0x7FA00000u, 0x7F800000u, 0xFF800000u,
                                               0x00000000u, 0x80000000u, 0x00010000u, 0x80030000u};
  static constexpr std::uint32_t kSpecialHalf[] = {0x7E00, 0xFE01, 0x7D00, 0x7C00, 0xFC00, 0, 0x8000, 1, 0x8003};
  const bool is_half = element == KEYSIEVE_ELEMENT_FLOAT16;
  if (special >= 0)
    return is_half ? kSpecialHalf[special] : kSpecial[special] >> (element == KEYSIEVE_ELEMENT_FLOAT32 ? 0 : 16);
  const auto bits = static_cast<std::uint32_t>(random.next());
  if (is_half) return (bits & 0x83FFu) | static_cast<std::uint32_t>(random.between(10, 20)) << 10;
  const std::uint32_t wide = (bits & 0x807FFFFFu) | static_cast<std::uint32_t>(random.between(120, 134)) << 23;
  return element == KEYSIEVE_ELEMENT_FLOAT32 ? wide : wide >> 16;
}

}  // namespace

std::int32_t& at(const keysieve_tensor& tensor, std::int64_t row, std::int64_t column) {
  const std::int64_t stride = tensor.strides[0] == KEYSIEVE_AUTO ? tensor.shape[1] : tensor.strides[0];
  return static_cast<std::int32_t*>(tensor.data)[row * stride + column];
}

keysieve_tensor int32_rows(TensorStore& store, std::int64_t rows, std::int64_t columns, std::int64_t gap) {
  return store.make(KEYSIEVE_ELEMENT_INT32, {rows, columns}, {columns + gap, 1});
}

keysieve_tensor int32_rows(TensorStore& store, std::int64_t rows, std::int64_t columns, std::int64_t gap,
                           const std::function<std::int64_t(std::int64_t, std::int64_t)>& value) {
  const keysieve_tensor tensor = int32_rows(store, rows, columns, gap);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      at(tensor, row, column) = static_cast<std::int32_t>(value(row, column));
    }
  }
  return tensor;
}

keysieve_tensor row_numbers(TensorStore& store, std::int64_t rows,
                            const std::function<std::int64_t(std::int64_t)>& value) {
  const keysieve_tensor tensor = store.make(KEYSIEVE_ELEMENT_INT32, {rows});
  for (std::int64_t row = 0; row < rows; ++row) {
    static_cast<std::int32_t*>(tensor.data)[row] = static_cast<std::int32_t>(value(row));
  }
  return tensor;
}

keysieve_tensor score_tensor(TensorStore& store, std::int32_t element, std::int64_t rows, std::int64_t width,
                             std::int64_t gap, std::size_t offset_bytes, Random& random) {
  const keysieve_tensor tensor = store.make(element, {rows, width}, {width + gap, 1}, offset_bytes);
  for (std::int64_t row = 0; row < rows; ++row) {
    int of_run = -1;
    for (std::int64_t column = 0; column < width; ++column) {
      if (column % 16 == 0) of_run = random.between(0, 7) == 0 ? static_cast<int>(random.between(0, 8)) : -1;
      const int special = of_run >= 0 ? of_run : random.chance(12) ? static_cast<int>(random.between(0, 8)) : -1;
      const std::uint32_t bits = random_score_bits(element, random, special);
      const std::int64_t place = row * (width + gap) + column;
      if (element == KEYSIEVE_ELEMENT_FLOAT32) {
        static_cast<std::uint32_t*>(tensor.data)[place] = bits;
      } else {
        static_cast<std::uint16_t*>(tensor.data)[place] = static_cast<std::uint16_t>(bits);
      }
    }
  }
  return tensor;
}

}  // namespace keysieve::cases
