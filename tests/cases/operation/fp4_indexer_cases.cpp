#include <cmath>

#include "cases/operation/key_values.hpp"
#include "cases/operation/operation_case.hpp"
#include "helpers/fp4_indexer.hpp"

namespace keysieve::cases {
namespace {

// What the vectors hold.
enum class Content {
  kUsual,    // sizes that differ from vector to vector
  kTiny,     // the floor of the pack scale
  kAnyBits,  // NaN, infinities, huge and subnormal values too
  kEvery,    // every BF16 in each half of a vector, no rotation
};

void fill_vectors(std::uint16_t* x, std::int64_t count, std::int64_t stride, Content content, Random& random) {
  for (std::int64_t n = 0; n < count; ++n) {
    int exponent = static_cast<int>(random.between(-4, 4));
    if (content == Content::kTiny) exponent = static_cast<int>(random.between(-18, -9));
    if (content == Content::kAnyBits) exponent = random.one_of({-126, -115, -12, 0, 3, 100, 124, 126, 127});
    for (std::int64_t i = 0; i < 128; ++i) {
      std::uint16_t& bits = x[n * stride + i];
      bits = key_bfloat16(random, exponent, content == Content::kAnyBits);
      if (content != Content::kEvery) continue;
      // Group g of vector n: BF16 number (4 n + g) in front, and around it what its scale makes 0 to 6.
      const std::int64_t largest = (4 * n + i / 32) & 0xFFFF, magnitude = largest & 0x7FFF;
      std::int64_t other = (magnitude & ~std::int64_t{0x7F}) + i % 4 * 32 + random.between(-1, 1) - i % 32 / 4 * 128;
      other = other < 0 ? 0 : other > magnitude ? magnitude : other;
      bits = static_cast<std::uint16_t>(i % 32 == 0 ? largest : other | random.between(0, 1) << 15);
    }
  }
}

// Turns of any angle; where `still`, none at all.
void fill_freqs(const keysieve_tensor& freqs, bool still) {
  auto* values = static_cast<float*>(freqs.data);
  for (std::int64_t position = 0; position < freqs.shape[0]; ++position) {
    for (std::int64_t i = 0; i < 32; ++i) {
      const double angle = static_cast<double>(position) * std::pow(10000.0, -static_cast<double>(i) / 32);
      values[position * 64 + 2 * i] = still ? 1.0f : static_cast<float>(std::cos(angle));
      values[position * 64 + 2 * i + 1] = still ? 0.0f : static_cast<float>(std::sin(angle));
    }
  }
}

struct KeyShape {
  const char* name;
  std::int64_t rows, x_stride;
  std::size_t x_offset;
  std::int64_t pages, page_slots, gap;
  std::int64_t max_positions;
  std::size_t freqs_offset;
  bool wide_positions, wide_slots;
  std::int64_t ratio;
  float eps;
  Content content;
};

OperationCase<Fp4IndexerKey> make(const KeyShape& shape, std::uint64_t seed) {
  OperationCase<Fp4IndexerKey> made;
  made.name = shape.name;
  auto& args = made.args;
  args.struct_size = sizeof(args);
  args.eps = shape.eps;
  args.ratio = shape.ratio;
  args.cache = made.store.make(KEYSIEVE_ELEMENT_BYTE, {shape.pages, shape.page_slots, 68},
                               {shape.page_slots * 68 + shape.gap, 68, 1});
  args.x = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.rows, 128}, {shape.x_stride, 1}, shape.x_offset);
  args.weight = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {128});
  args.freqs = made.store.make(KEYSIEVE_ELEMENT_FLOAT32, {shape.max_positions, 64}, {}, shape.freqs_offset);
  args.positions =
      made.store.make(shape.wide_positions ? KEYSIEVE_ELEMENT_INT64 : KEYSIEVE_ELEMENT_INT32, {shape.rows});
  args.slots = made.store.make(shape.wide_slots ? KEYSIEVE_ELEMENT_INT64 : KEYSIEVE_ELEMENT_INT32, {shape.rows});
  Random random(seed);
  fill_vectors(static_cast<std::uint16_t*>(args.x.data), shape.rows, shape.x_stride, shape.content, random);
  fill_vectors(static_cast<std::uint16_t*>(args.weight.data), 1, 128, Content::kUsual, random);
  if (shape.content == Content::kTiny) {  // else the norm makes every vector the same size
    auto* weight = static_cast<std::uint16_t*>(args.weight.data);
    for (int i = 0; i < 128; ++i) weight[i] = key_bfloat16(random, i / 32 * 2 - 16, false);
  }
  fill_freqs(args.freqs, false);
  const std::int64_t num_slots = shape.pages * shape.page_slots;
  const std::int64_t far = shape.wide_slots && shape.wide_positions ? std::int64_t{1} << 40 : 2'000'000'000;
  for (std::int64_t n = 0; n < shape.rows; ++n) {
    // 11 divides no num_slots - 1 of below: every slot once.
    std::int64_t slot = 1 + (n * 11 + 2) % (num_slots - 1), position = random.between(0, shape.max_positions - 1);
    if (n >= num_slots - 1) slot = 0;
    if (shape.rows > 8) {
      const std::int64_t slots[] = {0, -1, -far, num_slots, far};
      if (n < 5) slot = slots[n];
      const std::int64_t positions[] = {-1, far, shape.max_positions - 1, -far, shape.max_positions};
      if (n >= 2 && n < 12) position = positions[n % 5];
      made.expected_errors = KEYSIEVE_ERROR_BAD_ID | KEYSIEVE_ERROR_BAD_POSITION;
    }
    set_integer(args.slots, n, slot);
    set_integer(args.positions, n, position);
  }
  return made;
}

