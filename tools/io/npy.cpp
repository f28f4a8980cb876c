#include "io/npy.hpp"

#include <cstring>
#include <optional>

#include "io/file_error.hpp"
#include "io/npy_header.hpp"

namespace keysieve::io {

namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr std::size_t kMagicSize = 6;
// NumPy itself refuses longer ones than 10,000 characters unless told to trust the file.
constexpr std::uint64_t kMaxHeaderBytes = 1 << 20;

std::uint64_t read_little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

ElementType parse_type(const NpyHeader& header, std::string_view path) {
  constexpr std::string_view kExpected = "dtype float32, float16, int32 or int64, little-endian";
  const std::string& descr = header.descr;
  if (header.structured) throw_file_error(path, kExpected, "a structured dtype");
  const auto found = [&](std::string_view what) { return std::string(what) + ' ' + quote(descr); };
  if (descr.size() < 2) throw_file_error(path, kExpected, found("dtype"));
  const char byte_order = descr[0];
  const std::string_view kind = std::string_view(descr).substr(1);
  if (kind[0] == 'O') throw_file_error(path, kExpected, found("object dtype"));
  if (byte_order == '>') throw_file_error(path, kExpected, found("big-endian dtype"));
  if (kind == "V2") throw_file_error(path, kExpected, found("raw dtype") + " (store bfloat16 as .safetensors)");
  if (byte_order == '<' || byte_order == '=') {
    if (kind == "f4") return ElementType::kFloat32;
    if (kind == "f2") return ElementType::kFloat16;
    if (kind == "i4") return ElementType::kInt32;
    if (kind == "i8") return ElementType::kInt64;
  }
  throw_file_error(path, kExpected, found("dtype"));
}

const char* descr_of(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "<f4";
    case ElementType::kFloat16:
      return "<f2";
    case ElementType::kInt32:
      return "<i4";
    case ElementType::kInt64:
      return "<i8";
    case ElementType::kBFloat16:
    case ElementType::kOther:
      break;
  }
  throw FileError(std::string("npy: expected float32, float16, int32 or int64, found ") + to_string(type));
}

}  // namespace

bool has_npy_magic(std::span<const std::byte> file) {
  return file.size() >= kMagicSize && std::memcmp(file.data(), kMagic, kMagicSize) == 0;
}

Tensor parse_npy(std::span<const std::byte> file, std::string_view path) {
  if (!has_npy_magic(file)) {
    throw_file_error(path, "a .npy file (it begins with \\x93NUMPY)", file.empty() ? "an empty file" : "other bytes");
  }
  const auto truncated = [&](std::string_view expected) {
    throw_file_error(path, expected, "a file of " + std::to_string(file.size()) + " bytes");
  };
  if (file.size() < kMagicSize + 2) truncated("a .npy version number");
  const int major = std::to_integer<int>(file[6]);
  const int minor = std::to_integer<int>(file[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw_file_error(path, ".npy version 1.0, 2.0 or 3.0", std::to_string(major) + "." + std::to_string(minor));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t header_begin = kMagicSize + 2 + length_bytes;
  if (file.size() < header_begin) truncated("a .npy header length");
  const std::uint64_t header_size = read_little_endian(file.subspan(kMagicSize + 2, length_bytes));
  if (header_size > kMaxHeaderBytes) {
    throw_file_error(path, "a .npy header of at most " + std::to_string(kMaxHeaderBytes) + " bytes",
                     "one of " + std::to_string(header_size));
  }
  if (header_size > file.size() - header_begin) {
    truncated("a .npy header of " + std::to_string(header_size) + " bytes");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data() + header_begin),
                              static_cast<std::size_t>(header_size));
  NpyHeader header = parse_npy_header(text, path);

  Tensor tensor;
  tensor.type = parse_type(header, path);
  tensor.type_name = std::move(header.descr);
  tensor.shape = std::move(header.shape);
  if (header.fortran_order) throw_file_error(path, "a C-ordered (row-major) array", "a Fortran-ordered one");
  std::int64_t data_bytes = 0;
  if (!checked_size(tensor.shape, size_bytes(tensor.type) * 8, data_bytes)) {
    throw_file_error(path, "a shape whose bytes can be counted in 60 bits", shape_text(tensor.shape));
  }
  tensor.data = file.subspan(header_begin + static_cast<std::size_t>(header_size));
  if (tensor.data.size() != static_cast<std::uint64_t>(data_bytes)) {
    throw_file_error(path,
                     std::to_string(data_bytes) + " bytes of data for shape " + shape_text(tensor.shape) + " of " +
                         to_string(tensor.type),
                     std::to_string(tensor.data.size()));
  }
  return tensor;
}

std::string npy_header(ElementType type, const std::vector<std::int64_t>& shape) {
  std::string dictionary =
      std::string("{'descr': '") + descr_of(type) + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  constexpr std::size_t kPrefix = kMagicSize + 4;
  const std::size_t total = (kPrefix + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - kPrefix - 1, ' ');
  dictionary += '\n';
  std::string header(kMagic, kMagicSize);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

NpyWriter::NpyWriter(const std::string& path, ElementType type, const std::vector<std::int64_t>& shape) : file_(path) {
  const std::string header = npy_header(type, shape);
  std::int64_t total = 0;
  if (!checked_size(shape, size_bytes(type) * 8, missing_bytes_) ||
      __builtin_add_overflow(missing_bytes_, static_cast<std::int64_t>(header.size()), &total)) {
    throw_file_error(path, "an output whose bytes can be counted in 60 bits", "shape " + shape_text(shape));
  }
  file_.reserve(total);
  file_.write(std::as_bytes(std::span(header)));
}

void NpyWriter::append(std::span<const std::byte> bytes) {
  if (static_cast<std::int64_t>(bytes.size()) > missing_bytes_) {
    throw_file_error(path(), "at most " + std::to_string(missing_bytes_) + " more bytes", std::to_string(bytes.size()));
  }
  file_.write(bytes);
  missing_bytes_ -= static_cast<std::int64_t>(bytes.size());
}

void NpyWriter::finish() {
  if (missing_bytes_ != 0) throw_file_error(path(), std::to_string(missing_bytes_) + " more bytes", "the end");
  file_.sync();
}

}  // namespace keysieve::io
