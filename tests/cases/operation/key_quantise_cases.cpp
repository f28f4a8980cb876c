#include "cases/operation/key_values.hpp"
#include "cases/operation/operation_case.hpp"
#include "helpers/key_quantise.hpp"

namespace keysieve::cases {
namespace {

struct Shape {
  const char* name;
  std::int64_t rows;
  std::int64_t x_stride, payload_stride;  // 0: dense
  std::size_t x_offset, payload_offset;
  bool float32;
  bool any_bits;
};

constexpr Shape kShapes[] = {
    {"one row", 1, 0, 0, 0, 0, false, false},
    {"one row of floats", 1, 0, 0, 0, 0, true, false},
    {"odd number of rows", 77, 0, 0, 0, 0, false, false},
    {"floats", 77, 0, 0, 0, 0, true, false},
    {"any bits", 300, 0, 0, 0, 0, false, true},
    {"floats of any bits", 300, 0, 0, 0, 0, true, true},
    {"gaps between rows", 33, 144, 160, 0, 0, false, true},
    {"gaps of 4 bytes", 33, 136, 132, 0, 4, false, false},
    {"rows off 16 bytes", 19, 131, 0, 0, 12, false, false},
    {"base off 16 bytes", 19, 0, 0, 2, 0, false, false},
    {"floats off 16 bytes", 19, 129, 132, 4, 8, true, true},
    {"every row the same", 5, -1, 0, 0, 0, false, false},
    {"no rows", 0, 0, 0, 0, 0, false, false},
};

// Space for `rows` vectors; `payload_bytes` a vector, `scale` the element of scales.
template <typename Args>
void make_tensors(TensorStore& store, Args& args, const Shape& shape, std::int64_t payload_bytes, std::int32_t scale) {
  args.struct_size = sizeof(args);
  const std::int64_t x_stride = shape.x_stride == 0 ? 128 : shape.x_stride < 0 ? 0 : shape.x_stride;
  const std::int64_t payload_stride = shape.payload_stride == 0 ? payload_bytes : shape.payload_stride;
  args.x = store.make(shape.float32 ? KEYSIEVE_ELEMENT_FLOAT32 : KEYSIEVE_ELEMENT_BFLOAT16, {shape.rows, 128},
                      {x_stride, 1}, shape.x_offset);
  args.payload =
      store.make(KEYSIEVE_ELEMENT_BYTE, {shape.rows, payload_bytes}, {payload_stride, 1}, shape.payload_offset);
  args.scales = store.make(scale, {shape.rows});
}

template <typename Args>
void fill(Args& args, const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    // Usual sizes, the floor of the scale, both ends.
    int exponent = static_cast<int>(random.chance(60) ? random.between(-3, 6) : random.between(-20, -8));
    if (random.chance(10)) exponent = random.one_of({-126, -100, 60, 122, 125, 127});
    for (std::int64_t i = 0; i < 128; ++i) {
      const std::int64_t at = row * args.x.strides[0] + i;
      if (shape.float32) {
        static_cast<float*>(args.x.data)[at] = key_float(random, exponent, shape.any_bits);
      } else {
        static_cast<std::uint16_t*>(args.x.data)[at] = key_bfloat16(random, exponent, shape.any_bits);
      }
    }
  }
}

// Every BF16, beside each of some largest magnitudes: 31 of a group, the largest in front. What is larger still is the
// largest then: so every BF16 is the largest of a group too.
constexpr std::uint16_t kLargest[] = {0x0000, 0x0001, 0x00C0, 0x3A1D, 0x3A1E, 0x3F80, 0x3FC0, 0x4040,
                                      0x4060, 0x4080, 0x40A0, 0x40BF, 0x40C0, 0x40C1, 0x7F7F, 0x7F80};
constexpr std::int64_t kGroupsOfAll = (65536 + 30) / 31;
constexpr std::int64_t kExhaustiveRows = static_cast<std::int64_t>(std::size(kLargest)) * ((kGroupsOfAll + 3) / 4);

void fill_exhaustively(const keysieve_tensor& x) {
  auto* values = static_cast<std::uint16_t*>(x.data);
  std::int64_t row = 0;
  for (const std::uint16_t largest : kLargest) {
    for (std::int64_t group = 0; group < (kGroupsOfAll + 3) / 4 * 4; ++group) {
      std::uint16_t* to = values + row * 128 + group * 32;
      to[0] = largest;
      for (std::int64_t i = 0; i < 31; ++i) to[1 + i] = static_cast<std::uint16_t>(group * 31 + i);
    }
    row += (kGroupsOfAll + 3) / 4;
  }
}

// Every BF16 as the largest magnitude of a group of its own, beside values on and around the points where codes change.
constexpr std::int64_t kLargestRows = 65536 / 4;

void fill_around_each_largest(const keysieve_tensor& x) {
  auto* values = static_cast<std::uint16_t*>(x.data);
  Random random(5);
  for (std::int64_t bits = 0; bits < 65536; ++bits) {
    std::uint16_t* to = values + bits * 32;
    to[0] = static_cast<std::uint16_t>(bits);
    const std::int64_t magnitude = bits & 0x7FFF;
    for (int i = 1; i < 32; ++i) {
      // Mantissas 1, 1.25, 1.5, 1.75 and their neighbours, up to 5 binades below.
      std::int64_t other = (magnitude & ~std::int64_t{0x7F}) + i % 4 * 32 + random.between(-1, 1) - i / 4 * 128;
      other = other < 0 ? 0 : other > magnitude ? magnitude : other;
      to[i] = static_cast<std::uint16_t>(other | random.between(0, 1) << 15);
    }
  }
}

// One value of every BF16 is the largest of a vector, the rest spread below: for a scale a vector.
void fill_rows_below_each_largest(const keysieve_tensor& x) {
  auto* values = static_cast<std::uint16_t*>(x.data);
  Random random(6);
  for (std::int64_t row = 0; row < x.shape[0]; ++row) {
    const std::int64_t magnitude = row * 2 + random.between(0, 1);
    std::uint16_t* to = values + row * 128;
    for (int i = 0; i < 128; ++i) {
      const std::int64_t other = i == 0 ? magnitude : magnitude - random.between(0, 18 * 128);
      to[i] = static_cast<std::uint16_t>((other < 0 ? 0 : other) | random.between(0, 1) << 15);
    }
  }
}

OperationCase<Fp4Quantise> fp4(const Shape& shape, std::int32_t rounding) {
  OperationCase<Fp4Quantise> made;
  made.name = std::string(shape.name) + (rounding == KEYSIEVE_ROUND_TIES_TO_EVEN ? ", ties to even" : ", ties to zero");
  made.args.rounding = rounding;
  make_tensors(made.store, made.args, shape, 64, KEYSIEVE_ELEMENT_INT32);
  return made;
}

OperationCase<Fp8Quantise> fp8(const Shape& shape, bool power_of_two) {
  OperationCase<Fp8Quantise> made;
  made.name = std::string(shape.name) + (power_of_two ? ", power of two" : "");
  made.args.scale_to_power_of_two = power_of_two ? 1 : 0;
  make_tensors(made.store, made.args, shape, 128, KEYSIEVE_ELEMENT_FLOAT32);
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<Fp4Quantise>> operation_cases<Fp4Quantise>() {
  std::vector<OperationCase<Fp4Quantise>> cases;
  for (const std::int32_t rounding : {KEYSIEVE_ROUND_TIES_TO_ZERO, KEYSIEVE_ROUND_TIES_TO_EVEN}) {
    for (const Shape& shape : kShapes) {
      cases.push_back(fp4(shape, rounding));
      fill(cases.back().args, shape, 31 + cases.size());
    }
    cases.push_back(fp4({"every bfloat16", kExhaustiveRows, 0, 0, 0, 0, false, false}, rounding));
    fill_exhaustively(cases.back().args.x);
    cases.push_back(fp4({"every bfloat16 as the largest", kLargestRows, 0, 0, 0, 0, false, false}, rounding));
    fill_around_each_largest(cases.back().args.x);
  }
  return cases;
}

template <>
std::vector<OperationCase<Fp8Quantise>> operation_cases<Fp8Quantise>() {
  std::vector<OperationCase<Fp8Quantise>> cases;
  for (const bool power_of_two : {false, true}) {
    for (const Shape& shape : kShapes) {
      cases.push_back(fp8(shape, power_of_two));
      fill(cases.back().args, shape, 57 + cases.size());
    }
    cases.push_back(fp8({"every bfloat16", kExhaustiveRows, 0, 0, 0, 0, false, false}, power_of_two));
    fill_exhaustively(cases.back().args.x);
    cases.push_back(fp8({"every bfloat16 as the largest", 0x8000 / 2, 0, 0, 0, 0, false, false}, power_of_two));
    fill_rows_below_each_largest(cases.back().args.x);
  }
  return cases;
}

}  // namespace keysieve::cases