struct QueryShape {
  const char* name;
  std::int64_t tokens, heads, x_head_gap, x_token_gap;
  std::size_t x_offset;
  std::int64_t max_positions;
  std::size_t freqs_offset;
  bool wide_positions;
  int weights;  // 0: none; else the gap between its rows + 1
  Content content;
};

OperationCase<Fp4IndexerQuery> make(const QueryShape& shape, std::uint64_t seed) {
  OperationCase<Fp4IndexerQuery> made;
  made.name = shape.name;
  auto& args = made.args;
  args.struct_size = sizeof(args);
  const std::int64_t head_stride = 128 + shape.x_head_gap, token_stride = head_stride * shape.heads + shape.x_token_gap;
  args.payload = made.store.make(KEYSIEVE_ELEMENT_BYTE, {shape.tokens, shape.heads, 64});
  args.scales = made.store.make(KEYSIEVE_ELEMENT_INT32, {shape.tokens, shape.heads});
  args.x = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.tokens, shape.heads, 128}, {token_stride, head_stride, 1},
                           shape.x_offset);
  args.freqs = made.store.make(KEYSIEVE_ELEMENT_FLOAT32, {shape.max_positions, 64}, {}, shape.freqs_offset);
  args.positions =
      made.store.make(shape.wide_positions ? KEYSIEVE_ELEMENT_INT64 : KEYSIEVE_ELEMENT_INT32, {shape.tokens});
  Random random(seed);
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    fill_vectors(static_cast<std::uint16_t*>(args.x.data) + token * token_stride, shape.heads, head_stride,
                 shape.content, random);
  }
  fill_freqs(args.freqs, shape.content == Content::kEvery);
  const std::int64_t far = shape.wide_positions ? std::int64_t{1} << 40 : 2'000'000'000;
  for (std::int64_t token = 0; token < shape.tokens; ++token) {
    std::int64_t position = random.between(0, shape.max_positions - 1);
    if (shape.tokens > 8 && token < 4) {
      const std::int64_t bad[] = {-1, shape.max_positions, far, -far};
      position = bad[token];
      made.expected_errors = KEYSIEVE_ERROR_BAD_POSITION;
    }
    set_integer(args.positions, token, position);
  }
  if (shape.weights > 0) {
    args.weight_scale = 0.0123f;
    args.weights_out = made.store.make(KEYSIEVE_ELEMENT_FLOAT32, {shape.tokens, shape.heads});
    const std::int64_t stride = shape.heads + shape.weights - 1;
    args.weights = made.store.make(KEYSIEVE_ELEMENT_BFLOAT16, {shape.tokens, shape.heads}, {stride, 1});
    for (std::int64_t i = 0; i < extent_bytes(args.weights) / 2; ++i) {
      static_cast<std::uint16_t*>(args.weights.data)[i] = static_cast<std::uint16_t>(random.next());
    }
  }
  return made;
}

}  // namespace

