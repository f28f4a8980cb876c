// What is wrong (exit code 1) and what deserves a look (exit code 0), from the facts alone. Each line starts with a
// topic: docs/tools/doctor.md says for every topic what to do.
#pragma once

#include <string>
#include <vector>

#include "doctor/facts.hpp"

namespace keysieve::doctor {

struct Findings {
  std::vector<std::string> problems;
  std::vector<std::string> warnings;

  bool ok() const { return problems.empty(); }
};

Findings find_faults(const Facts& facts);

// By topic, as find_faults calls them; each adds to `findings`.
void judge_system(const Facts& facts, Findings& findings);
void judge_self_test(const Facts& facts, Findings& findings);
void judge_libraries(const Facts& facts, Findings& findings);
void judge_gpus(const Facts& facts, Findings& findings);
void judge_environment(const Facts& facts, Findings& findings);

}  // namespace keysieve::doctor
