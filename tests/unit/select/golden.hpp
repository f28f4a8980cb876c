// Hand-written calls with hand-written answers: small enough to be checked by eye against the contract.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "keysieve/select.hpp"

namespace keysieve::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::int32_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t kMinInt32 = std::numeric_limits<std::int32_t>::min();

using Ints = std::vector<std::int32_t>;

// Rows all of one length; the width is that length.
struct GoldenCall {
  std::vector<std::vector<double>> scores;
  SelectProblem options;  // k, types, mode, order, ties, nan, mask, check; the shape is filled in
  std::int32_t next_n = 1;
  std::optional<Ints> lengths, starts, ends, offsets, row_to_table;
  std::int64_t length_request_stride = kAuto, length_row_stride = kAuto;
  std::vector<Ints> table;  // one vector per line, all of one length
  std::int64_t page_size = 1;
  std::int64_t num_pages = kAuto;
};

struct GoldenAnswer {
  std::vector<std::vector<std::int64_t>> indices;
  Ints counts = {};
  std::uint32_t errors = 0;
  std::vector<std::vector<std::int64_t>> raw = {};  // mode dual
  std::vector<std::vector<double>> values = {};     // checked where given; -0 differs from +0, any NaN equals NaN
};

// Runs the call on the reference and on every CPU route; order any is compared as sorted slots.
// Every mismatch is a test failure that names the backend, the row and the slot.
void expect_answer(const GoldenCall& call, const GoldenAnswer& answer);

// A call of one row with the default options and `k` slots.
GoldenCall one_row(std::vector<double> scores, std::int64_t k);

}  // namespace keysieve::test
