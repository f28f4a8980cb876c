#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"
#include "core/mxfp8.hpp"
#include "helpers/rmsnorm_mxfp8.hpp"

namespace keysieve::cases {
namespace {

enum class Outputs { kAll, kPlain, kQuantized };

struct Shape {
  const char* name;
  std::int64_t m, columns;
  Outputs outputs = Outputs::kAll;
  float eps = 1e-6f;
  std::int64_t x_gap = 0, y_gap = 0, q_gap = 0;  // between rows, in elements
  std::size_t x_offset = 0, weight_offset = 0, y_offset = 0, q_offset = 0, scales_offset = 0;  // in bytes
  bool edges = false;  // rows of zeros, NaN, infinities, subnormals and values whose squares overflow
};

constexpr Shape kShapes[] = {
    {.name = "one group", .m = 1, .columns = 32},
    {.name = "one row", .m = 1, .columns = 5120},
    {.name = "eight rows", .m = 8, .columns = 7168},
    {.name = "a word and a group", .m = 3, .columns = 160},
    {.name = "31 groups", .m = 33, .columns = 992},
    {.name = "a warp of columns and one group", .m = 5, .columns = 544},
    {.name = "one whole tile", .m = 128, .columns = 128},
    {.name = "a tile and a row", .m = 129, .columns = 96},
    {.name = "rows side by side", .m = 1061, .columns = 64},
    {.name = "rows side by side, three warps each", .m = 397, .columns = 1184},
    {.name = "rows in turn, by teams of three warps", .m = 2803, .columns = 1184},
    {.name = "rows in turn, by teams of a warp", .m = 8529, .columns = 32},
    {.name = "as many rows as multiprocessors", .m = 132, .columns = 1024},
    {.name = "half as many rows as multiprocessors", .m = 66, .columns = 2048},
    {.name = "more warps than 16", .m = 2, .columns = 12320},
    {.name = "widest of four streams", .m = 1, .columns = 16384, .outputs = Outputs::kQuantized},
    {.name = "widest", .m = 2, .columns = 32768},
    {.name = "y alone", .m = 9, .columns = 1536, .outputs = Outputs::kPlain},
    {.name = "q and scales alone", .m = 9, .columns = 1536, .outputs = Outputs::kQuantized},
    {.name = "gaps that vectors bear", .m = 21, .columns = 256, .x_gap = 8, .y_gap = 16, .q_gap = 8},
    {.name = "odd gaps", .m = 21, .columns = 256, .x_gap = 3, .y_gap = 1, .q_gap = 5},
    {.name = "odd gap of q alone", .m = 4, .columns = 96, .q_gap = 1},
    {.name = "x off 16 bytes", .m = 5, .columns = 640, .x_offset = 2},
    {.name = "weight off 16 bytes", .m = 5, .columns = 640, .weight_offset = 8},
    {.name = "y off 16 bytes", .m = 5, .columns = 640, .y_offset = 6},
    {.name = "q off 8 bytes", .m = 5, .columns = 640, .q_offset = 4},
    {.name = "q on 8 bytes", .m = 5, .columns = 640, .q_offset = 8},
    {.name = "scales off 16 bytes", .m = 35, .columns = 640, .scales_offset = 4},
    {.name = "scales off 4 bytes", .m = 35, .columns = 160, .scales_offset = 1},
    {.name = "all off, y alone", .m = 3, .columns = 96, .outputs = Outputs::kPlain, .x_offset = 2, .y_offset = 2},
    {.name = "edges", .m = 40, .columns = 288, .edges = true},
    {.name = "edges, no eps", .m = 40, .columns = 544, .eps = 0, .edges = true},
    {.name = "edges, by element", .m = 40, .columns = 96, .eps = 1e-5f, .x_gap = 1, .edges = true},
    {.name = "large eps", .m = 7, .columns = 128, .eps = 3e38f, .edges = true},
    {.name = "no rows", .m = 0, .columns = 512},
};

std::uint16_t usual_value(Random& random) {
  return static_cast<std::uint16_t>(random.between(0, 1) << 15 | random.between(118, 133) << 7 |
                                    random.between(0, 127));
}

// What row `row` is filled with.
std::uint16_t edge_value(Random& random, std::int64_t row) {
  const auto sign = static_cast<std::uint16_t>(random.between(0, 1) << 15);
  switch (row % 9) {
    case 0:
      return sign;  // zeros of both signs
    case 1:
      return random.chance(3) ? std::uint16_t{0x7FC1} : usual_value(random);
    case 2:
      return random.chance(3) ? static_cast<std::uint16_t>(sign | 0x7F80) : usual_value(random);
    case 3:
      return static_cast<std::uint16_t>(sign | random.between(0, 0x80));  // subnormals
    case 4:
      return static_cast<std::uint16_t>(sign | random.between(0x7E00, 0x7F7F));  // squares overflow
    case 5:
      return static_cast<std::uint16_t>(sign | random.between(0x2000, 0x2100));  // squares underflow
    case 6:
      return static_cast<std::uint16_t>(random.next());
    case 7:
      return random.chance(4) ? usual_value(random) : sign;
    default:
      return usual_value(random);
  }
}

template <typename Operation>
OperationCase<Operation> make(const Shape& shape, std::int64_t streams, Random& random) {
  OperationCase<Operation> made;
  made.name = shape.name;
  auto& args = made.args;
  args.struct_size = sizeof(args);
  args.eps = shape.eps;
  const std::int64_t m = shape.m, columns = shape.columns, x_stride = streams * columns + shape.x_gap;
  args.x = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {m, streams * columns}, {x_stride, 1}, shape.x_offset);
  args.weight = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {columns}, {}, shape.weight_offset);
  if (shape.outputs != Outputs::kQuantized) {
    args.y = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {m, columns}, {columns + shape.y_gap, 1}, shape.y_offset);
  }
  if (shape.outputs != Outputs::kPlain) {
    args.q = made.store.make(KEYSIEVE_ELEMENT_BYTE, {m, columns}, {columns + shape.q_gap, 1}, shape.q_offset);
    args.scales = made.store.make(KEYSIEVE_ELEMENT_BYTE, {mxfp8_scale_bytes(m, columns)}, {}, shape.scales_offset);
  }
  auto* x = static_cast<std::uint16_t*>(args.x.data);
  for (std::int64_t row = 0; row < m; ++row) {
    for (std::int64_t i = 0; i < streams * columns; ++i) {
      x[row * x_stride + i] = shape.edges ? edge_value(random, row) : usual_value(random);
    }
  }
  auto* weight = static_cast<std::uint16_t*>(args.weight.data);
  for (std::int64_t i = 0; i < columns; ++i) {
    weight[i] = shape.edges && random.chance(2) ? edge_value(random, random.between(0, 8)) : usual_value(random);
  }
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<RmsnormMxfp8>> operation_cases<RmsnormMxfp8>() {
  std::vector<OperationCase<RmsnormMxfp8>> cases;
  for (const Shape& shape : kShapes) {
    Random random(31 + cases.size());
    cases.push_back(make<RmsnormMxfp8>(shape, 1, random));
  }
  return cases;
}

