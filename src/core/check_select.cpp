#include "core/check_select.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "core/names.hpp"
#include "core/overlap.hpp"

namespace keysieve {
namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

std::string text(std::int64_t value) { return std::to_string(value); }

template <typename Enum>
void check_enum(const char* name, Enum value, std::vector<std::string>& faults) {
  if (name_of(value) == nullptr) {
    faults.push_back(std::string(name) + ": " + text(static_cast<std::int32_t>(value)) +
                     " is not a value of this option");
  }
}

void check_range(const char* name, std::int64_t value, std::int64_t low, std::int64_t high,
                 std::vector<std::string>& faults) {
  if (value < low || value > high) {
    faults.push_back(std::string(name) + ": expected " + text(low) + ".." + text(high) + ", got " + text(value));
  }
}

struct NamedBuffer {
  const char* name;
  StridedBytes bytes;
};

StridedBytes flat(const void* base, std::int64_t bytes) { return {base, 1, bytes, bytes}; }

// Outputs may overlap neither an input nor each other.
Status check_overlap(std::span<const NamedBuffer> outputs, std::span<const NamedBuffer> inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = i + 1; j < outputs.size(); ++j) {
      if (overlaps(outputs[i].bytes, outputs[j].bytes)) {
        return Status::invalid_argument(std::string(outputs[i].name) +
                                        ": expected memory of its own, overlaps output " + outputs[j].name);
      }
    }
    for (const NamedBuffer& input : inputs) {
      if (overlaps(outputs[i].bytes, input.bytes)) {
        return Status::invalid_argument(std::string(outputs[i].name) + ": expected memory of its own, overlaps input " +
                                        input.name);
      }
    }
  }
  return {};
}

Status check_pointers(const SelectProblem& problem, const SelectArgs& args) {
  const auto missing = [](const char* name, const char* why) {
    return Status::invalid_argument(std::string(name) + ": expected a pointer (" + why + "), got null");
  };
  const auto unwanted = [&](const char* name, const char* why) {
    return Status::invalid_argument(std::string(name) + ": expected null in mode " + name_of(problem.mode) + " (" +
                                    why + ")");
  };
  const bool paged = problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual;
  if (args.indices == nullptr) return missing("indices", "the output");
  if (args.scores == nullptr && problem.width > 0) return missing("scores", "the width is not 0");
  if (args.lengths != nullptr && args.row_ends != nullptr) {
    return Status::invalid_argument("row_ends: expected null where lengths are given; pass one of the two");
  }
  if (problem.mode == IndexMode::kOffset && args.out_offsets == nullptr) {
    return missing("out_offsets", "mode offset adds them");
  }
  if (problem.mode == IndexMode::kDual && args.raw_indices == nullptr) {
    return missing("raw_indices", "mode dual writes the positions there");
  }
  if (problem.mode != IndexMode::kDual && args.raw_indices != nullptr) {
    return unwanted("raw_indices", "only mode dual writes it");
  }
  if (problem.mode != IndexMode::kOffset && args.out_offsets != nullptr) {
    return unwanted("out_offsets", "only mode offset adds them");
  }
  if (paged && args.page_table == nullptr && args.page_table_rows != 0 && args.page_table_columns != 0) {
    return missing("page_table", "modes paged and dual look pages up");
  }
  if (!paged && args.page_table != nullptr) return unwanted("page_table", "only modes paged and dual use it");
  return {};
}

}  // namespace

std::vector<std::string> problem_faults(const SelectProblem& problem) {
  std::vector<std::string> faults;
  check_enum("device_type", problem.device_type, faults);
  check_enum("backend", problem.backend, faults);
  check_enum("route", problem.route, faults);
  check_enum("score_type", problem.score_type, faults);
  check_enum("index_type", problem.index_type, faults);
  check_enum("mode", problem.mode, faults);
  check_enum("order", problem.order, faults);
  check_enum("ties", problem.ties, faults);
  check_enum("nan_policy", problem.nan_policy, faults);
  check_range("device_ordinal", problem.device_ordinal, 0, kMaxInt32, faults);
  check_range("rows", problem.rows, 0, kMaxInt32, faults);
  check_range("width", problem.width, 0, kMaxInt32, faults);
  check_range("k", problem.k, 1, kMaxInt32, faults);
  check_range("mask_neg_inf", problem.mask_neg_inf, 0, 1, faults);
  check_range("check_nan", problem.check_nan, 0, 1, faults);
  if (problem.threads != kAuto) check_range("threads", problem.threads, 1, 4096, faults);
  if (problem.split != kAuto) check_range("split", problem.split, 1, kMaxInt32, faults);
  check_range("problem.reserved", problem.reserved, 0, 0, faults);
  return faults;
}

Status resolve_row_stride(const char* name, std::int64_t rows, std::int64_t tight, std::int64_t& stride) {
  if (stride == kAuto) stride = tight;
  if (stride < tight) {
    return Status::invalid_argument(std::string(name) + ": expected at least " + text(tight) + " elements, got " +
                                    text(stride));
  }
  // No buffer is larger than this, and below it no byte offset leaves 64 bits.
  constexpr std::int64_t kMaxElements = std::int64_t{1} << 56;
  if (const std::int64_t largest = kMaxElements / std::max<std::int64_t>(rows, 1); stride > largest) {
    return Status::invalid_argument(std::string(name) + ": expected at most " + text(largest) +
                                    " elements for rows=" + text(rows) + ", got " + text(stride));
  }
  return {};
}

