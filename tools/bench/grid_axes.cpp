#include <algorithm>
#include <array>
#include <limits>

#include "bench/grid.hpp"
#include "cli/option_names.hpp"

namespace keysieve::bench {
namespace {

using Items = std::vector<std::string>;
using Text = std::string_view;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

template <typename Parse>
auto parse_all(const Items& items, Parse&& parse) {
  std::vector<decltype(parse(Text()))> values;
  for (const std::string& item : items) values.push_back(parse(Text(item)));
  return values;
}

std::vector<std::int64_t> sizes(Text flag, const Items& items, std::int64_t least = 1) {
  return parse_all(items, [&](Text text) { return cli::parse_integer(flag, text, least, kMaxInt32); });
}

std::vector<std::int32_t> tunings(Text flag, const Items& items) {
  return parse_all(items, [&](Text text) {
    return text == "auto" ? kAuto : static_cast<std::int32_t>(cli::parse_integer(flag, text, 1, 65536));
  });
}

std::vector<Distribution> distributions(Text flag, const Items& items) {
  if (items == Items{"all"}) {
    std::vector<Distribution> all;
    for (std::size_t i = 0; i < kDistributionNames.size(); ++i) all.push_back(static_cast<Distribution>(i));
    return all;
  }
  return parse_all(items, [&](Text text) { return parse_distribution(flag, text); });
}

bool parse_bool(Text flag, Text text) {
  if (text != "true" && text != "false") cli::throw_usage(flag, "one of true, false", text);
  return text == "true";
}

constexpr auto kAxes = std::to_array<Axis>({
    {"rows", "rows of a call", [](GridBlock& b, Text f, const Items& i) { b.rows = sizes(f, i); }},
    {"widths", "columns of the longest row; thresholds of the planner are then left out",
     [](GridBlock& b, Text f, const Items& i) {
       b.widths = sizes(f, i);
       b.thresholds = false;
     }},
    {"k", "slots per row", [](GridBlock& b, Text f, const Items& i) { b.k = sizes(f, i); }},
    {"capacity", "columns of the buffer, at least the width (width)",
     [](GridBlock& b, Text f, const Items& i) {
       b.capacities = parse_all(i, [&](Text text) {
         return text == "width" ? kCapacityOfWidth : cli::parse_integer(f, text, 1, kMaxInt32);
       });
     }},
    {"dtypes", "float32, bfloat16, float16",
     [](GridBlock& b, Text f, const Items& i) {
       b.dtypes = parse_all(i, [&](Text text) { return cli::parse_score_type(f, text); });
     }},
    {"distributions", "all, or some of those in docs/tools/bench.md (normal)",
     [](GridBlock& b, Text f, const Items& i) { b.distributions = distributions(f, i); }},
    {"lengths", "ragged, full, log_uniform, skewed, live N",
     [](GridBlock& b, Text f, const Items& i) {
       b.lengths = parse_all(i, [&](Text text) { return parse_lengths(f, text); });
     }},
    {"modes", "warm, cold: whether caches hold the scores",
     [](GridBlock& b, Text f, const Items& i) {
       b.modes = parse_all(i, [&](Text text) { return parse_mode(f, text); });
     }},
    {"orders", "any, index, score",
     [](GridBlock& b, Text f, const Items& i) {
       b.orders = parse_all(i, [&](Text text) { return cli::parse_order(f, text); });
     }},
    {"outputs", "raw, offset, paged, dual",
     [](GridBlock& b, Text f, const Items& i) {
       b.outputs = parse_all(i, [&](Text text) { return cli::parse_mode(f, text); });
     }},
    {"values", "false, true: also the scores of the slots",
     [](GridBlock& b, Text f, const Items& i) {
       b.values = parse_all(i, [&](Text text) { return parse_bool(f, text); });
     }},
    {"chains", "alone, chained, dependent: behind a kernel that has just written the scores (cuda)",
     [](GridBlock& b, Text f, const Items& i) {
       b.chains = parse_all(i, [&](Text text) { return parse_chain(f, text); });
     }},
    {"busy-sms", "SMs that another stream holds (cuda)",
     [](GridBlock& b, Text f, const Items& i) {
       b.busy_sms =
           parse_all(i, [&](Text text) { return static_cast<std::int32_t>(cli::parse_integer(f, text, 0, 1024)); });
     }},
    {"hints", "none, exact: the k-th score as the caller's guess (cuda)",
     [](GridBlock& b, Text f, const Items& i) {
       b.hints = parse_all(i, [&](Text text) { return parse_hint(f, text); });
     }},
    {"routes", "auto, or routes of the backend",
     [](GridBlock& b, Text f,
        const Items& i) { b.routes = parse_all(i, [&](Text text) { return cli::parse_route(f, text); }); }},
    {"splits", "auto, or CTAs that share a row",
     [](GridBlock& b, Text f, const Items& i) { b.splits = tunings(f, i); }},
    {"threads", "auto, or threads of a CTA or of the CPU",
     [](GridBlock& b, Text f, const Items& i) { b.threads = tunings(f, i); }},
});

}  // namespace

std::span<const Axis> axes() { return kAxes; }

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

}  // namespace keysieve::bench
