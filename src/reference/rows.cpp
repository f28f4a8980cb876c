#include "reference/rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace keysieve::reference {
namespace {

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  double magnitude;
  if (exponent == 0x1F) {
    magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -24);
  } else {
    magnitude = std::ldexp(1024 + mantissa, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// FP32 by its fields and not by a conversion: a thread that treats subnormals as zero (some engines do)
// must get the same order.
double float_bits_to_double(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 23) & 0xFF);
  const int mantissa = static_cast<int>(bits & 0x7FFFFF);
  double magnitude;
  if (exponent == 0xFF) {
    magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, -149);
  } else {
    magnitude = std::ldexp(0x800000 + mantissa, exponent - 150);
  }
  return (bits & 0x80000000u) != 0 ? -magnitude : magnitude;
}

}  // namespace

double read_score(const void* row, std::int64_t column, ScoreType type) {
  if (type == ScoreType::kFloat32) {
    std::uint32_t bits;
    std::memcpy(&bits, static_cast<const char*>(row) + column * 4, 4);
    return float_bits_to_double(bits);
  }
  std::uint16_t bits;
  std::memcpy(&bits, static_cast<const char*>(row) + column * 2, 2);
  if (type == ScoreType::kFloat16) return half_to_double(bits);
  return float_bits_to_double(static_cast<std::uint32_t>(bits) << 16);
}

Window window_of(const SelectProblem& problem, const SelectArgs& args, std::int64_t row, std::uint32_t& errors) {
  if (args.row_to_table != nullptr && args.row_to_table[row] == -1) return {};
  Window window;
  if (args.row_starts != nullptr) window.start = args.row_starts[row];
  if (window.start < 0 || window.start > problem.width) {
    errors |= kErrorStartOutside;
    return {};
  }
  const std::int64_t available = problem.width - window.start;
  std::int64_t asked = available;
  if (args.lengths != nullptr) {
    const std::int64_t request = row / args.next_n, draft = row % args.next_n;
    asked = args.lengths[request * args.length_request_stride + draft * args.length_row_stride];
  }
  if (args.row_ends != nullptr) asked = std::int64_t{args.row_ends[row]} - window.start;
  if (asked < 0 || asked > available) errors |= kErrorLengthClamped;
  window.n = std::min(std::max<std::int64_t>(asked, 0), available);
  return window;
}

std::int64_t table_line(const SelectProblem& problem, const SelectArgs& args, std::int64_t row) {
  if (args.row_to_table != nullptr) return args.row_to_table[row];
  return args.page_table_rows == problem.rows ? row : row / args.next_n;
}

PageTable page_table_of(const SelectArgs& args, std::int64_t page_size) {
  return {args.page_table, args.page_table_rows, args.page_table_columns, args.page_table_row_stride,
          page_size,       args.num_pages};
}

}  // namespace keysieve::reference
