// C++ face of the index transform alone: selected positions to absolute indices or cache slots.
#pragma once

#include <bit>

#include "keysieve/select.hpp"

namespace keysieve {

inline Status try_transform(const TransformArgs& args, void* stream = nullptr) {
  const auto c_args = std::bit_cast<keysieve_transform_args>(args);
  return detail::to_status(keysieve_transform_run(&c_args, stream));
}

inline void transform(const TransformArgs& args, void* stream = nullptr) {
  detail::throw_if_failed(try_transform(args, stream));
}

}  // namespace keysieve
