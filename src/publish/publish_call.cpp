#include "publish/publish_call.hpp"

#include <bit>
#include <string>

#include "core/check_select.hpp"
#include "core/overlap.hpp"
#include "operation/tensor_check.hpp"

namespace keysieve {
namespace {

Status missing(const char* name) {
  return Status::invalid_argument(std::string(name) + ": expected a pointer, got null");
}

bool uses_pages(IndexMode mode) { return mode == IndexMode::kPaged || mode == IndexMode::kDual; }

// A selection without pages refuses a table, which the blocks may still need.
SelectArgs without_table(SelectArgs select) {
  const SelectArgs none;
  select.page_table = nullptr;
  select.page_table_rows = none.page_table_rows;
  select.page_table_columns = none.page_table_columns;
  select.page_table_row_stride = none.page_table_row_stride;
  select.page_size = none.page_size;
  select.num_pages = none.num_pages;
  return select;
}

void copy_table(const SelectArgs& from, SelectArgs& to) {
  to.page_table = from.page_table;
  to.page_table_rows = from.page_table_rows;
  to.page_table_columns = from.page_table_columns;
  to.page_table_row_stride = from.page_table_row_stride;
  to.num_pages = from.num_pages;
  to.row_to_table = from.row_to_table;
}

Status check_page_table(const PublishPlan& plan, SelectArgs& select) {
  const PageTableArgs table{
      select.page_table, select.page_table_rows, select.page_table_columns, select.page_table_row_stride,
      select.page_size,  select.num_pages,       select.row_to_table};
  if (Status status = resolve_page_table(table, plan.problem.select.rows, select.next_n); !status.ok()) return status;
  if (!is_power_of_two(select.page_size) || select.page_size < kPublishBlock) {
    return Status::invalid_argument("page_size: expected a power of two >= 8 for physical blocks, got " +
                                    std::to_string(select.page_size));
  }
  if (select.page_table == nullptr && select.page_table_rows != 0 && select.page_table_columns != 0) {
    return missing("page_table");
  }
  return {};
}

// What both calls write.
struct BlockOutputs {
  std::int32_t* blocks;
  std::int64_t blocks_row_stride;
  std::int32_t* physical_blocks;
  std::int64_t physical_blocks_row_stride;
  std::int32_t* block_counts;
  std::int32_t* valid_lengths;
  void* workspace;
  std::int64_t workspace_bytes;
};

struct Named {
  const char* name;
  StridedBytes bytes;
};

// The outputs of its own against each other and against what the selection reads and writes.
Status check_own_outputs(const PublishPlan& plan, const BlockOutputs& args, const PublishCall& call,
                         const StridedBytes& scores) {
  const std::int64_t rows = plan.problem.select.rows, blocks = plan.problem.blocks;
  const SelectArgs& select = call.seal.args;
  const SelectProblem& problem = plan.select.problem;
  const auto strided = [rows](const void* base, std::int64_t columns, std::int64_t stride, std::int64_t element) {
    return StridedBytes{base, base == nullptr ? 0 : rows, columns * element, stride * element};
  };
  const auto flat = [](const void* base, std::int64_t bytes) {
    return StridedBytes{base, base == nullptr ? 0 : 1, bytes, bytes};
  };
  const Named outputs[] = {
      {"blocks", strided(args.blocks, blocks, call.seal.block_ids_row_stride, 4)},
      {"physical_blocks", strided(args.physical_blocks, blocks, call.seal.physical_row_stride, 4)},
      {"block_counts", flat(args.block_counts, rows * 4)},
      {"valid_lengths", flat(args.valid_lengths, rows * 4)},
      {"workspace", flat(args.workspace, plan.workspace_bytes)},
  };
  const std::int64_t index_bytes = size_bytes(problem.index_type), score_bytes = size_bytes(problem.score_type);
  const Named others[] = {
      {plan.keys_are_given ? "keys" : "scores", scores},
      {"lengths",
       {select.lengths, select.lengths == nullptr ? 0 : rows / select.next_n,
        ((select.next_n - 1) * select.length_row_stride + 1) * 4, select.length_request_stride * 4}},
      {"page_table",
       {select.page_table, select.page_table == nullptr ? 0 : select.page_table_rows, select.page_table_columns * 4,
        select.page_table_row_stride * 4}},
      {"row_to_table", flat(select.row_to_table, rows * 4)},
      {"indices", strided(select.indices, problem.k, select.indices_row_stride, index_bytes)},
      {"raw_indices", strided(select.raw_indices, problem.k, select.raw_indices_row_stride, index_bytes)},
      {"values", strided(select.values, problem.k, select.values_row_stride, score_bytes)},
      {"counts", flat(select.counts, rows * 4)},
      {"error_word", flat(select.error_word, 4)},
  };
  for (std::size_t i = 0; i < std::size(outputs); ++i) {
    for (std::size_t j = i + 1; j < std::size(outputs); ++j) {
      if (overlaps(outputs[i].bytes, outputs[j].bytes)) {
        return Status::invalid_argument(std::string(outputs[i].name) + ": expected memory of its own, overlaps " +
                                        outputs[j].name);
      }
    }
    for (const Named& other : others) {
      if (overlaps(outputs[i].bytes, other.bytes)) {
        return Status::invalid_argument(std::string(outputs[i].name) + ": expected memory of its own, overlaps " +
                                        other.name);
      }
    }
  }
  return {};
}

// The selection among the keys: all of it lies in the workspace but for the block tables.
SelectArgs args_over_keys(const PublishPlan& plan, const PublishCall& call, std::byte* base,
                          const PublishWorkspace& layout) {
  SelectArgs keys;
  keys.next_n = call.select.next_n;
  keys.scores = call.keys.keys;
  keys.score_row_stride = call.keys.row_stride;
  keys.lengths = reinterpret_cast<const std::int32_t*>(base + layout.key_counts);
  keys.length_request_stride = keys.next_n;
  keys.length_row_stride = 1;
  keys.counts = reinterpret_cast<std::int32_t*>(base + layout.selected);
  keys.error_word = call.select.error_word;
  keys.indices = call.seal.block_ids;
  keys.indices_row_stride = call.seal.block_ids_row_stride;
  if (plan.problem.physical != 0) {
    keys.indices = call.seal.physical;
    keys.indices_row_stride = call.seal.physical_row_stride;
    keys.raw_indices = call.seal.block_ids;
    keys.raw_indices_row_stride = call.seal.block_ids_row_stride;
    copy_table(call.seal.args, keys);
    keys.page_size = call.seal.args.page_size / kPublishBlock;
  }
  // Its launch may overlap the end of the one before, which it waits for.
  keys.dependent_launch = 1;
  keys.workspace = base + layout.select;
  keys.workspace_bytes = plan.block_select.workspace_bytes;
  return keys;
}

Status check_workspace(const PublishPlan& plan, const BlockOutputs& outputs) {
  if (outputs.workspace_bytes >= plan.workspace_bytes && (outputs.workspace != nullptr || plan.workspace_bytes == 0)) {
    return {};
  }
  return Status::invalid_argument("workspace: expected " + std::to_string(plan.workspace_bytes) + " bytes, got " +
                                  (outputs.workspace == nullptr ? "null" : std::to_string(outputs.workspace_bytes)));
}

std::byte* aligned_base(void* workspace) {
  const auto address = reinterpret_cast<std::uintptr_t>(workspace);
  constexpr std::uintptr_t kMask = PublishWorkspace::kAlignment - 1;
  return static_cast<std::byte*>(workspace) + (((address + kMask) & ~kMask) - address);
}

// What both calls have in common: block tables, the selection among the keys, the last step. `select` has the page
// table; `scores`: what is read of scores or keys.
Status resolve_blocks(const PublishPlan& plan, const BlockOutputs& outputs, SelectArgs select,
                      const StridedBytes& scores, PublishCall& call) {
  const std::int64_t rows = plan.problem.select.rows, blocks = plan.problem.blocks;
  if (outputs.blocks == nullptr) return missing("blocks");
  if (plan.problem.physical != 0) {
    if (outputs.physical_blocks == nullptr) return missing("physical_blocks");
    if (Status status = check_page_table(plan, select); !status.ok()) return status;
  } else if (outputs.physical_blocks != nullptr) {
    return Status::invalid_argument("physical_blocks: expected null, as the problem does not ask for them");
  }
  SealBlocksParams& seal = call.seal;
  seal.problem = plan.select.problem;
  seal.args = call.select;
  if (plan.problem.physical != 0) {
    copy_table(select, seal.args);
    seal.args.page_size = select.page_size;
  }
  seal.blocks = blocks;
  seal.block_ids = outputs.blocks;
  seal.block_ids_row_stride = outputs.blocks_row_stride;
  seal.physical = outputs.physical_blocks;
  seal.physical_row_stride = outputs.physical_blocks_row_stride;
  seal.counts = outputs.block_counts;
  seal.valid_lengths = outputs.valid_lengths;
  for (const auto& [name, stride] : {std::pair{"blocks_row_stride", &seal.block_ids_row_stride},
                                     std::pair{"physical_blocks_row_stride", &seal.physical_row_stride}}) {
    if (Status status = resolve_row_stride(name, rows, blocks, *stride); !status.ok()) return status;
  }
  if (Status status = check_own_outputs(plan, outputs, call, scores); !status.ok()) return status;
  if (!plan.blocks_compete()) return {};
  const PublishWorkspace layout(plan);
  std::byte* base = aligned_base(outputs.workspace);
  if (!plan.keys_are_given) {
    call.keys.keys = reinterpret_cast<float*>(base + layout.keys);
    call.keys.row_stride = plan.key_row_stride;
  }
  call.keys.key_counts = reinterpret_cast<std::int32_t*>(base + layout.key_counts);
  call.keys.kept_blocks = blocks;
  seal.selected = reinterpret_cast<const std::int32_t*>(base + layout.selected);
  return resolve_args(plan.block_select, args_over_keys(plan, call, base, layout), call.block_select);
}

}  // namespace

Status resolve_publish_args(const PublishPlan& plan, const keysieve_publish_args& args, PublishCall& call) {
  const std::int64_t rows = plan.problem.select.rows;
  if (args.reserved != 0) {
    return Status::invalid_argument("args.reserved: expected 0, got " + std::to_string(args.reserved));
  }
  auto select = std::bit_cast<SelectArgs>(args.select);
  if (select.row_starts != nullptr) return Status::invalid_argument("row_starts: expected null, as blocks begin at 0");
  if (select.row_ends != nullptr) return Status::invalid_argument("row_ends: expected null; give lengths");
  const BlockOutputs outputs{
      args.blocks,       args.blocks_row_stride, args.physical_blocks, args.physical_blocks_row_stride,
      args.block_counts, args.valid_lengths,     args.workspace,       args.workspace_bytes};
  if (Status status = check_workspace(plan, outputs); !status.ok()) return status;
  select.workspace = aligned_base(args.workspace) + PublishWorkspace(plan).select;
  select.workspace_bytes = plan.select.workspace_bytes;
  const bool table_for_blocks_alone = plan.problem.physical != 0 && !uses_pages(plan.select.problem.mode);
  if (Status status = resolve_args(plan.select, table_for_blocks_alone ? without_table(select) : select, call.select);
      !status.ok()) {
    return status;
  }
  if (rows == 0) return {};
  const std::int64_t element = size_bytes(plan.select.problem.score_type);
  const StridedBytes scores{call.select.scores, rows, plan.select.problem.width * element,
                            call.select.score_row_stride * element};
  return resolve_blocks(plan, outputs, select, scores, call);
}

Status resolve_block_topk_args(const PublishPlan& plan, const keysieve_block_topk_args& args, PublishCall& call) {
  const std::int64_t rows = plan.problem.select.rows, columns = plan.problem.select.width / kPublishBlock;
  if (args.reserved != 0) {
    return Status::invalid_argument("args.reserved: expected 0, got " + std::to_string(args.reserved));
  }
  if (args.dependent_launch < 0 || args.dependent_launch > 1) {
    return Status::invalid_argument("dependent_launch: expected 0 or 1, got " + std::to_string(args.dependent_launch));
  }
  if (args.next_n < 1 || rows % args.next_n != 0) {
    return Status::invalid_argument("next_n: expected a divisor of rows=" + std::to_string(rows) + ", got " +
                                    std::to_string(args.next_n));
  }
  const BlockOutputs outputs{
      args.blocks,       args.blocks_row_stride, args.physical_blocks, args.physical_blocks_row_stride,
      args.block_counts, args.valid_lengths,     args.workspace,       args.workspace_bytes};
  if (Status status = check_workspace(plan, outputs); !status.ok()) return status;
  if (rows == 0) return {};
  if (args.lengths == nullptr) return missing("lengths");
  if (args.keys == nullptr && columns > 0) return missing("keys");
  SelectArgs& select = call.select;
  select.next_n = args.next_n;
  select.lengths = args.lengths;
  select.length_request_stride = args.next_n;
  select.length_row_stride = 1;
  select.row_to_table = args.row_to_table;
  select.error_word = args.error_word;
  select.dependent_launch = args.dependent_launch;
  SelectArgs with_table = select;
  with_table.page_table = args.page_table;
  with_table.page_table_rows = args.page_table_rows;
  with_table.page_table_columns = args.page_table_columns;
  with_table.page_table_row_stride = args.page_table_row_stride;
  with_table.page_size = args.page_size;
  with_table.num_pages = args.num_pages;
  // The keys are read and never written.
  call.keys.keys = const_cast<float*>(args.keys);
  call.keys.row_stride = args.keys_row_stride;
  if (Status status = resolve_row_stride("keys_row_stride", rows, columns, call.keys.row_stride); !status.ok()) {
    return status;
  }
  const StridedBytes keys{args.keys, columns > 0 ? rows : 0, columns * 4, call.keys.row_stride * 4};
  return resolve_blocks(plan, outputs, with_table, keys, call);
}

}  // namespace keysieve
