// What a run on a GPU was made with, for reports.
#pragma once

#include <cuda_runtime.h>

#include <nlohmann/json.hpp>

#include "bench/options.hpp"

namespace keysieve::bench {

nlohmann::ordered_json cuda_fingerprint(const Options& options, const cudaDeviceProp& device);

}  // namespace keysieve::bench
