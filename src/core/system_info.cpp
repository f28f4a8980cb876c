#include "core/system_info.hpp"

#include <nlohmann/json.hpp>

#include "core/cpu_library.hpp"
#include "core/names.hpp"
#include "core/toolchain_record.hpp"
#include "keysieve/c_api.h"
#include "keysieve/version.hpp"
#if defined(KEYSIEVE_HAVE_CUDA)
#include "cuda/device_traits.hpp"
#endif

namespace keysieve {
namespace {

using Json = nlohmann::ordered_json;

Json cpu_info() {
  const CpuLibrary& library = cpu_library();
  Json json = {{"library", library.path}, {"loaded", library.backend != nullptr}};
  if (library.backend != nullptr) {
    json["target"] = library.backend->target_name();
    json["supported_targets"] = library.backend->supported_targets();
  } else {
    json["problem"] = library.problem;
  }
  json["threads"] = default_cpu_threads();
  return json;
}

#if defined(KEYSIEVE_HAVE_CUDA)
Json unavailable_routes(const cuda::DeviceTraits& device) {
  Json routes = Json::array();
  for (const auto& [route, reason] : device.unavailable_routes) {
    routes.push_back(std::string(name_of(route)) + ": " + reason);
  }
  return routes;
}

Json tuning(const LoadedTuning& loaded) {
  Json values = Json::object();
  for (const TuningField& field : kTuningFields) values[field.name] = loaded.tuning.*field.value;
  const TuningKey& key = loaded.key;
  return {{"source", loaded.source},
          {"path", loaded.path},
          {"problem", loaded.problem},
          {"key",
           {{"library", key.library},
            {"gpu", key.gpu},
            {"compute_capability", key.compute_capability},
            {"num_sms", key.num_sms},
            {"toolkit", key.toolkit}}},
          {"values", values}};
}
#endif

Json cuda_info() {
  Json json;
#if defined(KEYSIEVE_HAVE_CUDA)
  const cuda::CudaInfo info = cuda::read_cuda_info();
  json["built"] = true;
  json["select_engine"] = true;
  json["toolkit"] = info.toolkit;
  json["compiler"] = {{"version", info.compiler.version},
                      {"passing_record", has_passing_record(info.compiler.major, info.compiler.minor)}};
  json["driver"] = info.driver;
  json["problem"] = info.problem;
  json["devices"] = Json::array();
  for (const cuda::DeviceTraits& device : info.devices) {
    json["devices"].push_back({{"ordinal", device.ordinal},
                               {"name", device.name},
                               {"compute_capability", device.compute_capability},
                               {"pci_bus_id", device.pci_bus_id},
                               {"num_sms", device.num_sms},
                               {"shared_bytes_per_cta", device.shared_bytes_per_cta},
                               {"shared_bytes_per_sm", device.shared_bytes_per_sm},
                               {"l2_bytes", device.l2_bytes},
                               {"memory_bytes", device.memory_bytes},
                               {"engine_problem", device.engine_problem},
                               {"unavailable_routes", unavailable_routes(device)},
                               {"resident_clusters_of_8", device.resident_clusters_of_8},
                               {"resident_clusters_of_16", device.resident_clusters_of_16},
                               {"tuning", tuning(device.tuning)},
                               {"key_order_self_test", device.key_order_self_test}});
  }
#else
  json["built"] = false;
  json["select_engine"] = false;
  json["problem"] = "this build has no device code: no CUDA compiler was found when it was configured";
  json["devices"] = Json::array();
#endif
  return json;
}

}  // namespace

std::string system_info_json() {
  const Json json = {{"schema", "keysieve.system/1"},
                     {"version", KEYSIEVE_VERSION_STRING},
                     {"build", keysieve_build_info()},
                     {"cpu", cpu_info()},
                     {"cuda", cuda_info()}};
  return json.dump(2);
}

}  // namespace keysieve
