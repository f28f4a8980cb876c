// The words of a benchmark's cells, as flags and reports spell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/distribution.hpp"

namespace keysieve::bench {

enum class LengthKind : std::int32_t {
  kRagged,      // 80 to 100 % of the width
  kFull,        // all of it
  kLogUniform,  // as many rows between 1 and 2 thousandths of the width as between a half and all of it
  kSkewed,      // one row in 64 is full, the others have a 64th of it
  kLive,        // a number of columns, whatever the width
};

enum class Mode : std::int32_t { kWarm, kCold };

// Alone, or behind a kernel that has just written the scores, without and with dependent launch.
enum class Chain : std::int32_t { kAlone, kChained, kDependent };

enum class Hint : std::int32_t { kNone, kExact };

struct Lengths {
  LengthKind kind = LengthKind::kRagged;
  std::int64_t live = 0;  // kLive only

  auto operator<=>(const Lengths&) const = default;
};

const char* name_of(Mode mode);
const char* name_of(Chain chain);
const char* name_of(Hint hint);
std::string name_of(const Lengths& lengths);  // "ragged", "live 2048"

// Throw cli::UsageError with the list of legal names.
Mode parse_mode(std::string_view flag, std::string_view text);
Chain parse_chain(std::string_view flag, std::string_view text);
Hint parse_hint(std::string_view flag, std::string_view text);
Lengths parse_lengths(std::string_view flag, std::string_view text);
Distribution parse_distribution(std::string_view flag, std::string_view text);

// The live columns of a row, by the row alone, so that the first rows of a batch are the same in every batch.
std::int32_t row_length(const Lengths& lengths, std::int64_t row, std::int64_t width);

}  // namespace keysieve::bench
