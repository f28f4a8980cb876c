// Flags that describe a selection problem: shared by the commands that plan or run one.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "cli/option_names.hpp"
#include "keysieve/types.hpp"

namespace keysieve::cli {

inline constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

inline std::int32_t parse_ordinal(std::string_view text) {
  return static_cast<std::int32_t>(parse_integer("--device", text, 0, kMaxInt32));
}

// Values as typed: they are turned into numbers and enums here and not by CLI11, so that every refusal names
// the argument, what was expected and what was found.
struct ProblemTexts {
  std::string k, order = "index", index_dtype = "int32", nan = "lowest", ties = "smallest";
  std::string backend = "auto", route = "auto", threads = "auto", split = "auto";
  bool mask_neg_inf = false;

  void add_to(CLI::App& app) {
    app.add_option("-k", k, "Slots per row, 1 or more; may exceed the columns")->required()->type_name("K");
    app.add_option("--order", order, "Order of a row's slots: index|score|any (index)")->type_name("ORDER");
    app.add_option("--index-dtype", index_dtype, "Type of the indices: int32|int64 (int32)")->type_name("TYPE");
    app.add_option("--nan", nan, "Where NaN ranks: lowest|highest (lowest)")->type_name("RANK");
    app.add_option("--ties", ties, "Which of equal scores are kept: smallest|largest|any index (smallest)")
        ->type_name("RULE");
    app.add_flag("--mask-neg-inf", mask_neg_inf, "-inf and NaN scores count as absent");
    app.add_option("--backend", backend, backend_names() + " (auto)")->type_name("NAME");
    app.add_option("--route", route, route_names() + " (auto)")->type_name("NAME");
    app.add_option("--threads", threads, "CPU threads (auto: all), or threads of a CTA on a GPU (auto)")
        ->type_name("N");
    app.add_option("--split", split, "CTAs that share a row, with --route tile, split or wide (auto)")->type_name("N");
  }

  SelectProblem parse() const {
    SelectProblem problem;
    problem.k = parse_integer("-k", k, 1, kMaxInt32);
    problem.order = parse_order("--order", order);
    problem.index_type = parse_index_type("--index-dtype", index_dtype);
    problem.nan_policy = parse_nan("--nan", nan);
    problem.ties = parse_ties("--ties", ties);
    problem.backend = parse_backend("--backend", backend);
    problem.route = parse_route("--route", route);
    if (threads != "auto") problem.threads = static_cast<std::int32_t>(parse_integer("--threads", threads, 1, 4096));
    if (split != "auto") problem.split = static_cast<std::int32_t>(parse_integer("--split", split, 1, kMaxInt32));
    problem.mask_neg_inf = mask_neg_inf ? 1 : 0;
    return problem;
  }
};

}  // namespace keysieve::cli
