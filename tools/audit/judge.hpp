// Holds answers against the oracle, bit for bit, as far as was promised.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "audit/executor.hpp"
#include "cases/case_data.hpp"

namespace keysieve::audit {

// A case as memory, with the right answer.
struct JudgedCase {
  cases::CaseInputs inputs;
  cases::CaseResult expected;

  explicit JudgedCase(const cases::SelectCase& spec);
};
// A deque: the inputs stay where they are.
using JudgedCases = std::deque<JudgedCase>;
// Some of them, by reference.
using JudgedView = std::vector<const JudgedCase*>;

struct Verdict {
  std::string refusal;     // nothing ran
  std::string difference;  // empty: right, or refused
  std::size_t case_number = 0;
  std::int64_t wrong_rows = 0;
  Route route = Route::kAuto;
};

// The first difference of an answer and all its wrong rows.
Verdict judge(const JudgedView& judged, Answer& answer, const Promises& promises);

// Empty, or the first slot in which two answers to the same calls differ.
std::string repetition_fault(const JudgedView& judged, const Answer& first, const Answer& second);

}  // namespace keysieve::audit
