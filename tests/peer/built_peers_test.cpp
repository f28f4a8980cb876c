// The adapters of peers/, where scripts/build_peers.sh has built them: KEYSIEVE_BUILT_PEERS names the folder. Their
// tables on any machine, and torch.topk's answers on the CPU; keysieve audit judges the others on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "peer_library.hpp"
#include "plain_problem.hpp"

namespace keysieve::peer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Skips the test where the library was not built. A folder that is named and holds none of them is a fault.
class BuiltPeersTest : public testing::Test {
 protected:
  static std::string path_of(const char* library) {
    const char* folder = std::getenv("KEYSIEVE_BUILT_PEERS");
    if (!folder) return "";
    EXPECT_TRUE(std::filesystem::is_directory(folder)) << folder;
    const std::string path = std::string(folder) + "/" + library;
    return std::filesystem::exists(path) ? path : "";
  }

  static void expect_cuda_tables(const std::string& path, const std::vector<std::string>& names,
                                 std::int64_t too_wide) {
    const auto library = PeerLibrary::load(path);
    ASSERT_EQ(library.implementations().size(), names.size());
    for (std::size_t index = 0; index < names.size(); ++index) {
      const keysieve_peer& peer = *library.implementations()[index];
      EXPECT_EQ(peer.name, names[index]);
      keysieve_select_problem problem = plain_problem(4, 4096, 512);
      EXPECT_STREQ(peer.unmet_conditions(&problem), "device_type: expected cuda");
      problem.device_type = KEYSIEVE_DEVICE_CUDA;
      EXPECT_EQ(peer.unmet_conditions(&problem), nullptr) << peer.name;
      problem.order = KEYSIEVE_ORDER_INDEX;
      EXPECT_STREQ(peer.unmet_conditions(&problem), "order: expected any");
      if (too_wide > 0) {
        problem = plain_problem(4, too_wide, 512);
        problem.device_type = KEYSIEVE_DEVICE_CUDA;
        EXPECT_THAT(peer.unmet_conditions(&problem), HasSubstr("width: expected at most"));
      }
    }
  }

  static std::vector<std::int32_t> select(const keysieve_peer& peer, const keysieve_select_problem& problem,
                                          const std::vector<float>& scores, const std::vector<std::int32_t>& lengths) {
    PeerCall call(peer, problem);
    std::vector<std::int32_t> indices(static_cast<std::size_t>(problem.rows * problem.k), 12345);
    keysieve_select_args args = {};
    args.struct_size = sizeof args;
    args.next_n = 1;
    args.scores = scores.data();
    args.lengths = lengths.empty() ? nullptr : lengths.data();
    args.indices = indices.data();
    args.score_row_stride = args.indices_row_stride = args.length_request_stride = KEYSIEVE_AUTO;
    call.run(args, nullptr);
    return indices;
  }
};

TEST_F(BuiltPeersTest, CubTables) {
  if (path_of("cub_block.so").empty()) GTEST_SKIP() << "not built";
  expect_cuda_tables(path_of("cub_block.so"), {"cub_batched_topk_block"}, 8193);
  expect_cuda_tables(path_of("cub_cluster.so"), {"cub_batched_topk", "cub_batched_topk_small_index"}, (1 << 21) + 1);
}

TEST_F(BuiltPeersTest, FlashInferTables) {
  if (path_of("flashinfer.so").empty()) GTEST_SKIP() << "not built";
  expect_cuda_tables(path_of("flashinfer.so"),
                     {"flashinfer_topk", "flashinfer_topk_small_index", "flashinfer_topk_deterministic"}, 0);
}

TEST_F(BuiltPeersTest, TorchSelectsWholeRowsOnTheCpu) {
  if (path_of("torch.so").empty()) GTEST_SKIP() << "not built";
  const auto library = PeerLibrary::load(path_of("torch.so"));
  const keysieve_peer& peer = *library.implementations().at(0);
  ASSERT_STREQ(peer.name, "torch_topk");
  EXPECT_THAT(select(peer, plain_problem(1, 6, 3), {1, 5, 3, 6, 2, 9}, {}), UnorderedElementsAre(5, 3, 1));
  const auto wide = select(peer, plain_problem(2, 2, 4), {1, 2, 4, 3}, {});
  EXPECT_THAT(std::vector(wide.begin(), wide.begin() + 2), UnorderedElementsAre(0, 1));
  EXPECT_THAT(std::vector(wide.begin() + 2, wide.begin() + 4), ElementsAre(-1, -1));
  EXPECT_THAT(select(peer, plain_problem(0, 6, 3), {}, {}), ElementsAre());
  EXPECT_THAT(select(peer, plain_problem(1, 0, 2), {}, {}), ElementsAre(-1, -1));
  try {
    select(peer, plain_problem(1, 6, 3), {1, 5, 3, 6, 2, 9}, {4});
    ADD_FAILURE() << "served lengths";
  } catch (const PeerError& error) {
    EXPECT_EQ(error.status(), KEYSIEVE_UNSUPPORTED);
  }
}

TEST_F(BuiltPeersTest, TorchMaskedKeepsToTheLengthsOnTheCpu) {
  if (path_of("torch.so").empty()) GTEST_SKIP() << "not built";
  const auto library = PeerLibrary::load(path_of("torch.so"));
  const keysieve_peer& peer = *library.implementations().at(1);
  ASSERT_STREQ(peer.name, "torch_topk_masked");
  auto indices = select(peer, plain_problem(4, 5, 3), {1, 2, 3, 8, 9, 5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 7, 7, 7, 7, 7},
                        {3, 2, -4, 99});
  for (int row = 0; row < 4; ++row) std::sort(indices.begin() + 3 * row, indices.begin() + 3 * row + 3);
  EXPECT_THAT(std::vector(indices.begin(), indices.begin() + 9), ElementsAre(0, 1, 2, -1, 0, 1, -1, -1, -1));
  EXPECT_TRUE(indices[9] >= 0 && indices[9] < indices[10] && indices[10] < indices[11] && indices[11] < 5);
}

TEST_F(BuiltPeersTest, TorchWritesInt64AndPaddedRows) {
  if (path_of("torch.so").empty()) GTEST_SKIP() << "not built";
  const auto library = PeerLibrary::load(path_of("torch.so"));
  keysieve_select_problem problem = plain_problem(2, 3, 1);
  problem.index_type = KEYSIEVE_INT64;
  const std::vector<float> scores = {1, 3, 2, 99, 6, 5, 4, 99};  // rows of three, four apart
  for (const keysieve_peer* peer : library.implementations()) {
    PeerCall call(*peer, problem);
    std::vector<std::int64_t> indices(4, 12345);
    keysieve_select_args args = {};
    args.struct_size = sizeof args;
    args.next_n = 1;
    args.scores = scores.data();
    args.score_row_stride = 4;
    args.indices = indices.data();
    args.indices_row_stride = 2;
    args.length_request_stride = KEYSIEVE_AUTO;
    call.run(args, nullptr);
    EXPECT_THAT(indices, ElementsAre(1, 12345, 0, 12345)) << peer->name;
  }
}

}  // namespace
}  // namespace keysieve::peer
