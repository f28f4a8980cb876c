// Slots, order of events, failures: with copies that the test steers in place of a device's.
#include "shadow/checker.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace keysieve::shadow {
namespace {

// Copies at once, but says so only when told; every state a slot's event can have.
class SteeredCopies final : public Copies {
 public:
  static constexpr std::int64_t kSlots = 2;

  std::byte* memory(std::int64_t slot) override { return memory_[static_cast<std::size_t>(slot)].data(); }
  Status is_capturing(void* stream, bool& is) override {
    is = stream == this;
    return {};
  }
  CopyStart start(std::int64_t slot, std::span<const Piece> pieces, void* /*stream*/) override {
    for (const Piece& piece : pieces) std::memcpy(memory(slot) + piece.offset, piece.from, piece.line_bytes);
    ++starts;
    if (fail_start) return {Status(StatusCode::kDeviceError, "no copy"), tracked};
    return {};
  }
  CopyState state(std::int64_t slot) override { return states[static_cast<std::size_t>(slot)]; }
  void wait(std::int64_t slot) override { ++waits[static_cast<std::size_t>(slot)]; }

  std::array<std::atomic<CopyState>, kSlots> states{CopyState::kPending, CopyState::kPending};
  std::array<std::atomic<int>, kSlots> waits{};
  std::atomic<int> starts{0};
  bool fail_start = false, tracked = true;

 private:
  std::array<std::array<std::byte, 4096>, kSlots> memory_{};
};

class ShadowChecker : public testing::Test {
 protected:
  ShadowChecker() {
    options_.share = 1.0;
    options_.slots = SteeredCopies::kSlots;
    options_.slot_bytes = 4096;
    problem_.rows = 1;
    problem_.width = 6;
    problem_.k = 3;
    args_.scores = scores_.data();
    args_.score_row_stride = 6;
    args_.indices = indices_.data();
    args_.indices_row_stride = 3;
    auto copies = std::make_unique<SteeredCopies>();
    copies_ = copies.get();
    checker_.emplace(options_, std::move(copies));
  }

  Status observe(void* stream = nullptr) { return checker_->observe(plan(), args_, stream); }
  SelectPlan plan() const {
    SelectPlan plan;
    plan.problem = problem_;
    return plan;
  }
  ShadowReport report() const { return checker_->report(nullptr); }

