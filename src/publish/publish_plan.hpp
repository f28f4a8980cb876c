// Plans of publishing: which route reads the scores, which one chooses among the keys of the blocks, where what lies in
// the workspace.
#pragma once

#include <functional>

#include "keysieve/publish.h"
#include "keysieve/status.hpp"
#include "keysieve/types.hpp"
#include "operation/faults.hpp"

namespace keysieve {

struct PublishPlan {
  keysieve_publish_problem problem;
  SelectPlan select;
  SelectPlan block_select;  // where blocks compete
  std::int64_t key_row_stride = 0;
  std::int64_t workspace_bytes = 0;
  bool keys_are_given = false;  // block top-k: no scores are read

  // Rows may have more blocks than are kept, and some compete.
  bool blocks_compete() const {
    return problem.select.width > problem.blocks * KEYSIEVE_PUBLISH_BLOCK && problem.blocks > 1;
  }
};

// How a selection is planned: make_plan, or for tests a profile.
using MakeSelectPlan = std::function<Status(const SelectProblem&, SelectPlan&)>;

Status make_publish_plan(const keysieve_publish_problem& problem, const MakeSelectPlan& make, PublishPlan& plan);

// The same for keys that the caller has. `select` of the plan stands for the rows that the keys are of and never runs.
Status make_block_topk_plan(const keysieve_block_topk_problem& problem, const MakeSelectPlan& make, PublishPlan& plan);

// Parts of the workspace, from its first aligned byte on.
struct PublishWorkspace {
  std::int64_t keys = 0;
  std::int64_t key_counts = 0;
  std::int64_t selected = 0;
  std::int64_t select = 0;  // of either selection: they follow each other
  std::int64_t bytes = 0;   // with room to align

  static constexpr std::int64_t kAlignment = 256;
  explicit PublishWorkspace(const PublishPlan& plan);
};

}  // namespace keysieve
