// The three entries of a kernel of kernels.h, in terms of its operation.
#pragma once

#include "capi/barrier.hpp"
#include "operation/operation.hpp"

namespace keysieve::capi {

// What an init function leaves: no tensors, everything automatic or zero, the size set.
template <typename Args>
void init_args(Args* args) {
  if (args == nullptr) return;
  *args = Args{};
  args->struct_size = sizeof(Args);
}

template <typename Operation>
keysieve_status can_use(const typename Operation::Args* c_args, char* buffer, std::size_t size, std::size_t* needed) {
  return guarded([&]() -> Status {
    typename Operation::Args args{};
    if (Status status = read_struct("args", c_args, args); !status.ok()) return status;
    Faults faults;
    check_operation<Operation>(args, faults);
    return write_text(faults.lines(), buffer, size, needed);
  });
}

template <typename Operation>
keysieve_status run(const typename Operation::Args* c_args, void* stream) {
  return guarded([&]() -> Status {
    typename Operation::Args args{};
    if (Status status = read_struct("args", c_args, args); !status.ok()) return status;
    return run_operation<Operation>(args, stream);
  });
}

}  // namespace keysieve::capi
