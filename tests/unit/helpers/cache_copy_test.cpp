// Store into and gather from caches of keys: the layout by hand, a round trip, what is refused.
#include <gtest/gtest.h>

#include "cases/operation/operation_case.hpp"
#include "helpers/cache_copy.hpp"

namespace keysieve {
namespace {

using cases::TensorStore;

constexpr Backend kBackends[] = {Backend::kReference, Backend::kCpu};

template <typename Args>
Args good_args(TensorStore& store, std::int64_t payload_bytes) {
  Args args{};
  args.struct_size = sizeof(args);
  args.cache = store.make(KEYSIEVE_ELEMENT_BYTE, {3, 8, payload_bytes + 4}, {}, 0, 0);
  args.payload = store.make(KEYSIEVE_ELEMENT_BYTE, {4, payload_bytes});
  args.scales = store.make(payload_bytes == 64 ? KEYSIEVE_ELEMENT_INT32 : KEYSIEVE_ELEMENT_FLOAT32, {4});
  args.slots = store.make(KEYSIEVE_ELEMENT_INT32, {4}, {}, 0, 0);
  return args;
}

template <typename Operation>
std::string faults_of(typename Operation::Args args) {
  Faults faults;
  check_operation<Operation>(args, faults);
  return faults.lines();
}

template <typename Store, typename Gather>
void expect_layout(std::int64_t payload_bytes, Backend backend) {
  TensorStore memory;
  auto store = good_args<keysieve_cache_store_args>(memory, payload_bytes);
  auto* payload = static_cast<std::uint8_t*>(store.payload.data);
  for (std::int64_t i = 0; i < 4 * payload_bytes; ++i) payload[i] = static_cast<std::uint8_t>(1 + i % 251);
  auto* scales = static_cast<std::uint32_t*>(store.scales.data);
  auto* slots = static_cast<std::int32_t*>(store.slots.data);
  for (std::uint32_t n = 0; n < 4; ++n) scales[n] = 0x04030201 + n;
  slots[0] = 10, slots[1] = -1, slots[2] = 0, slots[3] = 24;
  std::uint32_t error_word = 0;
  store.call.error_word = &error_word;
  store.call.backend = static_cast<std::int32_t>(backend);
  ASSERT_TRUE(run_operation<Store>(store, nullptr).ok());
  EXPECT_EQ(error_word, KEYSIEVE_ERROR_BAD_ID);
  const auto* cache = static_cast<const std::uint8_t*>(store.cache.data);
  const std::int64_t page = 8 * (payload_bytes + 4);
  std::int64_t written = 0;
  for (std::int64_t i = 0; i < 3 * page; ++i) written += cache[i] != 0 ? 1 : 0;
  EXPECT_EQ(written, 2 * (payload_bytes + 4));
  for (std::int64_t i = 0; i < payload_bytes; ++i) {
    EXPECT_EQ(cache[page + 2 * payload_bytes + i], payload[i]);  // slot 10: entry 2 of page 1
    EXPECT_EQ(cache[i], payload[2 * payload_bytes + i]);
  }
  EXPECT_EQ(cache[page + 8 * payload_bytes + 4 * 2], 1);
  EXPECT_EQ(cache[page + 8 * payload_bytes + 4 * 2 + 3], 4);
  EXPECT_EQ(cache[8 * payload_bytes], 3);

  auto gather = good_args<keysieve_cache_gather_args>(memory, payload_bytes);
  gather.cache = store.cache;
  slots = static_cast<std::int32_t*>(gather.slots.data);
  slots[0] = -1, slots[1] = 10, slots[2] = -1, slots[3] = 0;
  error_word = 0;
  gather.call = store.call;
  ASSERT_TRUE(run_operation<Gather>(gather, nullptr).ok());
  EXPECT_EQ(error_word, 0u);
  const auto* out = static_cast<const std::uint8_t*>(gather.payload.data);
  for (std::int64_t i = 0; i < payload_bytes; ++i) {
    EXPECT_EQ(out[i], 0);
    EXPECT_EQ(out[payload_bytes + i], payload[i]);
    EXPECT_EQ(out[3 * payload_bytes + i], payload[2 * payload_bytes + i]);
  }
  const auto* out_scales = static_cast<const std::uint32_t*>(gather.scales.data);
  EXPECT_EQ(out_scales[0], 0u);
  EXPECT_EQ(out_scales[1], scales[0]);
  EXPECT_EQ(out_scales[3], scales[2]);
  for (const std::int32_t bad : {-2, 24}) {
    slots[2] = bad;
    error_word = 0;
    ASSERT_TRUE(run_operation<Gather>(gather, nullptr).ok());
    EXPECT_EQ(error_word, KEYSIEVE_ERROR_BAD_ID) << bad;
  }
}

TEST(CacheCopy, Layout) {
  for (const Backend backend : kBackends) {
    expect_layout<Fp4Store, Fp4Gather>(64, backend);
    expect_layout<Fp8Store, Fp8Gather>(128, backend);
  }
}

TEST(CacheCopy, RefusesByName) {
  TensorStore memory;
  const auto good = good_args<keysieve_cache_store_args>(memory, 64);
  EXPECT_EQ(faults_of<Fp4Store>(good), "");
  auto args = good;
  args.reserved = 1;
  EXPECT_EQ(faults_of<Fp4Store>(args), "reserved: expected 0..0, got 1");
  args = good;
  args.cache.shape[2] = 132;
  EXPECT_EQ(faults_of<Fp4Store>(args), "cache: expected [pages, P, bytes=68], got [3, 8, 132]");
  args = good;
  args.cache.shape[1] = 4;
  EXPECT_EQ(faults_of<Fp4Store>(args), "cache: expected a power of two from 8 to 256 as P, got 4");
  args.cache.shape[1] = 12;
  EXPECT_EQ(faults_of<Fp4Store>(args), "cache: expected a power of two from 8 to 256 as P, got 12");
  args.cache.shape[1] = 512;
  EXPECT_EQ(faults_of<Fp4Store>(args), "cache: expected a power of two from 8 to 256 as P, got 512");
  args = good;
  args.cache.strides[0] = 540;
  EXPECT_EQ(faults_of<Fp4Store>(args),
            "cache: expected pages of adjacent bytes, at least 544 apart, got strides [540, 68, 1]");
  args = good;
  args.cache.strides[1] = 72;
  EXPECT_NE(faults_of<Fp4Store>(args).find("cache: expected pages of adjacent bytes"), std::string::npos);
  args = good;
  args.cache.strides[0] = 546;
  EXPECT_EQ(faults_of<Fp4Store>(args), "cache: expected an address and strides that are multiples of 4 bytes");
  args = good;
  args.payload.strides[0] = 65;
  EXPECT_EQ(faults_of<Fp4Store>(args), "payload: expected an address and strides that are multiples of 4 bytes");
  args = good;
  args.scales.shape[0] = 3;
  EXPECT_EQ(faults_of<Fp4Store>(args), "scales: expected [n=4], got [3]");
  args = good;
  args.slots.element = KEYSIEVE_ELEMENT_FLOAT32;
  EXPECT_EQ(faults_of<Fp4Store>(args), "slots: expected int32 or int64, got float32");
  const auto gather = good_args<keysieve_cache_gather_args>(memory, 128);
  EXPECT_EQ(faults_of<Fp8Gather>(gather), "");
  auto wrong = gather;
  wrong.scales.element = KEYSIEVE_ELEMENT_INT32;
  EXPECT_EQ(faults_of<Fp8Gather>(wrong), "scales: expected float32, got int32");
  wrong = gather;
  wrong.payload.data = wrong.cache.data;
  EXPECT_NE(faults_of<Fp8Gather>(wrong).find("payload: expected memory of its own, overlaps cache"), std::string::npos);
}

}  // namespace
}  // namespace keysieve
