#include "cases/operation/key_values.hpp"
#include "cases/operation/operation_case.hpp"
#include "helpers/cache_copy.hpp"

namespace keysieve::cases {
namespace {

struct Shape {
  const char* name;
  std::int64_t count, pages, page_slots;
  std::int64_t gap;  // bytes behind a page
  std::size_t cache_offset;
  std::int64_t payload_gap;  // bytes behind a payload
  std::size_t payload_offset;
  bool wide_slots;
};

constexpr Shape kShapes[] = {
    {"one slot", 1, 3, 64, 0, 0, 0, 0, true},
    {"pages of 64", 150, 5, 64, 0, 0, 0, 0, true},
    {"pages of 128", 200, 3, 128, 0, 0, 0, 0, false},
    {"pages of 8", 60, 9, 8, 0, 0, 0, 0, false},
    {"pages of 256", 333, 2, 256, 0, 0, 0, 0, true},
    {"gaps of 16 bytes", 90, 4, 32, 48, 0, 32, 0, true},
    {"gaps of 4 bytes", 90, 4, 32, 20, 0, 0, 0, true},
    {"cache off 16 bytes", 50, 4, 16, 0, 4, 0, 0, false},
    {"payload off 16 bytes", 50, 4, 16, 0, 0, 0, 8, false},
    {"payload rows off 16 bytes", 50, 4, 16, 0, 0, 4, 0, true},
    {"no cache", 9, 0, 64, 0, 0, 0, 0, true},
    {"no slots", 0, 4, 64, 0, 0, 0, 0, true},
};

void fill_bytes(const keysieve_tensor& tensor, Random& random) {
  auto* bytes = static_cast<std::uint8_t*>(tensor.data);
  for (std::int64_t i = 0; i < extent_bytes(tensor); ++i) bytes[i] = static_cast<std::uint8_t>(random.next());
}

// Slots distinct inside the cache; a third of the rest outside. Returns the bits that this sets.
std::uint32_t fill_slots(const Shape& shape, const keysieve_tensor& slots, bool gather, Random& random) {
  const std::int64_t num_slots = shape.pages * shape.page_slots;
  const std::int64_t far = shape.wide_slots ? std::int64_t{1} << 40 : 2'000'000'000;
  std::uint32_t errors = 0;
  for (std::int64_t n = 0; n < shape.count; ++n) {
    // A step that shares no factor with the power of two visits every slot before one again.
    std::int64_t slot = num_slots == 0 ? 0 : (n * 7 + 3) % num_slots;
    if (n >= num_slots) slot = -1;
    if (shape.count > 1 && random.chance(25)) {
      slot = random.one_of<std::int64_t>({-1, -1, -1, -2, num_slots, num_slots + 1, far, -far});
    }
    if (shape.count > 1 && n == 0) slot = num_slots;
    if (slot >= num_slots || (gather && slot < -1)) errors = KEYSIEVE_ERROR_BAD_ID;
    set_integer(slots, n, slot);
  }
  return errors;
}

template <typename Operation>
OperationCase<Operation> make(const Shape& shape, std::int32_t payload_bytes, bool gather, std::uint64_t seed) {
  OperationCase<Operation> made;
  made.name = shape.name;
  auto& args = made.args;
  args.struct_size = sizeof(args);
  const std::int64_t slot_bytes = payload_bytes + 4;
  args.cache = made.store.make(KEYSIEVE_ELEMENT_BYTE, {shape.pages, shape.page_slots, slot_bytes},
                               {shape.page_slots * slot_bytes + shape.gap, slot_bytes, 1}, shape.cache_offset);
  args.payload = made.store.make(KEYSIEVE_ELEMENT_BYTE, {shape.count, payload_bytes},
                                 {payload_bytes + shape.payload_gap, 1}, shape.payload_offset);
  args.scales = made.store.make(payload_bytes == 64 ? KEYSIEVE_ELEMENT_INT32 : KEYSIEVE_ELEMENT_FLOAT32, {shape.count});
  args.slots = made.store.make(shape.wide_slots ? KEYSIEVE_ELEMENT_INT64 : KEYSIEVE_ELEMENT_INT32, {shape.count});
  Random random(seed);
  fill_bytes(args.cache, random);
  fill_bytes(args.payload, random);
  fill_bytes(args.scales, random);
  made.expected_errors = fill_slots(shape, args.slots, gather, random);
  return made;
}

template <typename Operation>
std::vector<OperationCase<Operation>> make_all(std::int32_t payload_bytes, bool gather) {
  std::vector<OperationCase<Operation>> cases;
  for (const Shape& shape : kShapes) cases.push_back(make<Operation>(shape, payload_bytes, gather, 71 + cases.size()));
  return cases;
}

}  // namespace

template <>
std::vector<OperationCase<Fp4Store>> operation_cases<Fp4Store>() {
  return make_all<Fp4Store>(64, false);
}
template <>
std::vector<OperationCase<Fp8Store>> operation_cases<Fp8Store>() {
  return make_all<Fp8Store>(128, false);
}
template <>
std::vector<OperationCase<Fp4Gather>> operation_cases<Fp4Gather>() {
  return make_all<Fp4Gather>(64, true);
}
template <>
std::vector<OperationCase<Fp8Gather>> operation_cases<Fp8Gather>() {
  return make_all<Fp8Gather>(128, true);
}

}  // namespace keysieve::cases
