// Values of the options as users type them and as results print them.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "keysieve/types.hpp"

namespace keysieve::cli {

// A bad command line. The message names the argument, what was expected and what was found.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "FLAG: expected EXPECTED, found 'TEXT'"
[[noreturn]] void throw_usage(std::string_view flag, std::string_view expected, std::string_view text);

const char* name_of(Backend value);
const char* name_of(Route value);
const char* name_of(ScoreType value);
const char* name_of(IndexType value);
const char* name_of(IndexMode value);
const char* name_of(SlotOrder value);

// Throw UsageError with the list of legal names.
Backend parse_backend(std::string_view flag, std::string_view text);
Route parse_route(std::string_view flag, std::string_view text);
ScoreType parse_score_type(std::string_view flag, std::string_view text);
IndexType parse_index_type(std::string_view flag, std::string_view text);
IndexMode parse_mode(std::string_view flag, std::string_view text);
SlotOrder parse_order(std::string_view flag, std::string_view text);
Ties parse_ties(std::string_view flag, std::string_view text);
NanPolicy parse_nan(std::string_view flag, std::string_view text);

// A whole decimal number in [low, high].
std::int64_t parse_integer(std::string_view flag, std::string_view text, std::int64_t low, std::int64_t high);

// The same, K or M behind it standing for 1024 or 1024 * 1024.
std::int64_t parse_count(std::string_view flag, std::string_view text, std::int64_t low, std::int64_t high);

// "index|score|any", for the help text.
std::string backend_names();
std::string route_names();
std::string score_type_names();

}  // namespace keysieve::cli
