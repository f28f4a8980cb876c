// Reading the library's report. A library newer or older than this command may lack or add fields: nothing here throws.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace keysieve::doctor {

using Json = nlohmann::ordered_json;

// An empty object where there is no such field.
const Json& field(const Json& json, const char* name);

// A string as it is, a number or list as JSON, "unknown" where there is nothing.
std::string text_of(const Json& json, const char* name);

// "" where the field is absent or not a string.
std::string string_of(const Json& json, const char* name);

bool is_true(const Json& json, const char* name);

}  // namespace keysieve::doctor
