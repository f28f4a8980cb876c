// Drawing primitives of inline SVG. Looks come from classes of the page's style sheet, so that one drawing serves the
// light and the dark scheme. Every text and attribute given here is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keysieve::report {

enum class Anchor { kStart, kMiddle, kEnd };

using Attributes = std::vector<std::pair<std::string, std::string>>;

// ` name="value"` for each, ready to stand inside a tag.
std::string attribute_text(const Attributes& attributes);

class Svg {
 public:
  // `label` is what a screen reader says instead of the drawing.
  Svg(double width_px, double height_px, std::string_view label, const Attributes& attributes = {});

  void rect(double x, double y, double width, double height, std::string_view css);
  void circle(double x, double y, double radius, std::string_view css);
  void line(double x1, double y1, double x2, double y2, std::string_view css);
  void text(double x, double y, Anchor anchor, std::string_view css, std::string_view content);
  // Until end_group: what the pointer shows over all of it.
  void begin_group(std::string_view title, const Attributes& attributes = {});
  void end_group();

  std::string finish();

 private:
  std::string out_;
};

// Rough width of a text in the page's font: charts leave room by it, with a margin.
double text_width_px(std::string_view text);

}  // namespace keysieve::report
