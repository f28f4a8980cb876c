// What the fault tests share: a case is right when both CPU routes give the expected result, whatever the outputs
// and the workspace held before.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/case_data.hpp"
#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "select/routes.hpp"

namespace keysieve::test {

using cases::CaseInputs;
using cases::CaseResult;
using cases::LengthKind;
using cases::PageFill;
using cases::Pattern;
using cases::SelectCase;
using cases::StartKind;
using cases::TableLayout;

inline constexpr ScoreType kScoreTypes[] = {ScoreType::kFloat32, ScoreType::kBFloat16, ScoreType::kFloat16};

// Three runs each of both routes, one poison after the other, and the route that the planner picks.
const std::vector<RunSetup>& fault_setups();
// Of the backend that is judged, the route that the planner picks.
RunSetup planners_choice();

// A FP32 case with full rows.
SelectCase fault_case(const char* id, std::int64_t rows, std::int64_t width, std::int64_t k, Pattern pattern);
void set_lengths(SelectCase& spec, std::vector<std::int32_t> lengths);

// The chunked route hands out every row on its own, which takes up to a millisecond on a busy machine. Tests of more
// rows than this show it on a second, shorter batch.
inline constexpr std::int64_t kMostRowsInChunks = 1000;
inline constexpr std::int64_t kShorterBatch = 300;

// A test failure unless the case is right. The reference judges small cases, the oracle large ones.
void expect_right(const CaseInputs& inputs);
void expect_right(const SelectCase& spec);

// As expect_right, with arguments that the case cannot describe. The right answer stays that of `inputs`.
void expect_right_with(const CaseInputs& inputs, const std::function<void(SelectArgs&)>& change);

// Selected indices of one row in slot order, by the planner's own route; for answers that the entry states.
std::vector<std::int64_t> selected(const CaseInputs& inputs, std::int64_t row = 0);

}  // namespace keysieve::test
