#include "audit/judge.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "cases/compare.hpp"
#include "cases/oracle.hpp"
#include "cases/windows.hpp"

namespace keysieve::audit {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool holds_nan(const cases::CaseInputs& inputs, std::int64_t row) {
  const cases::Window window = cases::window_of(inputs, row);
  const ScoreType type = inputs.spec().score_type;
  const std::int64_t infinity = cases::score_rank(type, NanPolicy::kHighest, cases::bits_of_type(type, kInfinite));
  for (std::int64_t i = 0; i < window.n; ++i) {
    if (cases::score_rank(type, NanPolicy::kHighest, inputs.score(row, window.start + i)) > infinity) return true;
  }
  return false;
}

// A row that nothing was promised for takes the right answer.
void excuse_rows(const JudgedCase& judged, cases::CaseResult& result) {
  const cases::SelectCase& spec = judged.inputs.spec();
  for (std::int64_t row = 0; row < spec.rows; ++row) {
    if (!holds_nan(judged.inputs, row)) continue;
    for (std::int64_t slot = 0; slot < spec.k; ++slot) result.set_index(row, slot, judged.expected.index(row, slot));
  }
}

// Of raw positions: distinct, inside the row, as many as there should be, and -1 behind them.
std::string shape_fault(const JudgedCase& judged, const cases::CaseResult& result) {
  const cases::SelectCase& spec = judged.inputs.spec();
  for (std::int64_t row = 0; row < spec.rows; ++row) {
    const std::int64_t n = cases::window_of(judged.inputs, row).n, m = std::min(n, spec.k);
    std::vector<std::int64_t> positions;
    for (std::int64_t slot = 0; slot < spec.k; ++slot) {
      const std::int64_t position = result.index(row, slot);
      const bool is_right = slot < m ? position >= 0 && position < n : position == -1;
      if (!is_right) {
        return "row " + std::to_string(row) + ", slot " + std::to_string(slot) + ": expected " +
               (slot < m ? "a position below " + std::to_string(n) : std::string("-1")) + ", got " +
               std::to_string(position);
      }
      if (slot < m) positions.push_back(position);
    }
    std::sort(positions.begin(), positions.end());
    const auto twice = std::adjacent_find(positions.begin(), positions.end());
    if (twice != positions.end()) {
      return "row " + std::to_string(row) + ": position " + std::to_string(*twice) + " was chosen twice";
    }
  }
  return {};
}

}  // namespace

JudgedCase::JudgedCase(const cases::SelectCase& spec) : inputs(spec), expected(inputs, 0, 0x33) {
  cases::compute_expected(inputs, expected);
}

Verdict judge(const JudgedView& judged, Answer& answer, const Promises& promises) {
  Verdict verdict;
  verdict.refusal = answer.refusal;
  verdict.route = answer.route;
  if (!answer.fault.empty()) {
    verdict.difference = answer.fault;
    verdict.case_number = answer.fault_case;
  }
  for (Answer::Result& given : answer.results) {
    // Where the call itself failed its outputs say nothing.
    if (!answer.fault.empty() && given.number == answer.fault_case) continue;
    const JudgedCase& wanted = *judged[given.number];
    if (!promises.nan) excuse_rows(wanted, given.result);
    const std::string difference = promises.exact ? cases::compare(wanted.inputs, wanted.expected, given.result)
                                                  : shape_fault(wanted, given.result);
    if (difference.empty()) continue;
    verdict.wrong_rows += promises.exact ? cases::count_wrong_rows(wanted.inputs, wanted.expected, given.result) : 1;
    if (!verdict.difference.empty()) continue;
    verdict.difference = difference;
    verdict.case_number = given.number;
  }
  return verdict;
}

std::string repetition_fault(const JudgedView& judged, const Answer& first, const Answer& second) {
  for (std::size_t i = 0; i < std::min(first.results.size(), second.results.size()); ++i) {
    const std::size_t number = first.results[i].number;
    if (number != second.results[i].number) continue;  // threads end in any order
    const cases::SelectCase& spec = judged[number]->inputs.spec();
    for (std::int64_t row = 0; row < spec.rows; ++row) {
      for (std::int64_t slot = 0; slot < spec.k; ++slot) {
        const std::int64_t a = first.results[i].result.index(row, slot), b = second.results[i].result.index(row, slot);
        if (a == b) continue;
        return "row " + std::to_string(row) + ", slot " + std::to_string(slot) + ": the second run gave " +
               std::to_string(b) + " where the first gave " + std::to_string(a);
      }
    }
  }
  return {};
}

}  // namespace keysieve::audit
