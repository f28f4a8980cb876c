#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "peer_library.hpp"
#include "plain_problem.hpp"

namespace keysieve::peer {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// As keysieve_select_args_init leaves them: every stride is AUTO.
keysieve_select_args auto_args() {
  keysieve_select_args args = {};
  args.struct_size = sizeof args;
  args.next_n = 1;
  args.score_row_stride = args.length_request_stride = args.length_row_stride = KEYSIEVE_AUTO;
  args.page_table_row_stride = args.indices_row_stride = KEYSIEVE_AUTO;
  args.raw_indices_row_stride = args.values_row_stride = KEYSIEVE_AUTO;
  return args;
}

class PeerCallTest : public testing::Test {
 protected:
  static PeerLibrary load(const char* name) { return PeerLibrary::load(std::string(TEST_PEERS) + "/" + name + ".so"); }

  static std::vector<std::int32_t> select(const keysieve_peer& peer, const keysieve_select_problem& problem,
                                          const std::vector<float>& scores,
                                          const std::vector<std::int32_t>& lengths = {}) {
    PeerCall call(peer, problem);
    std::vector<std::int32_t> indices(static_cast<std::size_t>(problem.rows * problem.k), 12345);
    std::vector<std::byte> bytes(static_cast<std::size_t>(call.workspace_bytes()) + 256);
    keysieve_select_args args = auto_args();
    args.scores = scores.data();
    args.lengths = lengths.empty() ? nullptr : lengths.data();
    args.indices = indices.data();
    args.workspace = aligned(bytes);
    args.workspace_bytes = call.workspace_bytes();
    call.run(args, nullptr);
    return indices;
  }

  static void* aligned(std::vector<std::byte>& bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (256 - address % 256) % 256;
  }

