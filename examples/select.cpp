#include <keysieve/select.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

int main() {
  // Two requests with a page table each: pages of four slots.
  const std::vector<float> scores = {1, 5, 3, 5, 2, 9, 7, 0, /**/ 4, 4, 4, 4, 4, 4, 4, 4};
  const std::vector<std::int32_t> lengths = {8, 3}, page_table = {10, 11, /**/ 20, 21};

  keysieve::SelectProblem problem;
  problem.rows = 2;
  problem.width = 8;
  problem.k = 4;
  problem.mode = keysieve::IndexMode::kPaged;
  const keysieve::SelectPlan plan = keysieve::make_plan(problem);  // throws keysieve::Error

  std::vector<std::int32_t> slots(8), counts(2);
  std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_bytes));
  keysieve::SelectArgs args;
  args.scores = scores.data();
  args.lengths = lengths.data();
  args.page_table = page_table.data();
  args.page_table_rows = 2;
  args.page_table_columns = 2;
  args.page_size = 4;
  args.indices = slots.data();
  args.counts = counts.data();
  args.workspace = workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  keysieve::run(plan, args);

  for (std::size_t row = 0; row < 2; ++row) {
    std::printf("%d selected:", counts[row]);
    for (std::size_t slot = 0; slot < 4; ++slot) std::printf(" %d", slots[row * 4 + slot]);
    std::printf("\n");
  }
  return 0;  // prints "4 selected: 41 43 45 46" and "3 selected: 80 81 82 -1"
}
