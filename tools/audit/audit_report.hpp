// The result as JSON, schema keysieve.audit/1 (schemas/audit-1.schema.json), and as lines for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "audit/audit.hpp"

namespace keysieve::audit {

// `command` is the command line as it was given.
nlohmann::ordered_json to_json(const Request& request, const Outcome& outcome, const std::string& command);

std::string summary_of(const Request& request, const Outcome& outcome);

// One line for a terminal or a log while it runs.
std::string progress_line(const Request& request, const Outcome& outcome);

}  // namespace keysieve::audit
