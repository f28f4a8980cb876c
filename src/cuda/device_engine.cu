#include "cuda/device_engine.hpp"

#include <cuda_runtime.h>

#include "cuda/block/limits.hpp"
#include "cuda/device_guard.hpp"

namespace keysieve::cuda {
namespace {

Status device_error(const char* what, cudaError_t error) {
  cudaGetLastError();  // it must not surface in the caller's next call
  return Status(StatusCode::kDeviceError, std::string(what) + ": " + cudaGetErrorString(error));
}

Status read_attribute(cudaDeviceAttr attribute, int ordinal, std::int64_t& value) {
  int read = 0;
  if (const cudaError_t error = cudaDeviceGetAttribute(&read, attribute, ordinal); error != cudaSuccess) {
    return device_error("cudaDeviceGetAttribute", error);
  }
  value = read;
  return {};
}

Status read_profile(int ordinal, DeviceProfile& profile) {
  std::int64_t major = 0, minor = 0, sms = 0, l2_bytes = 0;
  const struct {
    cudaDeviceAttr attribute;
    std::int64_t* value;
  } attributes[] = {
      {cudaDevAttrComputeCapabilityMajor, &major},
      {cudaDevAttrComputeCapabilityMinor, &minor},
      {cudaDevAttrMultiProcessorCount, &sms},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, &profile.shared_bytes_per_cta},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &profile.shared_bytes_per_sm},
      {cudaDevAttrL2CacheSize, &l2_bytes},
  };
  for (const auto& each : attributes) {
    if (Status status = read_attribute(each.attribute, ordinal, *each.value); !status.ok()) return status;
  }
  profile.compute_capability = static_cast<std::int32_t>(major * 10 + minor);
  profile.num_sms = static_cast<std::int32_t>(sms);
  profile.l2_bytes = l2_bytes;
  return {};
}

// Clusters of `ctas` CTAs of the split kernel in its largest shape that are resident at once; 0 where the device, or
// what else runs on it, has no room or no clusters at all.
std::int32_t resident_clusters(const void* kernel, int ctas, std::int64_t shared_bytes) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(ctas), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(kMaxSplitThreads);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return clusters;
}

Route route_of(KernelId id) {
  switch (id) {
    case KernelId::kTrivial:
      return Route::kTrivial;
    case KernelId::kTile16:
    case KernelId::kTile32:
    case KernelId::kTileCluster:
      return Route::kTile;
    case KernelId::kSieve:
    case KernelId::kPublishSieve:
      return Route::kSieve;
    case KernelId::kSplit:
    case KernelId::kPublishSplit:
      return Route::kSplit;
    case KernelId::kWideCollect:
    case KernelId::kWideMerge:
      break;
  }
  return Route::kWide;
}

constexpr const char* kTypeNames[kNumScoreTypes] = {"float32", "bfloat16", "float16"};

// Empty, or why the kernel cannot be launched in every shape that the planner may ask for.
std::string attribute_fault(const KernelTable& kernels, KernelId id, ScoreType type, std::int64_t shared_bytes) {
  const void* kernel = kernels.at(id, type);
  const std::string name = std::string("kernel ") + name_of(id) + "_" + kTypeNames[static_cast<int>(type)];
  if (kernel == nullptr) return name + " is missing";
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // it must not surface in the caller's next call
  return name + " cannot be given " + std::to_string(shared_bytes) +
         " bytes of shared memory: " + cudaGetErrorString(error);
}

void find_clusters(const KernelTable& kernels, DeviceProfile& profile) {
  bool large_clusters = true;
  for (int type = 0; type < kNumScoreTypes; ++type) {
    for (const KernelId id : {KernelId::kSplit, KernelId::kPublishSplit, KernelId::kTileCluster}) {
      const void* kernel = kernels.at(id, static_cast<ScoreType>(type));
      if (cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) != cudaSuccess) {
        cudaGetLastError();
        large_clusters = false;
      }
    }
  }
  const void* split = kernels.at(KernelId::kSplit, ScoreType::kFloat32);
  profile.resident_clusters_of_8 = resident_clusters(split, 8, profile.shared_bytes_per_cta);
  if (large_clusters) {
    profile.resident_clusters_of_16 = resident_clusters(split, 16, profile.shared_bytes_per_cta);
  }
}

Status set_attributes(DeviceEngine& engine) {
  DeviceProfile& profile = engine.profile;
  for (int id = 0; id < kNumKernels; ++id) {
    std::string& reason = engine.reasons[static_cast<std::size_t>(route_of(static_cast<KernelId>(id)))];
    for (int type = 0; type < kNumScoreTypes && reason.empty(); ++type) {
      reason = attribute_fault(engine.kernels, static_cast<KernelId>(id), static_cast<ScoreType>(type),
                               profile.shared_bytes_per_cta);
    }
  }
  bool any_route = false;
  for (int id = 0; id < kNumKernels; ++id) {
    const auto route = static_cast<std::size_t>(route_of(static_cast<KernelId>(id)));
    const std::string& reason = engine.reasons[route];
    profile.unavailable[route] = reason.empty() ? nullptr : reason.c_str();
    any_route = any_route || reason.empty();
  }
  if (!any_route) {
    return Status(StatusCode::kDeviceError, engine.reasons[static_cast<std::size_t>(Route::kSieve)]);
  }
  if (profile.compute_capability >= 90 && why_unavailable(profile, Route::kSplit) == nullptr) {
    find_clusters(engine.kernels, profile);
  }
  return {};
}

}  // namespace

Status make_device_engine(std::int32_t ordinal, const KernelTable& kernels, DeviceEngine& engine) {
  const RelaxedCapture relaxed;
  DeviceGuard device;
  if (Status status = device.enter(ordinal); !status.ok()) return status;
  engine.ordinal = ordinal;
  engine.kernels = kernels;
  engine.profile = {};
  engine.reasons = {};
  engine.name = "cuda:" + std::to_string(ordinal);
  if (Status status = read_profile(ordinal, engine.profile); !status.ok()) return status;
  engine.profile.name = engine.name.c_str();
  return set_attributes(engine);
}

Status enqueue(const DeviceEngine& engine, const LaunchList& list, void* stream) {
  DeviceGuard device;
  if (Status status = device.enter(engine.ordinal); !status.ok()) return status;
  for (int i = 0; i < list.num_launches; ++i) {
    const KernelLaunch& launch = list.launches[static_cast<std::size_t>(i)];
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
    config.blockDim = dim3(static_cast<unsigned>(launch.threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(launch.shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = attributes;
    if (launch.kernel == KernelId::kSplit || launch.kernel == KernelId::kPublishSplit ||
        launch.kernel == KernelId::kTileCluster) {
      attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
      attributes[config.numAttrs++].val.clusterDim = {static_cast<unsigned>(launch.cluster_blocks), 1, 1};
    }
    // Only the first launch may start early: the second reads what the first writes, and never releases it early.
    if (i == 0 && list.args.args.dependent_launch != 0 && engine.profile.compute_capability >= 90) {
      attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
      attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
    }
    void* params[] = {const_cast<SelectKernelArgs*>(&list.args)};
    const void* kernel = engine.kernels.at(launch.kernel, list.args.problem.score_type);
    if (const cudaError_t error = cudaLaunchKernelExC(&config, kernel, params); error != cudaSuccess) {
      return device_error((std::string("launch of ") + name_of(launch.kernel)).c_str(), error);
    }
  }
  return {};
}

}  // namespace keysieve::cuda
