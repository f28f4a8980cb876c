#include "cpu/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace keysieve::cpu {
namespace {

TEST(Parallel, EveryIndexOnceAndWorkersInRange) {
  for (const std::int32_t threads : {1, 2, 3, 8}) {
    for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      std::atomic<bool> in_range{true};
      const auto body = [&](std::int32_t worker, std::int64_t index) {
        if (worker < 0 || worker >= threads) in_range = false;
        ++visits[static_cast<std::size_t>(index)];
      };
      parallel_for_each(threads, count, IndexedBody(body));
      EXPECT_TRUE(in_range);
      for (const auto& visit : visits) ASSERT_EQ(visit, 1);
    }
  }
}

TEST(Parallel, WorkersThatOverlapDiffer) {
  constexpr std::int32_t kThreads = 4;
  std::vector<std::atomic<int>> busy(kThreads);
  std::atomic<bool> shared{false};
  const auto body = [&](std::int32_t worker, std::int64_t) {
    if (busy[static_cast<std::size_t>(worker)].fetch_add(1) != 0) shared = true;
    std::this_thread::yield();
    busy[static_cast<std::size_t>(worker)].fetch_sub(1);
  };
  for (int repeat = 0; repeat < 20; ++repeat) parallel_for_each(kThreads, 200, IndexedBody(body));
  EXPECT_FALSE(shared);
}

#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer does not support threads in a forked child
TEST(Parallel, ForkedChildWorksInline) {
  std::atomic<int> sum{0};
  const auto body = [&](std::int32_t, std::int64_t index) { sum += static_cast<int>(index); };
  parallel_for_each(4, 100, IndexedBody(body));  // starts the workers of the parent
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(10);  // a hang must end the child, not the test run
    sum = 0;
    parallel_for_each(4, 100, IndexedBody(body));
    _exit(sum == 4950 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}
#endif

}  // namespace
}  // namespace keysieve::cpu
