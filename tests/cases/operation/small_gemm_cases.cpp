#include "helpers/small_gemm.hpp"

#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"

namespace keysieve::cases {
namespace {

enum class Values {
  kUsual,
  kWide,  // exponents far apart: sums that cancel, that lose small terms
  kBits,  // any bits: NaN, infinities, subnormals
};

struct Shape {
  const char* name;
  std::int64_t m;
  bool long_k;
  std::int64_t x_gap, out_gap;
  std::size_t out_offset;
  Values values;
};

std::uint16_t draw(Random& random, Values values) {
  const auto bits = static_cast<std::uint16_t>(random.next());
  if (values == Values::kBits && random.chance(1)) return bits;
  // Sign and mantissa as drawn; 2^-6..2^1, or 2^-32..2^31.
  const int low = values == Values::kWide ? 95 : 121, span = values == Values::kWide ? 63 : 7;
  const auto exponent = static_cast<std::uint16_t>(low + random.between(0, span));
  return static_cast<std::uint16_t>((bits & 0x807F) | exponent << 7);
}

OperationCase<SmallGemm> make(const Shape& shape, std::uint64_t seed) {
  OperationCase<SmallGemm> made;
  made.name = std::string(shape.name) + ", m = " + std::to_string(shape.m) + (shape.long_k ? ", K = 5120" : "");
  keysieve_small_gemm_args& args = made.args;
  args.struct_size = sizeof(args);
  args.max_m = shape.m > 32 ? shape.m : std::int64_t{KEYSIEVE_AUTO};
  const std::int64_t n = shape.long_k ? 32 : 128, k = shape.long_k ? 5120 : 512;
  args.out = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.m, n}, {n + shape.out_gap, 1}, shape.out_offset);
  args.x = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.m, k}, {k + shape.x_gap, 1}, 16);
  args.w = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {n, k});
  Random random(seed);
  for (std::int64_t row = 0; row < shape.m; ++row) {
    auto* x = static_cast<std::uint16_t*>(args.x.data) + row * (k + shape.x_gap);
    // Rows of zeros of either sign among the others.
    for (std::int64_t i = 0; i < k; ++i) x[i] = row % 7 == 5 ? 0x8000 : draw(random, shape.values);
  }
  auto* w = static_cast<std::uint16_t*>(args.w.data);
  for (std::int64_t i = 0; i < n * k; ++i) w[i] = draw(random, shape.values);
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<SmallGemm>> operation_cases<SmallGemm>() {
  std::vector<OperationCase<SmallGemm>> cases;
  const auto add = [&](const Shape& shape) { cases.push_back(make(shape, 41 + cases.size())); };
  for (std::int64_t m = 0; m <= 33; ++m) add({"dense", m, false, 0, 0, 0, Values::kUsual});
  for (const std::int64_t m : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 19, 32, 33}) {
    add({"dense", m, true, 0, 0, 0, Values::kUsual});
  }
  for (const bool long_k : {false, true}) {
    add({"gaps", 6, long_k, 8, 3, 2, Values::kUsual});
    add({"wide gaps", 18, long_k, 4096, 64, 6, Values::kWide});
    add({"one row of a wide tensor", 1, long_k, 3, 5, 0, Values::kWide});
    add({"far apart", 12, long_k, 0, 0, 0, Values::kWide});
    add({"any bits", 10, long_k, 0, 0, 0, Values::kBits});
  }
  add({"many rows", 150, false, 0, 0, 0, Values::kUsual});
  return cases;
}

}  // namespace keysieve::cases
