#include "reference/select_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/rows.hpp"
#include "reference/transform_reference.hpp"

namespace keysieve::reference {
namespace {

struct Candidate {
  double score;  // exact for every score type; NaN as it is
  std::int64_t index;
};

// -1: a is worse, 0: equal, 1: a is better.
int compare_scores(double a, double b, NanPolicy policy) {
  const bool nan_a = std::isnan(a), nan_b = std::isnan(b);
  if (nan_a || nan_b) {
    if (nan_a && nan_b) return 0;
    const bool nan_wins = policy == NanPolicy::kHighest;
    return nan_a == nan_wins ? 1 : -1;
  }
  if (a == b) return 0;  // -0 == +0
  return a > b ? 1 : -1;
}

void write_negative_infinity(void* values, std::int64_t element, ScoreType type) {
  if (type == ScoreType::kFloat32) {
    const std::uint32_t bits = 0xFF800000u;
    std::memcpy(static_cast<char*>(values) + element * 4, &bits, 4);
  } else {
    const std::uint16_t bits = type == ScoreType::kFloat16 ? 0xFC00u : 0xFF80u;
    std::memcpy(static_cast<char*>(values) + element * 2, &bits, 2);
  }
}

// The selected positions of one row, in slot order.
std::vector<Candidate> select_row(const SelectProblem& problem, const void* row_scores, std::int64_t n,
                                  std::uint32_t& errors) {
  std::vector<Candidate> candidates;
  candidates.reserve(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const double score = read_score(row_scores, i, problem.score_type);
    if (std::isnan(score) && problem.check_nan != 0) errors |= kErrorNanSeen;
    const bool absent = std::isnan(score) || score == -std::numeric_limits<double>::infinity();
    if (problem.mask_neg_inf != 0 && absent) continue;
    candidates.push_back({score, i});
  }
  const auto m = std::min<std::int64_t>(problem.k, static_cast<std::int64_t>(candidates.size()));
  // The first m of a full sort; the order is total, so they are unique.
  std::partial_sort(candidates.begin(), candidates.begin() + m, candidates.end(),
                    [&](const Candidate& a, const Candidate& b) {
                      const int order = compare_scores(a.score, b.score, problem.nan_policy);
                      if (order != 0) return order > 0;
                      return problem.ties == Ties::kLargest ? a.index > b.index : a.index < b.index;
                    });
  candidates.resize(static_cast<std::size_t>(m));
  if (problem.order == SlotOrder::kScore) {
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
      const int order = compare_scores(a.score, b.score, problem.nan_policy);
      return order != 0 ? order > 0 : a.index < b.index;
    });
  } else {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate& a, const Candidate& b) { return a.index < b.index; });
  }
  return candidates;
}

}  // namespace

void select(const SelectProblem& problem, const SelectArgs& args) {
  const std::int64_t score_bytes = size_bytes(problem.score_type);
  std::uint32_t errors = 0;
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    const Window window = window_of(problem, args, row, errors);
    const char* row_scores =
        static_cast<const char*>(args.scores) + (row * args.score_row_stride + window.start) * score_bytes;
    const std::vector<Candidate> chosen = select_row(problem, row_scores, window.n, errors);

    for (std::int64_t slot = 0; slot < problem.k; ++slot) {
      const bool filled = slot < static_cast<std::int64_t>(chosen.size());
      const std::int64_t position = filled ? chosen[static_cast<std::size_t>(slot)].index : -1;
      std::int64_t out = position;
      if (problem.mode == IndexMode::kOffset) out = offset_slot(position, args.out_offsets[row]);
      if (problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual) {
        out = paged_slot(position, page_table_of(args, args.page_size), table_line(problem, args, row), errors);
      }
      store_index(args.indices, row * args.indices_row_stride + slot, problem.index_type, out, errors);
      if (args.raw_indices != nullptr) {
        store_index(args.raw_indices, row * args.raw_indices_row_stride + slot, problem.index_type, position, errors);
      }
      if (args.values != nullptr) {
        const std::int64_t element = row * args.values_row_stride + slot;
        if (filled) {
          std::memcpy(static_cast<char*>(args.values) + element * score_bytes, row_scores + position * score_bytes,
                      static_cast<std::size_t>(score_bytes));
        } else {
          write_negative_infinity(args.values, element, problem.score_type);
        }
      }
    }
    if (args.counts != nullptr) args.counts[row] = static_cast<std::int32_t>(chosen.size());
  }
  if (args.error_word != nullptr) *args.error_word |= errors;
}

}  // namespace keysieve::reference
