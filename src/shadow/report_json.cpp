// A report for machines.
#include <nlohmann/json.hpp>

#include "core/names.hpp"
#include "shadow/checker.hpp"

namespace keysieve::shadow {
namespace {

const char* name_of_output(ShadowOutput output) {
  switch (output) {
    case ShadowOutput::kIndices:
      return "indices";
    case ShadowOutput::kRawIndices:
      return "raw_indices";
    case ShadowOutput::kValues:
      return "values";
    case ShadowOutput::kCounts:
      return "counts";
    case ShadowOutput::kNone:
      break;
  }
  return "none";
}

}  // namespace

std::string report_to_json(const Checker& checker) {
  FirstTexts texts;
  const ShadowReport report = checker.report(&texts);
  const ShadowOptions& options = checker.options();
  nlohmann::ordered_json json = {
      {"schema", "keysieve.shadow/1"},
      {"calls_seen", report.calls_seen},
      {"calls_sampled", report.calls_sampled},
      {"calls_checked", report.calls_checked},
      {"calls_skipped_busy", report.calls_skipped_busy},
      {"calls_skipped_capturing", report.calls_skipped_capturing},
      {"calls_too_large", report.calls_too_large},
      {"calls_failed", report.calls_failed},
      {"rows_checked", report.rows_checked},
      {"rows_wrong", report.rows_wrong},
      {"first_wrong", nullptr},
      {"first_failure", nullptr},
      {"options",
       {{"device", name_of(options.device_type)},
        {"device_ordinal", options.device_ordinal},
        {"share", options.share},
        {"max_rows_per_call", options.max_rows_per_call},
        {"slots", options.slots},
        {"slot_bytes", options.slot_bytes},
        {"seed", options.seed}}},
  };
  if (report.rows_wrong > 0) {
    json["first_wrong"] = {{"call", report.first_wrong_call},
                           {"row", report.first_wrong_row},
                           {"output", name_of_output(report.first_wrong_output)},
                           {"slot", report.first_wrong_slot},
                           {"expected", report.first_wrong_expected},
                           {"got", report.first_wrong_got},
                           {"text", texts.wrong}};
  }
  if (report.calls_failed > 0) json["first_failure"] = texts.failure;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace keysieve::shadow
