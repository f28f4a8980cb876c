#include <algorithm>
#include <latch>
#include <mutex>
#include <thread>
#include <utility>

#include "audit/executor.hpp"
#include "cases/guarded_buffer.hpp"

namespace keysieve::audit {
namespace {

struct OneRun {
  std::string fault;
  cases::CaseResult result;
};

OneRun run_once(const PreparedCall& call, const cases::CaseInputs& inputs, std::uint8_t poison) {
  OneRun run{{}, cases::CaseResult(inputs, 0, poison)};
  // GuardedBuffer aligns to 64 bytes, and a peer is promised 256.
  constexpr std::size_t kAlignment = 256, kGuard = cases::GuardedBuffer::kGuardBytes;
  const auto bytes = static_cast<std::size_t>(call.workspace_bytes);
  cases::GuardedBuffer misaligned(call.aligned_workspace ? 0 : bytes, 1);
  cases::GuardedBuffer aligned(call.aligned_workspace ? bytes + kAlignment + kGuard : 0);
  misaligned.fill(poison);
  aligned.fill(poison);
  std::byte* workspace = misaligned.data();
  if (call.aligned_workspace) {
    const std::size_t off = reinterpret_cast<std::uintptr_t>(aligned.data()) % kAlignment;
    workspace = aligned.data() + (kAlignment - off) % kAlignment;
  }
  SelectArgs args = inputs.args();
  run.result.add_to(args);
  args.workspace = bytes > 0 ? workspace : nullptr;
  args.workspace_bytes = call.workspace_bytes;
  const std::uint64_t before = inputs.checksum();
  run.fault = call.run(args, nullptr);
  if (run.fault.empty() && inputs.checksum() != before) run.fault = "an input was written";
  if (run.fault.empty()) run.fault = inputs.damaged();
  if (run.fault.empty()) run.fault = run.result.damaged();
  if (run.fault.empty() && !misaligned.damaged().empty()) run.fault = "workspace: " + misaligned.damaged();
  if (run.fault.empty() && call.aligned_workspace) {
    const auto* end = aligned.as<std::uint8_t>() + aligned.size();
    const auto* behind = reinterpret_cast<const std::uint8_t*>(workspace) + bytes;
    if (std::any_of(behind, end, [poison](std::uint8_t byte) { return byte != poison; })) {
      run.fault = "workspace: written behind its end";
    }
  }
  if (run.fault.empty()) run.fault = run.result.gap_written();
  return run;
}

class HostExecutor final : public Executor {
 public:
  explicit HostExecutor(const Implementation& implementation) : implementation_(implementation) {}

  Answer run(std::span<const cases::CaseInputs* const> inputs, const Setup& setup, Manner manner,
             std::uint8_t poison) override {
    Answer answer;
    std::vector<PreparedCall> calls;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      // One plan serves every call of a shape.
      if (manner == Manner::kGraph && i > 0) continue;
      calls.push_back(implementation_.prepare(inputs[i]->problem(), setup));
      if (!calls.back().refusal.empty()) {
        answer.refusal = calls.back().refusal;
        return answer;
      }
      if (calls.back().fault.empty()) continue;
      answer.fault = calls.back().fault;
      answer.fault_case = i;
      return answer;
    }
    if (calls.empty()) return answer;
    answer.route = calls.front().route;
    if (manner == Manner::kStreams) {
      run_together(calls, inputs, poison, answer);
    } else {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        add(run_once(calls[manner == Manner::kGraph ? 0 : i], *inputs[i], poison), i, answer);
      }
    }
    settle_refusals(calls, answer);
    return answer;
  }

 private:
  static void add(OneRun run, std::size_t number, Answer& answer) {
    if (!run.fault.empty() && answer.fault.empty()) {
      answer.fault = std::move(run.fault);
      answer.fault_case = number;
    }
    answer.results.push_back({number, std::move(run.result)});
  }

  static void run_together(const std::vector<PreparedCall>& calls, std::span<const cases::CaseInputs* const> inputs,
                           std::uint8_t poison, Answer& answer) {
    std::latch start(std::ssize(calls));
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        for (int repeat = 0; repeat < kStreamRepeats; ++repeat) {
          OneRun run = run_once(calls[i], *inputs[i], poison);
          const std::lock_guard lock(mutex);
          add(std::move(run), i, answer);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  const Implementation& implementation_;
};

}  // namespace

std::unique_ptr<Executor> make_host_executor(const Implementation& implementation) {
  return std::make_unique<HostExecutor>(implementation);
}

}  // namespace keysieve::audit
