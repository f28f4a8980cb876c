// A value of a result file together with where it stands, so that a refusal names file and key path:
// "grid.json: cells[12].median_us: expected a number, found "fast"".
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace keysieve::report {

// Objects keep the order of the file: a table of unknown totals reads as its author wrote it.
using Json = nlohmann::ordered_json;

inline constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

class Field {
 public:
  Field(const std::string& file, const Json& value, std::string path = "")
      : file_(&file), value_(&value), path_(std::move(path)) {}

  const Json& json() const { return *value_; }
  [[noreturn]] void refuse(std::string_view expected) const;

  // Throws io::FileError unless this is an object or an array.
  void expect_object() const;
  std::size_t array_size() const;
  Field at(std::size_t index) const;

  // Members: null counts as absent. With a fallback the key may be absent, never of another type.
  bool has(const char* key) const;
  Field member(const char* key) const;
  std::string text(const char* key, std::string_view fallback) const;
  std::string text_or_number(const char* key, std::string_view fallback) const;
  std::int64_t integer(const char* key, std::int64_t least) const;
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t fallback) const;
  double number(const char* key, double fallback) const;
  bool boolean(const char* key, bool fallback) const;

 private:
  [[noreturn]] void refuse_absent(const char* key, std::string_view expected) const;
  std::string path_of(std::string_view key) const;

  const std::string* file_;
  const Json* value_;
  std::string path_;
};

// The whole file as JSON whose top is an object. Throws io::FileError.
Json read_json_object(const std::string& path);

}  // namespace keysieve::report
