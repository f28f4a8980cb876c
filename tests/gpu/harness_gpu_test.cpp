// The device harness can fail: every kind of damage that it is there to find is planted once and found.
#include <gtest/gtest.h>

#include "standing_call.hpp"
#include "test_kernels.hpp"

namespace keysieve::test {
namespace {

class GpuHarness : public testing::Test {
 protected:
  static cases::SelectCase spec() {
    cases::SelectCase spec;
    spec.name = "planted";
    spec.rows = 3;
    spec.width = 400;
    spec.k = 6;
    spec.mode = IndexMode::kDual;
    spec.output_padding = 2;
    spec.row_padding = 5;
    spec.length_kind = cases::LengthKind::kExplicit;
    spec.lengths = {400, 4, 0};
    return spec;
  }

  // What the harness says after a right run, with one byte changed beside it.
  std::string fault_after(std::byte* byte) {
    call_->load(*round_, 0x5A);
    call_->call().fill_workspace(0);
    call_->enqueue();
    if (byte != nullptr) flip_byte(byte, stream_->get());
    return call_->compare("planted");
  }

  static std::byte* at(const void* pointer, std::int64_t bytes) {
    return static_cast<std::byte*>(const_cast<void*>(pointer)) + bytes;
  }

  // Not in the constructor, which runs where a missing device skips the test, too.
  void SetUp() override {
    stream_ = std::make_unique<Stream>();
    round_ = std::make_unique<Round>(spec());
    call_ = std::make_unique<StandingCall>(stream_->get(), *round_, plan_on_gpu(round_->inputs.problem(), {}).plan);
  }

  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Round> round_;
  std::unique_ptr<StandingCall> call_;
};

TEST_F(GpuHarness, ARightRunIsRight) { EXPECT_EQ(fault_after(nullptr), ""); }

TEST_F(GpuHarness, FindsEveryPlantedByte) {
  const SelectArgs& args = call_->call().args();
  const std::int64_t index_bytes = ((spec().rows - 1) * 8 + 6) * 4;
  const std::pair<std::byte*, const char*> plants[] = {
      {at(args.scores, 0), "scores changed at byte 0"},
      {at(args.scores, 404 * 4), "scores changed at byte 1616"},  // the gap between two rows
      {at(args.lengths, 8), "lengths changed at byte 8"},
      {at(args.scores, -1), "1 bytes before scores"},
      {at(args.page_table, -256), "canary damaged"},
      {at(args.indices, -1), "1 bytes before indices"},
      {at(args.indices, index_bytes), "0 bytes after indices"},
      {at(args.counts, 12), "0 bytes after counts"},
      {at(args.error_word, 7), "3 bytes after error_word"},
      {at(args.indices, 0), "slot 0"},
      {at(args.raw_indices, 4), "slot 1"},
      {at(args.values, 8), "slot 2"},
      {at(args.counts, 4), "count"},
      {at(args.error_word, 0), "error"},
      {at(args.indices, 24), "indices: written between rows 0 and 1"},
  };
  for (const auto& [byte, text] : plants) {
    const std::string fault = fault_after(byte);
    EXPECT_NE(fault.find(text), std::string::npos) << "planted '" << text << "', found '" << fault << "'";
    ASSERT_EQ(fault_after(nullptr), "") << "after '" << text << "'";
  }
}

TEST_F(GpuHarness, FindsDamageBesideTheWorkspace) {
  call_->call().reserve_workspace(call_->plan().workspace_bytes + 100);
  const SelectArgs& args = call_->call().args();
  EXPECT_NE(fault_after(at(args.workspace, -1)).find("1 bytes before the workspace"), std::string::npos);
  EXPECT_NE(fault_after(at(args.workspace, args.workspace_bytes)).find("0 bytes after the workspace"),
            std::string::npos);
  EXPECT_EQ(fault_after(at(args.workspace, args.workspace_bytes - 1)), "");
}

}  // namespace
}  // namespace keysieve::test
