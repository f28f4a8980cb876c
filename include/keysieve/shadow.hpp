// C++ face of shadow mode: a sampled share of live calls checked against the reference, beside the engine.
//
//   keysieve::ShadowOptions options;            // share, rows, memory
//   options.share = 0.01;
//   keysieve::Shadow shadow(options);
//   keysieve::run(plan, args, stream);
//   shadow.observe(plan, args, stream);         // right behind the call, on its stream
//   ...
//   if (shadow.report().rows_wrong > 0) std::puts(shadow.report_json().c_str());
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "keysieve/select.hpp"

namespace keysieve {

enum class ShadowOutput : std::int32_t {
  kNone = KEYSIEVE_SHADOW_NONE,
  kIndices = KEYSIEVE_SHADOW_INDICES,
  kRawIndices = KEYSIEVE_SHADOW_RAW_INDICES,
  kValues = KEYSIEVE_SHADOW_VALUES,
  kCounts = KEYSIEVE_SHADOW_COUNTS,
};

// Field meanings: keysieve_shadow_report.
struct ShadowReport {
  std::uint32_t struct_size = sizeof(ShadowReport);
  ShadowOutput first_wrong_output = ShadowOutput::kNone;
  std::int64_t calls_seen = 0;
  std::int64_t calls_sampled = 0;
  std::int64_t calls_checked = 0;
  std::int64_t calls_skipped_busy = 0;
  std::int64_t calls_skipped_capturing = 0;
  std::int64_t calls_too_large = 0;
  std::int64_t calls_failed = 0;
  std::int64_t rows_checked = 0;
  std::int64_t rows_wrong = 0;
  std::int64_t first_wrong_call = -1;
  std::int64_t first_wrong_row = -1;
  std::int64_t first_wrong_slot = -1;
  std::int64_t first_wrong_expected = 0;
  std::int64_t first_wrong_got = 0;
};

// Field meanings: keysieve_shadow_options.
struct ShadowOptions {
  std::uint32_t struct_size = sizeof(ShadowOptions);
  DeviceType device_type = DeviceType::kCpu;
  std::int32_t device_ordinal = 0;
  std::int32_t reserved = 0;
  double share = 0.01;
  std::int64_t max_rows_per_call = 2;
  std::int64_t slots = 4;
  std::int64_t slot_bytes = 4 << 20;
  std::uint64_t seed = 0;
  keysieve_shadow_callback on_wrong = nullptr;
  void* user = nullptr;
};

static_assert(sizeof(ShadowReport) == sizeof(keysieve_shadow_report));
static_assert(sizeof(ShadowOptions) == sizeof(keysieve_shadow_options));
static_assert(offsetof(ShadowReport, first_wrong_got) == offsetof(keysieve_shadow_report, first_wrong_got));
static_assert(offsetof(ShadowOptions, share) == offsetof(keysieve_shadow_options, share));
static_assert(offsetof(ShadowOptions, user) == offsetof(keysieve_shadow_options, user));

// Owns a shadow. observe, wait and the reports may be called from any thread; destruction from one, last.
class Shadow {
 public:
  explicit Shadow(const ShadowOptions& options) {
    const auto c_options = std::bit_cast<keysieve_shadow_options>(options);
    detail::throw_if_failed(detail::to_status(keysieve_shadow_create(&c_options, &handle_)));
  }
  ~Shadow() { keysieve_shadow_destroy(handle_); }
  Shadow(Shadow&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Shadow& operator=(Shadow&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  Status try_observe(const SelectPlan& plan, const SelectArgs& args, void* stream = nullptr) {
    const auto c_plan = std::bit_cast<keysieve_select_plan>(plan);
    const auto c_args = std::bit_cast<keysieve_select_args>(args);
    return detail::to_status(keysieve_shadow_observe(handle_, &c_plan, &c_args, stream));
  }
  void observe(const SelectPlan& plan, const SelectArgs& args, void* stream = nullptr) {
    detail::throw_if_failed(try_observe(plan, args, stream));
  }

  // Whether every call that was observed before is checked now. Negative: without limit.
  bool wait(std::int64_t timeout_ms = -1) {
    std::int32_t drained = 0;
    detail::throw_if_failed(detail::to_status(keysieve_shadow_wait(handle_, timeout_ms, &drained)));
    return drained != 0;
  }

  ShadowReport report() const {
    auto c_report = std::bit_cast<keysieve_shadow_report>(ShadowReport{});
    detail::throw_if_failed(detail::to_status(keysieve_shadow_read_report(handle_, &c_report)));
    return std::bit_cast<ShadowReport>(c_report);
  }
  std::string report_json() const {
    return detail::read_text([&](char* buffer, std::size_t size, std::size_t* needed) {
      return keysieve_shadow_report_json(handle_, buffer, size, needed);
    });
  }

 private:
  keysieve_shadow* handle_ = nullptr;
};

}  // namespace keysieve
