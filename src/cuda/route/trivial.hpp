// Route trivial: no row is longer than k, so every live column is chosen and no score is read.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

template <typename Format>
KEYSIEVE_DEVICE void select_trivial(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  const std::int64_t row = simt::block_index();
  finish_trivial<Format>(args, row, row_geometry(args.problem, args.args, row));
}

}  // namespace keysieve
