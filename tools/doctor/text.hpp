// The report for people: a line a fact, findings last. docs/tools/doctor.md explains each line.
#pragma once

#include <string>

#include "doctor/findings.hpp"

namespace keysieve::doctor {

std::string to_text(const Facts& facts, const Findings& findings);

}  // namespace keysieve::doctor
