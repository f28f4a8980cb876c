// One row is selected like this (docs/algorithms/cpu.md):
//   1. a sample of the row gives a first cutoff that leaves few more than k columns;
//   2. one pass takes every column at or above the running cutoff; a full buffer is reduced to its k best,
//      which raises the cutoff;
//   3. if the sample misled and fewer than k columns came through, the row is read once more without a cutoff;
//   4. the buffer is reduced to the k best and written out.
#include "cpu/select_cpu.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>

#include "core/row_geometry.hpp"
#include "cpu/emit.hpp"
#include "cpu/parallel.hpp"
#include "cpu/row_kernels.hpp"
#include "cpu/workspace_layout.hpp"

namespace keysieve::cpu {
namespace {

// Shorter rows are cheaper to take whole than to sample.
constexpr std::int64_t kMinSampledColumns = 4096;

// A worker's part of the caller's workspace.
struct WorkerScratch {
  std::uint32_t* keys;
  std::uint32_t* columns;
  std::uint32_t* sample;
  std::uint64_t* sort_buffer;
};

class Workspace {
 public:
  Workspace(const SelectPlan& plan, void* memory)
      : layout_(workspace_layout(plan.problem, plan.threads, plan.chunks_per_row)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    base_ = static_cast<char*>(memory) + (kAlignment - address % kAlignment) % kAlignment;
    merge_ = base_ + plan.threads * layout_.worker_bytes;
  }

  WorkerScratch worker(std::int64_t index) const {
    char* at = base_ + index * layout_.worker_bytes;
    WorkerScratch scratch{};
    scratch.sort_buffer = reinterpret_cast<std::uint64_t*>(at);
    scratch.keys = reinterpret_cast<std::uint32_t*>(at + layout_.sort_capacity * 8);
    scratch.columns = scratch.keys + layout_.candidate_capacity;
    scratch.sample = scratch.columns + layout_.candidate_capacity;
    return scratch;
  }

  CandidateBuffer candidates(std::int64_t worker_index, std::int64_t keep, Key cutoff) const {
    const WorkerScratch scratch = worker(worker_index);
    CandidateBuffer buffer;
    buffer.keys = scratch.keys;
    buffer.columns = scratch.columns;
    buffer.capacity = layout_.candidate_capacity;
    buffer.keep = keep;
    buffer.cutoff = cutoff;
    return buffer;
  }

  CandidateBuffer merge_buffer(std::int64_t keep) const {
    CandidateBuffer buffer;
    buffer.keys = reinterpret_cast<std::uint32_t*>(merge_);
    buffer.columns = buffer.keys + layout_.merge_capacity;
    buffer.capacity = layout_.merge_capacity;
    buffer.keep = keep;
    return buffer;
  }

 private:
  WorkspaceLayout layout_;
  char* base_;
  char* merge_;
};

class Selection {
 public:
  Selection(const SelectPlan& plan, const SelectArgs& args)
      : plan_(plan),
        problem_(plan.problem),
        args_(args),
        kernels_(row_kernels(plan.problem.score_type)),
        workspace_(plan, args.workspace),
        descending_(plan.problem.ties == Ties::kLargest),
        masked_(plan.problem.mask_neg_inf != 0) {}

  std::uint32_t run() {
    if (plan_.chunks_per_row > 1) {
      for (std::int64_t row = 0; row < problem_.rows; ++row) select_row_in_chunks(row);
    } else {
      const auto body = [this](std::int32_t worker, std::int64_t row) { select_row(worker, row); };
      parallel_for_each(plan_.threads, problem_.rows, IndexedBody(body));
    }
    return errors_.load();
  }

 private:
  // Masked NaNs are absent, so they may rank lowest whatever the policy says.
  Key nan_key() const {
    return problem_.nan_policy == NanPolicy::kHighest && !masked_ ? kKeyNanHighest : kKeyNanLowest;
  }

  // The lowest key that may be chosen at all.
  Key floor() const {
    if (!masked_) return 0;
    switch (problem_.score_type) {
      case ScoreType::kBFloat16:
        return kKeyNegativeInfinity<BFloat16Bits> + 1;
      case ScoreType::kFloat16:
        return kKeyNegativeInfinity<Float16Bits> + 1;
      case ScoreType::kFloat32:
        break;
    }
    return kKeyNegativeInfinity<Float32Bits> + 1;
  }

  RowView view(std::int64_t row, const RowGeometry& geometry) const {
    const std::int64_t first = row * args_.score_row_stride + geometry.start;
    return {static_cast<const char*>(args_.scores) + first * size_bytes(problem_.score_type), geometry.length,
            nan_key()};
  }

  // Every column is chosen and their order is that of the columns: the scores need not be read.
  bool is_trivial(const RowGeometry& geometry) const {
    return geometry.length <= problem_.k && !masked_ && problem_.order != SlotOrder::kScore;
  }

  void report(std::uint32_t bits) {
    if (bits != 0) errors_.fetch_or(bits, std::memory_order_relaxed);
  }

