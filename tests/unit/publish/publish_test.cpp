// Publishing: reference, CPU backend and both CUDA routes on the host leave the same bytes everywhere; what is refused;
// a table worked out by hand.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "cases/operation/publish_cases.hpp"
#include "cuda/host_engine.hpp"
#include "cuda/operation_host.hpp"
#include "plan/planner.hpp"
#include "publish/publish_run.hpp"

namespace keysieve::test {
namespace {

using cases::GuardedBuffer;
using cases::OperationCase;
using cases::OperationRound;
using cases::PublishedTensors;
using cases::Publishing;

struct PublishSetup {
  const char* name;
  Backend backend;
  Route route;
  std::uint64_t order_seed;
};
constexpr PublishSetup kOnHost[] = {{"cpu", Backend::kCpu, Route::kAuto, 0}, {"auto", Backend::kAuto, Route::kAuto, 0}};
constexpr PublishSetup kCudaSources[] = {{"sieve", Backend::kCuda, Route::kSieve, 0},
                                         {"sieve, another order", Backend::kCuda, Route::kSieve, 5},
                                         {"split", Backend::kCuda, Route::kSplit, 0},
                                         {"split, another order", Backend::kCuda, Route::kSplit, 6},
                                         {"automatic", Backend::kCuda, Route::kAuto, 0}};

Status plan_for(const PublishedTensors& tensors, const PublishSetup& setup, PublishPlan& plan) {
  keysieve_publish_problem problem = tensors.problem;
  problem.select.backend = static_cast<std::int32_t>(setup.backend);
  problem.select.route = static_cast<std::int32_t>(setup.route);
  const bool on_cuda = setup.backend == Backend::kCuda;
  problem.select.device_type = on_cuda ? KEYSIEVE_DEVICE_CUDA : KEYSIEVE_DEVICE_CPU;
  const MakeSelectPlan make = [on_cuda](const SelectProblem& select, SelectPlan& made) {
    return on_cuda ? make_plan_for_profile(select, "h200", made) : make_plan(select, made);
  };
  return make_publish_plan(problem, make, plan);
}

std::string run_sources(const PublishPlan& plan, const PublishCall& call, std::uint64_t seed) {
  const bool compete = plan.blocks_compete();
  std::string fault = run_launches_on_host(
      compete ? make_publish_launches(plan.select, call.select, call.keys) : make_launches(plan.select, call.select),
      seed);
  if (fault.empty() && compete) {
    fault = run_launches_on_host(make_launches(plan.block_select, call.block_select), seed);
  }
  return fault.empty() ? run_call_on_host(seal_call(plan, call), seed) : fault;
}

void run(OperationRound<Publishing>& round, const PublishSetup& setup, std::uint8_t poison) {
  PublishPlan plan;
  Status status = plan_for(round.args(), setup, plan);
  ASSERT_TRUE(status.ok()) << status.message();
  GuardedBuffer workspace(static_cast<std::size_t>(plan.workspace_bytes), 1);
  workspace.fill(poison);
  keysieve_publish_args args = publish_args_of(round.args());
  args.workspace = workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  PublishCall call{};
  status = resolve_publish_args(plan, args, call);
  ASSERT_TRUE(status.ok()) << status.message();
  if (plan.problem.select.rows > 0) {
    if (setup.backend == Backend::kCuda) {
      ASSERT_EQ(run_sources(plan, call, setup.order_seed), "");
    } else {
      status = run_publish(plan, call, nullptr);
      ASSERT_TRUE(status.ok()) << status.message();
    }
  }
  ASSERT_EQ(workspace.damaged(), "");
  ASSERT_EQ(round.damaged(), "");
}

void expect_like_reference(const PublishSetup& setup) {
  std::size_t number = 0;
  for (const OperationCase<Publishing>& each : cases::operation_cases<Publishing>()) {
    SCOPED_TRACE(std::string(setup.name) + ": " + each.name);
    const std::uint8_t poison = number % 3 == 0 ? 0x5A : number % 3 == 1 ? 0x00 : 0xFF;
    ++number;
    OperationRound<Publishing> expected(each, poison), got(each, poison);
    ASSERT_NO_FATAL_FAILURE(run(expected, {"reference", Backend::kReference, Route::kAuto, 0}, poison));
    ASSERT_NO_FATAL_FAILURE(run(got, setup, poison));
    ASSERT_EQ(got.difference(expected), "");
  }
}

TEST(Publish, HostBackendsAgree) {
  for (const PublishSetup& setup : kOnHost) expect_like_reference(setup);
}

TEST(Publish, CudaSourcesAgree) {
  for (const PublishSetup& setup : kCudaSources) ASSERT_NO_FATAL_FAILURE(expect_like_reference(setup));
}

// 37 columns, five blocks; two are kept: the newest and the best other.
TEST(Publish, ByHand) {
  std::vector<float> scores(37, 0.5f);
  scores[20] = 2.0f;   // block 2
  scores[36] = -9.0f;  // block 4, the newest
  keysieve_publish_problem problem;
  keysieve_publish_problem_init(&problem);
  problem.blocks = 2;
  problem.physical = 1;
  problem.select.rows = 1, problem.select.width = 37, problem.select.k = 1;
  keysieve_publish_plan plan;
  keysieve_publish_plan_init(&plan);
  ASSERT_EQ(keysieve_publish_make_plan(&problem, &plan), KEYSIEVE_OK) << keysieve_last_error();
  const std::int32_t length = 37, pages[] = {7, 3, 5};
  std::int32_t index = 0, blocks[2], physical[2], count, valid;
  std::vector<std::byte> workspace(static_cast<std::size_t>(plan.workspace_bytes));
  keysieve_publish_args args;
  keysieve_publish_args_init(&args);
  args.select.scores = scores.data();
  args.select.lengths = &length;
  args.select.indices = &index;
  args.select.page_table = pages;
  args.select.page_table_rows = 1, args.select.page_table_columns = 3, args.select.page_size = 16;
  args.blocks = blocks, args.physical_blocks = physical;
  args.block_counts = &count, args.valid_lengths = &valid;
  args.workspace = workspace.data(), args.workspace_bytes = plan.workspace_bytes;
  ASSERT_EQ(keysieve_publish_run(&plan, &args, nullptr), KEYSIEVE_OK) << keysieve_last_error();
  EXPECT_EQ(index, 20);
  EXPECT_EQ(blocks[0], 2);
  EXPECT_EQ(blocks[1], 4);
  EXPECT_EQ(physical[0], 3 * 2);  // page 1 of the row is page 3, which begins with block 6
  EXPECT_EQ(physical[1], 5 * 2);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(valid, 8 + 5);

  const auto refused = [&](keysieve_publish_args wrong) {
    const keysieve_publish_args given = wrong;
    EXPECT_EQ(keysieve_publish_run(&plan, &given, nullptr), KEYSIEVE_INVALID_ARGUMENT);
    return std::string(keysieve_last_error());
  };
  keysieve_publish_args wrong = args;
  wrong.blocks = nullptr;
  EXPECT_EQ(refused(wrong), "blocks: expected a pointer, got null");
  wrong = args;
  wrong.select.row_starts = &length;
  EXPECT_EQ(refused(wrong), "row_starts: expected null, as blocks begin at 0");
  wrong = args;
  wrong.select.page_size = 12;
  EXPECT_EQ(refused(wrong), "page_size: expected a power of two >= 8 for physical blocks, got 12");
  wrong = args;
  wrong.physical_blocks = blocks;
  EXPECT_EQ(refused(wrong), "blocks: expected memory of its own, overlaps physical_blocks");
  wrong = args;
  wrong.workspace_bytes = 1;
  EXPECT_NE(refused(wrong).find("workspace: expected "), std::string::npos);
  wrong = args;
  wrong.blocks_row_stride = 1;
  EXPECT_NE(refused(wrong), "");
  plan.key_row_stride += 4;
  EXPECT_EQ(refused(args), "plan: expected one made by keysieve_publish_make_plan, got a changed one");
}

// Keys of the whole blocks of FP32 rows, by their definition; the newest block's is a trap.
std::vector<float> keys_of(const PublishedTensors& tensors, std::int64_t columns) {
  const std::int64_t rows = tensors.problem.select.rows;
  std::vector<float> keys(static_cast<std::size_t>(rows * columns), std::nanf(""));
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto* scores = static_cast<const float*>(tensors.scores.data) + row * tensors.scores.strides[0];
    for (std::int64_t block = 0; block * 8 + 8 <= tensors.problem.select.width; ++block) {
      float key = -std::numeric_limits<float>::infinity();
      for (int i = 0; i < 8; ++i) key = std::fmax(key, scores[block * 8 + i]);
      keys[static_cast<std::size_t>(row * columns + block)] = key;
    }
  }
  return keys;
}

void run_block_topk(OperationRound<Publishing>& round, const std::vector<float>& keys, std::int64_t columns,
                    const PublishSetup& setup, std::uint8_t poison) {
  const PublishedTensors& tensors = round.args();
  keysieve_block_topk_problem problem;
  keysieve_block_topk_problem_init(&problem);
  problem.blocks = tensors.problem.blocks;
  problem.keep_neg_inf = tensors.problem.keep_neg_inf;
  problem.physical = tensors.problem.physical;
  problem.rows = tensors.problem.select.rows;
  problem.key_columns = columns;
  problem.backend = static_cast<std::int32_t>(setup.backend);
  const bool on_cuda = setup.backend == Backend::kCuda;
  problem.device_type = on_cuda ? KEYSIEVE_DEVICE_CUDA : KEYSIEVE_DEVICE_CPU;
  PublishPlan plan;
  Status status = make_block_topk_plan(
      problem,
      [on_cuda](const SelectProblem& select, SelectPlan& made) {
        return on_cuda ? make_plan_for_profile(select, "h200", made) : make_plan(select, made);
      },
      plan);
  ASSERT_TRUE(status.ok()) << status.message();
  GuardedBuffer workspace(static_cast<std::size_t>(plan.workspace_bytes), 3);
  workspace.fill(poison);
  const keysieve_publish_args published = publish_args_of(tensors);
  keysieve_block_topk_args args;
  keysieve_block_topk_args_init(&args);
  args.next_n = published.select.next_n;
  args.keys = keys.data();
  args.lengths = published.select.lengths;
  args.page_table = published.select.page_table;
  args.page_table_rows = published.select.page_table_rows;
  args.page_table_columns = published.select.page_table_columns;
  args.page_table_row_stride = published.select.page_table_row_stride;
  args.page_size = published.select.page_size;
  args.num_pages = published.select.num_pages;
  args.row_to_table = published.select.row_to_table;
  args.blocks = published.blocks;
  args.blocks_row_stride = published.blocks_row_stride;
  args.physical_blocks = published.physical_blocks;
  args.block_counts = published.block_counts;
  args.valid_lengths = published.valid_lengths;
  args.error_word = published.select.error_word;
  args.workspace = workspace.data();
  args.workspace_bytes = plan.workspace_bytes;
  PublishCall call{};
  status = resolve_block_topk_args(plan, args, call);
  ASSERT_TRUE(status.ok()) << status.message();
  if (!on_cuda) {
    status = run_publish(plan, call, nullptr);
    ASSERT_TRUE(status.ok()) << status.message();
  } else {
    ASSERT_EQ(run_call_on_host(count_call(plan, call), setup.order_seed), "");
    if (plan.blocks_compete()) {
      ASSERT_EQ(run_launches_on_host(make_launches(plan.block_select, call.block_select), setup.order_seed), "");
    }
    ASSERT_EQ(run_call_on_host(seal_call(plan, call), setup.order_seed), "");
  }
  ASSERT_EQ(workspace.damaged(), "");
  ASSERT_EQ(round.damaged(), "");
}

// The blocks are those that publishing the scores gives, the bits of a length that is too long included.
TEST(Publish, BlockTopkLikePublish) {
  for (const OperationCase<Publishing>& each : cases::operation_cases<Publishing>()) {
    if (each.args.problem.select.score_type != KEYSIEVE_FLOAT32 || each.args.problem.select.rows == 0) continue;
    if (each.args.problem.select.width % 8 != 0 && each.args.problem.select.width > 8) {
      // Lengths past the scores would be clamped elsewhere for the keys, whose capacity is whole blocks.
      continue;
    }
    for (const PublishSetup& setup :
         {PublishSetup{"reference", Backend::kReference, Route::kAuto, 0},
          PublishSetup{"cpu", Backend::kCpu, Route::kAuto, 0}, PublishSetup{"cuda", Backend::kCuda, Route::kAuto, 0},
          PublishSetup{"cuda, another order", Backend::kCuda, Route::kAuto, 3}}) {
      SCOPED_TRACE(std::string(setup.name) + ": " + each.name);
      OperationRound<Publishing> expected(each, 0x5A), got(each, 0x5A);
      ASSERT_NO_FATAL_FAILURE(run(expected, {"reference", Backend::kReference, Route::kAuto, 0}, 0x5A));
      const std::int64_t columns = (each.args.problem.select.width + 7) / 8;
      ASSERT_NO_FATAL_FAILURE(run_block_topk(got, keys_of(got.args(), columns), columns, setup, 0xFF));
      for (auto tensor : {&PublishedTensors::blocks, &PublishedTensors::physical_blocks,
                          &PublishedTensors::block_counts, &PublishedTensors::valid_lengths}) {
        const keysieve_tensor &one = expected.args().*tensor, &other = got.args().*tensor;
        if (one.data == nullptr) continue;
        ASSERT_EQ(std::memcmp(one.data, other.data, static_cast<std::size_t>(extent_bytes(one))), 0);
      }
      EXPECT_EQ(got.error_word() & KEYSIEVE_ERROR_LENGTH_CLAMPED,
                expected.error_word() & KEYSIEVE_ERROR_LENGTH_CLAMPED);
    }
  }
}

TEST(Publish, RefusesByName) {
  const auto faults = [](auto change) {
    keysieve_publish_problem problem;
    keysieve_publish_problem_init(&problem);
    problem.select.rows = 4, problem.select.width = 100000, problem.select.k = 64;
    change(problem);
    char text[512];
    EXPECT_EQ(keysieve_publish_can_use(&problem, text, sizeof(text), nullptr), KEYSIEVE_OK) << keysieve_last_error();
    return std::string(text);
  };
  EXPECT_EQ(faults([](auto&) {}), "");
  EXPECT_EQ(faults([](auto& problem) { problem.blocks = 0; }), "blocks: expected 1..8192, got 0");
  EXPECT_EQ(faults([](auto& problem) { problem.blocks = 9000; }), "blocks: expected 1..8192, got 9000");
  EXPECT_EQ(faults([](auto& problem) { problem.keep_neg_inf = 2; }), "keep_neg_inf: expected 0..1, got 2");
  EXPECT_EQ(faults([](auto& problem) { problem.select.k = 0; }), "k: expected 1..2147483647, got 0");
}

// Few rows share the SMs, many do not; a forced route that leaves no keys is refused.
TEST(Publish, RoutesOnADevice) {
  PublishedTensors tensors{};
  keysieve_publish_problem_init(&tensors.problem);
  tensors.problem.select.k = 512;
  const auto route = [&](std::int64_t rows, std::int64_t width) {
    tensors.problem.select.rows = rows, tensors.problem.select.width = width;
    PublishPlan plan;
    EXPECT_TRUE(plan_for(tensors, {"", Backend::kCuda, Route::kAuto, 0}, plan).ok());
    return plan.select.route;
  };
  EXPECT_EQ(route(1, 131072), Route::kSplit);
  EXPECT_EQ(route(16, 1 << 20), Route::kSplit);
  EXPECT_EQ(route(1, 1 << 22), Route::kSplit);
  EXPECT_EQ(route(1024, 1 << 20), Route::kSieve);
  EXPECT_EQ(route(1024, 20000), Route::kSieve);
  EXPECT_EQ(route(1024, 8000), Route::kTile);  // no row has more than 2048 blocks
  PublishPlan plan;
  tensors.problem.select.width = 131072;
  const Status status = plan_for(tensors, {"", Backend::kCuda, Route::kWide, 0}, plan);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("select.route: expected auto, sieve or split"), std::string::npos);
}

}  // namespace
}  // namespace keysieve::test