template <>
std::vector<OperationCase<Fp4IndexerKey>> operation_cases<Fp4IndexerKey>() {
  constexpr KeyShape kShapes[] = {
      {"one key", 1, 128, 0, 2, 64, 0, 100, 0, true, true, 1, 1e-6f, Content::kUsual},
      {"eight keys", 8, 128, 0, 2, 64, 0, 100, 0, false, true, 4, 1e-6f, Content::kUsual},
      {"keys and all that is outside", 301, 128, 0, 5, 128, 0, 1000, 0, true, true, 2, 1e-6f, Content::kUsual},
      {"gaps", 90, 144, 0, 3, 32, 20, 64, 0, false, true, 1, 1e-5f, Content::kUsual},
      {"x off 16 bytes", 61, 131, 2, 9, 8, 0, 64, 0, true, false, 8, 1e-6f, Content::kUsual},
      {"freqs off 16 bytes", 61, 128, 0, 1, 256, 16, 64, 4, false, false, 64, 0.0f, Content::kUsual},
      {"tiny", 200, 128, 0, 4, 64, 0, 64, 0, true, true, 2, 1e-6f, Content::kTiny},
      {"any bits", 400, 128, 0, 8, 64, 0, 333, 0, true, true, 4, 1e-6f, Content::kAnyBits},
      {"no keys", 0, 128, 0, 2, 64, 0, 100, 0, true, true, 4, 1e-6f, Content::kUsual},
  };
  std::vector<OperationCase<Fp4IndexerKey>> cases;
  for (const KeyShape& shape : kShapes) cases.push_back(make(shape, 91 + cases.size()));
  return cases;
}

template <>
std::vector<OperationCase<Fp4IndexerQuery>> operation_cases<Fp4IndexerQuery>() {
  constexpr QueryShape kShapes[] = {
      {"one query", 1, 1, 0, 0, 0, 50, 0, true, 1, Content::kUsual},
      {"one token", 1, 64, 0, 0, 0, 50, 0, false, 1, Content::kUsual},
      {"odd heads", 13, 7, 0, 0, 0, 50, 0, true, 1, Content::kUsual},
      {"heads of several warps", 5, 21, 8, 24, 0, 50, 0, true, 3, Content::kUsual},
      {"the same, x off 16 bytes", 3, 41, 1, 5, 2, 50, 0, false, 1, Content::kAnyBits},
      {"no weights", 20, 32, 0, 0, 0, 50, 0, true, 0, Content::kUsual},
      {"gaps", 20, 5, 16, 40, 0, 50, 0, false, 4, Content::kUsual},
      {"x off 16 bytes", 11, 3, 1, 5, 2, 50, 0, true, 1, Content::kUsual},
      {"freqs off 16 bytes", 11, 4, 0, 0, 0, 50, 8, true, 1, Content::kUsual},
      {"tiny", 30, 8, 0, 0, 0, 50, 0, true, 1, Content::kTiny},
      {"any bits", 90, 8, 0, 0, 0, 50, 0, true, 1, Content::kAnyBits},
      {"every bfloat16 as the largest", 1, 16384, 0, 0, 0, 1, 0, true, 0, Content::kEvery},
      {"no tokens", 0, 8, 0, 0, 0, 50, 0, true, 1, Content::kUsual},
      {"no heads", 3, 0, 0, 0, 0, 50, 0, true, 1, Content::kUsual},
  };
  std::vector<OperationCase<Fp4IndexerQuery>> cases;
  for (const QueryShape& shape : kShapes) cases.push_back(make(shape, 103 + cases.size()));
  return cases;
}

}  // namespace keysieve::cases
