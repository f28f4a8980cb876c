#include <bit>
#include <memory>

#include "capi/barrier.hpp"
#include "keysieve/shadow.hpp"
#include "shadow/checker.hpp"

using keysieve::SelectArgs;
using keysieve::SelectPlan;
using keysieve::ShadowOptions;
using keysieve::ShadowReport;
using keysieve::Status;
namespace capi = keysieve::capi;
namespace shadow = keysieve::shadow;

struct keysieve_shadow {
  shadow::Checker checker;
};

namespace keysieve::capi {
namespace {

Status check_handle(const keysieve_shadow* handle) {
  if (handle == nullptr) return Status::invalid_argument("shadow: expected a pointer, got null");
  return {};
}

// For the entries that take a lock, which another process's thread may have held when it forked.
Status check_process(const keysieve_shadow* handle) {
  if (Status status = check_handle(handle); !status.ok()) return status;
  if (handle->checker.belongs_to_this_process()) return {};
  return Status::unsupported("shadow: expected the process that made it, got a forked child; make one there");
}

}  // namespace
}  // namespace keysieve::capi

extern "C" {

void keysieve_shadow_options_init(keysieve_shadow_options* options) {
  if (options != nullptr) *options = std::bit_cast<keysieve_shadow_options>(ShadowOptions{});
}

void keysieve_shadow_report_init(keysieve_shadow_report* report) {
  if (report != nullptr) *report = std::bit_cast<keysieve_shadow_report>(ShadowReport{});
}

keysieve_status keysieve_shadow_create(const keysieve_shadow_options* c_options, keysieve_shadow** out) {
  return capi::guarded([&]() -> Status {
    ShadowOptions options;
    if (Status status = capi::read_struct("options", c_options, options); !status.ok()) return status;
    if (out == nullptr) return Status::invalid_argument("shadow: expected a pointer, got null");
    if (Status status = shadow::check_options(options); !status.ok()) return status;
    std::unique_ptr<shadow::Copies> copies;
    Status status = options.device_type == keysieve::DeviceType::kCuda
                        ? shadow::make_cuda_copies(options.device_ordinal, options.slots, options.slot_bytes, copies)
                        : shadow::make_host_copies(options.slots, options.slot_bytes, copies);
    if (!status.ok()) return status;
    *out = new keysieve_shadow{shadow::Checker(options, std::move(copies))};
    return {};
  });
}

keysieve_status keysieve_shadow_observe(keysieve_shadow* handle, const keysieve_select_plan* c_plan,
                                        const keysieve_select_args* c_args, void* stream) {
  return capi::guarded([&]() -> Status {
    if (Status status = capi::check_handle(handle); !status.ok()) return status;
    SelectPlan plan;
    SelectArgs args;
    if (Status status = capi::read_struct("plan", c_plan, plan); !status.ok()) return status;
    if (Status status = capi::read_struct("args", c_args, args); !status.ok()) return status;
    if (plan.problem.struct_size != sizeof(keysieve::SelectProblem)) {
      return Status::invalid_argument("plan: expected one made by keysieve_select_make_plan");
    }
    return handle->checker.observe(plan, args, stream);
  });
}

keysieve_status keysieve_shadow_wait(keysieve_shadow* handle, int64_t timeout_ms, int32_t* drained) {
  return capi::guarded([&]() -> Status {
    if (Status status = capi::check_process(handle); !status.ok()) return status;
    const bool done = handle->checker.wait(timeout_ms);
    if (drained != nullptr) *drained = done ? 1 : 0;
    return {};
  });
}

keysieve_status keysieve_shadow_read_report(keysieve_shadow* handle, keysieve_shadow_report* out) {
  return capi::guarded([&]() -> Status {
    if (Status status = capi::check_process(handle); !status.ok()) return status;
    if (out == nullptr) return Status::invalid_argument("report: expected a pointer, got null");
    const std::uint32_t size = out->struct_size;
    if (size < sizeof(ShadowReport)) {
      return Status::invalid_argument("report.struct_size: expected " + std::to_string(sizeof(ShadowReport)) +
                                      " (use the init function), got " + std::to_string(size));
    }
    *out = std::bit_cast<keysieve_shadow_report>(handle->checker.report(nullptr));
    out->struct_size = size;
    return {};
  });
}

keysieve_status keysieve_shadow_report_json(keysieve_shadow* handle, char* buffer, size_t size, size_t* needed) {
  return capi::guarded([&]() -> Status {
    if (Status status = capi::check_process(handle); !status.ok()) return status;
    return capi::write_text(shadow::report_to_json(handle->checker), buffer, size, needed);
  });
}

keysieve_status keysieve_shadow_destroy(keysieve_shadow* handle) {
  return capi::guarded([&]() -> Status {
    if (handle != nullptr && handle->checker.belongs_to_this_process()) delete handle;
    return {};
  });
}

}  // extern "C"
