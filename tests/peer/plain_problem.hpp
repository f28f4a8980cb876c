// A problem of a peer's tests: rows on the CPU, slots in any order.
#pragma once

#include <cstdint>

#include "keysieve/c_api.h"

namespace keysieve::peer {

inline keysieve_select_problem plain_problem(std::int64_t rows, std::int64_t width, std::int64_t k) {
  keysieve_select_problem problem = {};
  problem.struct_size = sizeof problem;
  problem.rows = rows;
  problem.width = width;
  problem.k = k;
  problem.order = KEYSIEVE_ORDER_ANY;
  return problem;
}

}  // namespace keysieve::peer
