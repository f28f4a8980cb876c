#include "cases/case_text.hpp"

#include <charconv>
#include <limits>
#include <utility>
#include <vector>

namespace keysieve::cases {
namespace {

// The position in a list is the value of the enum.
using Names = std::vector<const char*>;

const Names& length_kinds() {
  static const Names names = {"none", "full", "ragged", "short", "edges", "extreme", "explicit"};
  return names;
}

const Names& start_kinds() {
  static const Names names = {"none", "zero", "unaligned", "packed", "edges", "explicit"};
  return names;
}

const Names& attacks() {
  static const Names names = {
      "none",           "peaks_seen",   "one_peak_per_vector", "low_seen_ascending", "low_seen_descending",
      "nan_seen",       "peaks_hidden", "ulps_at_cutoff",      "one_exception",      "nan_flood",
      "infinity_flood", "zero_flood"};
  return names;
}

const Names& hints() {
  static const Names names = {"none", "exact",        "next_above", "twice_as_high",     "highest", "infinity",
                              "nan",  "negative_nan", "lowest",     "negative_infinity", "zero",    "mixed"};
  return names;
}

const Names& patterns() {
  static const Names names = [] {
    Names list;
    for (const Pattern pattern : kAllPatterns) {
      const auto place = static_cast<std::size_t>(pattern);
      if (list.size() <= place) list.resize(place + 1, "");
      list[place] = name_of(pattern);
    }
    return list;
  }();
  return names;
}

// Every field once, in the order in which they are written, for whoever writes, reads or counts them.
template <typename Visitor>
void visit_fields(SelectCase& spec, Visitor& visitor) {
  visitor.number("rows", spec.rows, true);
  visitor.number("width", spec.width, true);
  visitor.number("k", spec.k, true);
  visitor.choice("pattern", spec.pattern.kind, patterns(), true);
  visitor.number("parameter", spec.pattern.parameter);
  visitor.number("first_row", spec.pattern.first_row);
  visitor.choice("attack", spec.attack, attacks());
  visitor.number("attack_samples", spec.attack_samples);
  visitor.choice("score_type", spec.score_type, {"float32", "bfloat16", "float16"});
  visitor.number("row_padding", spec.row_padding);
  visitor.number("misalignment", spec.misalignment);
  visitor.choice("length_kind", spec.length_kind, length_kinds());
  visitor.list("lengths", spec.lengths);
  visitor.number("as_row_ends", spec.as_row_ends);
  visitor.number("length_spacing", spec.length_spacing);
  visitor.choice("start_kind", spec.start_kind, start_kinds());
  visitor.list("starts", spec.starts);
  visitor.number("next_n", spec.next_n);
  visitor.choice("index_type", spec.index_type, {"int32", "int64"});
  visitor.choice("mode", spec.mode, {"raw", "offset", "paged", "dual"});
  visitor.choice("offset_kind", spec.offset_kind, {"row_starts", "small", "overflow"});
  visitor.number("page_size", spec.page_size);
  visitor.choice("table_layout", spec.table_layout, {"per_row", "per_request", "mapped", "mapped_outside"});
  visitor.choice("page_fill", spec.page_fill, {"identity", "shuffled", "shared", "bad", "overflow"});
  visitor.number("num_pages_known", spec.num_pages_known);
  visitor.number("narrow_table", spec.narrow_table);
  visitor.number("table_padding", spec.table_padding);
  visitor.choice("order", spec.order, {"index", "score", "any"});
  visitor.choice("ties", spec.ties, {"smallest", "largest", "any"});
  visitor.choice("nan_policy", spec.nan_policy, {"lowest", "highest"});
  visitor.number("mask_neg_inf", spec.mask_neg_inf);
  visitor.number("check_nan", spec.check_nan);
  visitor.choice("hint", spec.hint, hints());
  visitor.number("values", spec.want_values);
  visitor.number("counts", spec.want_counts);
  visitor.number("error_word", spec.want_error_word);
  visitor.number("output_padding", spec.output_padding);
}

std::string list_text(const std::vector<std::int32_t>& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i;
    while (end < list.size() && list[end] == list[i]) ++end;
    text += (text.empty() ? "" : ",") + std::to_string(list[i]);
    if (end - i > 1) text += "*" + std::to_string(end - i);
    i = end;
  }
  return text;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Writer {
  Pairs fields;
  std::vector<bool> always;

  template <typename Number>
  void number(const char* name, Number value, bool needed = false) {
    fields.emplace_back(name, std::to_string(static_cast<std::int64_t>(value)));
    always.push_back(needed);
  }
  template <typename Enum>
  void choice(const char* name, Enum value, const Names& names, bool needed = false) {
    fields.emplace_back(name, names.at(static_cast<std::size_t>(value)));
    always.push_back(needed);
  }
  void list(const char* name, const std::vector<std::int32_t>& value) {
    fields.emplace_back(name, list_text(value));
    always.push_back(false);
  }
};

Writer fields_of(SelectCase spec) {
  Writer writer;
  visit_fields(spec, writer);
  return writer;
}

[[noreturn]] void refuse(const std::string& field, const std::string& expected, std::string_view found) {
  throw CaseTextError(field + ": expected " + expected + ", found '" + std::string(found) + "'");
}

std::int64_t parse_number(const std::string& field, std::string_view text, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    refuse(field, "a whole number from " + std::to_string(low) + " to " + std::to_string(high), text);
  }
  return value;
}

std::vector<std::int32_t> parse_list(const std::string& field, std::string_view text) {
  constexpr std::int64_t kMostEntries = 1 << 24;
  std::vector<std::int32_t> list;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    const std::size_t star = entry.find('*');
    const std::int64_t times =
        star == std::string_view::npos ? 1 : parse_number(field, entry.substr(star + 1), 1, kMostEntries);
    const std::int64_t value = parse_number(field, entry.substr(0, star), std::numeric_limits<std::int32_t>::min(),
                                            std::numeric_limits<std::int32_t>::max());
    if (std::ssize(list) + times > kMostEntries) refuse(field, "at most 2^24 entries", entry);
    list.insert(list.end(), static_cast<std::size_t>(times), static_cast<std::int32_t>(value));
  }
  return list;
}

