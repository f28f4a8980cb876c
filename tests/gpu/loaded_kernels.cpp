#include "loaded_kernels.hpp"

#include <cuda_runtime_api.h>
#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace keysieve::test {
namespace {

using Bytes = std::vector<char>;

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.empty()) throw std::runtime_error(path.string() + ": expected a file with content");
  return bytes;
}

template <typename Value>
Value read_at(const Bytes& bytes, std::size_t offset) {
  if (offset + sizeof(Value) > bytes.size()) throw std::runtime_error("this program's file ends too early");
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The linker lays the fat binaries of all objects one behind the other.
Bytes fat_binary_section() {
  const Bytes file = read_file("/proc/self/exe");
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  const auto section = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(file, header.e_shoff + index * header.e_shentsize);
  };
  const std::size_t names = section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr each = section(i);
    if (std::strcmp(file.data() + names + each.sh_name, ".nv_fatbin") != 0) continue;
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(each.sh_offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(each.sh_size)};
  }
  throw std::runtime_error("this program has no section .nv_fatbin");
}

std::vector<Bytes> own_images() {
  struct FatHeader {
    std::uint32_t magic;
    std::uint16_t version, header_bytes;
    std::uint64_t payload_bytes;
  };
  constexpr std::uint32_t kMagic = 0xBA55ED50;
  const Bytes section = fat_binary_section();
  std::vector<Bytes> images;
  for (std::size_t offset = 0; offset + sizeof(FatHeader) <= section.size();) {
    const auto header = read_at<FatHeader>(section, offset);
    if (header.magic != kMagic) {  // padding
      offset += 8;
      continue;
    }
    const std::size_t bytes = header.header_bytes + header.payload_bytes;
    const auto begin = section.begin() + static_cast<std::ptrdiff_t>(offset);
    images.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    offset += bytes;
  }
  return images;
}

std::vector<Bytes> images_of(const std::filesystem::path& folder) {
  std::vector<Bytes> images;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) images.push_back(read_file(entry.path()));
  return images;
}

LoadedKernels load() {
  LoadedKernels loaded;
  const char* folder = std::getenv("KEYSIEVE_GPU_KERNELS");
  loaded.source = folder != nullptr ? folder : "the fat binaries of this program";
  std::vector<cudaLibrary_t> libraries;
  for (const Bytes& image : folder != nullptr ? images_of(folder) : own_images()) {
    cudaLibrary_t library = nullptr;
    const cudaError_t error = cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (error == cudaSuccess) {
      libraries.push_back(library);
    } else {
      cudaGetLastError();  // an image without a kernel of ours need not load; a kernel of ours is missed below
    }
  }
  constexpr const char* kTypeNames[cuda::kNumScoreTypes] = {"float32", "bfloat16", "float16"};
  for (int id = 0; id < kNumKernels; ++id) {
    for (int type = 0; type < cuda::kNumScoreTypes; ++type) {
      const std::string name =
          std::string("keysieve_") + name_of(static_cast<KernelId>(id)) + "_" + kTypeNames[static_cast<int>(type)];
      const void*& handle = loaded.table.at(static_cast<KernelId>(id), static_cast<ScoreType>(type));
      for (const cudaLibrary_t library : libraries) {
        cudaKernel_t kernel = nullptr;
        if (cudaLibraryGetKernel(&kernel, library, name.c_str()) == cudaSuccess) handle = kernel;
      }
      cudaGetLastError();
      if (handle == nullptr) loaded.fault += name + " is not in " + loaded.source + "\n";
    }
  }
  return loaded;
}

}  // namespace

const LoadedKernels& loaded_kernels() {
  static const LoadedKernels instance = load();
  return instance;
}

}  // namespace keysieve::test
