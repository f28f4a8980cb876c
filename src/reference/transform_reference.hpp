// The oracle's index transforms, one plain function a rule.
#pragma once

#include <cstdint>

#include "keysieve/types.hpp"

namespace keysieve::reference {

struct PageTable {
  const std::int32_t* pages;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  std::int64_t page_size;
  std::int64_t num_pages;  // kAuto: unknown
};

// -1 stays -1.
std::int64_t offset_slot(std::int64_t position, std::int32_t offset);
std::int64_t paged_slot(std::int64_t position, const PageTable& table, std::int64_t line, std::uint32_t& errors);

// Stores at `element` of an int32 or int64 array; what int32 cannot hold becomes -1.
void store_index(void* out, std::int64_t element, IndexType type, std::int64_t value, std::uint32_t& errors);

// `args` has passed resolve_transform_args.
void transform(const TransformArgs& args);

}  // namespace keysieve::reference