// Takes the field that it visits out of the pairs.
struct Reader {
  Pairs& pairs;

  const std::string* find(const char* name, bool needed) {
    const std::string* found = nullptr;
    for (auto& [key, value] : pairs) {
      if (key != name) continue;
      if (found != nullptr) refuse(name, "one value", value);
      found = &value;
      key.clear();  // seen
    }
    if (found == nullptr && needed) refuse(name, "a value", "");
    return found;
  }
  template <typename Number>
  void number(const char* name, Number& value, bool needed = false) {
    if (const std::string* text = find(name, needed)) {
      const bool wide = sizeof(Number) == 8;
      value = static_cast<Number>(parse_number(
          name, *text, wide ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<Number>::min(),
          wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<Number>::max()));
    }
  }
  template <typename Enum>
  void choice(const char* name, Enum& value, const Names& names, bool needed = false) {
    const std::string* text = find(name, needed);
    if (text == nullptr) return;
    std::string expected = "one of ";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (*text == names[i]) {
        value = static_cast<Enum>(i);
        return;
      }
      expected += (i == 0 ? "" : ", ") + std::string(names[i]);
    }
    refuse(name, expected, *text);
  }
  void list(const char* name, std::vector<std::int32_t>& value) {
    if (const std::string* text = find(name, false)) value = parse_list(name, *text);
  }
};

Pairs split_fields(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) refuse("case", "FIELD=VALUE", word);
    pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

}  // namespace

std::string to_text(const SelectCase& spec) {
  const Writer fields = fields_of(spec), usual = fields_of(SelectCase());
  std::string text;
  for (std::size_t i = 0; i < fields.fields.size(); ++i) {
    if (!fields.always[i] && fields.fields[i] == usual.fields[i]) continue;
    text += (text.empty() ? "" : " ") + fields.fields[i].first + "=" + fields.fields[i].second;
  }
  return text;
}

SelectCase parse_case(std::string_view text) {
  SelectCase spec;
  // No value holds ": ", a name may.
  if (const std::size_t colon = text.rfind(": "); colon != std::string_view::npos) {
    spec.name = text.substr(0, colon);
    text.remove_prefix(colon + 2);
  }
  Pairs pairs = split_fields(text);
  Reader reader{pairs};
  visit_fields(spec, reader);
  for (const auto& [key, value] : pairs) {
    if (!key.empty()) refuse("case", "a field of a case", key);
  }
  if (const std::string fault = case_fault(spec); !fault.empty()) throw CaseTextError(fault);
  return spec;
}

}  // namespace keysieve::cases
