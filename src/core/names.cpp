#include "core/names.hpp"

#include <array>
#include <cstddef>

namespace keysieve {
namespace {

template <typename Enum, std::size_t kCount>
const char* lookup(Enum value, const std::array<const char*, kCount>& names) {
  const auto index = static_cast<std::int32_t>(value);
  if (index < 0 || static_cast<std::size_t>(index) >= kCount) return nullptr;
  return names[static_cast<std::size_t>(index)];
}

}  // namespace

const char* name_of(DeviceType value) { return lookup(value, std::array{"cpu", "cuda"}); }
const char* name_of(Backend value) { return lookup(value, std::array{"auto", "reference", "cpu", "cuda"}); }
const char* name_of(Route value) {
  return lookup(value,
                std::array{"auto", "reference", "cpu_rows", "cpu_chunks", "tile", "sieve", "split", "wide", "trivial"});
}
const char* name_of(ScoreType value) { return lookup(value, std::array{"float32", "bfloat16", "float16"}); }
const char* name_of(IndexType value) { return lookup(value, std::array{"int32", "int64"}); }
const char* name_of(IndexMode value) { return lookup(value, std::array{"raw", "offset", "paged", "dual"}); }
const char* name_of(SlotOrder value) { return lookup(value, std::array{"index", "score", "any"}); }
const char* name_of(Ties value) { return lookup(value, std::array{"smallest", "largest", "any"}); }
const char* name_of(NanPolicy value) { return lookup(value, std::array{"lowest", "highest"}); }

}  // namespace keysieve
