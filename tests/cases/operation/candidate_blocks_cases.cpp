// Cases of candidate_lengths, block_max, sort_blocks and candidate_slots.
#include <algorithm>
#include <numeric>
#include <vector>

#include "candidates/block_max.hpp"
#include "candidates/candidate_lengths.hpp"
#include "candidates/candidate_slots.hpp"
#include "candidates/sort_blocks.hpp"
#include "cases/operation/candidate_tensors.hpp"

namespace keysieve::cases {
namespace {

OperationCase<CandidateLengths> lengths_case(const char* name, std::int64_t rows, std::int64_t next_n,
                                             std::int32_t block_size, std::int64_t kept, bool negative) {
  OperationCase<CandidateLengths> made;
  made.name = name;
  keysieve_candidate_lengths_args& args = made.args;
  args.struct_size = sizeof(args);
  args.block_size = block_size;
  args.kept_blocks = kept;
  args.num_blocks = made.store.make(KEYSIEVE_ELEMENT_INT32, {rows});
  args.valid = made.store.make(KEYSIEVE_ELEMENT_INT32, {rows});
  Random random(static_cast<std::uint64_t>(rows + kept));
  args.lengths = row_numbers(made.store, rows, [&](std::int64_t row) -> std::int64_t {
    const std::int64_t edges[] = {0,        1, block_size, block_size + 1, kept * block_size, kept * block_size + 1,
                                  INT32_MAX};
    if (negative && row == 0) return -5;
    return std::min<std::int64_t>(row < 8 ? edges[std::max<std::int64_t>(row - 1, 0)] : random.between(0, 1 << 20),
                                  INT32_MAX);
  });
  if (next_n > 1) {
    args.lengths.rank = 2;
    args.lengths.shape[0] = rows / next_n;
    args.lengths.shape[1] = next_n;
    args.lengths.strides[1] = KEYSIEVE_AUTO;
  }
  made.expected_errors = negative ? KEYSIEVE_ERROR_LENGTH_CLAMPED : 0;
  return made;
}

struct MaxShape {
  const char* name;
  std::int64_t rows, width, blocks, gap;
  std::size_t offset;
  std::int32_t element, block_size;
  std::int64_t kept;
  bool clamps;
};

OperationCase<BlockMax> max_case(const MaxShape& shape, std::uint64_t seed) {
  OperationCase<BlockMax> made;
  made.name = shape.name;
  keysieve_block_max_args& args = made.args;
  args.struct_size = sizeof(args);
  args.block_size = shape.block_size;
  args.kept_blocks = shape.kept;
  Random random(seed);
  args.out = made.store.make(KEYSIEVE_ELEMENT_FLOAT32, {shape.rows, shape.blocks}, {shape.blocks + 3, 1});
  args.scores = score_tensor(made.store, shape.element, shape.rows, shape.width, shape.gap, shape.offset, random);
  const std::int64_t most = std::min(shape.width, shape.blocks * shape.block_size);
  args.lengths = row_numbers(made.store, shape.rows, [&](std::int64_t row) -> std::int64_t {
    if (shape.clamps && row == 0) return INT32_MAX;
    if (shape.clamps && row == 1) return -1;
    const std::int64_t edges[] = {most, most - 1, most - shape.block_size, shape.block_size + 1, shape.block_size,
                                  1,    0};
    return row < 7 ? std::clamp<std::int64_t>(edges[row], 0, most) : random.between(0, most);
  });
  made.expected_errors = shape.clamps ? KEYSIEVE_ERROR_LENGTH_CLAMPED : 0;
  return made;
}

enum class Input { kDistinct, kDuplicates, kGaps, kBadIds, kUnread, kDense };

struct SortShape {
  const char* name;
  std::int64_t rows, kept, shortest, longest;
  std::int32_t block_size;
  std::int64_t page_size;  // 0: no page table
  Input input;
  bool in_place, mapped, narrow_table;
};

void fill_selected(const SortShape& shape, std::int64_t num_blocks, std::int32_t* row, Random& random) {
  const std::int64_t base = shape.input == Input::kDense ? std::max<std::int64_t>(num_blocks - shape.kept, 0) : 0;
  // Distinct: a step of its own in every stretch of the row.
  const std::int64_t stretch = std::max<std::int64_t>(num_blocks / shape.kept, 1);
  std::vector<std::int64_t> ids(static_cast<std::size_t>(shape.kept));
  for (std::int64_t j = 0; j < shape.kept; ++j) {
    std::int64_t id = shape.input == Input::kDense ? base + j : j * stretch + random.between(0, stretch - 1);
    if (shape.input == Input::kDuplicates) id = random.between(0, std::max<std::int64_t>(num_blocks - 1, 0)) / 8 * 8;
    if (shape.input == Input::kGaps && random.chance(40)) id = random.chance(80) ? -1 : INT32_MAX;
    ids[static_cast<std::size_t>(j)] = id;
  }
  for (std::size_t j = ids.size(); j > 1; --j) {
    std::swap(ids[j - 1], ids[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(j) - 1))]);
  }
  if (shape.input == Input::kBadIds) {
    const std::int64_t bad[] = {num_blocks, -2, INT32_MIN, INT32_MAX - 1, num_blocks + 1000};
    for (std::size_t j = 0; j < std::min<std::size_t>(ids.size(), 5); ++j) ids[j] = bad[j];
  }
  for (std::size_t j = 0; j < ids.size(); ++j) row[j] = static_cast<std::int32_t>(ids[j]);
}

