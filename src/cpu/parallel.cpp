// A pool of sleeping workers. Nobody spins and nobody waits for a worker that has not started: the caller works
// through the indices itself, and helpers that wake in time take some of them. On a machine whose cores are busy
// with other things a call therefore costs about what one thread needs (docs/decisions/0002-threads.md has the
// numbers that decided against a spinning runtime).
#include "cpu/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace keysieve::cpu {
namespace {

// One call. Lives on the caller's stack; helpers are counted in and out under the pool's mutex.
struct Job {
  const IndexedBody& body;
  const std::int64_t count;
  const std::int32_t most_helpers;
  std::atomic<std::int64_t> next{0};
  std::int32_t helpers = 0;  // joined so far; their numbers are the workers' numbers, the caller is 0
  std::int32_t active = 0;   // joined and not done
  Job* older = nullptr;      // the pool's list of calls

  void work(std::int32_t worker) {
    for (std::int64_t index; (index = next.fetch_add(1, std::memory_order_relaxed)) < count;) body(worker, index);
  }
  bool wants_help() const { return helpers < most_helpers && next.load(std::memory_order_relaxed) < count; }
};

class Pool {
 public:
  void run(Job& job) {
    {
      std::unique_lock lock(mutex_);
      grow(job.most_helpers);
      job.older = newest_;
      newest_ = &job;
    }
    if (job.most_helpers == 1) {
      work_.notify_one();
    } else {
      work_.notify_all();
    }
    job.work(0);
    std::unique_lock lock(mutex_);
    Job** link = &newest_;
    while (*link != &job) link = &(*link)->older;
    *link = job.older;
    done_.wait(lock, [&] { return job.active == 0; });
  }

 private:
  static constexpr std::int32_t kMostWorkers = 255;

  // Where the system refuses another thread, the call goes on with those there are.
  void grow(std::int32_t wanted) {
    try {
      for (; workers_ < std::min(wanted, kMostWorkers); ++workers_) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  Job* find_job() const {
    Job* job = newest_;
    while (job != nullptr && !job->wants_help()) job = job->older;
    return job;
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = nullptr;
      work_.wait(lock, [&] { return (job = find_job()) != nullptr; });
      const std::int32_t worker = ++job->helpers;
      ++job->active;
      lock.unlock();
      job->work(worker);
      lock.lock();
      // Under the lock: once the caller sees zero, the job is gone.
      if (--job->active == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, done_;
  Job* newest_ = nullptr;
  std::int32_t workers_ = 0;
};

// After fork() the child has none of the parent's workers, and the pool's mutex may be held by one of them.
std::atomic<bool> in_forked_child{false};

// Never destroyed: workers sleep in it until the process ends.
Pool& pool() {
  static Pool* const instance = [] {
    pthread_atfork(nullptr, nullptr, [] { in_forked_child.store(true); });
    return new Pool;
  }();
  return *instance;
}

}  // namespace

void parallel_for_each(std::int32_t threads, std::int64_t count, const IndexedBody& body) {
  const auto most_helpers = static_cast<std::int32_t>(std::min<std::int64_t>(threads, count) - 1);
  if (most_helpers < 1 || in_forked_child.load(std::memory_order_relaxed)) {
    for (std::int64_t index = 0; index < count; ++index) body(0, index);
    return;
  }
  Job job{body, count, most_helpers};
  pool().run(job);
}

}  // namespace keysieve::cpu
