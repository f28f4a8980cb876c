// Route trivial: no row is longer than k, so every live column is chosen and no score is read.
#pragma once

#include "cuda/route/row_task.hpp"

namespace keysieve {

template <typename Format>
KEYSIEVE_DEVICE void select_trivial(const SelectKernelArgs& args) {
  simt::wait_for_dependencies();
  RowTask<Format>(args, simt::block_index()).finish_trivial();
}

}  // namespace keysieve
