// Launches beside other launches: dependent ones, crowded devices, several streams and host threads, one k after
// another, a second copy of the library.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "gpu_report.hpp"
#include "standing_call.hpp"
#include "test_kernels.hpp"

namespace keysieve::test {
namespace {

using cases::SelectCase;

SelectCase full_case(const char* name, std::int64_t rows, std::int64_t width, std::int64_t k, cases::Pattern pattern) {
  SelectCase spec;
  spec.name = name;
  spec.rows = rows;
  spec.width = width;
  spec.k = k;
  spec.pattern.kind = pattern;
  return spec;
}

// Producer (lets its dependents start at once, writes 50 us later) -> selection -> a consumer that copies the indices,
// all with programmatic stream serialization, round after round without a wait.
void expect_dependent_rounds(std::int64_t rows, std::int64_t width, std::int64_t k, std::int64_t rounds) {
  const std::int64_t slots = rows * k, elements = rows * width;
  SelectCase spec = full_case("R64", rows, width, k, cases::Pattern::kConstant);
  spec.want_values = spec.want_counts = spec.want_error_word = false;
  std::vector<std::int32_t> expected(static_cast<std::size_t>(rounds * slots));
  Tally unused;
  expect_no_faults(in_parallel(
      rounds,
      [&](std::int64_t round, cudaStream_t, Tally&) {
        cases::CaseInputs inputs(spec);
        for (std::int64_t i = 0; i < elements; ++i) {
          const float score = produced_score(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(round));
          inputs.set_score(i / width, i % width, static_cast<double>(score));
        }
        for (std::int64_t row = 0; row < rows; ++row) {
          const auto positions = cases::expected_positions(inputs, row);
          std::copy(positions.begin(), positions.end(), expected.begin() + round * slots + row * k);
        }
        return std::string();
      },
      unused));
  const Stream stream;
  using Kind = PooledMemory::Kind;
  const PooledMemory scores(Kind::kDevice, static_cast<std::size_t>(elements) * 4);
  const PooledMemory indices(Kind::kDevice, expected.size() * 4), copies(Kind::kDevice, expected.size() * 4);
  auto* const all_indices = reinterpret_cast<std::int32_t*>(indices.data());
  auto* const all_copies = reinterpret_cast<std::int32_t*>(copies.data());
  const cases::CaseInputs shape(spec);
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(shape.problem(), setup);
    ASSERT_EQ(answer.fault, "");
    if (answer.refused) continue;
    const PooledMemory workspace(Kind::kDevice, static_cast<std::size_t>(answer.plan.workspace_bytes));
    check(cudaMemsetAsync(workspace.data(), 0xFF, workspace.size(), stream.get()), "cudaMemsetAsync");
    check(cudaMemsetAsync(indices.data(), 0x5A, indices.size(), stream.get()), "cudaMemsetAsync");
    check(cudaMemsetAsync(copies.data(), 0x5A, copies.size(), stream.get()), "cudaMemsetAsync");
    check(cudaMemsetAsync(scores.data(), 0xFF, scores.size(), stream.get()), "cudaMemsetAsync");
    SelectArgs args;
    args.scores = scores.data();
    args.workspace = workspace.data();
    args.workspace_bytes = answer.plan.workspace_bytes;
    args.dependent_launch = 1;
    const std::int64_t rounds_here = setup.split == kAuto ? rounds : rounds / 5;
    for (std::int64_t round = 0; round < rounds_here; ++round) {
      args.indices = all_indices + round * slots;
      produce_scores(reinterpret_cast<float*>(scores.data()), elements, static_cast<std::uint32_t>(round), 50,
                     stream.get());
      run(answer.plan, args, stream.get());
      copy_indices(all_indices + round * slots, all_copies + round * slots, slots, stream.get());
    }
    wait_for(stream.get(), "dependent rounds on " + describe(setup));
    std::vector<std::int32_t> got(static_cast<std::size_t>(rounds_here * slots)), copied(got.size());
    check(cudaMemcpy(got.data(), all_indices, got.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaMemcpy(copied.data(), all_copies, copied.size() * 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const auto wrong = std::mismatch(got.begin(), got.end(), expected.begin()).first - got.begin();
    ASSERT_EQ(wrong, std::ssize(got)) << describe(setup) << ": wrong from round " << wrong / slots;
    const auto stale = std::mismatch(copied.begin(), copied.end(), got.begin()).first - copied.begin();
    ASSERT_EQ(stale, std::ssize(got)) << describe(setup) << ": the consumer saw other indices in round "
                                      << stale / slots;
  }
}

TEST(GpuFaults, R64_DependentLaunchWithoutWait) {
  const std::int64_t rounds = environment_number("KEYSIEVE_GPU_LAUNCH_ROUNDS", 1000);
  expect_dependent_rounds(4, 16000, 512, rounds);
  expect_dependent_rounds(3, 70000, 2048, rounds / 5);
  expect_dependent_rounds(140, 3000, 100, rounds / 5);
}

// An empty batch launched as a dependent must not break the chain behind it.
TEST(DependentLaunch, EmptyBatchBetween) {
  const SelectCase spec = full_case("dependent", 4, 9000, 300, cases::Pattern::kGauss);
  const Round round(spec);
  SelectProblem empty = round.inputs.problem();
  empty.rows = 0;
  const Stream stream;
  StandingCall call(stream.get(), round, plan_on_gpu(round.inputs.problem(), {}).plan);
  call.call().args().dependent_launch = 1;
  call.load(round, 0x5A);
  const SelectPlan nothing = plan_on_gpu(empty, {}).plan;
  SelectArgs args;
  args.dependent_launch = 1;
  for (int i = 0; i < 20; ++i) {
    run(nothing, args, stream.get());
    call.enqueue();
  }
  EXPECT_EQ(call.compare("after empty batches"), "");
}

// Blocks that each fill a multiprocessor hold half of the device; the selection must end beside or after them.
TEST(GpuFaults, R66_SpinBarrierWithoutResidency) {
  constexpr std::uint32_t kHoldMilliseconds = 2000;
  int processors = 0;
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const PooledMemory flags(PooledMemory::Kind::kDevice, 8);
  auto* const release = reinterpret_cast<std::uint32_t*>(flags.data());
  for (const auto& [rows, width, k] : {std::array<std::int64_t, 3>{128, 131072, 1024}, {1, 1048576, 2048}}) {
    const Round round(full_case("R66", rows, width, k, cases::Pattern::kUniform));
    for (const GpuSetup& setup : gpu_setups()) {
      const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
      ASSERT_EQ(answer.fault, "");
      if (answer.refused) continue;
      const Stream holder, stream;
      StandingCall call(stream.get(), round, answer.plan);
      call.load(round, 0xFF);
      wait_for(stream.get(), "uploads");
      check(cudaMemset(flags.data(), 0, 8), "cudaMemset");
      check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
      occupy(processors / 2, release, release + 1, kHoldMilliseconds, holder.get());
      call.enqueue();
      call.enqueue();
      const std::string fault = call.compare(describe(setup) + " beside a full half of the device");
      const bool beside = cudaStreamQuery(holder.get()) == cudaErrorNotReady;
      cudaGetLastError();
      check(cudaMemsetAsync(release, 1, 4, stream.get()), "cudaMemsetAsync");
      wait_for(holder.get(), "the kernel that holds half of the device");
      ASSERT_EQ(fault, "");
      std::printf("  %lld x %lld %s: ended %s the other kernel\n", static_cast<long long>(rows),
                  static_cast<long long>(width), describe(setup).c_str(), beside ? "beside" : "after");
    }
  }
}

// Many trials, with other work that comes and goes on a second stream so that CTAs arrive in another order each time.
TEST(GpuFaults, R60_BarrierArrivalBeforeConvergence) {
  const std::int64_t trials = environment_number("KEYSIEVE_GPU_TRIALS", 500);
  const Stream stream, other;
  for (const std::int64_t width : {131072, 151936}) {
    for (const std::int64_t k : {128, 2048}) {
      for (const cases::Pattern pattern : {cases::Pattern::kLowBits, cases::Pattern::kGauss}) {
        const Round round(full_case("R60", 20, width, k, pattern));
        for (const GpuSetup& setup : gpu_setups()) {
          const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
          ASSERT_EQ(answer.fault, "");
          if (answer.refused) continue;
          StandingCall call(stream.get(), round, answer.plan);
          const std::int64_t trials_here = setup.split == kAuto ? trials : trials / 10;
          for (std::int64_t trial = 0; trial < trials_here; ++trial) {
            // Every 25th trial is looked at in full, the others run between as a crowd.
            const bool looked_at = trial % 25 == 24 || trial == 0;
            spin(static_cast<std::uint32_t>(cases::hash32(1, static_cast<std::uint32_t>(trial)) % 6), other.get());
            if (looked_at) call.load(round, kGpuPoisons[trial % 3]);
            call.enqueue();
            if (!looked_at) continue;
            ASSERT_EQ(call.compare(describe(setup) + ", trial " + std::to_string(trial)), "");
          }
        }
      }
    }
  }
  wait_for(other.get(), "the crowd");
}

// A second copy of the library in the same process, as two extension modules would bring it.
class SecondLibrary {
 public:
  SecondLibrary() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&keysieve_version), &info) == 0) throw std::runtime_error("dladdr failed");
    copy_ = std::filesystem::temp_directory_path() / ("libkeysieve-copy-" + std::to_string(getpid()) + ".so");
    std::filesystem::copy_file(info.dli_fname, copy_, std::filesystem::copy_options::overwrite_existing);
    library_ = dlopen(copy_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(std::string("dlopen: ") + dlerror());
    make_plan_ = entry<decltype(keysieve_select_make_plan)>("keysieve_select_make_plan");
    run_ = entry<decltype(keysieve_select_run)>("keysieve_select_run");
  }
  ~SecondLibrary() { std::filesystem::remove(copy_); }  // stays loaded: its kernels may not have ended
  SecondLibrary(const SecondLibrary&) = delete;
  SecondLibrary& operator=(const SecondLibrary&) = delete;

