// One run of the library over host memory, on a GPU: the inputs go there, the outputs come back.
#pragma once

#include <memory>

#include "cli/device_buffers.hpp"
#include "cli/selection.hpp"

namespace keysieve::cli {

class DeviceRunner {
 public:
  explicit DeviceRunner(std::unique_ptr<DeviceBuffers> buffers) : buffers_(std::move(buffers)) {}

  // As Runner::run, with dense inputs: `args` and `outputs` are host memory, `plan` is for the device. The outputs'
  // poison goes to the device with them. Returns the seconds of the selection there, copies left out.
  //
  // The page table is copied once for each address: of a file it is the same in every batch.
  double run(const SelectPlan& plan, const SelectArgs& args, Outputs& outputs);

  // Records a run as a graph, without running it; what is in `outputs` afterwards says nothing.
  void capture(const SelectPlan& plan, const SelectArgs& args, Outputs& outputs);

  // Runs the graph over other contents of the captured shape and with the same tensors present. Nothing else may run
  // in between: the graph holds the addresses of the capture, and a run of another shape can move them.
  void replay(const SelectArgs& args, Outputs& outputs);

 private:
  class Call;

  std::unique_ptr<DeviceBuffers> buffers_;
  SelectPlan captured_;
  const void* table_host_ = nullptr;
  void* table_device_ = nullptr;
};

}  // namespace keysieve::cli
