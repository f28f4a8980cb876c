// Compiles the row kernels for every SIMD target and picks one at run time.
#include "cpu/row_kernels.hpp"

#include <string>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/row_kernels.cpp"
#include <hwy/foreach_target.h>  // includes this file once per target
#include <hwy/highway.h>

#include "cpu/row_scan-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace keysieve::cpu::HWY_NAMESPACE {

const RowKernels* float32_kernels() {
  static constexpr RowKernels kKernels{first_cutoff<Float32Bits>, collect_row<Float32Bits>, has_nan<Float32Bits>};
  return &kKernels;
}
const RowKernels* bfloat16_kernels() {
  static constexpr RowKernels kKernels{first_cutoff<BFloat16Bits>, collect_row<BFloat16Bits>, has_nan<BFloat16Bits>};
  return &kKernels;
}
const RowKernels* float16_kernels() {
  static constexpr RowKernels kKernels{first_cutoff<Float16Bits>, collect_row<Float16Bits>, has_nan<Float16Bits>};
  return &kKernels;
}
void compact_keyed(CandidateBuffer& buffer) { compact_buffer(buffer); }
const char* target() { return hwy::TargetName(HWY_TARGET); }

}  // namespace keysieve::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keysieve::cpu {

HWY_EXPORT(float32_kernels);
HWY_EXPORT(bfloat16_kernels);
HWY_EXPORT(float16_kernels);
HWY_EXPORT(compact_keyed);
HWY_EXPORT(target);

const RowKernels& row_kernels(ScoreType type) {
  switch (type) {
    case ScoreType::kBFloat16:
      return *HWY_DYNAMIC_DISPATCH(bfloat16_kernels)();
    case ScoreType::kFloat16:
      return *HWY_DYNAMIC_DISPATCH(float16_kernels)();
    case ScoreType::kFloat32:
      break;
  }
  return *HWY_DYNAMIC_DISPATCH(float32_kernels)();
}

void compact(CandidateBuffer& buffer) { HWY_DYNAMIC_DISPATCH(compact_keyed)(buffer); }

const char* target_name() { return HWY_DYNAMIC_DISPATCH(target)(); }

namespace {

// Compiled in and able to run here.
std::int64_t usable_targets() { return hwy::SupportedTargets() & HWY_TARGETS; }

}  // namespace

const char* supported_targets() {
  static const std::string names = [] {
    std::string text;
    for (std::int64_t targets = usable_targets(); targets != 0; targets &= targets - 1) {
      if (!text.empty()) text += ' ';
      text += hwy::TargetName(targets & -targets);
    }
    return text;
  }();
  return names.c_str();
}

bool force_target(const char* name) {
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t chosen = 0;
  for (std::int64_t targets = usable_targets(); name != nullptr && targets != 0; targets &= targets - 1) {
    if (std::string(hwy::TargetName(targets & -targets)) == name) chosen = targets & -targets;
  }
  if (name != nullptr && chosen == 0) return false;
  hwy::SetSupportedTargetsForTest(chosen);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}

}  // namespace keysieve::cpu
#endif