  void check_nan(const RowView& row) {
    if (problem_.check_nan != 0 && kernels_.has_nan(row)) report(kErrorNanSeen);
  }

  void emit(std::int64_t row, const RowGeometry& geometry, const ChosenColumns& chosen, std::int64_t worker) {
    report(geometry.error_bits |
           emit_row(problem_, args_, row, geometry, chosen, workspace_.worker(worker).sort_buffer));
  }

  Key first_cutoff(const RowView& row, std::int64_t worker) const {
    if (row.length < kMinSampledColumns) return floor();
    return kernels_.first_cutoff(row, problem_.k, floor(), workspace_.worker(worker).sample);
  }

  // Fewer candidates than slots, although the cutoff kept columns out that could have filled them.
  bool cutoff_was_too_high(std::int64_t num_candidates, Key cutoff, const RowView& row) const {
    return cutoff > floor() && num_candidates < std::min(problem_.k, row.length);
  }

  void select_row(std::int32_t worker, std::int64_t row) {
    const RowGeometry geometry = row_geometry(problem_, args_, row);
    const RowView scores = view(row, geometry);
    check_nan(scores);
    if (is_trivial(geometry)) {
      emit(row, geometry, {nullptr, nullptr, geometry.length, false}, worker);
      return;
    }
    const Key cutoff = first_cutoff(scores, worker);
    CandidateBuffer buffer = workspace_.candidates(worker, problem_.k, cutoff);
    kernels_.collect(scores, 0, scores.length, descending_, buffer);
    if (cutoff_was_too_high(buffer.size, cutoff, scores)) {
      buffer = workspace_.candidates(worker, problem_.k, floor());
      kernels_.collect(scores, 0, scores.length, descending_, buffer);
    }
    compact(buffer);
    emit(row, geometry, {buffer.keys, buffer.columns, buffer.size, descending_}, worker);
  }

  // Every piece keeps its own k best above a cutoff that all share.
  std::int64_t collect_chunks(const RowView& row, Key cutoff, std::span<CandidateBuffer> chunks) {
    const auto num_chunks = static_cast<std::int64_t>(chunks.size());
    const auto body = [&](std::int32_t /*worker*/, std::int64_t chunk) {
      const std::int64_t begin = row.length * chunk / num_chunks;
      const std::int64_t end = row.length * (chunk + 1) / num_chunks;
      CandidateBuffer buffer = workspace_.candidates(chunk, problem_.k, cutoff);
      kernels_.collect(row, begin, end, descending_, buffer);
      compact(buffer);
      chunks[static_cast<std::size_t>(chunk)] = buffer;
    };
    parallel_for_each(plan_.threads, num_chunks, IndexedBody(body));
    std::int64_t total = 0;
    for (const CandidateBuffer& chunk : chunks) total += chunk.size;
    return total;
  }

  void select_row_in_chunks(std::int64_t row) {
    const RowGeometry geometry = row_geometry(problem_, args_, row);
    const RowView scores = view(row, geometry);
    check_nan(scores);
    if (is_trivial(geometry)) {
      emit(row, geometry, {nullptr, nullptr, geometry.length, false}, 0);
      return;
    }
    std::array<CandidateBuffer, kMaxChunksPerRow> storage;
    const std::span<CandidateBuffer> chunks(storage.data(), static_cast<std::size_t>(plan_.chunks_per_row));
    const Key cutoff = first_cutoff(scores, 0);
    if (cutoff_was_too_high(collect_chunks(scores, cutoff, chunks), cutoff, scores)) {
      collect_chunks(scores, floor(), chunks);
    }
    CandidateBuffer merged = workspace_.merge_buffer(problem_.k);
    const auto append = [&](const CandidateBuffer& chunk) {
      const auto bytes = static_cast<std::size_t>(chunk.size) * sizeof(std::uint32_t);
      std::memcpy(merged.keys + merged.size, chunk.keys, bytes);
      std::memcpy(merged.columns + merged.size, chunk.columns, bytes);
      merged.size += chunk.size;
    };
    // Visiting order across pieces, so that ties between pieces fall as they do inside one.
    if (descending_) {
      std::for_each(chunks.rbegin(), chunks.rend(), append);
    } else {
      std::for_each(chunks.begin(), chunks.end(), append);
    }
    merged.num_keyed = merged.size;
    compact(merged);
    emit(row, geometry, {merged.keys, merged.columns, merged.size, descending_}, 0);
  }

  const SelectPlan& plan_;
  const SelectProblem& problem_;
  const SelectArgs& args_;
  const RowKernels& kernels_;
  Workspace workspace_;
  bool descending_;
  bool masked_;
  std::atomic<std::uint32_t> errors_{0};
};

}  // namespace

void select(const SelectPlan& plan, const SelectArgs& args) {
  Selection selection(plan, args);
  const std::uint32_t errors = selection.run();
  if (args.error_word != nullptr) *args.error_word |= errors;
}

}  // namespace keysieve::cpu
