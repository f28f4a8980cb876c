// A call whose tensors live on the device: copies of host tensors between canaries, audited after every run. And the
// check of a whole case on every route.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cases/case_data.hpp"
#include "gpu_support.hpp"

namespace keysieve::test {

inline constexpr std::uint8_t kGpuPoisons[] = {0x5A, 0x00, 0xFF};

// The device twin of one set of host arguments. Every tensor keeps its address modulo 64 bytes, its strides and its
// gaps; where the host has no tensor, neither has the device. The addresses stay the same until the end.
class DeviceCall {
 public:
  static constexpr std::size_t kGuardBytes = 256;

  // Copies the inputs. The outputs' places and sizes are taken from `host`, their contents at upload_outputs.
  DeviceCall(cudaStream_t stream, const SelectProblem& problem, const SelectArgs& host);
  // Waits: its memory goes back to the pool.
  ~DeviceCall();
  DeviceCall(const DeviceCall&) = delete;
  DeviceCall& operator=(const DeviceCall&) = delete;

  // Device pointers; the workspace is that of the last reserve_workspace.
  const SelectArgs& args() const { return args_; }
  SelectArgs& args() { return args_; }

  // New contents of tensors that keep their shapes.
  void upload_inputs(const SelectArgs& host);
  // `misalignment` in bytes: a workspace may begin anywhere.
  void reserve_workspace(std::int64_t bytes, std::size_t misalignment = 1);
  void fill_workspace(std::uint8_t poison);
  void copy_workspace_from(const void* host);
  void copy_workspace_to(void* host);

  // Outputs as the host has them, gaps and poison included. Only enqueues.
  void upload_outputs(const SelectArgs& host);
  // Waits, copies the outputs to the host's and returns what is wrong apart from the result: a changed input, a
  // damaged canary.
  std::string download_outputs(const SelectArgs& host, const std::string& what);

  // All of it: outputs up, workspace filled, run, outputs down.
  std::string run(const SelectPlan& plan, const SelectArgs& host, std::uint8_t poison, const std::string& what);

 private:
  // One tensor inside a block of device memory.
  struct Piece {
    const char* name;
    std::size_t offset;
    std::size_t bytes;
  };
  struct HostTensor {
    const char* name;
    const void* data;  // nullptr: absent
    std::size_t bytes;
  };
  static std::vector<HostTensor> inputs_of(const SelectProblem& problem, const SelectArgs& args);
  static std::vector<HostTensor> outputs_of(const SelectProblem& problem, const SelectArgs& args);
  static std::vector<Piece> lay_out(const std::vector<HostTensor>& tensors, std::size_t first, std::size_t& total);
  static std::string piece_at(const std::vector<Piece>& pieces, std::size_t offset);
  std::string damaged_output() const;
  void point_at_device();

  cudaStream_t stream_;
  SelectProblem problem_;
  SelectArgs args_;
  std::vector<Piece> inputs_, outputs_;
  std::size_t input_bytes_ = 0, output_bytes_ = 0;
  PooledMemory input_memory_, input_copy_, output_memory_, upload_, download_, workspace_memory_;
  std::size_t workspace_bytes_ = 0, workspace_offset_ = 0;
};

// One case on one setup. Empty when right or refused.
std::string check_setup(DeviceCall& call, const cases::CaseInputs& inputs, const cases::CaseResult& expected,
                        const GpuSetup& setup, std::uint8_t poison, Tally& tally);

// One case on every setup, the poisons by turns. A case that not even AUTO takes is a fault, unless its k is past the
// limit of the engine.
std::string check_on_gpu(cudaStream_t stream, const cases::CaseInputs& inputs, const cases::CaseResult& expected,
                         const std::vector<GpuSetup>& setups, std::size_t turn, Tally& tally);

}  // namespace keysieve::test