  // Plans and enqueues by the copy.
  keysieve_status run(const SelectProblem& problem, const SelectArgs& args, cudaStream_t stream) const {
    const auto c_problem = std::bit_cast<keysieve_select_problem>(problem);
    auto c_plan = std::bit_cast<keysieve_select_plan>(SelectPlan{});
    if (const keysieve_status status = make_plan_(&c_problem, &c_plan); status != KEYSIEVE_OK) return status;
    const auto c_args = std::bit_cast<keysieve_select_args>(args);
    return run_(&c_plan, &c_args, stream);
  }

 private:
  template <typename Entry>
  Entry* entry(const char* name) const {
    void* symbol = dlsym(library_, name);
    if (symbol == nullptr) throw std::runtime_error(std::string("no symbol ") + name);
    return reinterpret_cast<Entry*>(symbol);
  }

  std::filesystem::path copy_;
  void* library_ = nullptr;
  decltype(&keysieve_select_make_plan) make_plan_ = nullptr;
  decltype(&keysieve_select_run) run_ = nullptr;
};

TEST(GpuFaults, R71_SharedMemoryOptInPerModule) {
  const std::vector<std::vector<std::int64_t>> orders = {
      {512, 1024, 2048}, {2048, 1024, 512}, {1, 31, 255, 512, 1023, 1024, 8192, 1}};
  const SecondLibrary second;
  const Stream stream;
  for (const std::int64_t width : {9000, 40000}) {
    for (const std::vector<std::int64_t>& order : orders) {
      for (const std::int64_t k : order) {
        const Round round(full_case("R71", 3, width, k, cases::Pattern::kUlpShuffled));
        for (const GpuSetup& setup : gpu_setups()) {
          const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
          ASSERT_EQ(answer.fault, "");
          if (answer.refused) continue;
          StandingCall call(stream.get(), round, answer.plan);
          call.enqueue();
          ASSERT_EQ(call.compare(describe(setup)), "") << "k " << k;
          call.load(round, 0xFF);
          ASSERT_EQ(second.run(on_gpu(round.inputs.problem(), setup), call.call().args(), stream.get()), KEYSIEVE_OK);
          ASSERT_EQ(call.compare(describe(setup) + " by a second copy of the library"), "") << "k " << k;
        }
      }
    }
  }
}

// Two streams, two host threads, different data, rounds that overlap; the default stream beside them.
TEST(GpuFaults, R85_TwoStreamsTwoThreads) {
  const std::int64_t rounds = environment_number("KEYSIEVE_GPU_LAUNCH_ROUNDS", 1000);
  for (const GpuSetup& setup : gpu_setups()) {
    SelectCase spec = full_case("R85", 4, 131072, 2048, cases::Pattern::kUniform);
    const Round one(spec);
    spec.pattern.first_row = 1000;
    const Round two(spec);
    const PlanAnswer answer = plan_on_gpu(one.inputs.problem(), setup);
    if (answer.refused) continue;
    std::string faults[2];
    const auto caller = [&](int id) {
      try {
        const Stream stream;
        StandingCall call(stream.get(), id == 0 ? one : two, answer.plan);
        const std::int64_t rounds_here = setup.split == kAuto ? rounds : rounds / 10;
        for (std::int64_t done = 0; done < rounds_here && faults[id].empty(); done += 20) {
          call.load(id == 0 ? one : two, kGpuPoisons[done / 20 % 3]);
          for (int i = 0; i < 20; ++i) call.enqueue();
          faults[id] = call.compare(describe(setup));
        }
      } catch (const std::exception& error) {
        faults[id] = error.what();
      }
    };
    std::thread first(caller, 0), second(caller, 1);
    first.join();
    second.join();
    ASSERT_EQ(faults[0], "");
    ASSERT_EQ(faults[1], "");
  }
}

TEST(Streams, TheDefaultStreamIsOneToo) {
  const Round round(full_case("default stream", 5, 20000, 700, cases::Pattern::kGauss));
  for (const GpuSetup& setup : gpu_setups()) {
    const PlanAnswer answer = plan_on_gpu(round.inputs.problem(), setup);
    if (answer.refused) continue;
    StandingCall call(nullptr, round, answer.plan);
    call.enqueue();
    EXPECT_EQ(call.compare(describe(setup)), "");
  }
}

}  // namespace
}  // namespace keysieve::test
