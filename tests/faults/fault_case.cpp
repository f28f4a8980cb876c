// What the judges of the fault tests share, whoever is judged.
#include "faults/fault_check.hpp"

#include <gtest/gtest.h>

namespace keysieve::test {

SelectCase fault_case(const char* id, std::int64_t rows, std::int64_t width, std::int64_t k, Pattern pattern) {
  SelectCase spec;
  spec.name = id;
  spec.rows = rows;
  spec.width = width;
  spec.k = k;
  spec.pattern.kind = pattern;
  spec.length_kind = LengthKind::kFull;
  return spec;
}

void set_lengths(SelectCase& spec, std::vector<std::int32_t> lengths) {
  spec.length_kind = LengthKind::kExplicit;
  spec.rows = static_cast<std::int64_t>(lengths.size());
  spec.lengths = std::move(lengths);
}

void expect_right(const SelectCase& spec) { expect_right(CaseInputs(spec)); }

std::vector<std::int64_t> selected(const CaseInputs& inputs, std::int64_t row) {
  const RunSetup setup = planners_choice();
  CaseResult result = result_for(inputs, setup, 0x5A);
  EXPECT_EQ(run_case(inputs, setup, result), "");
  std::vector<std::int64_t> indices;
  for (std::int64_t slot = 0; slot < inputs.spec().k; ++slot) indices.push_back(result.index(row, slot));
  return indices;
}

}  // namespace keysieve::test
