#include "cli/option_names.hpp"

#include <cctype>
#include <charconv>
#include <span>

#include "io/file_error.hpp"

namespace keysieve::cli {

namespace {

template <typename Enum>
struct Choice {
  const char* name;
  Enum value;
};

constexpr Choice<Backend> kBackends[] = {
    {"auto", Backend::kAuto}, {"reference", Backend::kReference}, {"cpu", Backend::kCpu}, {"cuda", Backend::kCuda}};
constexpr Choice<Route> kRoutes[] = {{"auto", Route::kAuto},        {"reference", Route::kReference},
                                     {"cpu_rows", Route::kCpuRows}, {"cpu_chunks", Route::kCpuChunks},
                                     {"tile", Route::kTile},        {"sieve", Route::kSieve},
                                     {"split", Route::kSplit},      {"wide", Route::kWide},
                                     {"trivial", Route::kTrivial}};
constexpr Choice<ScoreType> kScoreTypes[] = {
    {"float32", ScoreType::kFloat32}, {"bfloat16", ScoreType::kBFloat16}, {"float16", ScoreType::kFloat16}};
constexpr Choice<IndexType> kIndexTypes[] = {{"int32", IndexType::kInt32}, {"int64", IndexType::kInt64}};
constexpr Choice<IndexMode> kModes[] = {
    {"raw", IndexMode::kRaw}, {"offset", IndexMode::kOffset}, {"paged", IndexMode::kPaged}, {"dual", IndexMode::kDual}};
constexpr Choice<SlotOrder> kOrders[] = {
    {"any", SlotOrder::kAny}, {"index", SlotOrder::kIndex}, {"score", SlotOrder::kScore}};
constexpr Choice<Ties> kTies[] = {{"smallest", Ties::kSmallest}, {"largest", Ties::kLargest}, {"any", Ties::kAny}};
constexpr Choice<NanPolicy> kNanPolicies[] = {{"lowest", NanPolicy::kLowest}, {"highest", NanPolicy::kHighest}};

template <typename Enum>
std::string join(std::span<const Choice<Enum>> choices, std::string_view separator) {
  std::string text;
  for (const auto& choice : choices) {
    if (!text.empty()) text += separator;
    text += choice.name;
  }
  return text;
}

template <typename Enum, std::size_t kCount>
Enum parse(const Choice<Enum> (&choices)[kCount], std::string_view flag, std::string_view text) {
  for (const auto& choice : choices) {
    if (choice.name == text) return choice.value;
  }
  throw_usage(flag, "one of " + join(std::span<const Choice<Enum>>(choices), ", "), text);
}

template <typename Enum, std::size_t kCount>
const char* lookup(const Choice<Enum> (&choices)[kCount], Enum value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return "unknown";  // a library newer than this command
}

}  // namespace

void throw_usage(std::string_view flag, std::string_view expected, std::string_view text) {
  std::string message(flag);
  message.append(": expected ").append(expected).append(", found ").append(io::quote(text));
  throw UsageError(message);
}

const char* name_of(Backend value) { return lookup(kBackends, value); }
const char* name_of(Route value) { return lookup(kRoutes, value); }
const char* name_of(ScoreType value) { return lookup(kScoreTypes, value); }
const char* name_of(IndexType value) { return lookup(kIndexTypes, value); }
const char* name_of(IndexMode value) { return lookup(kModes, value); }
const char* name_of(SlotOrder value) { return lookup(kOrders, value); }

Backend parse_backend(std::string_view flag, std::string_view text) { return parse(kBackends, flag, text); }
Route parse_route(std::string_view flag, std::string_view text) { return parse(kRoutes, flag, text); }
ScoreType parse_score_type(std::string_view flag, std::string_view text) { return parse(kScoreTypes, flag, text); }
IndexType parse_index_type(std::string_view flag, std::string_view text) { return parse(kIndexTypes, flag, text); }
IndexMode parse_mode(std::string_view flag, std::string_view text) { return parse(kModes, flag, text); }
SlotOrder parse_order(std::string_view flag, std::string_view text) { return parse(kOrders, flag, text); }
Ties parse_ties(std::string_view flag, std::string_view text) { return parse(kTies, flag, text); }
NanPolicy parse_nan(std::string_view flag, std::string_view text) { return parse(kNanPolicies, flag, text); }

std::int64_t parse_integer(std::string_view flag, std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    throw_usage(flag, "a whole number from " + std::to_string(low) + " to " + std::to_string(high), text);
  }
  return value;
}

std::int64_t parse_count(std::string_view flag, std::string_view text, std::int64_t low, std::int64_t high) {
  constexpr std::string_view kUnits = "KM";
  std::string_view digits = text;
  std::int64_t unit = 1;
  if (!text.empty()) {
    const auto at = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
    if (at != std::string_view::npos) {
      unit = at == 0 ? 1024 : 1024 * 1024;
      digits.remove_suffix(1);
    }
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || value < 0 || value > high / unit || value * unit < low) {
    throw_usage(flag,
                "a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", or one with K or M",
                text);
  }
  return value * unit;
}

std::string backend_names() { return join(std::span<const Choice<Backend>>(kBackends), "|"); }
std::string route_names() { return join(std::span<const Choice<Route>>(kRoutes), "|"); }
std::string score_type_names() { return join(std::span<const Choice<ScoreType>>(kScoreTypes), "|"); }

}  // namespace keysieve::cli