OperationCase<SortBlocks> sort_case(const SortShape& shape, std::uint64_t seed) {
  OperationCase<SortBlocks> made;
  made.name = shape.name;
  keysieve_sort_blocks_args& args = made.args;
  args.struct_size = sizeof(args);
  args.block_size = shape.block_size;
  args.page_size = shape.page_size;
  args.num_pages = KEYSIEVE_AUTO;
  Random random(seed);
  std::vector<std::int64_t> num_blocks;
  args.lengths = row_numbers(made.store, shape.rows, [&](std::int64_t row) -> std::int64_t {
    std::int64_t length = row == 0 ? shape.longest : random.between(shape.shortest, shape.longest);
    if (shape.input == Input::kUnread && row == 1) length = 0;
    num_blocks.push_back((length + shape.block_size - 1) / shape.block_size);
    return length;
  });
  args.selected = int32_rows(made.store, shape.rows, shape.kept, 2);
  for (std::int64_t row = 0; row < shape.rows && shape.input != Input::kUnread; ++row) {
    fill_selected(shape, num_blocks[static_cast<std::size_t>(row)], &at(args.selected, row, 0), random);
  }
  args.blocks = shape.in_place ? args.selected : int32_rows(made.store, shape.rows, shape.kept, 5);
  args.counts = row_numbers(made.store, shape.rows, [](std::int64_t) { return 0; });
  args.valid = row_numbers(made.store, shape.rows, [](std::int64_t) { return 0; });
  made.expected_errors = shape.input == Input::kBadIds ? KEYSIEVE_ERROR_BAD_ID : 0;
  if (shape.mapped) {
    args.row_to_table = row_numbers(made.store, shape.rows, [&](std::int64_t row) -> std::int64_t {
      return row == 2 ? -1 : row == 3 ? 9999 : shape.rows - 1 - row;
    });
    made.expected_errors |= shape.page_size != 0 && shape.rows > 3 ? KEYSIEVE_ERROR_BAD_PAGE : 0;
  }
  if (shape.page_size == 0) return made;
  args.phys = int32_rows(made.store, shape.rows, shape.kept, 1);
  const std::int64_t pages = (shape.longest + shape.page_size - 1) / shape.page_size;
  args.page_table =
      int32_rows(made.store, shape.rows, std::max<std::int64_t>(shape.narrow_table ? pages / 2 : pages, 1), 3,
                 [&](std::int64_t, std::int64_t) { return random.between(0, 1 << 20); });
  if (shape.narrow_table) {
    args.num_pages = 1000000;
    at(args.page_table, 0, 0) = -1;
    at(args.page_table, shape.rows - 1, 0) = 1000000;
    made.expected_errors |= KEYSIEVE_ERROR_BAD_PAGE;
  }
  return made;
}

struct SlotsShape {
  const char* name;
  std::int64_t rows, kept, longest;
  std::int32_t block_size;
  std::int64_t ratio, next_n;
  std::size_t offset;  // of positions
  bool mapped, wrong;
};

