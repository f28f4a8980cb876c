#include "audit/families.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "cases/case_table.hpp"
#include "cases/toolchain_table.hpp"
#include "keysieve/select.hpp"

namespace keysieve::audit {
namespace {

// A written table, over and over: the setups change from round to round.
Family table_family(const char* name, int weight, std::vector<cases::SelectCase> table) {
  auto shared = std::make_shared<const std::vector<cases::SelectCase>>(std::move(table));
  return {name, weight, [shared](const SourceContext&, std::uint64_t number) {
            return Bundle{{(*shared)[number % shared->size()]}, Manner::kOnce};
          }};
}

Bundle random_bundle(const SourceContext& context, std::uint64_t number) {
  return {{cases::random_case(mixed(context.seed, number, 1))}, Manner::kOnce};
}

}  // namespace

std::uint64_t mixed(std::uint64_t seed, std::uint64_t number, std::uint64_t salt) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15u + number * 0xD1B54A32D192ED03u + salt * 0x8CB92BA72F3D8DD7u;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
  x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

std::vector<Family> all_families() {
  std::vector<Family> families = {
      table_family("table", 6, cases::case_table()),
      {"random", 8, random_bundle},
      table_family("faults", 2, fault_cases()),
      {"adversarial", 6, adversarial_bundle},
      {"graph", 1, graph_bundle},
      {"streams", 1, streams_bundle},
  };
  families.push_back(table_family("toolchain", 2, cases::toolchain_table()));
  return families;
}

bool plan_on_cuda(bool has_device, const SelectProblem& problem, SelectPlan& plan) {
  SelectProblem asked = problem;
  asked.device_type = DeviceType::kCuda;
  asked.backend = Backend::kAuto;
  if (has_device) return try_make_plan(asked, plan).ok();
  try {
    plan = make_plan_for_profile(asked, "h200");
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace keysieve::audit
