// One trial from its text to the verdict.
#pragma once

#include <cstdint>
#include <memory>

#include "audit/judge.hpp"

namespace keysieve::audit {

// Bytes that outputs and workspaces are filled with before a run, by turns.
inline constexpr std::uint8_t kPoisons[] = {0x5A, 0x00, 0xFF};

JudgedCases judged_cases(const std::vector<cases::SelectCase>& specs);
JudgedView view_of(const JudgedCases& judged);

// For one thread at a time.
class Checker {
 public:
  explicit Checker(const Implementation& implementation) : implementation_(implementation) {}

  const Implementation& implementation() const { return implementation_; }

  // Errors of the device come out as exceptions: it may be lost.
  Verdict check(const JudgedView& judged, const Setup& setup, Manner manner, std::size_t turn);

  // With every poison; the first verdict that is not right.
  Verdict check(const Trial& trial);

 private:
  Executor& executor_for(const Setup& setup);

  const Implementation& implementation_;
  std::unique_ptr<Executor> host_, cuda_;
};

}  // namespace keysieve::audit
