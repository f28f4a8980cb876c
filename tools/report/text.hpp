// Numbers as people read them, and text of foreign files made harmless.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/json_field.hpp"

namespace keysieve::report {

// For HTML text and double-quoted attributes; control characters become spaces.
std::string escape_html(std::string_view text);
// For a cell of a Markdown table: one line, nothing that starts markup or ends the cell.
std::string escape_markdown(std::string_view text);

// Four significant digits or so, "-" for what was not given.
std::string format_us(double value_us);
std::string format_ratio(double ratio);
std::string format_percent(double fraction);
std::string format_bytes(double bytes);
// 131072 as "128K", 98305 as "98305": thresholds must not look like their neighbours.
std::string format_columns(std::int64_t columns);
// A text, number or boolean; "" for anything else.
std::string scalar_text(const Json& value);
std::string plural(std::int64_t count, std::string_view one, std::string_view many);

// Of positive numbers; not a number for none.
double geometric_mean(std::span<const double> values);

}  // namespace keysieve::report
