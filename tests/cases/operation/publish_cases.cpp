#include "cases/operation/publish_cases.hpp"

#include <cmath>
#include <limits>

#include "cases/random.hpp"
#include "core/number_formats.hpp"

namespace keysieve::cases {
namespace {

enum class Scores { kGauss, kPlateau, kInfinite, kAscending, kBlocksOfNan, kSubnormal };

struct Shape {
  const char* name;
  std::int64_t rows, width, k, blocks;
  Scores scores = Scores::kGauss;
  std::int32_t score_type = KEYSIEVE_FLOAT32;
  std::int32_t mode = KEYSIEVE_MODE_RAW;
  bool physical = true;
  bool keep_neg_inf = false;
  std::int64_t page_size = 64;
  std::int32_t next_n = 1;
  bool map_rows = false;
  std::int64_t stride_gap = 0;
  std::size_t offset_bytes = 0;
  bool optional_outputs = true;
};

float score_of(Scores kind, std::int64_t column, Random& random) {
  const auto uniform = [&] { return static_cast<float>(random.between(-1000000, 1000000)) / 250000.0f; };
  switch (kind) {
    case Scores::kGauss:
      return uniform() + uniform() + uniform();
    case Scores::kPlateau:  // most blocks share the key 0
      return random.chance(4) ? std::fabs(uniform()) : random.chance(50) ? 0.0f : -0.0f;
    case Scores::kInfinite:  // whole blocks of -inf; +inf beside the newest block
      if (column / 8 % 3 != 0) return -std::numeric_limits<float>::infinity();
      return random.chance(30) ? std::numeric_limits<float>::infinity() : uniform();
    case Scores::kAscending:
      return 1.0f + 1e-6f * static_cast<float>(column);
    case Scores::kBlocksOfNan:
      if (column / 8 % 2 == 0 || random.chance(20)) return random.chance(50) ? std::nanf("") : -std::nanf("");
      return uniform();
    case Scores::kSubnormal:
      return float_of(static_cast<std::uint32_t>(random.between(0, 40))) * (random.chance(50) ? -1.0f : 1.0f);
  }
  return 0;
}

std::int32_t element_of(std::int32_t score_type) {
  if (score_type == KEYSIEVE_FLOAT32) return KEYSIEVE_ELEMENT_FLOAT32;
  return score_type == KEYSIEVE_BFLOAT16 ? KEYSIEVE_ELEMENT_BFLOAT16 : KEYSIEVE_ELEMENT_FLOAT16;
}

void fill_scores(PublishedTensors& made, const Shape& shape, Random& random) {
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t column = 0; column < shape.width; ++column) {
      const float score = score_of(shape.scores, column, random);
      const std::int64_t at = row * made.scores.strides[0] + column;
      if (shape.score_type == KEYSIEVE_FLOAT32) {
        static_cast<float*>(made.scores.data)[at] = score;
      } else if (shape.score_type == KEYSIEVE_BFLOAT16) {
        static_cast<std::uint16_t*>(made.scores.data)[at] = bfloat16_from_float(score);
      } else {  // FP16 from the top bits: any pattern is a legal score
        static_cast<std::uint16_t*>(made.scores.data)[at] = static_cast<std::uint16_t>(bits_of(score) >> 16);
      }
    }
  }
}

// Full, empty, negative, too long, one column, the ends of blocks and of the kept ones, anything.
std::int32_t length_of(const Shape& shape, std::int64_t row, Random& random) {
  const std::int64_t kept = shape.blocks * KEYSIEVE_PUBLISH_BLOCK;
  const std::int64_t usual[] = {shape.width, shape.width - 1, 0,        -3,      shape.width + 9, 1,
                                kept,        kept + 1,        kept + 8, kept - 7};
  const std::int64_t length = row < 10 ? usual[row] : random.between(0, shape.width);
  return static_cast<std::int32_t>(length);
}

