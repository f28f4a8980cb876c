#include "helpers/q_rope_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "cases/operation/operation_case.hpp"
#include "cases/random.hpp"

namespace keysieve::cases {
namespace {

struct Shape {
  const char* name;
  std::int64_t tokens, heads;
  std::int64_t q_gap, out_gap;  // elements between tokens
  std::size_t q_offset, out_offset, freqs_offset;
  std::int64_t max_position;
  bool wide_positions;
  bool bad_positions;
  bool in_place;
  bool any_bits;  // q and freqs: NaN, infinities, subnormals and all
};

OperationCase<QRopeStore> make(const Shape& shape, std::uint64_t seed) {
  OperationCase<QRopeStore> made;
  made.name = shape.name;
  keysieve_q_rope_store_args& args = made.args;
  args.struct_size = sizeof(args);
  const std::int64_t dense = shape.heads * 512;
  args.q = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.tokens, shape.heads, 512}, {dense + shape.q_gap, 512, 1},
                           shape.q_offset);
  args.out = shape.in_place ? args.q
                            : made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.tokens, shape.heads, 512},
                                              {dense + shape.out_gap, 512, 1}, shape.out_offset);
  args.freqs = made.store.make(KEYSIEVE_ELEMENT_FLOAT32, {shape.max_position, 32, 2}, {}, shape.freqs_offset);
  args.positions =
      made.store.make(shape.wide_positions ? KEYSIEVE_ELEMENT_INT64 : KEYSIEVE_ELEMENT_INT32, {shape.tokens});
  Random random(seed);
  auto* q = static_cast<std::uint16_t*>(args.q.data);
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    for (std::int64_t i = 0; i < dense; ++i) {
      const auto drawn = static_cast<std::uint16_t>(random.next());
      // Sign, exponents around that of 1, any mantissa.
      const auto usual = static_cast<std::uint16_t>((drawn & 0x80FF) | (0x3D00 + (drawn & 0x0300)));
      const bool special = random.chance(2);
      q[token * (dense + shape.q_gap) + i] =
          shape.any_bits ? drawn
          : special      ? random.one_of<std::uint16_t>({0, 0x8000, 1, 0x8001, 0x7F80, 0xFF80, 0x7FC1, 0x7F7F})
                         : usual;
    }
  }
  auto* freqs = static_cast<float*>(args.freqs.data);
  for (std::int64_t i = 0; i < shape.max_position * 32; ++i) {
    const double angle = static_cast<double>(i / 32) * std::pow(10000.0, -static_cast<double>(i % 32) / 32);
    freqs[2 * i] = static_cast<float>(std::cos(angle));
    freqs[2 * i + 1] = static_cast<float>(std::sin(angle));
    if (shape.any_bits) {
      freqs[2 * i] = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
      freqs[2 * i + 1] = std::bit_cast<float>(static_cast<std::uint32_t>(random.next()));
    }
  }
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    const std::int64_t last = shape.max_position - 1;
    std::int64_t position = token == 0 ? 0 : token == 1 ? last : random.between(0, std::max<std::int64_t>(last, 0));
    if (shape.bad_positions && (token % 3 == 1 || shape.max_position == 0)) {
      const std::int64_t far = shape.wide_positions ? (std::int64_t{1} << 40) + 1 : 2'000'000'000;
      position = random.one_of({last + 1, std::int64_t{-1}, far, -far});
    }
    if (shape.wide_positions) {
      static_cast<std::int64_t*>(args.positions.data)[token] = position;
    } else {
      static_cast<std::int32_t*>(args.positions.data)[token] = static_cast<std::int32_t>(position);
    }
  }
  if (shape.bad_positions && dense > 0 && shape.tokens > 1) made.expected_errors = KEYSIEVE_ERROR_BAD_POSITION;
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<QRopeStore>> operation_cases<QRopeStore>() {
  static_assert(QRopeStore::kPrefillHeads == 4096, "cases lie on both sides of it");
  constexpr Shape kShapes[] = {
      {"one head", 1, 1, 0, 0, 0, 0, 0, 3, false, false, false, false},
      {"decode", 7, 16, 0, 0, 0, 0, 0, 100, false, false, false, false},
      {"decode, gaps", 5, 3, 64, 128, 0, 0, 0, 50, true, false, false, false},
      {"decode, odd gaps", 5, 3, 1, 7, 0, 0, 0, 50, true, false, false, false},
      {"decode, q off 16 bytes", 4, 2, 0, 0, 2, 0, 0, 9, false, false, false, false},
      {"decode, out off 16 bytes", 4, 2, 0, 0, 0, 6, 0, 9, false, false, false, false},
      {"decode, freqs off 16 bytes", 4, 2, 0, 0, 0, 0, 4, 9, true, false, false, false},
      {"decode, bad positions", 9, 5, 8, 16, 0, 0, 0, 20, true, true, false, false},
      {"decode, bad positions, slow", 9, 5, 1, 3, 0, 0, 0, 20, false, true, false, false},
      {"decode, no table", 4, 4, 0, 0, 0, 0, 0, 0, false, true, false, false},
      {"decode, in place", 6, 8, 0, 0, 0, 0, 0, 20, false, false, true, false},
      {"decode, in place, gaps, slow", 6, 3, 3, 3, 0, 0, 0, 20, true, true, true, false},
      {"decode, any bits", 40, 4, 0, 0, 0, 0, 0, 64, false, false, false, true},
      {"decode, as many heads as can be", 315, 13, 0, 0, 0, 0, 0, 64, false, false, false, false},
      {"prefill, as few heads as can be", 256, 16, 0, 0, 0, 0, 0, 300, false, false, false, false},
      {"prefill, heads no multiple of 4", 600, 7, 24, 0, 0, 0, 0, 300, true, true, false, false},
      {"prefill, one head", 4099, 1, 0, 8, 0, 0, 0, 300, false, true, false, false},
      {"prefill, slow", 460, 9, 0, 5, 0, 2, 0, 300, true, true, false, false},
      {"prefill, in place", 130, 32, 16, 16, 0, 0, 0, 300, false, true, true, false},
      {"prefill, any bits", 32, 130, 0, 0, 0, 0, 0, 64, true, false, false, true},
      {"no tokens", 0, 4, 0, 0, 0, 0, 0, 9, false, false, false, false},
      {"no heads", 4, 0, 0, 0, 0, 0, 0, 9, false, true, false, false},
  };
  std::vector<OperationCase<QRopeStore>> cases;
  for (const Shape& shape : kShapes) cases.push_back(make(shape, 29 + cases.size()));
  return cases;
}

}  // namespace keysieve::cases
