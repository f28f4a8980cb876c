#include "select_call.hpp"

#include "errors.hpp"
#include "plan_bytes.hpp"

namespace keysieve::ffi {
namespace {

// Lengths are [rows], any stride, or [requests, next_n] with requests * next_n = rows, any strides: engines
// pass columns of wider arrays and broadcast views.
void set_lengths(const TensorView& lengths, const Place& place, std::int64_t rows, keysieve_select_args& args) {
  if (lengths.ndim() == 2) {
    expect_tensor("lengths", lengths, Element::kInt32, place, {{"requests", kAnySize}, {"next_n", kAnySize}});
    const std::int64_t requests = lengths.size(0);
    const std::int64_t next_n = lengths.size(1);
    // Divided, not multiplied: a broadcast view can have any two sizes.
    const bool fits = next_n == 0 ? rows == 0 : rows % next_n == 0 && rows / next_n == requests;
    if (!fits || next_n > INT32_MAX) {
      throw_value_error("lengths: expected [requests, next_n] with requests * next_n = rows=" + std::to_string(rows) +
                        ", got [" + std::to_string(requests) + ", " + std::to_string(next_n) + "]");
    }
    args.next_n = next_n > 0 ? static_cast<std::int32_t>(next_n) : 1;
    args.length_request_stride = requests > 1 ? lengths.stride(0) : next_n;
    args.length_row_stride = next_n > 1 ? lengths.stride(1) : 1;
  } else {
    expect_tensor("lengths", lengths, Element::kInt32, place, {{"rows", rows}});
    args.length_request_stride = rows > 1 ? lengths.stride(0) : 1;
    args.length_row_stride = 1;
  }
  // Refused here because -1 means "automatic" to the C ABI and would be read as a dense array.
  if (args.length_request_stride < 0 || args.length_row_stride < 0) {
    throw_value_error("lengths: expected strides >= 0, got " + std::to_string(args.length_request_stride) + " and " +
                      std::to_string(args.length_row_stride) + "; pass a copy");
  }
  args.lengths = static_cast<const std::int32_t*>(data_of(lengths));
}

struct Matrix {
  void* data = nullptr;
  std::int64_t row_stride = KEYSIEVE_AUTO;
};

Matrix output(const char* name, const Optional<TensorView>& tensor, Element element, const Place& place,
              std::int64_t rows, std::int64_t k) {
  if (!tensor.has_value()) return {};
  expect_tensor(name, *tensor, element, place, {{"rows", rows}, {"k", k}});
  return {data_of(*tensor), row_stride_of(name, *tensor)};
}

// Two numbers a row, dense.
std::int32_t* counters_of(const Optional<TensorView>& tensor, const Place& place, std::int64_t rows) {
  constexpr const char* kName = "row_counters_out";
  if (!tensor.has_value()) return nullptr;
  expect_tensor(kName, *tensor, Element::kInt32, place, {{"rows", rows}, {"counters", 2}});
  if (const std::int64_t stride = row_stride_of(kName, *tensor); stride != KEYSIEVE_AUTO && stride != 2) {
    throw_value_error(std::string(kName) + ": expected a contiguous array, got row stride " + std::to_string(stride));
  }
  return static_cast<std::int32_t*>(data_of(*tensor));
}

}  // namespace

SelectCall select_call(const TensorView& indices, const Optional<TensorView>& raw_indices,
                       const Optional<TensorView>& values, const Optional<TensorView>& counts, const TensorView& scores,
                       const Optional<TensorView>& lengths, const Optional<TensorView>& row_starts,
                       const Optional<TensorView>& row_ends, const Optional<TensorView>& out_offsets,
                       const Optional<TensorView>& page_table, const Optional<TensorView>& row_to_table,
                       const Optional<TensorView>& error_word, const Optional<TensorView>& workspace,
                       const Optional<TensorView>& hint, const Optional<TensorView>& row_counters,
                       const Bytes& plan_bytes, std::int64_t page_size, std::int64_t num_pages, bool dependent_launch) {
  SelectCall call;
  call.plan = plan_from_bytes(plan_bytes);
  const keysieve_select_problem& problem = call.plan.problem;
  const Place place = place_of(problem);
  const Element score = element_of_score(problem.score_type);
  const Element index = element_of_index(problem.index_type);
  const std::int64_t rows = problem.rows;

  keysieve_select_args& args = call.args;
  keysieve_select_args_init(&args);
  expect_tensor("scores", scores, score, place, {{"rows", rows}, {"width", problem.width}});
  args.scores = data_of(scores);
  args.score_row_stride = row_stride_of("scores", scores);
  if (lengths.has_value()) set_lengths(*lengths, place, rows, args);
  args.row_starts = per_row("row_starts", row_starts, place, rows);
  args.row_ends = per_row("row_ends", row_ends, place, rows);
  args.out_offsets = per_row("out_offsets", out_offsets, place, rows);
  args.row_to_table = per_row("row_to_table", row_to_table, place, rows);
  args.page_size = page_size;
  args.num_pages = num_pages;
  set_page_table(page_table, place, args);

  const Matrix out = output("out", indices, index, place, rows, problem.k);
  const Matrix raw = output("raw_out", raw_indices, index, place, rows, problem.k);
  const Matrix scored = output("values_out", values, score, place, rows, problem.k);
  args.indices = out.data;
  args.indices_row_stride = out.row_stride;
  args.raw_indices = raw.data;
  args.raw_indices_row_stride = raw.row_stride;
  args.values = scored.data;
  args.values_row_stride = scored.row_stride;
  args.counts = per_row("counts_out", counts, place, rows);
  args.error_word = error_word_of(error_word, place);
  args.hint = per_row("hint", hint, score, place, rows);
  args.row_counters = counters_of(row_counters, place, rows);
  args.dependent_launch = dependent_launch ? 1 : 0;
  if (workspace.has_value()) {
    expect_tensor("workspace", *workspace, Element::kByte, place, {{"bytes", kAnySize}});
    expect_contiguous("workspace", *workspace);
    args.workspace = data_of(*workspace);
    args.workspace_bytes = (*workspace).size(0);
  }
  call.stream = stream_of(place);
  return call;
}

}  // namespace keysieve::ffi