OperationCase<Publishing> make(const Shape& shape, std::uint64_t seed) {
  OperationCase<Publishing> result;
  result.name = shape.name;
  PublishedTensors& made = result.args;
  TensorStore& store = result.store;
  Random random(seed);
  keysieve_publish_problem_init(&made.problem);
  made.problem.blocks = shape.blocks;
  made.problem.keep_neg_inf = shape.keep_neg_inf ? 1 : 0;
  made.problem.physical = shape.physical ? 1 : 0;
  keysieve_select_problem& select = made.problem.select;
  select.rows = shape.rows, select.width = shape.width, select.k = shape.k;
  select.score_type = shape.score_type;
  select.mode = shape.mode;
  made.next_n = shape.next_n;
  made.page_size = shape.page_size;
  const std::int64_t stride = shape.width + shape.stride_gap;
  made.scores = store.make(element_of(shape.score_type), {shape.rows, shape.width}, {stride, 1}, shape.offset_bytes);
  fill_scores(made, shape, random);
  made.lengths = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    static_cast<std::int32_t*>(made.lengths.data)[row] = length_of(shape, row, random);
  }
  // One page too few, some ids that do not exist.
  const std::int64_t lines = shape.map_rows ? 5 : shape.rows / shape.next_n;
  const std::int64_t pages = std::max<std::int64_t>((shape.width + shape.page_size - 1) / shape.page_size - 1, 1);
  made.num_pages = 500;
  made.page_table = store.make(KEYSIEVE_ELEMENT_INT32, {lines, pages}, {pages + 2, 1});
  for (std::int64_t i = 0; i < lines * (pages + 2) - 2; ++i) {
    static_cast<std::int32_t*>(made.page_table.data)[i] = static_cast<std::int32_t>(random.between(-2, 505));
  }
  if (shape.map_rows) {
    made.row_to_table = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      static_cast<std::int32_t*>(made.row_to_table.data)[row] = static_cast<std::int32_t>(random.between(-1, 5));
    }
  }
  made.indices = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows, shape.k}, {shape.k + 3, 1});
  if (shape.mode == KEYSIEVE_MODE_DUAL) made.raw_indices = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows, shape.k});
  made.blocks = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows, shape.blocks}, {shape.blocks + 1, 1});
  if (shape.physical) made.physical_blocks = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows, shape.blocks});
  if (shape.optional_outputs) {
    made.values = store.make(element_of(shape.score_type), {shape.rows, shape.k});
    made.counts = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
    made.block_counts = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
    made.valid_lengths = store.make(KEYSIEVE_ELEMENT_INT32, {shape.rows});
  }
  return result;
}

}  // namespace

keysieve_publish_args publish_args_of(const PublishedTensors& tensors) {
  keysieve_publish_args args;
  keysieve_publish_args_init(&args);
  keysieve_select_args& select = args.select;
  const auto ints = [](const keysieve_tensor& tensor) { return static_cast<std::int32_t*>(tensor.data); };
  select.next_n = tensors.next_n;
  select.scores = tensors.scores.data;
  select.score_row_stride = tensors.scores.strides[0];
  select.lengths = ints(tensors.lengths);
  // Refused where nothing needs it.
  const bool paged =
      tensors.problem.select.mode == KEYSIEVE_MODE_PAGED || tensors.problem.select.mode == KEYSIEVE_MODE_DUAL;
  if (paged || tensors.problem.physical != 0) {
    select.page_table = ints(tensors.page_table);
    select.page_table_rows = tensors.page_table.shape[0];
    select.page_table_columns = tensors.page_table.shape[1];
    select.page_table_row_stride = tensors.page_table.strides[0];
    select.page_size = tensors.page_size;
    select.num_pages = tensors.num_pages;
  }
  select.row_to_table = ints(tensors.row_to_table);
  select.indices = tensors.indices.data;
  select.indices_row_stride = tensors.indices.strides[0];
  select.raw_indices = tensors.raw_indices.data;
  select.values = tensors.values.data;
  select.counts = ints(tensors.counts);
  select.error_word = tensors.call.error_word;
  select.dependent_launch = tensors.call.dependent_launch;
  args.blocks = ints(tensors.blocks);
  args.blocks_row_stride = tensors.blocks.strides[0];
  args.physical_blocks = ints(tensors.physical_blocks);
  args.block_counts = ints(tensors.block_counts);
  args.valid_lengths = ints(tensors.valid_lengths);
  return args;
}

