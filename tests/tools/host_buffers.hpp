// Memory of the host in the place of a GPU's: what goes where, how much of it, and when.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "cli/device_buffers.hpp"

namespace keysieve::cli {

// Blocks of exactly the size asked for: a copy past one's end is refused, and shows under a sanitizer.
class HostBuffers final : public DeviceBuffers {
 public:
  explicit HostBuffers(std::vector<std::int64_t>& uploads) : uploads_(uploads) {}

  void* reserve(std::size_t place, std::int64_t bytes) override {
    if (bytes == 0) return nullptr;
    Block& block = blocks_[place];
    if (bytes > block.bytes) {
      block.data = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes));
      block.bytes = bytes;
    }
    return block.data.get();
  }

  void fill(void* device, std::byte value, std::int64_t bytes) override {
    if (bytes == 0) return;
    check_inside(device, bytes);
    std::memset(device, std::to_integer<int>(value), static_cast<std::size_t>(bytes));
  }

  void upload(void* device, const void* host, std::int64_t bytes) override {
    uploads_.push_back(bytes);
    if (bytes == 0) return;
    check_inside(device, bytes);
    std::memcpy(device, host, static_cast<std::size_t>(bytes));
  }

  void download(void* host, const void* device, std::int64_t bytes) override {
    if (!clock_stopped_) throw std::logic_error("fetched before the work was done");
    if (bytes == 0) return;
    check_inside(device, bytes);
    std::memcpy(host, device, static_cast<std::size_t>(bytes));
  }

  void start_clock() override { clock_stopped_ = false; }
  double stop_clock() override {
    clock_stopped_ = true;
    return 0.25;
  }
  void capture(const std::function<void()>& enqueue) override { graph_ = enqueue; }
  void replay() override {
    if (!graph_) throw std::logic_error("replayed before it was captured");
    graph_();
    clock_stopped_ = true;
  }
  void* stream() const override { return nullptr; }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> data;
    std::int64_t bytes = 0;
  };

  void check_inside(const void* device, std::int64_t bytes) const {
    for (const auto& [place, block] : blocks_) {
      if (device == block.data.get() && bytes <= block.bytes) return;
    }
    throw std::logic_error("not memory of the device, or more than there is");
  }

  std::vector<std::int64_t>& uploads_;
  std::map<std::size_t, Block> blocks_;
  std::function<void()> graph_;
  bool clock_stopped_ = false;
};

}  // namespace keysieve::cli