Status resolve_page_table(const PageTableArgs& table, std::int64_t rows, std::int32_t next_n) {
  if (table.page_size < 1 || table.page_size > kMaxInt32) {
    return Status::invalid_argument("page_size: expected 1.." + text(kMaxInt32) + " slots, got " +
                                    text(table.page_size));
  }
  if (table.num_pages != kAuto && table.num_pages < 0) {
    return Status::invalid_argument("num_pages: expected at least 0 or automatic, got " + text(table.num_pages));
  }
  if (table.page_table_rows < 0 || table.page_table_columns < 0) {
    return Status::invalid_argument("page_table: expected a shape without negative sizes, got [" +
                                    text(table.page_table_rows) + ", " + text(table.page_table_columns) + "]");
  }
  if (table.row_to_table == nullptr && table.page_table_rows != rows && table.page_table_rows != rows / next_n) {
    std::string expected = "page_table: expected [rows=" + text(rows) + ", columns]";
    if (next_n > 1) expected += " or [requests=" + text(rows / next_n) + ", columns]";
    return Status::invalid_argument(expected + ", got [" + text(table.page_table_rows) + ", " +
                                    text(table.page_table_columns) + "]");
  }
  return resolve_row_stride("page_table_row_stride", table.page_table_rows, table.page_table_columns,
                            table.page_table_row_stride);
}

Status resolve_args(const SelectPlan& plan, const SelectArgs& args, SelectArgs& resolved) {
  const SelectProblem& problem = plan.problem;
  resolved = args;
  if (args.next_n < 1) {
    return Status::invalid_argument("next_n: expected at least 1, got " + text(args.next_n));
  }
  if (problem.rows % args.next_n != 0) {
    return Status::invalid_argument("next_n: expected a divisor of rows=" + text(problem.rows) + ", got " +
                                    text(args.next_n));
  }
  if (args.dependent_launch < 0 || args.dependent_launch > 1) {
    return Status::invalid_argument("dependent_launch: expected 0 or 1, got " + text(args.dependent_launch));
  }
  if (args.reserved != 0) return Status::invalid_argument("args.reserved: expected 0, got " + text(args.reserved));
  if (problem.rows == 0) return {};  // an idle rank may pass null everywhere

  if (Status status = check_pointers(problem, args); !status.ok()) return status;
  if (resolved.length_request_stride == kAuto) resolved.length_request_stride = args.next_n;
  if (resolved.length_row_stride == kAuto) resolved.length_row_stride = 1;
  for (const std::int64_t stride : {resolved.length_request_stride, resolved.length_row_stride}) {
    if (stride < 0) return Status::invalid_argument("lengths: expected strides >= 0, got " + text(stride));
  }
  const struct {
    const char* name;
    std::int64_t tight;
    std::int64_t* stride;
  } strides[] = {
      {"score_row_stride", problem.width, &resolved.score_row_stride},
      {"indices_row_stride", problem.k, &resolved.indices_row_stride},
      {"raw_indices_row_stride", problem.k, &resolved.raw_indices_row_stride},
      {"values_row_stride", problem.k, &resolved.values_row_stride},
  };
  for (const auto& entry : strides) {
    if (Status status = resolve_row_stride(entry.name, problem.rows, entry.tight, *entry.stride); !status.ok()) {
      return status;
    }
  }
  if (problem.mode == IndexMode::kPaged || problem.mode == IndexMode::kDual) {
    const PageTableArgs table{
        resolved.page_table, resolved.page_table_rows, resolved.page_table_columns, resolved.page_table_row_stride,
        resolved.page_size,  resolved.num_pages,       resolved.row_to_table};
    if (Status status = resolve_page_table(table, problem.rows, args.next_n); !status.ok()) return status;
  }
  if (args.workspace_bytes < plan.workspace_bytes || (args.workspace == nullptr && plan.workspace_bytes > 0)) {
    return Status::invalid_argument("workspace: expected " + text(plan.workspace_bytes) + " bytes, got " +
                                    (args.workspace == nullptr ? "null" : text(args.workspace_bytes)));
  }

  const std::int64_t rows = problem.rows;
  const std::int64_t index_bytes = size_bytes(problem.index_type);
  const std::int64_t score_bytes = size_bytes(problem.score_type);
  const std::int64_t requests = rows / args.next_n;
  const auto strided = [rows](const void* base, std::int64_t columns, std::int64_t stride, std::int64_t element) {
    return StridedBytes{base, rows, columns * element, stride * element};
  };
  const NamedBuffer outputs[] = {
      {"indices", strided(resolved.indices, problem.k, resolved.indices_row_stride, index_bytes)},
      {"raw_indices", strided(resolved.raw_indices, problem.k, resolved.raw_indices_row_stride, index_bytes)},
      {"values", strided(resolved.values, problem.k, resolved.values_row_stride, score_bytes)},
      {"counts", flat(resolved.counts, rows * 4)},
      {"error_word", flat(resolved.error_word, 4)},
      {"row_counters", flat(resolved.row_counters, rows * 8)},
      {"workspace", flat(resolved.workspace, plan.workspace_bytes)},
  };
  const NamedBuffer inputs[] = {
      {"scores", strided(resolved.scores, problem.width, resolved.score_row_stride, score_bytes)},
      {"lengths",
       {resolved.lengths, requests, ((args.next_n - 1) * resolved.length_row_stride + 1) * 4,
        resolved.length_request_stride * 4}},
      {"row_starts", flat(resolved.row_starts, rows * 4)},
      {"row_ends", flat(resolved.row_ends, rows * 4)},
      {"out_offsets", flat(resolved.out_offsets, rows * 4)},
      {"page_table",
       {resolved.page_table, resolved.page_table_rows, resolved.page_table_columns * 4,
        resolved.page_table_row_stride * 4}},
      {"row_to_table", flat(resolved.row_to_table, rows * 4)},
      {"hint", flat(resolved.hint, rows * score_bytes)},
  };
  return check_overlap(outputs, inputs);
}

}  // namespace keysieve
