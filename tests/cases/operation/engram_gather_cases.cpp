#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"
#include "helpers/engram_gather.hpp"

namespace keysieve::cases {
namespace {

struct Shape {
  const char* name;
  std::int64_t count, rows, dim, blocks;
  std::int64_t table_stride;
  std::size_t table_offset;
  bool wide_ids;
  std::int64_t first_row;
};

OperationCase<EngramGather> make(const Shape& shape, std::uint64_t seed) {
  OperationCase<EngramGather> made;
  made.name = shape.name;
  keysieve_engram_gather_args& args = made.args;
  args.struct_size = sizeof(args);
  args.first_row = shape.first_row;
  args.out = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.count, shape.dim});
  args.table =
      made.store.make(KEYSIEVE_ELEMENT_BYTE, {shape.rows, shape.dim}, {shape.table_stride, 1}, shape.table_offset);
  args.scales = made.store.make(KEYSIEVE_ELEMENT_BYTE, {shape.rows, shape.blocks}, {shape.blocks + 1, 1});
  args.ids = made.store.make(shape.wide_ids ? KEYSIEVE_ELEMENT_INT64 : KEYSIEVE_ELEMENT_INT32, {shape.count});
  Random random(seed);
  auto* codes = static_cast<std::uint8_t*>(args.table.data);
  auto* scales = static_cast<std::uint8_t*>(args.scales.data);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t i = 0; i < shape.dim; ++i)
      codes[row * shape.table_stride + i] = static_cast<std::uint8_t>(random.next());
    for (std::int64_t i = 0; i < shape.blocks; ++i) {
      // All of 0 (2^-127), the largest, NaN and the usual ones.
      scales[row * (shape.blocks + 1) + i] = static_cast<std::uint8_t>(
          random.chance(20) ? random.one_of({0, 1, 254, 255, 118}) : random.between(100, 140));
    }
  }
  for (std::int64_t n = 0; n < shape.count; ++n) {
    // First and last owned, their neighbours on both sides, far away, owned.
    const std::int64_t last = shape.first_row + shape.rows - 1;
    const std::int64_t far = shape.wide_ids ? std::int64_t{1} << 40 : 2'000'000'000;
    const std::int64_t picks[] = {shape.first_row, last, shape.first_row - 1, last + 1, far, -far, -1};
    const std::int64_t id = n < 7 ? picks[n] : random.between(shape.first_row - 2, last + 2);
    if (shape.wide_ids) {
      static_cast<std::int64_t*>(args.ids.data)[n] = id;
    } else {
      static_cast<std::int32_t*>(args.ids.data)[n] = static_cast<std::int32_t>(id);
    }
  }
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<EngramGather>> operation_cases<EngramGather>() {
  constexpr Shape kShapes[] = {
      {"one id", 1, 5, 128, 4, 128, 0, false, 0},
      {"vectors", 300, 40, 256, 8, 256, 0, true, 1000},
      {"gaps between rows", 33, 17, 64, 4, 80, 0, false, 7},
      {"rows off 16 bytes", 33, 17, 64, 2, 67, 0, false, 7},
      {"base off 16 bytes", 19, 9, 128, 4, 128, 3, true, -4},
      {"a scale each 8", 21, 9, 64, 8, 64, 0, false, 0},
      {"one column", 40, 11, 1, 1, 1, 0, false, 3},
      {"eight columns", 40, 11, 8, 1, 8, 0, true, 3},
      {"one scale a row", 12, 6, 2048, 1, 2048, 0, true, 0},
      {"widest", 9, 3, 8192, 256, 8192, 0, false, 2},
      {"ids past 32 bits", 50, 20, 128, 4, 128, 0, true, (std::int64_t{1} << 40) - 10},
      {"empty shard", 8, 0, 128, 4, 128, 0, false, 0},
      {"no ids", 0, 5, 128, 4, 128, 0, false, 0},
  };
  std::vector<OperationCase<EngramGather>> cases;
  for (const Shape& shape : kShapes) cases.push_back(make(shape, 17 + cases.size()));
  return cases;
}

}  // namespace keysieve::cases
