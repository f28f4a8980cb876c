#include "wrong_implementation.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace keysieve::test {
namespace {

std::byte* slot_at(const SelectProblem& problem, const SelectArgs& args, std::int64_t row, std::int64_t slot) {
  const std::int64_t stride = args.indices_row_stride == kAuto ? problem.k : args.indices_row_stride;
  return static_cast<std::byte*>(args.indices) + (row * stride + slot) * size_bytes(problem.index_type);
}

void set_slot(const SelectProblem& problem, const SelectArgs& args, std::int64_t row, std::int64_t slot,
              std::int64_t value) {
  const auto narrow = static_cast<std::int32_t>(value);
  const bool is_narrow = problem.index_type == IndexType::kInt32;
  std::memcpy(slot_at(problem, args, row, slot), is_narrow ? static_cast<const void*>(&narrow) : &value,
              static_cast<std::size_t>(size_bytes(problem.index_type)));
}

void swap_first_rows(const SelectProblem& problem, const SelectArgs& args) {
  std::byte *first = slot_at(problem, args, 0, 0), *second = slot_at(problem, args, 1, 0);
  std::swap_ranges(first, first + problem.k * size_bytes(problem.index_type), second);
}

// -7 is no slot and no padding.
void spoil(const SelectProblem& problem, const SelectArgs& args) {
  if (problem.rows > 0) set_slot(problem, args, 0, 0, -7);
}

}  // namespace

audit::PreparedCall WrongImplementation::prepare(const SelectProblem& problem, const audit::Setup& setup) const {
  SelectProblem asked = problem;
  if (wrong_ == Wrong::kTiesToTheLarger && asked.ties == Ties::kSmallest) asked.ties = Ties::kLargest;
  audit::PreparedCall call = right_->prepare(asked, setup);
  auto calls = std::make_shared<int>(0);
  call.run = [this, problem, setup, calls, run = call.run](const SelectArgs& args, void* stream) {
    const int others = running_++;
    std::string fault = run(args, stream);
    const bool padded = args.indices_row_stride != kAuto && args.indices_row_stride > problem.k;
    switch (wrong_) {
      case Wrong::kNot:
      case Wrong::kTiesToTheLarger:
        break;
      case Wrong::kDropsTheLast:
        if (problem.rows > 0 && problem.width > problem.k) {
          set_slot(problem, args, problem.rows - 1, problem.k - 1, -1);
        }
        break;
      case Wrong::kSwapsRows:
        if (problem.rows > 1) swap_first_rows(problem, args);
        break;
      case Wrong::kWritesPastK:
        if (padded && problem.rows > 1) set_slot(problem, args, 0, problem.k, 0x11223344);
        break;
      case Wrong::kOnlyWideOnChunks:
        if (problem.width > 4096 && setup.route == Route::kCpuChunks) spoil(problem, args);
        break;
      case Wrong::kOnlyOnReuse:
        if (++*calls > 1) spoil(problem, args);
        break;
      case Wrong::kOnlyTogether:
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (others > 0) spoil(problem, args);
        break;
    }
    --running_;
    return fault;
  };
  return call;
}

}  // namespace keysieve::test
