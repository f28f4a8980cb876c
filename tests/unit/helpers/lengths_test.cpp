// Context guard, stamps, and the host's questions about a fixed context.
#include <gtest/gtest.h>

#include "cases/operation/operation_case.hpp"
#include "helpers/context_guard.hpp"
#include "helpers/selection_stamp.hpp"
#include "keysieve/select.hpp"

namespace keysieve {
namespace {

using cases::TensorStore;

TEST(ContextGuard, RefusesByName) {
  TensorStore store;
  keysieve_context_guard_args args{};
  args.struct_size = sizeof(args);
  args.lengths = store.make(KEYSIEVE_ELEMENT_INT32, {4});
  args.out = store.make(KEYSIEVE_ELEMENT_INT32, {3});
  args.max_context = -1;
  Faults faults;
  check_operation<ContextGuard>(args, faults);
  EXPECT_EQ(faults.lines(), "max_context: expected 0..2147483647, got -1\nout: expected [rows=4], got [3]");
}

// Any change of what a selection was made for changes its stamp; what lies behind the live pages does not.
TEST(SelectionStamp, ChangesWithLengthAndLivePages) {
  std::int32_t length = 100, table[] = {4, 9, 2, 7};
  std::int64_t stamp = 0;
  keysieve_selection_stamp_args args;
  keysieve_selection_stamp_args_init(&args);
  const auto tensor = [](void* data, std::int32_t element, std::int64_t rows, std::int64_t columns) {
    keysieve_tensor made{};
    made.data = data, made.element = element;
    made.rank = columns > 0 ? 2 : 1;
    made.shape[0] = rows, made.shape[1] = columns;
    made.strides[0] = made.strides[1] = KEYSIEVE_AUTO;
    return made;
  };
  args.lengths = tensor(&length, KEYSIEVE_ELEMENT_INT32, 1, 0);
  args.page_table = tensor(table, KEYSIEVE_ELEMENT_INT32, 1, 4);
  args.stamps = tensor(&stamp, KEYSIEVE_ELEMENT_INT64, 1, 0);
  args.page_size = 64;
  const auto stamp_now = [&] {
    EXPECT_EQ(keysieve_selection_stamp(&args, nullptr), KEYSIEVE_OK) << keysieve_last_error();
    return stamp;
  };
  const std::int64_t first = stamp_now();
  table[3] = 70;  // not live
  table[2] = 3;
  EXPECT_EQ(stamp_now(), first);
  std::swap(table[0], table[1]);
  EXPECT_NE(stamp_now(), first);
  std::swap(table[0], table[1]);
  length = 101;
  EXPECT_NE(stamp_now(), first);
  length = 100;
  EXPECT_EQ(stamp_now(), first);

  keysieve_selection_stamp_args compare = args;
  compare.expected = args.stamps;
  compare.stamps.rank = 0;
  EXPECT_EQ(keysieve_selection_stamp(&compare, nullptr), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(keysieve_last_error()), "error_word: expected a pointer beside `expected`, got null");
  std::uint32_t errors = 1;
  compare.call.error_word = &errors;
  EXPECT_EQ(keysieve_selection_stamp(&compare, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(errors, 1u);
  length = 99;
  EXPECT_EQ(keysieve_selection_stamp(&compare, nullptr), KEYSIEVE_OK);
  EXPECT_EQ(errors, 1u | KEYSIEVE_ERROR_STALE_SELECTION);
}

TEST(FixedContext, HostKnowsBeforeReplay) {
  SelectProblem problem;
  problem.rows = 4, problem.width = 4096, problem.k = 64;
  const SelectPlan plan = make_plan(problem);
  const auto c_plan = std::bit_cast<keysieve_select_plan>(plan);
  char text[200] = "x";
  EXPECT_EQ(keysieve_select_serves_context(&c_plan, 4096, text, sizeof(text), nullptr), KEYSIEVE_OK);
  EXPECT_EQ(std::string(text), "");
  EXPECT_EQ(keysieve_select_serves_context(&c_plan, 4097, text, sizeof(text), nullptr), KEYSIEVE_OK);
  EXPECT_EQ(std::string(text), "max_context: expected at most the plan's width 4096, got 4097; run this step eagerly");
  EXPECT_EQ(keysieve_select_serves_context(&c_plan, -1, text, sizeof(text), nullptr), KEYSIEVE_INVALID_ARGUMENT);
}

TEST(FixedContext, BytesOfScores) {
  std::int64_t bytes = -1;
  const auto bytes_of = [&](std::int32_t mode, std::int64_t rows, std::int64_t context, std::int32_t element) {
    EXPECT_EQ(keysieve_score_bytes(mode, rows, context, element, &bytes), KEYSIEVE_OK) << keysieve_last_error();
    return bytes;
  };
  EXPECT_EQ(bytes_of(KEYSIEVE_SCORES_FULL, 8192, 262144, KEYSIEVE_ELEMENT_FLOAT32), std::int64_t{8} << 30);
  EXPECT_EQ(bytes_of(KEYSIEVE_SCORES_FULL, 3, 257, KEYSIEVE_ELEMENT_FLOAT32), 3 * 257 * 4);
  EXPECT_EQ(bytes_of(KEYSIEVE_SCORES_FIXED_CONTEXT, 3, 257, KEYSIEVE_ELEMENT_BFLOAT16), 3 * 512 * 2);
  EXPECT_EQ(bytes_of(KEYSIEVE_SCORES_CANDIDATES, 8192, 2048, KEYSIEVE_ELEMENT_BFLOAT16),
            std::int64_t{8192} * 16384 * 2);
  EXPECT_EQ(keysieve_score_bytes(3, 1, 1, 0, &bytes), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_score_bytes(KEYSIEVE_SCORES_CANDIDATES, 1, 1, KEYSIEVE_ELEMENT_FLOAT32, &bytes),
            KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_EQ(keysieve_score_bytes(KEYSIEVE_SCORES_FULL, INT32_MAX, INT32_MAX, KEYSIEVE_ELEMENT_FLOAT32, &bytes),
            KEYSIEVE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace keysieve
