// Class D: alignment, strides, row windows.
#include <gtest/gtest.h>

#include <limits>

#include "faults/fault_check.hpp"

namespace keysieve::test {
namespace {

TEST(Faults, R34_MisalignedRows) {
  for (const ScoreType type : kScoreTypes) {
    const std::int64_t shifts = type == ScoreType::kFloat32 ? 4 : 8;
    for (std::int64_t base = 0; base < shifts; ++base) {
      for (std::int64_t width = 8192; width < 8192 + shifts; ++width) {
        SelectCase spec = fault_case("R34", 3, width, 512,
                                     type == ScoreType::kFloat32 ? Pattern::kUlpShuffled : Pattern::kHalfShuffled);
        spec.score_type = type;
        spec.misalignment = base;
        expect_right(spec);
      }
    }
  }
}

// The C ABI has no inner stride, so "every 4th element" can be said between rows only.
TEST(Faults, R35_StridedOutputs) {
  for (const std::int64_t rows : {1, 4}) {
    for (const std::int64_t padding : {1, 9, 45}) {
      for (const IndexType index_type : {IndexType::kInt32, IndexType::kInt64}) {
        SelectCase spec = fault_case("R35", rows, 12, 3, Pattern::kGauss);
        spec.output_padding = padding;
        spec.index_type = index_type;
        spec.mode = IndexMode::kDual;
        expect_right(spec);
      }
    }
  }
}

TEST(Faults, R37_RowStarts) {
  for (const std::int64_t k : {16, 512}) {
    SelectCase spec = fault_case("R37", 3, 2048, k, Pattern::kGauss);
    set_lengths(spec, {500, 1001, 777});
    spec.start_kind = StartKind::kExplicit;
    spec.starts = {0, 0, 1001};
    CaseInputs inputs(spec);
    for (std::int64_t row = 0; row < 3; ++row) {
      const std::int64_t start = spec.starts[static_cast<std::size_t>(row)];
      if (start > 0) inputs.set_score(row, start - 1, 1e30);
      inputs.set_score(row, start + spec.lengths[static_cast<std::size_t>(row)], 1e30);
    }
    expect_right(inputs);
  }
}

TEST(Faults, R38_ColumnsBeforeAnUnalignedWindow) {
  SelectCase spec = fault_case("R38", 6, 64, 16, Pattern::kAllNegativeInfinity);
  set_lengths(spec, {40, 40, 40, 40, 40, 40});
  spec.start_kind = StartKind::kExplicit;
  spec.starts = {1, 2, 3, 5, 6, 7};
  CaseInputs inputs(spec);
  for (std::int64_t row = 0; row < 6; ++row) {
    const std::int64_t start = spec.starts[static_cast<std::size_t>(row)];
    for (std::int64_t before = 1; before <= std::min<std::int64_t>(start, 3); ++before) {
      inputs.set_score(row, start - before, 1e30);
    }
    for (std::int64_t i = 0; i < 5; ++i) inputs.set_score(row, start + 7 * i + 2, static_cast<double>(i));
  }
  expect_right(inputs);
  for (std::int64_t row = 0; row < 6; ++row) {
    EXPECT_EQ(selected(inputs, row), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 23, 30}));
  }
}

}  // namespace
}  // namespace keysieve::test