OperationCase<CandidateSlots> slots_case(const SlotsShape& shape, std::uint64_t seed) {
  OperationCase<CandidateSlots> made;
  made.name = shape.name;
  keysieve_candidate_slots_args& args = made.args;
  args.struct_size = sizeof(args);
  args.block_size = shape.block_size;
  args.ratio = shape.ratio;
  const std::int64_t columns = shape.kept * shape.block_size;
  Random random(seed);
  args.positions = made.store.make(KEYSIEVE_ELEMENT_INT64, {shape.rows, columns}, {columns + 2, 1}, shape.offset);
  args.slots = int32_rows(made.store, shape.rows, columns, shape.offset == 0 ? 4 : 3);
  args.counts = row_numbers(made.store, shape.rows, [](std::int64_t) { return 0; });
  args.lengths = row_numbers(made.store, shape.rows, [&](std::int64_t row) {
    return shape.wrong && row == 0 ? -3 : row == 1 ? 0 : row == 2 ? 1 : random.between(1, shape.longest);
  });
  args.blocks =
      int32_rows(made.store, shape.rows, shape.kept, 1, [&](std::int64_t row, std::int64_t j) -> std::int64_t {
        const std::int64_t length = std::max(static_cast<std::int32_t*>(args.lengths.data)[row], 0);
        const std::int64_t blocks = (length + shape.block_size - 1) / shape.block_size;
        const std::int64_t stretch = std::max<std::int64_t>(blocks / shape.kept, 1);
        // The last stretch ends with the newest block.
        const std::int64_t id = blocks - 1 - (shape.kept - 1 - j) * stretch;
        if (shape.wrong && row == shape.rows - 1 && j % 7 == 3) return blocks + j;
        if (blocks < shape.kept) return j < blocks ? j : INT32_MAX;
        return id;
      });
  const std::int64_t lines = shape.mapped ? 3 : shape.rows / shape.next_n;
  if (shape.next_n > 1) {
    args.lengths.rank = 2;
    args.lengths.shape[0] = lines;
    args.lengths.shape[1] = shape.next_n;
    args.lengths.strides[1] = KEYSIEVE_AUTO;
  }
  const std::int64_t tokens = shape.longest * shape.ratio;
  args.token_table = int32_rows(made.store, lines, shape.wrong ? tokens / 2 : tokens, 1,
                                [&](std::int64_t, std::int64_t) { return random.between(0, INT32_MAX); });
  if (shape.mapped) {
    args.row_to_table = row_numbers(made.store, shape.rows,
                                    [](std::int64_t row) -> std::int64_t { return row % 5 == 4 ? -1 : row % 3; });
  }
  if (shape.wrong) {
    made.expected_errors = KEYSIEVE_ERROR_LENGTH_CLAMPED | KEYSIEVE_ERROR_BAD_ID | KEYSIEVE_ERROR_BAD_PAGE;
  }
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<CandidateLengths>> operation_cases<CandidateLengths>() {
  std::vector<OperationCase<CandidateLengths>> cases;
  cases.push_back(lengths_case("no rows", 0, 1, 8, 2048, false));
  cases.push_back(lengths_case("one row", 1, 1, 8, 2048, false));
  cases.push_back(lengths_case("edges", 1000, 1, 8, 2048, true));
  cases.push_back(lengths_case("one block kept", 300, 3, 16, 1, false));
  cases.push_back(lengths_case("every block kept", 40, 1, 8, INT32_MAX, true));
  return cases;
}

template <>
std::vector<OperationCase<BlockMax>> operation_cases<BlockMax>() {
  constexpr std::int32_t kFloat = KEYSIEVE_ELEMENT_FLOAT32, kBfloat = KEYSIEVE_ELEMENT_BFLOAT16;
  constexpr MaxShape kShapes[] = {
      {"no rows", 0, 64, 8, 0, 0, kFloat, 8, 0, false},
      {"one row", 1, 1000, 125, 0, 0, kFloat, 8, 0, false},
      {"vectors", 9, 8192, 1024, 0, 0, kFloat, 8, 0, false},
      {"vectors, gaps", 11, 2500, 320, 12, 16, kFloat, 8, 0, false},
      {"blocks of 16", 9, 4096, 256, 4, 0, kFloat, 16, 0, false},
      {"bfloat16", 10, 5000, 625, 8, 0, kBfloat, 8, 0, false},
      {"bfloat16, blocks of 16", 9, 5000, 400, 0, 0, kBfloat, 16, 0, false},
      {"base off 16 bytes", 9, 2000, 250, 0, 4, kFloat, 8, 0, false},
      {"rows off 16 bytes", 9, 1999, 250, 0, 0, kFloat, 8, 0, true},
      {"bfloat16, odd rows", 9, 2001, 260, 0, 2, kBfloat, 8, 0, false},
      {"bfloat16, odd rows, blocks of 16", 9, 2001, 126, 0, 6, kBfloat, 16, 0, true},
      {"few blocks kept", 30, 3000, 375, 0, 0, kFloat, 8, 200, true},
      {"out too narrow", 8, 3000, 100, 0, 0, kFloat, 8, 0, true},
      {"width below a block", 7, 5, 1, 0, 0, kFloat, 8, 0, true},
      {"many short rows", 3000, 40, 5, 0, 0, kFloat, 8, 0, false},
  };
  std::vector<OperationCase<BlockMax>> cases;
  for (const MaxShape& shape : kShapes) cases.push_back(max_case(shape, 100 + cases.size()));
  return cases;
}

template <>
std::vector<OperationCase<SortBlocks>> operation_cases<SortBlocks>() {
  constexpr SortShape kShapes[] = {
      {"no rows", 0, 16, 0, 1000, 8, 64, Input::kDistinct, false, false, false},
      {"identity", 6, 64, 1, 512, 8, 64, Input::kUnread, false, false, false},
      {"one row, one block", 1, 1, 100, 100, 8, 64, Input::kDistinct, false, false, false},
      {"distinct", 5, 100, 5000, 9000, 8, 64, Input::kDistinct, false, false, false},
      {"source layer", 3, 2048, 100000, 200000, 8, 128, Input::kDistinct, true, false, false},
      {"newest blocks alone", 2, 2048, 300000, 400000, 8, 64, Input::kDense, true, false, false},
      {"duplicates", 4, 333, 20000, 30000, 8, 64, Input::kDuplicates, true, true, false},
      {"skipped", 5, 257, 10000, 12345, 16, 256, Input::kGaps, false, false, false},
      {"ids out of range", 4, 64, 5000, 6000, 8, 8, Input::kBadIds, false, true, false},
      {"bad pages", 4, 64, 5000, 6000, 8, 32, Input::kDistinct, false, false, true},
      {"widest", 2, 8192, 200000, 250000, 8, 64, Input::kGaps, true, false, false},
      {"no page table", 3, 100, 5000, 9000, 8, 0, Input::kDistinct, false, true, false},
      {"pieces of the bitmap", 2, 1000, 5000000, 7000000, 8, 0, Input::kDistinct, true, false, false},
      {"pieces of the bitmap, widest", 1, 8192, 2500001, 2500001, 8, 256, Input::kDuplicates, false, false, false},
      {"longest row", 1, 64, 2147483647, 2147483647, 16, 0, Input::kBadIds, false, false, false},
      {"many rows", 400, 1027, 9000, 20000, 8, 64, Input::kGaps, false, false, false},
  };
  std::vector<OperationCase<SortBlocks>> cases;
  for (const SortShape& shape : kShapes) cases.push_back(sort_case(shape, 200 + cases.size()));
  return cases;
}

template <>
std::vector<OperationCase<CandidateSlots>> operation_cases<CandidateSlots>() {
  constexpr SlotsShape kShapes[] = {
      {"no rows", 0, 4, 100, 8, 1, 1, 0, false, false},
      {"one row", 1, 3, 100, 8, 1, 1, 0, false, false},
      {"pairs", 6, 300, 5000, 8, 1, 1, 0, false, false},
      {"ratio", 6, 100, 3000, 8, 2, 3, 0, false, false},
      {"blocks of 16", 5, 33, 900, 16, 1, 1, 0, false, false},
      {"single columns", 4, 150, 3000, 8, 3, 2, 8, false, false},
      {"mapped", 10, 20, 500, 8, 1, 1, 0, true, false},
      {"wrong", 7, 40, 600, 8, 2, 1, 0, false, true},
  };
  std::vector<OperationCase<CandidateSlots>> cases;
  for (const SlotsShape& shape : kShapes) cases.push_back(slots_case(shape, 300 + cases.size()));
  return cases;
}

}  // namespace keysieve::cases
