#include "doctor/sharing.hpp"

#include <array>
#include <filesystem>

#include "doctor/library_files.hpp"

namespace keysieve::doctor {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPipeVariable = "CUDA_MPS_PIPE_DIRECTORY";
constexpr const char* kShareVariable = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
constexpr const char* kDefaultPipeDirectory = "/tmp/nvidia-mps";

constexpr std::array kVariables = {
    "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",    "CUDA_LAUNCH_BLOCKING", "CUDA_MODULE_LOADING",
    "CUDA_DISABLE_PTX_JIT", "CUDA_FORCE_PTX_JIT",   kPipeVariable,          kShareVariable,
    "KEYSIEVE_NUM_THREADS", "KEYSIEVE_TUNING_FILE", "LD_LIBRARY_PATH",      "LD_PRELOAD",
};

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

MpsState collect_mps(const std::string& root, const Variables& variables) {
  MpsState mps;
  const char* directory = variables(kPipeVariable);
  mps.pipe_directory = directory != nullptr && *directory != '\0' ? directory : kDefaultPipeDirectory;
  const char* share = variables(kShareVariable);
  if (share != nullptr) mps.active_thread_percentage = share;
  const std::string folder = root + mps.pipe_directory;
  mps.pipe_seen = exists(folder + "/control");
  const std::string pid = read_file(folder + "/nvidia-cuda-mps-control.pid", 32);
  const std::string digits = pid.substr(0, pid.find_first_not_of("0123456789"));
  mps.daemon_runs = mps.pipe_seen && !digits.empty() && exists(root + "/proc/" + digits);
  return mps;
}

}  // namespace

Environment collect_environment(const std::string& root, const Variables& variables) {
  Environment environment;
  environment.mps = collect_mps(root, variables);
  for (const char* name : kVariables) {
    if (const char* value = variables(name); value != nullptr) environment.variables.emplace_back(name, value);
  }
  return environment;
}

}  // namespace keysieve::doctor