  ShadowOptions options_;
  SelectProblem problem_;
  SelectArgs args_;
  std::array<float, 6> scores_ = {1, 5, 3, 5, 2, 9};
  std::array<std::int32_t, 3> indices_ = {1, 3, 5};
  SteeredCopies* copies_ = nullptr;
  std::optional<Checker> checker_;
};

TEST_F(ShadowChecker, ChecksWhenTheCopiesHaveLandedAndNotBefore) {
  ASSERT_TRUE(observe().ok());
  EXPECT_FALSE(checker_->wait(20));
  EXPECT_EQ(report().calls_checked, 0);
  copies_->states[0] = CopyState::kDone;
  EXPECT_TRUE(checker_->wait(-1));
  EXPECT_EQ(report().calls_checked, 1);
  EXPECT_EQ(report().rows_wrong, 0);
}

TEST_F(ShadowChecker, ALaterStreamIsNotHeldUpByAStuckOne) {
  ASSERT_TRUE(observe().ok());
  copies_->states[1] = CopyState::kDone;
  indices_[0] = 0;
  ASSERT_TRUE(observe().ok());
  while (report().calls_checked == 0) std::this_thread::yield();
  EXPECT_EQ(report().first_wrong_call, 1);
  EXPECT_FALSE(checker_->wait(0));
}

TEST_F(ShadowChecker, SkipsAndCountsWhenAllSlotsAreInFlight) {
  for (int call = 0; call < 5; ++call) ASSERT_TRUE(observe().ok());
  EXPECT_EQ(copies_->starts, 2);
  EXPECT_EQ(report().calls_seen, 5);
  EXPECT_EQ(report().calls_sampled, 5);
  EXPECT_EQ(report().calls_skipped_busy, 3);
  for (auto& state : copies_->states) state = CopyState::kDone;
  EXPECT_TRUE(checker_->wait(-1));
  ASSERT_TRUE(observe().ok());
  EXPECT_TRUE(checker_->wait(-1));
  EXPECT_EQ(report().calls_checked, 3);
}

TEST_F(ShadowChecker, EnqueuesNothingWhileTheStreamIsCaptured) {
  ASSERT_TRUE(observe(copies_).ok());
  EXPECT_EQ(copies_->starts, 0);
  EXPECT_EQ(report().calls_skipped_capturing, 1);
  EXPECT_TRUE(checker_->wait(0));
}

TEST_F(ShadowChecker, ARowThatDoesNotFitIsCounted) {
  std::vector<float> wide(2000);
  problem_.width = args_.score_row_stride = 2000;
  args_.scores = wide.data();
  ASSERT_TRUE(observe().ok());
  EXPECT_EQ(copies_->starts, 0);
  EXPECT_EQ(report().calls_too_large, 1);
}

TEST_F(ShadowChecker, AFailedCopyIsReportedAndItsSlotUsedAgainOnceItIsAtRest) {
  copies_->fail_start = true;
  const Status status = observe();
  EXPECT_EQ(status.code(), StatusCode::kDeviceError);
  EXPECT_FALSE(checker_->wait(20));
  copies_->states[0] = CopyState::kDone;
  EXPECT_TRUE(checker_->wait(-1));
  EXPECT_EQ(report().calls_failed, 1);
  EXPECT_EQ(report().rows_checked, 0);
  copies_->fail_start = false;
  ASSERT_TRUE(observe().ok());
  EXPECT_TRUE(checker_->wait(-1));
  EXPECT_EQ(report().calls_checked, 1);
  FirstTexts texts;
  checker_->report(&texts);
  EXPECT_EQ(texts.failure, "no copy");
}

TEST_F(ShadowChecker, MemoryThatNobodyCanTellToBeAtRestIsNotUsedAgain) {
  copies_->fail_start = true;
  copies_->tracked = false;
  for (int call = 0; call < 3; ++call) (void)observe().ok();
  EXPECT_EQ(copies_->starts, 2);
  EXPECT_EQ(report().calls_skipped_busy, 1);
  EXPECT_TRUE(checker_->wait(0));
}

TEST_F(ShadowChecker, ADeviceErrorAfterTheCopyIsAFailure) {
  copies_->states[0] = CopyState::kFailed;
  ASSERT_TRUE(observe().ok());
  EXPECT_TRUE(checker_->wait(-1));
  EXPECT_EQ(report().calls_failed, 1);
  EXPECT_EQ(report().rows_checked, 0);
}

// The memory must not go while the device still writes it.
TEST_F(ShadowChecker, DestructionWaitsForCopiesInFlight) {
  struct Watch final : Copies {
    explicit Watch(std::atomic<int>& count) : waits(count) {}
    std::byte* memory(std::int64_t) override { return block.data(); }
    Status is_capturing(void*, bool& is) override {
      is = false;
      return {};
    }
    CopyStart start(std::int64_t, std::span<const Piece>, void*) override { return {}; }
    CopyState state(std::int64_t) override { return CopyState::kPending; }
    void wait(std::int64_t) override { ++waits; }
    std::atomic<int>& waits;
    std::array<std::byte, 4096> block{};
  };
  std::atomic<int> waits{0};
  {
    Checker checker(options_, std::make_unique<Watch>(waits));
    ASSERT_TRUE(checker.observe(plan(), args_, nullptr).ok());
    ASSERT_TRUE(checker.observe(plan(), args_, nullptr).ok());
  }
  EXPECT_EQ(waits, 2);
}

TEST_F(ShadowChecker, OtherDevicesPlansAreRefused) {
  problem_.device_type = DeviceType::kCuda;
  const Status status = observe();
  EXPECT_EQ(status.message(), "plan: expected one for the shadow's device cpu, got one for cuda:0");
  EXPECT_EQ(report().calls_seen, 0);
}

}  // namespace
}  // namespace keysieve::shadow
