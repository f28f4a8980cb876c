// Runs one variant of the positive control on the first device. A process a variant: wrong code may end the context.
//
// usage: control_run VARIANT.cubin
// exit codes: 0 right, 3 miscompiled, 1 the run itself failed, 2 usage
#include <cuda_runtime_api.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

// As in control.cuh, which only a device compiler can read.
constexpr unsigned kRanks = 4;
constexpr unsigned kWords = 64;
constexpr unsigned kSharedBytes = (1024 + kRanks * kWords) * 4;
constexpr unsigned kThreads = 128;
constexpr int kRounds = 2;

bool good(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return true;
  std::fprintf(stderr, "control_run: %s: %s\n", what, cudaGetErrorString(error));
  return false;
}

std::vector<char> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The words of each source rank that are where they belong; false: the run failed.
bool run(const std::vector<char>& image, const std::string& name, std::array<unsigned, kRanks>& right) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  void* out = nullptr;
  if (!good(cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "load") ||
      !good(cudaLibraryGetKernel(&kernel, library, name.c_str()), "find kernel") ||
      !good(cudaMalloc(&out, sizeof right), "allocate") || !good(cudaMemset(out, 0, sizeof right), "clear")) {
    return false;
  }
  int rounds = kRounds;
  void* arguments[] = {&out, &rounds};
  if (!good(cudaLaunchKernel(kernel, dim3(kRanks), dim3(kThreads), arguments, kSharedBytes, nullptr), "launch") ||
      !good(cudaDeviceSynchronize(), "run") ||
      !good(cudaMemcpy(right.data(), out, sizeof right, cudaMemcpyDeviceToHost), "copy")) {
    return false;
  }
  return good(cudaFree(out), "free") && good(cudaLibraryUnload(library), "unload");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: control_run VARIANT.cubin\n");
    return 2;
  }
  const std::vector<char> image = read_file(argv[1]);
  if (image.empty()) {
    std::fprintf(stderr, "control_run: expected a cubin, got '%s'\n", argv[1]);
    return 2;
  }
  std::array<unsigned, kRanks> right{};
  if (!run(image, std::filesystem::path(argv[1]).stem().string(), right)) return 1;
  bool lost = false;
  for (unsigned rank = 0; rank < kRanks; ++rank) {
    if (right[rank] == kWords) continue;
    std::printf("rank %u: %u of %u words\n", rank, right[rank], kWords);
    lost = true;
  }
  std::printf("%s\n", lost ? "miscompiled" : "right");
  return lost ? 3 : 0;
}
