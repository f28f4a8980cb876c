// Classes K and P: edges of page tables; empty batches.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "faults/fault_check.hpp"
#include "faults/guard_pages.hpp"
#include "keysieve/transform.hpp"

namespace keysieve::test {
namespace {

// The narrow table ends where an untouchable page begins.
TEST(Faults, R80_TableNarrowerThanTheWidth) {
  for (const std::int64_t page_size : {1, 64}) {
    const std::int64_t columns = 4096 / page_size;
    SelectCase spec = fault_case("R80", 8, 131072, 2048, Pattern::kGauss);
    set_lengths(spec, std::vector<std::int32_t>(8, 4096));
    spec.mode = IndexMode::kDual;
    spec.page_size = page_size;
    const CaseInputs inputs(spec);
    const SelectArgs wide = inputs.args();
    const GuardedPages memory(static_cast<std::size_t>(8 * columns * 4));
    auto* table = reinterpret_cast<std::int32_t*>(memory.data());
    for (std::int64_t line = 0; line < 8; ++line) {
      std::memcpy(table + line * columns, wide.page_table + line * wide.page_table_columns,
                  static_cast<std::size_t>(columns) * 4);
    }
    expect_right_with(inputs, [&](SelectArgs& args) {
      args.page_table = table;
      args.page_table_columns = columns;
    });
  }
}

// One buffer, three chunks of a prefill one after the other: nothing of an earlier chunk may stay.
TEST(Faults, R81_TailOfACallersBuffer) {
  const std::vector<std::vector<std::int32_t>> chunks = {
      {512, 512, 512, 512, 512}, {0, 1, 300, 511, 512}, {511, 0, 512, 1, 300}};
  for (const RunSetup& setup : fault_setups()) {
    SelectCase spec = fault_case("R81", 5, 512, 512, Pattern::kGauss);
    CaseResult rotating = result_for(CaseInputs(spec), setup, 0x7F);
    for (const auto& lengths : chunks) {
      set_lengths(spec, lengths);
      const CaseInputs inputs(spec);
      CaseResult expected(inputs, 0, 0);
      cases::compute_expected(inputs, expected);
      ASSERT_EQ(run_case(inputs, setup, rotating), "");
      EXPECT_EQ(cases::compare(inputs, expected, rotating), "") << describe(setup);
    }
  }
}

TEST(Faults, R84_MoreRowsThanTheTable) {
  constexpr std::int64_t kRows = 8, kK = 16;
  // Selection: the last three rows have no line.
  SelectCase spec = fault_case("R84", kRows, 64, kK, Pattern::kGauss);
  spec.mode = IndexMode::kDual;
  spec.page_size = 8;
  const CaseInputs inputs(spec);
  const SelectArgs all_lines = inputs.args();
  const GuardedPages memory(5 * 8 * 4);
  std::memcpy(memory.data(), all_lines.page_table, 5 * 8 * 4);
  const std::int32_t map[kRows] = {0, 1, 2, 3, 4, -1, -1, -1};
  const SelectPlan plan = plan_for(inputs, fault_setups().front());
  CaseResult got(inputs, plan.workspace_bytes, 0x5A);
  SelectArgs args = inputs.args();
  got.add_to(args);
  args.page_table = reinterpret_cast<const std::int32_t*>(memory.data());
  args.page_table_rows = 5;
  args.row_to_table = map;
  run(plan, args);
  for (std::int64_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(got.count(row), row < 5 ? kK : 0);
    for (std::int64_t slot = 0; slot < kK; ++slot) EXPECT_EQ(got.raw_index(row, slot) == -1, row >= 5);
  }

  // The transform alone.
  std::vector<std::int32_t> positions, out(kRows * kK, 0x5A5A5A5A);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int32_t slot = 0; slot < kK; ++slot) positions.push_back(slot);
  }
  TransformArgs alone;
  alone.rows = kRows;
  alone.k = kK;
  alone.positions = positions.data();
  alone.out = out.data();
  alone.page_table = args.page_table;
  alone.page_table_rows = 5;
  alone.page_table_columns = 8;
  alone.page_size = 8;
  alone.row_to_table = map;
  transform(alone);
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t slot = 0; slot < kK; ++slot) {
      const std::int32_t expected =
          row < 5 ? static_cast<std::int32_t>(args.page_table[row * 8 + slot / 8] * 8 + slot % 8) : -1;
      EXPECT_EQ(out[static_cast<std::size_t>(row * kK + slot)], expected) << row << ", " << slot;
    }
  }
}

// k = 0 is refused (the contract's choice) and leaves the next call right.
TEST(Faults, R100_EmptyBatches) {
  for (const IndexMode mode : {IndexMode::kRaw, IndexMode::kOffset, IndexMode::kPaged, IndexMode::kDual}) {
    for (const RunSetup& setup : fault_setups()) {
      SelectCase normal = fault_case("R100", 3, 4096, 512, Pattern::kGauss);
      normal.mode = mode;
      for (const auto& [rows, width] : {std::pair{0, 4096}, std::pair{3, 0}, std::pair{3, 4096}}) {
        normal.rows = rows;
        normal.width = width;
        const CaseInputs inputs(normal);
        CaseResult expected(inputs, 0, 0), got = result_for(inputs, setup, 0x5A);
        cases::compute_expected(inputs, expected);
        EXPECT_EQ(run_case(inputs, setup, got), "");
        EXPECT_EQ(cases::compare(inputs, expected, got), "");
        SelectProblem no_slots = inputs.problem();
        no_slots.k = 0;
        SelectPlan plan;
        EXPECT_EQ(try_make_plan(no_slots, plan).code(), StatusCode::kInvalidArgument);
      }
    }
  }
  SelectProblem idle;  // an idle rank has nothing to point at
  idle.k = 512;
  idle.width = 4096;
  const SelectPlan plan = make_plan(idle);
  std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_bytes));
  SelectArgs args;
  args.workspace = workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  EXPECT_TRUE(try_run(plan, args).ok());
}

}  // namespace
}  // namespace keysieve::test
