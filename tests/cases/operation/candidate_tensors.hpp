// Tensors of candidates.h, filled.
#pragma once

#include <cstdint>
#include <functional>

#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"
#include "keysieve/candidates.h"

namespace keysieve::cases {

// [rows, columns] int32, `gap` elements between rows.
keysieve_tensor int32_rows(TensorStore& store, std::int64_t rows, std::int64_t columns, std::int64_t gap,
                           const std::function<std::int64_t(std::int64_t, std::int64_t)>& value);
keysieve_tensor int32_rows(TensorStore& store, std::int64_t rows, std::int64_t columns, std::int64_t gap = 0);
keysieve_tensor row_numbers(TensorStore& store, std::int64_t rows,
                            const std::function<std::int64_t(std::int64_t)>& value);

// Ordinary numbers, and one in eight a NaN, an infinity, a zero or a subnormal of either sign; one in eight
// runs of 16 columns is all the same one of these.
keysieve_tensor score_tensor(TensorStore& store, std::int32_t element, std::int64_t rows, std::int64_t width,
                             std::int64_t gap, std::size_t offset_bytes, Random& random);

std::int32_t& at(const keysieve_tensor& tensor, std::int64_t row, std::int64_t column);

}  // namespace keysieve::cases
