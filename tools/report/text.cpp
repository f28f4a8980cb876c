#include "report/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace keysieve::report {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += is_control(c) ? ' ' : c;
    }
  }
  return out;
}

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\|<>&`*[]#~!").find(c) != std::string_view::npos) out += '\\';
    out += is_control(c) ? ' ' : c;
  }
  return out;
}

std::string format_us(double value_us) {
  if (!std::isfinite(value_us)) return "-";
  const double size = std::abs(value_us);
  if (size < 99.995) return fmt::format("{:.2f}", value_us);
  if (size < 999.95) return fmt::format("{:.1f}", value_us);
  return fmt::format("{:.0f}", value_us);
}

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  if (ratio < 9.995) return fmt::format("{:.2f}", ratio);
  if (ratio < 99.95) return fmt::format("{:.1f}", ratio);
  return fmt::format("{:.0f}", ratio);
}

std::string format_percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f}%", fraction * 100) : "-";
}

std::string format_bytes(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

std::string format_columns(std::int64_t columns) {
  constexpr std::int64_t kKibi = 1024;
  if (columns < 4 * kKibi || columns % kKibi != 0) return fmt::format("{}", columns);
  if (columns % (kKibi * kKibi) == 0) return fmt::format("{}M", columns / (kKibi * kKibi));
  return fmt::format("{}K", columns / kKibi);
}

std::string scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_number()) return value.dump();
  return "";
}

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return values.empty() ? kNotGiven : std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace keysieve::report
