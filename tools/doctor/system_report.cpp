#include "doctor/system_report.hpp"

namespace keysieve::doctor {

const Json& field(const Json& json, const char* name) {
  static const Json kNone = Json::object();
  if (!json.is_object()) return kNone;
  const auto found = json.find(name);
  return found != json.end() ? *found : kNone;
}

std::string text_of(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (value.is_string()) return value.get<std::string>();
  return value.is_object() && value.empty() ? std::string("unknown") : value.dump();
}

std::string string_of(const Json& json, const char* name) {
  const Json& value = field(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool is_true(const Json& json, const char* name) { return field(json, name) == Json(true); }

}  // namespace keysieve::doctor