  template <typename Body>
  static PeerError error_of(Body&& body) {
    try {
      body();
    } catch (const PeerError& error) {
      return error;
    }
    return {KEYSIEVE_OK, "no error"};
  }
};

TEST_F(PeerCallTest, SortingPeerSelectsExactly) {
  const auto library = load("sorting_peer");
  const keysieve_peer& peer = *library.implementations()[0];
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(select(peer, plain_problem(2, 6, 3), {1, 5, 3, 5, 2, 9, 4, 4, 4, 4, 4, 4}, {6, 2}),
              ElementsAre(5, 1, 3, 0, 1, -1));
  EXPECT_THAT(select(peer, plain_problem(1, 5, 4), {nan, -infinity, 0.0f, -0.0f, infinity}), ElementsAre(4, 2, 3, 1));
  EXPECT_THAT(select(peer, plain_problem(2, 2, 3), {1, 2, 3, 4}, {-7, 99}), ElementsAre(-1, -1, -1, 1, 0, -1));
  EXPECT_THAT(select(peer, plain_problem(1, 0, 2), {}), ElementsAre(-1, -1));
}

TEST_F(PeerCallTest, WrongPeersAreWrongInTheirOneWay) {
  const auto library = load("wrong_peer");
  const std::vector<float> tied = {7, 1, 7, 7, 9}, distinct = {3, 1, 2, 5, 4};
  const keysieve_peer& larger = *library.implementations()[0];
  const keysieve_peer& drops = *library.implementations()[1];
  EXPECT_THAT(select(larger, plain_problem(1, 5, 2), tied), ElementsAre(4, 3));
  EXPECT_THAT(select(drops, plain_problem(1, 5, 3), tied), ElementsAre(4, 0, -1));
  EXPECT_THAT(select(larger, plain_problem(1, 5, 2), distinct), ElementsAre(3, 4));
  EXPECT_THAT(select(drops, plain_problem(1, 5, 2), distinct), ElementsAre(3, 4));
}

TEST_F(PeerCallTest, RefusalIsUnsupportedAndNamesTheCondition) {
  const auto library = load("sorting_peer");
  keysieve_select_problem problem = plain_problem(1, 4, 2);
  problem.device_type = KEYSIEVE_DEVICE_CUDA;
  const PeerError error = error_of([&] { PeerCall call(*library.implementations()[0], problem); });
  EXPECT_EQ(error.status(), KEYSIEVE_UNSUPPORTED);
  EXPECT_STREQ(error.what(), "sorting_peer: cannot serve this problem: device_type: expected cpu");
}

TEST_F(PeerCallTest, FailuresCarryThePeersText) {
  const auto library = load("wrong_peer");
  const PeerError run_error = error_of([&] {
    select(*library.implementations()[2], plain_problem(1, 4, 2), {1, 2, 3, 4});
  });
  EXPECT_EQ(run_error.status(), KEYSIEVE_DEVICE_ERROR);
  EXPECT_STREQ(run_error.what(), "fails_to_run: run gave status 4: failed on purpose");

  const PeerError create_error =
      error_of([&] { PeerCall call(*library.implementations()[3], plain_problem(1, 4, 2)); });
  EXPECT_EQ(create_error.status(), KEYSIEVE_INVALID_ARGUMENT);
  EXPECT_THAT(create_error.what(), HasSubstr("expected workspace_bytes of 0 or more from create, found -8"));
}

TEST_F(PeerCallTest, RefusesAWorkspaceBelowThePromise) {
  const auto library = load("sorting_peer");
  PeerCall call(*library.implementations()[0], plain_problem(1, 4, 2));
  ASSERT_GT(call.workspace_bytes(), 0);
  const std::vector<float> scores = {1, 2, 3, 4};
  std::vector<std::int32_t> indices(2, 12345);
  std::vector<std::byte> bytes(static_cast<std::size_t>(call.workspace_bytes()) + 512);
  keysieve_select_args args = auto_args();
  args.scores = scores.data();
  args.indices = indices.data();

  args.workspace = aligned(bytes);
  args.workspace_bytes = call.workspace_bytes() - 1;
  const PeerError small = error_of([&] { call.run(args, nullptr); });
  args.workspace = static_cast<std::byte*>(args.workspace) + 16;
  args.workspace_bytes = call.workspace_bytes();
  const PeerError crooked = error_of([&] { call.run(args, nullptr); });
  args.workspace = nullptr;
  const PeerError absent = error_of([&] { call.run(args, nullptr); });
  for (const PeerError& error : {small, crooked, absent}) {
    EXPECT_EQ(error.status(), KEYSIEVE_INVALID_ARGUMENT);
    EXPECT_THAT(error.what(), HasSubstr("expected a workspace of 32 bytes at a multiple of 256"));
  }
  EXPECT_THAT(indices, ElementsAre(12345, 12345));
}

// What a fake peer was called with. Static, since a table's functions carry no context of ours.
struct Calls {
  int destroyed = 0;
  keysieve_select_args args = {};
};
Calls calls;

keysieve_peer recording_peer() {
  keysieve_peer peer = {};
  peer.struct_size = sizeof peer;
  peer.abi_version = KEYSIEVE_PEER_ABI_VERSION;
  peer.name = "recording";
  peer.version = "1";
  peer.unmet_conditions = [](const keysieve_select_problem*) -> const char* { return nullptr; };
  peer.create = [](const keysieve_select_problem* problem, void** state, std::int64_t* workspace_bytes) {
    *state = nullptr;
    *workspace_bytes = 0;
    return problem->k == 13 ? keysieve_status{KEYSIEVE_OUT_OF_MEMORY} : keysieve_status{KEYSIEVE_OK};
  };
  peer.run = [](void*, const keysieve_select_args* args, void*) -> keysieve_status {
    calls.args = *args;
    return KEYSIEVE_OK;
  };
  peer.destroy = [](void*) { ++calls.destroyed; };
  peer.last_error = []() { return ""; };
  return peer;
}

TEST_F(PeerCallTest, StateIsDestroyedOnceHoweverItMoves) {
  const keysieve_peer peer = recording_peer();
  calls = {};
  {
    PeerCall first(peer, plain_problem(1, 4, 2));
    PeerCall second(peer, plain_problem(1, 4, 2));
    PeerCall moved(std::move(first));
    EXPECT_EQ(calls.destroyed, 0);
    second = std::move(moved);
  }
  EXPECT_EQ(calls.destroyed, 2);
}

TEST_F(PeerCallTest, WhatWasNotCreatedIsNotDestroyed) {
  const keysieve_peer peer = recording_peer();
  calls = {};
  const PeerError error = error_of([&] { PeerCall call(peer, plain_problem(1, 20, 13)); });
  EXPECT_EQ(error.status(), KEYSIEVE_OUT_OF_MEMORY);
  EXPECT_THAT(error.what(), HasSubstr("last_error gave no text"));
  EXPECT_EQ(calls.destroyed, 0);
}

TEST_F(PeerCallTest, StridesReachThePeerAsNumbers) {
  const keysieve_peer peer = recording_peer();
  calls = {};
  PeerCall call(peer, plain_problem(3, 40, 5));
  call.run(auto_args(), nullptr);
  EXPECT_EQ(calls.args.score_row_stride, 40);
  EXPECT_EQ(calls.args.indices_row_stride, 5);
  EXPECT_EQ(calls.args.length_request_stride, 1);
  EXPECT_EQ(calls.args.length_row_stride, 1);

  keysieve_select_args padded = auto_args();
  padded.score_row_stride = 64;
  call.run(padded, nullptr);
  EXPECT_EQ(calls.args.score_row_stride, 64);
}

}  // namespace
}  // namespace keysieve::peer
