#include "io/safetensors.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "io/file_error.hpp"
#include "io/safetensors_header.hpp"

namespace keysieve::io {

namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

struct TypeInfo {
  std::string_view name;
  std::int64_t bits;
  ElementType type;
};

constexpr TypeInfo kTypes[] = {
    {"F32", 32, ElementType::kFloat32},  {"BF16", 16, ElementType::kBFloat16}, {"F16", 16, ElementType::kFloat16},
    {"I32", 32, ElementType::kInt32},    {"I64", 64, ElementType::kInt64},     {"BOOL", 8, ElementType::kOther},
    {"U8", 8, ElementType::kOther},      {"I8", 8, ElementType::kOther},       {"I16", 16, ElementType::kOther},
    {"U16", 16, ElementType::kOther},    {"U32", 32, ElementType::kOther},     {"U64", 64, ElementType::kOther},
    {"F64", 64, ElementType::kOther},    {"C64", 64, ElementType::kOther},     {"F8_E4M3", 8, ElementType::kOther},
    {"F8_E5M2", 8, ElementType::kOther}, {"F8_E8M0", 8, ElementType::kOther},  {"F4", 4, ElementType::kOther},
    {"F6_E2M3", 6, ElementType::kOther}, {"F6_E3M2", 6, ElementType::kOther},
};

// Fills in the tensor of one header entry, whose offsets are known to be in bounds.
Tensor make_tensor(const SafetensorsEntry& entry, std::span<const std::byte> data, std::string_view path) {
  Tensor tensor;
  tensor.type_name = entry.dtype;
  for (const std::uint64_t n : entry.shape) {
    if (n > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw_file_error(path, "dimensions below 2**63 in tensor " + quote(entry.name), std::to_string(n));
    }
    tensor.shape.push_back(static_cast<std::int64_t>(n));
  }
  tensor.data = data.subspan(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin));
  const auto* info = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const TypeInfo& type) { return type.name == entry.dtype; });
  if (info == std::end(kTypes)) return tensor;
  tensor.type = info->type;
  std::int64_t expected = 0;
  if (!checked_size(tensor.shape, info->bits, expected)) {
    throw_file_error(path, "a shape of tensor " + quote(entry.name) + " whose bytes can be counted in 60 bits",
                     shape_text(tensor.shape));
  }
  if (tensor.data.size() != static_cast<std::uint64_t>(expected)) {
    throw_file_error(path,
                     std::to_string(expected) + " bytes for tensor " + quote(entry.name) + ", shape " +
                         shape_text(tensor.shape) + " of " + entry.dtype,
                     std::to_string(tensor.data.size()));
  }
  return tensor;
}

}  // namespace

std::vector<NamedTensor> parse_safetensors(std::span<const std::byte> file, std::string_view path) {
  constexpr std::size_t kLengthBytes = 8;
  if (file.size() < kLengthBytes) {
    throw_file_error(path, "a .safetensors file (8 bytes of header length first)",
                     std::to_string(file.size()) + " bytes");
  }
  std::uint64_t header_size = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) header_size = header_size << 8 | std::to_integer<std::uint64_t>(file[i]);
  if (header_size > kMaxHeaderBytes) {
    throw_file_error(path, "a .safetensors header of at most 100000000 bytes", "one of " + std::to_string(header_size));
  }
  if (header_size > file.size() - kLengthBytes) {
    throw_file_error(path, "a .safetensors header of " + std::to_string(header_size) + " bytes",
                     std::to_string(file.size() - kLengthBytes));
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data() + kLengthBytes),
                              static_cast<std::size_t>(header_size));
  std::vector<SafetensorsEntry> entries = parse_safetensors_header(text, path);
  const std::span<const std::byte> data = file.subspan(kLengthBytes + static_cast<std::size_t>(header_size));

  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::vector<NamedTensor> tensors;
  tensors.reserve(entries.size());
  std::uint64_t covered = 0;
  for (SafetensorsEntry& entry : entries) {
    std::string found = "[";
    found.append(std::to_string(entry.begin)).append(", ").append(std::to_string(entry.end)).append(")");
    if (entry.begin > entry.end || entry.end > data.size()) {
      throw_file_error(
          path,
          "data_offsets of tensor " + quote(entry.name) + " inside " + std::to_string(data.size()) + " bytes of data",
          found);
    }
    if (entry.begin != covered) {
      throw_file_error(
          path, "tensor " + quote(entry.name) + " at data byte " + std::to_string(covered) + " (no hole, no overlap)",
          found);
    }
    covered = entry.end;
    Tensor tensor = make_tensor(entry, data, path);
    tensors.push_back({std::move(entry.name), std::move(tensor)});
  }
  if (covered != data.size()) {
    throw_file_error(path, std::to_string(covered) + " bytes of data, as the header says", std::to_string(data.size()));
  }
  return tensors;
}

}  // namespace keysieve::io
