#include "report/svg.hpp"

#include <fmt/format.h>

#include "report/text.hpp"

namespace keysieve::report {
namespace {

constexpr double kCharacterPx = 7.2;

const char* anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
  }
  return "start";
}

}  // namespace

std::string attribute_text(const Attributes& attributes) {
  std::string text;
  for (const auto& [name, value] : attributes) text += fmt::format(" {}=\"{}\"", name, escape_html(value));
  return text;
}

Svg::Svg(double width_px, double height_px, std::string_view label, const Attributes& attributes)
    : out_(fmt::format("<svg width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
                       "aria-label=\"{2}\"{3}>\n",
                       width_px, height_px, escape_html(label), attribute_text(attributes))) {}

void Svg::rect(double x, double y, double width, double height, std::string_view css) {
  out_ += fmt::format("<rect x=\"{:.5g}\" y=\"{:.5g}\" width=\"{:.5g}\" height=\"{:.5g}\" class=\"{}\"/>", x, y, width,
                      height, escape_html(css));
}

void Svg::circle(double x, double y, double radius, std::string_view css) {
  out_ +=
      fmt::format("<circle cx=\"{:.5g}\" cy=\"{:.5g}\" r=\"{:.5g}\" class=\"{}\"/>", x, y, radius, escape_html(css));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css) {
  out_ += fmt::format("<line x1=\"{:.5g}\" y1=\"{:.5g}\" x2=\"{:.5g}\" y2=\"{:.5g}\" class=\"{}\"/>", x1, y1, x2, y2,
                      escape_html(css));
}

void Svg::text(double x, double y, Anchor anchor, std::string_view css, std::string_view content) {
  out_ += fmt::format("<text x=\"{:.5g}\" y=\"{:.5g}\" text-anchor=\"{}\" class=\"{}\">{}</text>", x, y,
                      anchor_name(anchor), escape_html(css), escape_html(content));
}

void Svg::begin_group(std::string_view title, const Attributes& attributes) {
  out_ += fmt::format("<g{}>", attribute_text(attributes));
  if (!title.empty()) out_ += fmt::format("<title>{}</title>", escape_html(title));
}

void Svg::end_group() { out_ += "</g>\n"; }

std::string Svg::finish() { return std::move(out_) + "</svg>\n"; }

double text_width_px(std::string_view text) { return kCharacterPx * static_cast<double>(text.size()); }

}  // namespace keysieve::report
