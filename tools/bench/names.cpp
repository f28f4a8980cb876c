#include "bench/names.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

template <typename Value>
struct Name {
  const char* name;
  Value value;
};

constexpr Name<Mode> kModes[] = {{"warm", Mode::kWarm}, {"cold", Mode::kCold}};
constexpr Name<Chain> kChains[] = {
    {"alone", Chain::kAlone}, {"chained", Chain::kChained}, {"dependent", Chain::kDependent}};
constexpr Name<Hint> kHints[] = {{"none", Hint::kNone}, {"exact", Hint::kExact}};
constexpr Name<LengthKind> kLengthKinds[] = {{"ragged", LengthKind::kRagged},
                                             {"full", LengthKind::kFull},
                                             {"log_uniform", LengthKind::kLogUniform},
                                             {"skewed", LengthKind::kSkewed}};
constexpr std::string_view kLivePrefix = "live ";

constexpr double kLogUniformSpan = 1024;  // the longest row over the shortest
constexpr std::int64_t kSkewedRows = 64;

template <typename Value, std::size_t kCount>
const char* find_name(const Name<Value> (&names)[kCount], Value value) {
  const auto found = std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return n.value == value; });
  return found == std::end(names) ? "unknown" : found->name;
}

template <typename Value, std::size_t kCount>
std::string list(const Name<Value> (&names)[kCount]) {
  std::string text = "one of ";
  for (const auto& entry : names) text += (&entry == names ? "" : ", ") + std::string(entry.name);
  return text;
}

template <typename Value, std::size_t kCount>
Value parse_name(std::string_view flag, const Name<Value> (&names)[kCount], std::string_view text) {
  for (const auto& [name, value] : names) {
    if (text == name) return value;
  }
  cli::throw_usage(flag, list(names), text);
}

std::uint32_t hash_of_row(std::int64_t row) {
  auto x = static_cast<std::uint32_t>(row) * 0x85EBCA77u + 0x9E3779B1u;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  return x ^ (x >> 16);
}

}  // namespace

const char* name_of(Mode mode) { return find_name(kModes, mode); }
const char* name_of(Chain chain) { return find_name(kChains, chain); }
const char* name_of(Hint hint) { return find_name(kHints, hint); }

std::string name_of(const Lengths& lengths) {
  if (lengths.kind == LengthKind::kLive) return std::string(kLivePrefix) + std::to_string(lengths.live);
  return find_name(kLengthKinds, lengths.kind);
}

Mode parse_mode(std::string_view flag, std::string_view text) { return parse_name(flag, kModes, text); }
Chain parse_chain(std::string_view flag, std::string_view text) { return parse_name(flag, kChains, text); }
Hint parse_hint(std::string_view flag, std::string_view text) { return parse_name(flag, kHints, text); }

Lengths parse_lengths(std::string_view flag, std::string_view text) {
  for (const auto& [name, kind] : kLengthKinds) {
    if (text == name) return {kind, 0};
  }
  if (!text.starts_with(kLivePrefix)) cli::throw_usage(flag, list(kLengthKinds) + ", live N", text);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return {LengthKind::kLive, cli::parse_integer(flag, text.substr(kLivePrefix.size()), 0, kMost)};
}

Distribution parse_distribution(std::string_view flag, std::string_view text) {
  std::string expected = "all, or some of ";
  for (std::size_t i = 0; i < kDistributionNames.size(); ++i) {
    if (text == kDistributionNames[i]) return static_cast<Distribution>(i);
    expected += (i == 0 ? "" : ", ") + std::string(kDistributionNames[i]);
  }
  cli::throw_usage(flag, expected, text);
}

std::int32_t row_length(const Lengths& lengths, std::int64_t row, std::int64_t width) {
  switch (lengths.kind) {
    case LengthKind::kFull:
      return static_cast<std::int32_t>(width);
    case LengthKind::kLive:
      return static_cast<std::int32_t>(std::min(lengths.live, width));
    case LengthKind::kSkewed:
      return static_cast<std::int32_t>(row % kSkewedRows == 0 ? width : std::max<std::int64_t>(width / kSkewedRows, 1));
    case LengthKind::kLogUniform: {
      const double share = std::pow(kLogUniformSpan, -static_cast<double>(hash_of_row(row)) * 0x1p-32);
      return static_cast<std::int32_t>(std::max(1.0, static_cast<double>(width) * share));
    }
    case LengthKind::kRagged:
      break;
  }
  return static_cast<std::int32_t>(width - static_cast<std::int64_t>(hash_of_row(row)) % (width / 5 + 1));
}

}  // namespace keysieve::bench
