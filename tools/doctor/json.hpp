// The report as keysieve.doctor/1: schemas/doctor-1.schema.json.
#pragma once

#include "doctor/findings.hpp"

namespace keysieve::doctor {

nlohmann::ordered_json to_json(const Facts& facts, const Findings& findings);

}  // namespace keysieve::doctor
