#include "report/inputs.hpp"

#include <filesystem>

namespace keysieve::report {

Inputs read_inputs(const std::vector<std::string>& paths) {
  Inputs inputs;
  for (const std::string& path : paths) {
    const Json json = read_json_object(path);
    const Field top(path, json);
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string schema = top.text("schema", "");
    if (schema == "keysieve.bench/1") {
      inputs.benches.push_back(read_bench(name, top, inputs.benches.size()));
    } else if (schema == "keysieve.audit/1" || schema == "keysieve.toolchain/1") {
      inputs.totals.push_back(read_totals(name, top));
    } else {
      top.member("schema").refuse("keysieve.bench/1, keysieve.audit/1 or keysieve.toolchain/1");
    }
  }
  return inputs;
}

}  // namespace keysieve::report