template <>
std::vector<OperationCase<HcRmsnormMxfp8>> operation_cases<HcRmsnormMxfp8>() {
  std::vector<OperationCase<HcRmsnormMxfp8>> cases;
  for (const Shape& shape : kShapes) {
    if (shape.columns > HcRmsnormMxfp8::kMaxColumns) continue;
    const std::size_t number = cases.size();
    Random random(87 + number);
    OperationCase<HcRmsnormMxfp8>& made = cases.emplace_back(make<HcRmsnormMxfp8>(shape, 4, random));
    const bool wide = number % 2 == 0;
    const std::int64_t stride = 4 + static_cast<std::int64_t>(number % 3);
    keysieve_tensor& pre = made.args.pre;
    pre = made.store.make(wide ? KEYSIEVE_ELEMENT_FLOAT32 : KEYSIEVE_ELEMENT_BFLOAT16, {shape.m, 4}, {stride, 1},
                          number % 5 * 4);
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t i = row * stride; i < row * stride + 4; ++i) {
        const bool edge = shape.edges && random.chance(10);
        const std::uint16_t high = edge ? edge_value(random, random.between(0, 8)) : usual_value(random);
        if (wide) {
          static_cast<float*>(pre.data)[i] =
              float_of(std::uint32_t{high} << 16 | static_cast<std::uint32_t>(random.between(0, 0xFFFF)));
        } else {
          static_cast<std::uint16_t*>(pre.data)[i] = high;
        }
      }
    }
  }
  return cases;
}

}  // namespace keysieve::cases
