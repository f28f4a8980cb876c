#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace keysieve::bench {
namespace {

template <typename Value>
struct Name {
  const char* name;
  Value value;
};

constexpr Name<ScoreType> kScoreTypes[] = {
    {"float32", ScoreType::kFloat32}, {"bfloat16", ScoreType::kBFloat16}, {"float16", ScoreType::kFloat16}};
constexpr Name<SlotOrder> kOrders[] = {
    {"index", SlotOrder::kIndex}, {"score", SlotOrder::kScore}, {"any", SlotOrder::kAny}};
constexpr Name<Route> kRoutes[] = {{"auto", Route::kAuto},   {"tile", Route::kTile}, {"sieve", Route::kSieve},
                                   {"split", Route::kSplit}, {"wide", Route::kWide}, {"trivial", Route::kTrivial}};
constexpr Name<Mode> kModes[] = {{"warm", Mode::kWarm}, {"cold", Mode::kCold}};
constexpr Name<LengthKind> kLengthKinds[] = {{"ragged", LengthKind::kRagged}, {"full", LengthKind::kFull}};

[[noreturn]] void fail(std::string_view flag, const std::string& expected, std::string_view got) {
  throw std::invalid_argument(std::string(flag) + ": expected " + expected + ", got '" + std::string(got) + "'");
}

template <typename Value, std::size_t kCount>
const char* find_name(const Name<Value> (&names)[kCount], Value value) {
  const auto found = std::find_if(std::begin(names), std::end(names), [&](const auto& n) { return n.value == value; });
  return found == std::end(names) ? "other" : found->name;
}

template <typename Value, std::size_t kCount>
Value parse_name(std::string_view flag, const Name<Value> (&names)[kCount], std::string_view text) {
  std::string expected = "one of";
  for (const auto& [name, value] : names) {
    if (text == name) return value;
    expected += std::string(" ") + name;
  }
  fail(flag, expected, text);
}

template <typename Number>
Number parse_number(std::string_view flag, std::string_view text, Number low, Number high) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Written so that NaN fails too.
  if (error != std::errc() || end != text.data() + text.size() || !(value >= low && value <= high)) {
    fail(flag, "a number from " + std::to_string(low) + " to " + std::to_string(high), text);
  }
  return value;
}

