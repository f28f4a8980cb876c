// Every operation, every case: reference, CPU backend and the CUDA sources on the host leave the same bytes in every
// tensor, gaps included, whatever was there before.
#include <gtest/gtest.h>

#include "cases/operation/all_operations.hpp"
#include "cases/operation/operation_case.hpp"
#include "cuda/operation_host.hpp"

namespace keysieve::test {
namespace {

using cases::OperationCase;
using cases::OperationRound;

template <typename Operation>
void run_host(OperationRound<Operation>& round, Backend backend) {
  round.args().call.backend = static_cast<std::int32_t>(backend);
  const Status status = run_operation<Operation>(round.args(), nullptr);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(round.damaged(), "");
}

// An operation whose reference is only near, not equal, says so; its own test compares them.
template <typename Operation>
constexpr bool reference_is_exact() {
  if constexpr (requires { Operation::kReferenceIsExact; }) {
    return Operation::kReferenceIsExact;
  } else {
    return true;
  }
}

TEST(Operations, SameBytesEverywhere) {
  cases::for_each_operation([&]<typename Operation>(const char* operation) {
    std::size_t number = 0;
    for (const OperationCase<Operation>& each : cases::operation_cases<Operation>()) {
      SCOPED_TRACE(std::string(operation) + ": " + each.name);
      const std::uint8_t poison = number % 3 == 0 ? 0x5A : number % 3 == 1 ? 0x00 : 0xFF;
      ++number;
      OperationRound<Operation> on_cpu(each, poison);
      ASSERT_NO_FATAL_FAILURE(run_host(on_cpu, Backend::kCpu));
      EXPECT_EQ(on_cpu.error_word(), each.expected_errors);
      if (reference_is_exact<Operation>()) {
        OperationRound<Operation> reference(each, poison);
        ASSERT_NO_FATAL_FAILURE(run_host(reference, Backend::kReference));
        EXPECT_EQ(on_cpu.difference(reference), "") << "cpu against reference";
      }
      for (const std::uint64_t seed : {0, 1, 2}) {
        OperationRound<Operation> sources(each, poison);
        ASSERT_EQ(run_cuda_sources<Operation>(sources.args(), seed), "") << "order " << seed;
        ASSERT_EQ(sources.damaged(), "");
        EXPECT_EQ(sources.difference(on_cpu), "") << "CUDA sources against cpu, order " << seed;
      }
    }
    EXPECT_GT(number, 0u) << operation;
  });
}

}  // namespace
}  // namespace keysieve::test
