// What the tests of shadow mode share.
#pragma once

#include <string>

#include "cases/case_table.hpp"
#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "keysieve/shadow.hpp"

namespace keysieve::test {

// Looks at every row of every call, as far as they fit.
inline ShadowOptions watch_all(std::int64_t slot_bytes = 1 << 20) {
  ShadowOptions options;
  options.share = 1.0;
  options.max_rows_per_call = 1024;
  options.slots = 2;
  options.slot_bytes = slot_bytes;
  return options;
}

inline SelectArgs args_of(const cases::CaseInputs& inputs, cases::CaseResult& result) {
  SelectArgs args = inputs.args();
  result.add_to(args);
  return args;
}

inline cases::CaseResult right_answer(const cases::CaseInputs& inputs) {
  cases::CaseResult result(inputs, 0, 0x5A);
  cases::compute_expected(inputs, result);
  return result;
}

// The report after this one call.
inline ShadowReport report_on(const cases::CaseInputs& inputs, cases::CaseResult& result,
                              const ShadowOptions& options = watch_all(), std::string* json = nullptr) {
  Shadow shadow(options);
  shadow.observe(make_plan(inputs.problem()), args_of(inputs, result));
  shadow.wait();
  if (json != nullptr) *json = shadow.report_json();
  return shadow.report();
}

}  // namespace keysieve::test