template <>
std::vector<OperationCase<Publishing>> operation_cases<Publishing>() {
  std::vector<Shape> shapes;
  const auto add = [&shapes](const char* name, std::int64_t rows, std::int64_t width, std::int64_t k,
                             std::int64_t blocks) -> Shape& {
    shapes.push_back({.name = name, .rows = rows, .width = width, .k = k, .blocks = blocks});
    return shapes.back();
  };
  add("plain", 14, 3000, 100, 40);
  add("paged", 14, 3000, 100, 40).mode = KEYSIEVE_MODE_PAGED;
  add("dual", 12, 2051, 64, 30).mode = KEYSIEVE_MODE_DUAL;
  add("plateau", 12, 3000, 200, 100).scores = Scores::kPlateau;
  add("infinite", 12, 3000, 200, 90).scores = Scores::kInfinite;
  add("more blocks kept than there are above -inf", 12, 3000, 200, 200).scores = Scores::kInfinite;
  Shape& keep = add("keep -inf", 12, 3000, 200, 200);
  keep.scores = Scores::kInfinite, keep.keep_neg_inf = true;
  add("ascending", 12, 3000, 50, 20).scores = Scores::kAscending;
  add("blocks of NaN", 12, 3000, 300, 100).scores = Scores::kBlocksOfNan;
  add("subnormal", 12, 3000, 100, 60).scores = Scores::kSubnormal;
  add("one block", 12, 600, 64, 1);
  add("two blocks", 12, 600, 64, 2);
  add("k above the length, few blocks", 12, 400, 512, 16);
  add("no row has more blocks than are kept", 12, 600, 64, 75);
  Shape& bfloat = add("bfloat16", 14, 3000, 100, 40);
  bfloat.score_type = KEYSIEVE_BFLOAT16, bfloat.mode = KEYSIEVE_MODE_PAGED;
  Shape& bfloat_plateau = add("bfloat16 plateau", 12, 3000, 100, 40);
  bfloat_plateau.score_type = KEYSIEVE_BFLOAT16, bfloat_plateau.scores = Scores::kPlateau;
  Shape& bfloat_nan = add("bfloat16 NaN", 12, 3000, 100, 40);
  bfloat_nan.score_type = KEYSIEVE_BFLOAT16, bfloat_nan.scores = Scores::kBlocksOfNan;
  Shape& half = add("float16", 14, 3000, 100, 40);
  half.score_type = KEYSIEVE_FLOAT16;
  Shape& odd = add("rows off 16 bytes", 14, 3001, 100, 40);
  odd.offset_bytes = 4;
  Shape& bfloat_odd = add("bfloat16 rows off 16 bytes", 14, 3001, 100, 40);
  bfloat_odd.score_type = KEYSIEVE_BFLOAT16, bfloat_odd.offset_bytes = 2;
  Shape& gaps = add("gaps between rows", 14, 2999, 100, 40);
  gaps.stride_gap = 21;
  Shape& drafts = add("drafts share a line", 12, 3000, 100, 40);
  drafts.next_n = 3, drafts.mode = KEYSIEVE_MODE_PAGED;
  Shape& mapped = add("rows mapped to lines", 14, 3000, 100, 40);
  mapped.map_rows = true;
  Shape& small_pages = add("a block a page", 12, 1200, 60, 40);
  small_pages.page_size = 8;
  Shape& large_pages = add("large pages", 12, 3000, 60, 40);
  large_pages.page_size = 1024;
  Shape& logical = add("no physical blocks", 12, 3000, 60, 40);
  logical.physical = false, logical.optional_outputs = false;
  add("long rows", 11, 20011, 512, 300);
  Shape& long_bfloat = add("long rows, bfloat16", 11, 20000, 512, 300);
  long_bfloat.score_type = KEYSIEVE_BFLOAT16;
  Shape& long_infinite = add("long rows, infinite", 11, 20000, 512, 900);
  long_infinite.scores = Scores::kInfinite;
  add("no rows", 0, 3000, 60, 40);
  std::vector<OperationCase<Publishing>> cases;
  for (const Shape& shape : shapes) cases.push_back(make(shape, 31 + cases.size()));
  return cases;
}

}  // namespace keysieve::cases
