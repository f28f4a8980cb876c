#include "report/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace keysieve::report {
namespace {

constexpr double kRowPx = 20, kBarPx = 14, kTopPx = 22, kPlotPx = 320;

}  // namespace

std::string draw(const BarChart& chart) {
  double left_px = 0, value_px = 0, left_value_px = 0, lowest = -0.1, highest = 0.1;
  for (const Bar& bar : chart.bars) {
    left_px = std::max(left_px, text_width_px(bar.name) + 8);
    double& room_px = bar.ratio < 1 ? left_value_px : value_px;
    room_px = std::max(room_px, text_width_px(bar.value) + 12);
    lowest = std::min(lowest, std::log2(bar.ratio));
    highest = std::max(highest, std::log2(bar.ratio));
  }
  const double start_px = left_px + left_value_px;
  const auto x_of = [&](double ratio) { return start_px + (std::log2(ratio) - lowest) / (highest - lowest) * kPlotPx; };
  const double height_px = kTopPx + kRowPx * static_cast<double>(chart.bars.size());
  Svg svg(start_px + kPlotPx + std::max(value_px, 20.0), height_px + 4, chart.label, chart.attributes);
  double last_tick_px = -100;
  for (int power = static_cast<int>(std::ceil(lowest)); power <= static_cast<int>(std::floor(highest)); ++power) {
    const double x = x_of(std::exp2(power));
    if (power != 0 && x - last_tick_px < 40) continue;
    last_tick_px = x;
    svg.line(x, kTopPx - 4, x, height_px, power == 0 ? "one" : "rule");
    svg.text(x, 12, Anchor::kMiddle, "tick", fmt::format("{:.4g}x", std::exp2(power)));
  }
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double y = kTopPx + kRowPx * static_cast<double>(i) + (kRowPx - kBarPx) / 2;
    const double end = x_of(bar.ratio), one = x_of(1);
    svg.begin_group(bar.title, {{"data-bar", bar.name}});
    svg.text(left_px - 8, y + kBarPx - 3, Anchor::kEnd, "tick", bar.name);
    svg.rect(std::min(one, end), y, std::max(std::abs(end - one), 1.0), kBarPx, bar.ratio < 1 ? "slower" : "faster");
    svg.text(bar.ratio < 1 ? end - 5 : end + 5, y + kBarPx - 3, bar.ratio < 1 ? Anchor::kEnd : Anchor::kStart, "value",
             bar.value);
    svg.end_group();
  }
  return "<div class=\"scroll\">" + svg.finish() + "</div>\n";
}

}  // namespace keysieve::report
