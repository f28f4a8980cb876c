#include "report/json_field.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/file_error.hpp"
#include "io/memory_map.hpp"

namespace keysieve::report {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 53;

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return io::printable(value.dump());
}

}  // namespace

void Field::refuse(std::string_view expected) const {
  throw io::FileError(fmt::format("{}: {}: expected {}, found {}", io::one_line(*file_),
                                  path_.empty() ? "top" : io::printable(path_, 200), expected, shown(*value_)));
}

void Field::refuse_absent(const char* key, std::string_view expected) const {
  throw io::FileError(fmt::format("{}: {}: expected {}, found no such key", io::one_line(*file_),
                                  io::printable(path_of(key), 200), expected));
}

std::string Field::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void Field::expect_object() const {
  if (!value_->is_object()) refuse("an object");
}

std::size_t Field::array_size() const {
  if (!value_->is_array()) refuse("an array");
  return value_->size();
}

Field Field::at(std::size_t index) const {
  return Field(*file_, (*value_)[index], fmt::format("{}[{}]", path_, index));
}

bool Field::has(const char* key) const {
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

Field Field::member(const char* key) const {
  if (!has(key)) refuse_absent(key, "a value");
  return Field(*file_, *value_->find(key), path_of(key));
}

std::string Field::text(const char* key, std::string_view fallback) const {
  if (!has(key)) return std::string(fallback);
  const Field field = member(key);
  if (!field.json().is_string()) field.refuse("a text");
  return field.json().get<std::string>();
}

std::string Field::text_or_number(const char* key, std::string_view fallback) const {
  if (!has(key)) return std::string(fallback);
  const Field field = member(key);
  if (field.json().is_number()) return field.json().dump();
  return text(key, fallback);
}

std::int64_t Field::integer(const char* key, std::int64_t least) const {
  const std::string expected = fmt::format("an integer, {} or more", least);
  if (!has(key)) refuse_absent(key, expected);
  const Field field = member(key);
  if (!field.json().is_number_integer()) field.refuse(expected);
  // Unsigned numbers above the signed range would wrap on the way out of the JSON library.
  if (field.json().is_number_unsigned() && field.json().get<std::uint64_t>() > kLargest) field.refuse(expected);
  const auto value = field.json().get<std::int64_t>();
  if (value < least || value > kLargest) field.refuse(expected);
  return value;
}

std::int64_t Field::integer(const char* key, std::int64_t least, std::int64_t fallback) const {
  return has(key) ? integer(key, least) : fallback;
}

double Field::number(const char* key, double fallback) const {
  if (!has(key)) return fallback;
  const Field field = member(key);
  if (!field.json().is_number()) field.refuse("a number");
  const auto value = field.json().get<double>();
  if (!std::isfinite(value)) field.refuse("a finite number");
  return value;
}

bool Field::boolean(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  const Field field = member(key);
  if (!field.json().is_boolean()) field.refuse("true or false");
  return field.json().get<bool>();
}

Json read_json_object(const std::string& path) {
  const io::MemoryMap map(path);
  const auto* const text = reinterpret_cast<const char*>(map.bytes().data());
  Json json;
  try {
    json = Json::parse(text, text + map.bytes().size());
  } catch (const Json::exception& error) {
    throw io::FileError(
        fmt::format("{}: expected JSON, found a fault: {}", io::one_line(path), io::printable(error.what(), 200)));
  }
  Field(path, json).expect_object();
  return json;
}

}  // namespace keysieve::report
