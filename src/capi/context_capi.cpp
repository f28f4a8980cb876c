// Lengths of rows around a graph: guard, stamps, and what the host asks before a replay.
#include <bit>
#include <string>

#include "capi/run_operation.hpp"
#include "helpers/context_guard.hpp"
#include "helpers/selection_stamp.hpp"
#include "keysieve/types.hpp"

namespace capi = keysieve::capi;
using keysieve::Faults;
using keysieve::Status;

namespace {

Status score_bytes_of(std::int32_t mode, std::int64_t rows, std::int64_t context, std::int32_t element,
                      std::int64_t& bytes) {
  Faults faults;
  keysieve::check_range(faults, "mode", KEYSIEVE_SCORES_FULL, KEYSIEVE_SCORES_CANDIDATES, mode);
  keysieve::check_range(faults, "rows", 0, KEYSIEVE_MAX_WIDTH, rows);
  keysieve::check_range(faults, "context", 0, KEYSIEVE_MAX_WIDTH, context);
  keysieve::check_range(faults, "element", KEYSIEVE_ELEMENT_FLOAT32, KEYSIEVE_ELEMENT_FLOAT16, element);
  if (mode == KEYSIEVE_SCORES_CANDIDATES && element == KEYSIEVE_ELEMENT_FLOAT32) {
    faults.invalid("element: expected bfloat16 or float16 for the scores of candidates, got float32");
  }
  if (!faults.empty()) return faults.status();
  constexpr std::int64_t kRowColumns = 256, kBlock = 8;
  std::int64_t columns = context;
  if (mode == KEYSIEVE_SCORES_FIXED_CONTEXT) columns = (context + kRowColumns - 1) / kRowColumns * kRowColumns;
  if (mode == KEYSIEVE_SCORES_CANDIDATES) columns = context * kBlock;
  bytes = 0;
  const std::int64_t row_bytes = columns * keysieve::element_bytes(element);
  if (rows > 0 && row_bytes > INT64_MAX / rows) {
    return Status::invalid_argument("rows: expected rows * context within 2^63 - 1 bytes, got " + std::to_string(rows) +
                                    " rows of " + std::to_string(row_bytes));
  }
  bytes = rows * row_bytes;
  return {};
}

}  // namespace

extern "C" {

void keysieve_context_guard_args_init(keysieve_context_guard_args* args) { capi::init_args(args); }
keysieve_status keysieve_context_guard_can_use(const keysieve_context_guard_args* args, char* buffer, size_t size,
                                               size_t* needed) {
  return capi::can_use<keysieve::ContextGuard>(args, buffer, size, needed);
}
keysieve_status keysieve_context_guard(const keysieve_context_guard_args* args, void* stream) {
  return capi::run<keysieve::ContextGuard>(args, stream);
}

void keysieve_selection_stamp_args_init(keysieve_selection_stamp_args* args) {
  capi::init_args(args);
  if (args != nullptr) args->next_n = 1;
}
keysieve_status keysieve_selection_stamp_can_use(const keysieve_selection_stamp_args* args, char* buffer, size_t size,
                                                 size_t* needed) {
  return capi::can_use<keysieve::SelectionStamp>(args, buffer, size, needed);
}
keysieve_status keysieve_selection_stamp(const keysieve_selection_stamp_args* args, void* stream) {
  return capi::run<keysieve::SelectionStamp>(args, stream);
}

keysieve_status keysieve_select_serves_context(const keysieve_select_plan* c_plan, int64_t max_context, char* buffer,
                                               size_t size, size_t* needed) {
  return capi::guarded([&]() -> Status {
    keysieve::SelectPlan plan;
    if (Status status = capi::read_struct("plan", c_plan, plan); !status.ok()) return status;
    if (plan.problem.struct_size != sizeof(keysieve::SelectProblem)) {
      return Status::invalid_argument("plan: expected one made by keysieve_select_make_plan");
    }
    Faults faults;
    if (!keysieve::check_range(faults, "max_context", 0, KEYSIEVE_MAX_WIDTH, max_context)) return faults.status();
    std::string text;
    if (max_context > plan.problem.width) {
      text = "max_context: expected at most the plan's width " + std::to_string(plan.problem.width) + ", got " +
             std::to_string(max_context) + "; run this step eagerly";
    }
    return capi::write_text(text, buffer, size, needed);
  });
}

keysieve_status keysieve_score_bytes(int32_t mode, int64_t rows, int64_t context, int32_t element, int64_t* bytes) {
  return capi::guarded([&]() -> Status {
    if (bytes == nullptr) return Status::invalid_argument("bytes: expected a pointer, got null");
    return score_bytes_of(mode, rows, context, element, *bytes);
  });
}

}  // extern "C"
