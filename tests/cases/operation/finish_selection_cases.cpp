// Cases of filter_pages, finalize_selection, finish_paged and finish_flat.
#include <algorithm>
#include <vector>

#include "candidates/filter_pages.hpp"
#include "candidates/finish_selection.hpp"
#include "cases/operation/candidate_tensors.hpp"

namespace keysieve::cases {
namespace {

constexpr std::int32_t kFloat = KEYSIEVE_ELEMENT_FLOAT32, kBfloat = KEYSIEVE_ELEMENT_BFLOAT16,
                       kHalf = KEYSIEVE_ELEMENT_FLOAT16;

enum class Source { kTokens, kCandidates, kPages, kBlocks };

struct Shape {
  const char* name;
  std::int64_t rows, k, width;
  std::int32_t element;
  Source source;
  std::int64_t unit;  // page size, or ratio
  bool ascends;       // the selection does already
  bool wrong;         // data out of its range in every place where it can be
  bool in_place;
  bool outputs;                          // raw and counts too
  std::int64_t more_rows, more_columns;  // of `out`
};

// Live columns, at most the width.
keysieve_tensor make_lengths(TensorStore& store, const Shape& shape, Random& random) {
  return row_numbers(store, shape.rows, [&](std::int64_t row) -> std::int64_t {
    if (shape.wrong && row == 0) return shape.width + 100;
    if (shape.wrong && row == 1) return -7;
    return row == 2 ? 0 : row == 3 ? shape.width : random.between(0, shape.width);
  });
}

keysieve_tensor make_selected(TensorStore& store, const Shape& shape, std::int64_t width,
                              const keysieve_tensor* lengths, Random& random) {
  return int32_rows(store, shape.rows, shape.k, 3, [&](std::int64_t row, std::int64_t j) -> std::int64_t {
    std::int64_t live = width;
    if (lengths != nullptr) live = std::clamp<std::int64_t>(static_cast<std::int32_t*>(lengths->data)[row], 0, width);
    if (shape.wrong && row == shape.rows - 1 && j % 9 == 4) {
      return random.one_of<std::int64_t>({width, -2, INT32_MIN, INT32_MAX - 1, width + 5});
    }
    if (live == 0 || (!shape.ascends && random.chance(10))) return random.chance(70) ? -1 : INT32_MAX;
    if (shape.ascends) return j < live ? j * std::max<std::int64_t>(live / shape.k, 1) % live : -1;
    return random.between(0, live - 1);
  });
}

keysieve_tensor make_table(TensorStore& store, std::int64_t lines, std::int64_t columns, bool wrong, std::int64_t most,
                           Random& random) {
  return int32_rows(
      store, lines, wrong ? std::max<std::int64_t>(columns / 2, 1) : columns, 2,
      [&](std::int64_t, std::int64_t) { return wrong && random.chance(10) ? -4 : random.between(0, most); });
}

OperationCase<FilterPages> filter_case(const Shape& shape, std::uint64_t seed) {
  OperationCase<FilterPages> made;
  made.name = shape.name;
  keysieve_filter_pages_args& args = made.args;
  args.struct_size = sizeof(args);
  args.page_size = shape.unit;
  args.num_pages = KEYSIEVE_AUTO;
  Random random(seed);
  args.scores = score_tensor(made.store, shape.element, shape.rows, shape.width, 3, 0, random);
  args.selected = make_selected(made.store, shape, shape.width, nullptr, random);
  args.out = shape.in_place ? args.selected : int32_rows(made.store, shape.rows, shape.k, 1);
  if (shape.outputs) args.raw = int32_rows(made.store, shape.rows, shape.k, 2);
  const std::int64_t pages = (shape.width + shape.unit - 1) / shape.unit;
  args.page_table = make_table(made.store, shape.rows, pages, shape.wrong, 1 << 20, random);
  if (shape.wrong) {
    args.row_to_table = row_numbers(made.store, shape.rows, [&](std::int64_t row) -> std::int64_t {
      return row == 1 ? -1 : row == 0 ? 77 : row;
    });
    made.expected_errors = KEYSIEVE_ERROR_BAD_ID | KEYSIEVE_ERROR_BAD_PAGE;
  }
  return made;
}

OperationCase<FinalizeSelection> finalize_case(const Shape& shape, std::uint64_t seed) {
  OperationCase<FinalizeSelection> made;
  made.name = shape.name;
  keysieve_finalize_selection_args& args = made.args;
  args.struct_size = sizeof(args);
  args.ratio = 1;
  Random random(seed);
  args.scores = score_tensor(made.store, shape.element, shape.rows, shape.width, 1, 0, random);
  args.lengths = make_lengths(made.store, shape, random);
  args.selected = make_selected(made.store, shape, shape.width, &args.lengths, random);
  args.out = shape.in_place ? args.selected : int32_rows(made.store, shape.rows, shape.k, 1);
  if (shape.outputs) {
    args.raw = int32_rows(made.store, shape.rows, shape.k, 2);
    args.counts = row_numbers(made.store, shape.rows, [](std::int64_t) { return 0; });
  }
  if (shape.wrong) made.expected_errors = KEYSIEVE_ERROR_BAD_ID | KEYSIEVE_ERROR_LENGTH_CLAMPED;
  if (shape.source == Source::kTokens) {
    args.ratio = shape.unit;
    args.token_table = make_table(made.store, shape.rows, shape.width * shape.unit, shape.wrong, INT32_MAX, random);
    if (shape.wrong) made.expected_errors |= KEYSIEVE_ERROR_BAD_PAGE;
    return made;
  }
  args.candidate_positions = made.store.make(KEYSIEVE_ELEMENT_INT64, {shape.rows, shape.width}, {shape.width + 1, 1});
  args.candidate_slots = int32_rows(made.store, shape.rows, shape.width, 1,
                                    [&](std::int64_t, std::int64_t) { return random.between(-1, 1 << 30); });
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    auto* positions = static_cast<std::int64_t*>(args.candidate_positions.data) + row * (shape.width + 1);
    for (std::int64_t i = 0; i < shape.width; ++i) positions[i] = i % 11 == 10 ? -1 : 3 * i + row;
    if (shape.wrong) positions[at(args.selected, 3, 0) >= 0 ? 0 : 1] = std::int64_t{1} << 31;
  }
  if (shape.wrong && shape.outputs) {
    // One that is certainly chosen, and whose score is good.
    const std::int64_t stride = args.scores.strides[0];
    static_cast<std::int32_t*>(args.scores.data)[3 * stride] = 0;
    at(args.selected, 3, 0) = 0;
    (static_cast<std::int64_t*>(args.candidate_positions.data) + 3 * (shape.width + 1))[0] = std::int64_t{1} << 31;
    made.expected_errors |= KEYSIEVE_ERROR_INDEX_OVERFLOW;
  }
  return made;
}

OperationCase<FinishPaged> paged_case(const Shape& shape, std::uint64_t seed) {
  OperationCase<FinishPaged> made;
  made.name = shape.name;
  keysieve_finish_paged_args& args = made.args;
  args.struct_size = sizeof(args);
  args.block_size = 8;
  args.page_size = shape.unit;
  args.num_pages = KEYSIEVE_AUTO;
  Random random(seed);
  args.scores = score_tensor(made.store, shape.element, shape.rows, shape.width, 5, 0, random);
  args.lengths = make_lengths(made.store, shape, random);
  args.selected = make_selected(made.store, shape, shape.width, &args.lengths, random);
  const std::int64_t out_rows = shape.rows + shape.more_rows, out_k = shape.k + shape.more_columns;
  args.out = shape.in_place ? args.selected : int32_rows(made.store, out_rows, out_k, 1);
  if (shape.outputs) {
    args.raw = int32_rows(made.store, out_rows, out_k, 2);
    args.counts = row_numbers(made.store, out_rows, [](std::int64_t) { return 0; });
  }
  std::int64_t positions = shape.width;
  if (shape.source == Source::kBlocks) {
    const std::int64_t kept = (shape.width + 7) / 8;
    positions = kept * 8 * 5;
    args.blocks = int32_rows(made.store, shape.rows, kept + 1, 1, [&](std::int64_t, std::int64_t j) -> std::int64_t {
      if (shape.wrong && j % 6 == 5) return random.one_of<std::int64_t>({-1, INT32_MAX, -9, 1 << 28, (1 << 28) - 1});
      return (kept - j) * 5 - 1 >= 0 ? (kept - j) * 5 - 1 : 0;  // descending: positions are to be sorted, not columns
    });
  }
  if (shape.wrong) {
    made.expected_errors =
        KEYSIEVE_ERROR_BAD_ID | KEYSIEVE_ERROR_LENGTH_CLAMPED | KEYSIEVE_ERROR_BAD_PAGE | KEYSIEVE_ERROR_INDEX_OVERFLOW;
  }
  args.page_table = make_table(made.store, shape.rows, (positions + shape.unit - 1) / shape.unit, shape.wrong,
                               shape.wrong ? INT32_MAX : (1 << 28) / shape.unit, random);
  return made;
}

OperationCase<FinishFlat> flat_case(const Shape& shape, std::uint64_t seed) {
  OperationCase<FinishFlat> made;
  made.name = shape.name;
  keysieve_finish_flat_args& args = made.args;
  args.struct_size = sizeof(args);
  Random random(seed);
  args.selected = make_selected(made.store, shape, shape.width, nullptr, random);
  args.out = shape.in_place ? args.selected : int32_rows(made.store, shape.rows, shape.k, 1);
  args.slots = row_numbers(made.store, shape.width, [&](std::int64_t) { return random.between(-1, INT32_MAX); });
  if (shape.outputs) {
    args.raw = int32_rows(made.store, shape.rows, shape.k, 2);
    args.counts = row_numbers(made.store, shape.rows, [](std::int64_t) { return 0; });
    args.starts = row_numbers(made.store, shape.rows, [&](std::int64_t row) -> std::int64_t {
      return shape.wrong ? (row == 0 ? shape.width / 2 : row == 1 ? INT32_MIN : 0) : 0;
    });
  }
  if (shape.wrong) {
    made.expected_errors = KEYSIEVE_ERROR_BAD_ID | (shape.outputs ? KEYSIEVE_ERROR_INDEX_OVERFLOW : 0);
  }
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<FilterPages>> operation_cases<FilterPages>() {
  constexpr Shape kShapes[] = {
      {"no rows", 0, 8, 100, kFloat, Source::kPages, 64, false, false, false, true, 0, 0},
      {"one row", 1, 1, 100, kFloat, Source::kPages, 64, false, false, false, true, 0, 0},
      {"in place", 5, 512, 3000, kFloat, Source::kPages, 64, false, false, true, true, 0, 0},
      {"bfloat16, odd pages", 4, 700, 2000, kBfloat, Source::kPages, 48, false, false, false, false, 0, 0},
      {"float16, pages of one", 4, 33, 777, kHalf, Source::kPages, 1, false, false, false, true, 0, 0},
      {"wrong", 6, 100, 900, kFloat, Source::kPages, 16, false, true, false, true, 0, 0},
      {"k above the widest sort", 2, 9001, 3000, kFloat, Source::kPages, 64, true, false, true, false, 0, 0},
  };
  std::vector<OperationCase<FilterPages>> cases;
  for (const Shape& shape : kShapes) cases.push_back(filter_case(shape, 400 + cases.size()));
  return cases;
}

template <>
std::vector<OperationCase<FinalizeSelection>> operation_cases<FinalizeSelection>() {
  constexpr Shape kShapes[] = {
      {"no rows", 0, 8, 100, kFloat, Source::kTokens, 1, false, false, false, true, 0, 0},
      {"one of one", 1, 1, 1, kFloat, Source::kTokens, 1, false, false, false, true, 0, 0},
      {"tokens", 6, 512, 4000, kFloat, Source::kTokens, 1, false, false, false, true, 0, 0},
      {"ratio, in place", 5, 300, 1000, kBfloat, Source::kTokens, 2, false, false, true, true, 0, 0},
      {"ascending already", 5, 777, 5000, kHalf, Source::kTokens, 4, true, false, false, false, 0, 0},
      {"wrong", 6, 64, 300, kFloat, Source::kTokens, 3, false, true, false, true, 0, 0},
      {"candidates", 5, 512, 2000, kBfloat, Source::kCandidates, 1, false, false, false, true, 0, 0},
      {"candidates, wrong", 6, 40, 500, kFloat, Source::kCandidates, 1, false, true, false, true, 0, 0},
      {"candidates, slots alone", 6, 40, 500, kFloat, Source::kCandidates, 1, false, true, true, false, 0, 0},
      {"k = 2048", 2, 2048, 6000, kFloat, Source::kTokens, 1, false, false, false, true, 0, 0},
      {"k = 8192", 2, 8192, 9000, kFloat, Source::kTokens, 1, false, false, true, true, 0, 0},
      {"k = 4000", 2, 4000, 9000, kFloat, Source::kCandidates, 1, false, false, false, true, 0, 0},
  };
  std::vector<OperationCase<FinalizeSelection>> cases;
  for (const Shape& shape : kShapes) cases.push_back(finalize_case(shape, 500 + cases.size()));
  return cases;
}

template <>
std::vector<OperationCase<FinishPaged>> operation_cases<FinishPaged>() {
  constexpr Shape kShapes[] = {
      {"no rows", 0, 8, 100, kFloat, Source::kPages, 64, false, false, false, true, 0, 0},
      {"padded rows alone", 0, 8, 100, kFloat, Source::kPages, 64, false, false, false, true, 3, 2},
      {"pages", 6, 512, 4000, kFloat, Source::kPages, 64, false, false, false, true, 0, 0},
      {"padded", 5, 100, 1500, kFloat, Source::kPages, 64, false, false, false, true, 3, 60},
      {"odd pages, in place", 4, 33, 900, kHalf, Source::kPages, 37, false, false, true, true, 0, 0},
      {"blocks", 5, 512, 4096, kBfloat, Source::kBlocks, 128, false, false, false, true, 0, 0},
      {"blocks, wrong", 6, 300, 1000, kFloat, Source::kBlocks, 64, false, true, false, true, 1, 1},
      {"ascending already", 4, 1024, 5000, kFloat, Source::kPages, 64, true, false, false, true, 0, 0},
      {"k = 3000", 2, 3000, 9000, kBfloat, Source::kBlocks, 64, false, false, false, true, 0, 0},
  };
  std::vector<OperationCase<FinishPaged>> cases;
  for (const Shape& shape : kShapes) cases.push_back(paged_case(shape, 600 + cases.size()));
  return cases;
}

template <>
std::vector<OperationCase<FinishFlat>> operation_cases<FinishFlat>() {
  constexpr Shape kShapes[] = {
      {"no rows", 0, 8, 100, kFloat, Source::kPages, 0, false, false, false, true, 0, 0},
      {"one row", 1, 5, 100, kFloat, Source::kPages, 0, false, false, false, true, 0, 0},
      {"k = 512", 5, 512, 10000, kFloat, Source::kPages, 0, false, false, true, true, 0, 0},
      {"k = 1000", 3, 1000, 10000, kFloat, Source::kPages, 0, false, false, false, false, 0, 0},
      {"wrong", 5, 100, 2000, kFloat, Source::kPages, 0, false, true, false, true, 0, 0},
      {"no keys", 2, 40, 0, kFloat, Source::kPages, 0, false, false, false, true, 0, 0},
  };
  std::vector<OperationCase<FinishFlat>> cases;
  for (const Shape& shape : kShapes) cases.push_back(flat_case(shape, 700 + cases.size()));
  return cases;
}

}  // namespace keysieve::cases