template <typename Parse>
auto parse_list(std::string_view text, Parse&& parse) {
  std::vector<decltype(parse(text))> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(parse(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return values;
}

std::int32_t parse_tuning(std::string_view flag, std::string_view text) {
  return text == "auto" ? kAuto : parse_number<std::int32_t>(flag, text, 1, 65536);
}

std::vector<Distribution> parse_distributions(std::string_view flag, std::string_view text) {
  if (text == "all") {
    std::vector<Distribution> all;
    for (std::size_t i = 0; i < kDistributionNames.size(); ++i) all.push_back(static_cast<Distribution>(i));
    return all;
  }
  return parse_list(text, [&](std::string_view item) {
    std::string expected = "all or some of";
    for (std::size_t i = 0; i < kDistributionNames.size(); ++i) {
      if (item == kDistributionNames[i]) return static_cast<Distribution>(i);
      expected += std::string(" ") + kDistributionNames[i];
    }
    fail(flag, expected, item);
  });
}

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

}  // namespace

const char* name_of(ScoreType type) { return find_name(kScoreTypes, type); }
const char* name_of(SlotOrder order) { return find_name(kOrders, order); }
const char* name_of(Route route) { return find_name(kRoutes, route); }
const char* name_of(Mode mode) { return find_name(kModes, mode); }

Options parse_options(std::span<const char* const> arguments) {
  Options options;
  using Text = std::string_view;
  const auto sizes = [](Text flag, std::int64_t high) {
    return [flag, high](Text text) { return parse_number<std::int64_t>(flag, text, 1, high); };
  };
  const auto names = [](Text flag, const auto& table) {
    return [flag, &table](Text text) { return parse_name(flag, table, text); };
  };
  using Setter = std::function<void(Text flag, Text text)>;
  const std::map<Text, Setter> setters = {
      {"--rows", [&](Text f, Text t) { options.rows = parse_list(t, sizes(f, kMaxInt32)); }},
      {"--widths", [&](Text f, Text t) { options.widths = parse_list(t, sizes(f, kMaxInt32)); }},
      {"--k", [&](Text f, Text t) { options.k = parse_list(t, sizes(f, kMaxInt32)); }},
      {"--dtypes", [&](Text f, Text t) { options.dtypes = parse_list(t, names(f, kScoreTypes)); }},
      {"--orders", [&](Text f, Text t) { options.orders = parse_list(t, names(f, kOrders)); }},
      {"--routes", [&](Text f, Text t) { options.routes = parse_list(t, names(f, kRoutes)); }},
      {"--modes", [&](Text f, Text t) { options.modes = parse_list(t, names(f, kModes)); }},
      {"--splits", [&](Text f, Text t) { options.splits = parse_list(t, [f](Text i) { return parse_tuning(f, i); }); }},
      {"--threads",
       [&](Text f, Text t) { options.threads = parse_list(t, [f](Text i) { return parse_tuning(f, i); }); }},
      {"--distributions", [&](Text f, Text t) { options.distributions = parse_distributions(f, t); }},
      {"--lengths", [&](Text f, Text t) { options.lengths = parse_name(f, kLengthKinds, t); }},
      {"--live", [&](Text f, Text t) { options.live = parse_number<std::int64_t>(f, t, 1, kMaxInt32); }},
      {"--samples", [&](Text f, Text t) { options.samples = parse_number<int>(f, t, 20, 10000); }},
      {"--check-rows", [&](Text f, Text t) { options.check_rows = parse_number<int>(f, t, 1, 1 << 20); }},
      {"--time-budget", [&](Text f, Text t) { options.time_budget_s = parse_number<double>(f, t, 0.0, 1e6); }},
      {"--revision", [&](Text, Text t) { options.revision = t; }},
      {"-o", [&](Text, Text t) { options.output = t; }},
  };
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const Text flag = arguments[i];
    if (flag == "--help" || flag == "-h") {
      options.help = true;
      return options;
    }
    const auto setter = setters.find(flag);
    if (setter == setters.end()) throw std::invalid_argument("unknown argument '" + std::string(flag) + "'");
    if (i + 1 == arguments.size()) throw std::invalid_argument(std::string(flag) + ": expected a value after it");
    setter->second(flag, arguments[i + 1]);
  }
  const std::int64_t narrowest = *std::min_element(options.widths.begin(), options.widths.end());
  if (options.live > narrowest) {
    fail("--live", "at most the smallest width, " + std::to_string(narrowest), std::to_string(options.live));
  }
  return options;
}

std::string usage() {
  std::string distributions;
  for (const char* name : kDistributionNames) distributions += std::string(" ") + name;
  return "usage: gpu_select_bench [FLAG VALUE]...   lists are separated by commas\n"
         "  --rows, --widths, --k LIST      grid; the default is that of the public baselines\n"
         "  --dtypes LIST                   float32 bfloat16 float16\n"
         "  --orders LIST                   index score any (default any)\n"
         "  --routes LIST                   auto tile sieve split wide trivial\n"
         "  --splits, --threads LIST        numbers or auto\n"
         "  --distributions LIST            all, or some of" +
         distributions +
         "\n"
         "  --modes LIST                    warm cold (default warm)\n"
         "  --lengths ragged|full           80-100 % of the width (default), or all of it\n"
         "  --live N                        every row has N live columns, whatever the width\n"
         "  --samples N                     20 or more, default 21\n"
         "  --check-rows N                  rows compared with the host at each cell, default 8\n"
         "  --time-budget SECONDS           starts no cell after that; those left out are listed\n"
         "  --revision TEXT                 revision of the build, for the report\n"
         "  -o FILE                         JSON report; standard output without it\n"
         "exit code: 0; 1 wrong rows or a device error; 2 bad arguments, no GPU or nothing that can run; 3 hang\n";
}

std::int32_t row_length(const Options& options, std::int64_t row, std::int64_t width) {
  if (options.live > 0) return static_cast<std::int32_t>(options.live);
  if (options.lengths == LengthKind::kFull) return static_cast<std::int32_t>(width);
  auto x = static_cast<std::uint32_t>(row) * 0x85EBCA77u + 0x9E3779B1u;
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  return static_cast<std::int32_t>(width - static_cast<std::int64_t>(x) % (width / 5 + 1));
}

std::string length_label(const Options& options) {
  if (options.live > 0) return "live " + std::to_string(options.live);
  return options.lengths == LengthKind::kFull ? "full" : "ragged";
}

}  // namespace keysieve::bench
