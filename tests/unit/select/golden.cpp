#include "select/golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases/guarded_buffer.hpp"
#include "cases/patterns.hpp"
#include "select/routes.hpp"

namespace keysieve::test {
namespace {

using cases::GuardedBuffer;

GuardedBuffer ints_buffer(const Ints& values) {
  GuardedBuffer buffer(values.size() * 4);
  std::copy(values.begin(), values.end(), buffer.as<std::int32_t>());
  return buffer;
}

struct Outputs {
  GuardedBuffer indices, raw, values, counts, error_word, workspace;
};

std::int64_t read_index(const GuardedBuffer& buffer, IndexType type, std::int64_t element) {
  return type == IndexType::kInt32 ? buffer.as<std::int32_t>()[element] : buffer.as<std::int64_t>()[element];
}

bool same_value(ScoreType type, std::uint32_t got, double expected) {
  if (std::isnan(expected)) {
    const std::uint32_t magnitude = type == ScoreType::kFloat32 ? got & 0x7FFFFFFFu : got & 0x7FFFu;
    const std::uint32_t infinity = cases::bits_of_type(type, kInfinity);
    return magnitude > infinity;
  }
  return got == cases::bits_of_type(type, expected);
}

void check_rows(const char* what, const GuardedBuffer& buffer, const SelectProblem& problem,
                const std::vector<std::vector<std::int64_t>>& expected) {
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    std::vector<std::int64_t> got;
    for (std::int64_t slot = 0; slot < problem.k; ++slot) {
      got.push_back(read_index(buffer, problem.index_type, row * problem.k + slot));
    }
    std::vector<std::int64_t> wanted = expected.at(static_cast<std::size_t>(row));
    if (problem.order == SlotOrder::kAny) {
      std::sort(got.begin(), got.end());
      std::sort(wanted.begin(), wanted.end());
    }
    EXPECT_EQ(got, wanted) << what << " of row " << row;
  }
}

void run_on(const GoldenCall& call, const GoldenAnswer& answer, const RunSetup& setup) {
  SelectProblem problem = call.options;
  problem.rows = static_cast<std::int64_t>(call.scores.size());
  problem.width = call.scores.empty() ? 0 : static_cast<std::int64_t>(call.scores.front().size());
  problem.backend = setup.backend;
  problem.route = setup.route;
  problem.threads = setup.threads;
  const SelectPlan plan = make_plan(problem);

  GuardedBuffer scores(static_cast<std::size_t>(problem.rows * problem.width * size_bytes(problem.score_type)));
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    for (std::int64_t column = 0; column < problem.width; ++column) {
      const double value = call.scores[static_cast<std::size_t>(row)].at(static_cast<std::size_t>(column));
      cases::store_bits(problem.score_type, scores.data(), row * problem.width + column,
                        cases::bits_of_type(problem.score_type, value));
    }
  }
  Ints flat_table;
  for (const Ints& line : call.table) flat_table.insert(flat_table.end(), line.begin(), line.end());
  const auto optional_buffer = [](const std::optional<Ints>& ints) { return ints_buffer(ints.value_or(Ints{})); };
  const GuardedBuffer lengths = optional_buffer(call.lengths), starts = optional_buffer(call.starts),
                      ends = optional_buffer(call.ends), offsets = optional_buffer(call.offsets),
                      row_to_table = optional_buffer(call.row_to_table), table = ints_buffer(flat_table);

  const auto slots = static_cast<std::size_t>(problem.rows * problem.k);
  const auto index_bytes = static_cast<std::size_t>(size_bytes(problem.index_type));
  Outputs out{GuardedBuffer(slots * index_bytes),
              GuardedBuffer(slots * index_bytes),
              GuardedBuffer(slots * static_cast<std::size_t>(size_bytes(problem.score_type))),
              GuardedBuffer(static_cast<std::size_t>(problem.rows) * 4),
              GuardedBuffer(4),
              GuardedBuffer(static_cast<std::size_t>(plan.workspace_bytes))};
  for (GuardedBuffer* buffer : {&out.indices, &out.raw, &out.values, &out.counts, &out.workspace}) buffer->fill(0x5A);
  out.error_word.fill(0);

  SelectArgs args;
  args.next_n = call.next_n;
  args.scores = scores.data();
  if (call.lengths) args.lengths = lengths.as<std::int32_t>();
  args.length_request_stride = call.length_request_stride;
  args.length_row_stride = call.length_row_stride;
  if (call.starts) args.row_starts = starts.as<std::int32_t>();
  if (call.ends) args.row_ends = ends.as<std::int32_t>();
  if (call.offsets) args.out_offsets = offsets.as<std::int32_t>();
  if (problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual) {
    args.page_table = table.as<std::int32_t>();
    args.page_table_rows = static_cast<std::int64_t>(call.table.size());
    args.page_table_columns = call.table.empty() ? 0 : static_cast<std::int64_t>(call.table.front().size());
    args.page_size = call.page_size;
    args.num_pages = call.num_pages;
    if (call.row_to_table) args.row_to_table = row_to_table.as<std::int32_t>();
  }
  args.indices = out.indices.data();
  if (problem.mode == IndexMode::kDual) args.raw_indices = out.raw.data();
  args.values = out.values.data();
  args.counts = out.counts.as<std::int32_t>();
  args.error_word = out.error_word.as<std::uint32_t>();
  args.workspace = out.workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  run(plan, args);

  check_rows("indices", out.indices, problem, answer.indices);
  if (problem.mode == IndexMode::kDual) check_rows("raw indices", out.raw, problem, answer.raw);
  const auto* counts = out.counts.as<std::int32_t>();
  EXPECT_EQ(Ints(counts, counts + problem.rows), answer.counts);
  EXPECT_EQ(*out.error_word.as<std::uint32_t>(), answer.errors) << "error word";
  for (std::size_t row = 0; row < answer.values.size(); ++row) {
    ASSERT_EQ(answer.values[row].size(), static_cast<std::size_t>(problem.k)) << "the answer has a wrong shape";
    for (std::int64_t slot = 0; slot < problem.k; ++slot) {
      const std::uint32_t got =
          cases::load_bits(problem.score_type, out.values.data(), static_cast<std::int64_t>(row) * problem.k + slot);
      const double wanted = answer.values[row][static_cast<std::size_t>(slot)];
      EXPECT_TRUE(same_value(problem.score_type, got, wanted))
          << "value of row " << row << ", slot " << slot << ": expected " << wanted << ", got "
          << cases::score_text(problem.score_type, got);
    }
  }
  for (const GuardedBuffer* buffer :
       {&out.indices, &out.raw, &out.values, &out.counts, &out.error_word, &out.workspace, &scores}) {
    EXPECT_EQ(buffer->damaged(), "");
  }
}

}  // namespace

GoldenCall one_row(std::vector<double> scores, std::int64_t k) {
  GoldenCall call;
  call.scores.push_back(std::move(scores));
  call.options.k = k;
  return call;
}

void expect_answer(const GoldenCall& call, const GoldenAnswer& answer) {
  ASSERT_EQ(answer.indices.size(), call.scores.size()) << "the answer has a wrong shape";
  std::vector<RunSetup> setups = cpu_setups();
  setups.insert(setups.begin(), kReferenceSetup);
  for (const RunSetup& setup : setups) {
    SCOPED_TRACE(describe(setup));
    run_on(call, answer, setup);
  }
}

}  // namespace keysieve::test
