#include "cpu/operations.hpp"

namespace keysieve::cpu {

void run_operation(OperationId id, const void* params, std::int32_t threads) {
  switch (id) {
    case OperationId::kEngramGather:
      return engram_gather(*static_cast<const EngramGatherParams*>(params), threads);
  }
}

}  // namespace keysieve::cpu
