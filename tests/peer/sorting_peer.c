/* A whole peer in C11 that sorts every row on the CPU: exact, stable, slow. Tests of the loader, of benches and of
 * audits call it, and docs/peers.md shows what is below the line. */
/* --- */
#include <keysieve/peer.h>
#include <stdlib.h>

typedef struct Candidate {
  float score;
  int32_t column;
} Candidate;

static const char* unmet_conditions(const keysieve_select_problem* problem) {
  if (problem->device_type != KEYSIEVE_DEVICE_CPU) return "device_type: expected cpu";
  if (problem->score_type != KEYSIEVE_FLOAT32) return "score_type: expected float32";
  if (problem->index_type != KEYSIEVE_INT32) return "index_type: expected int32";
  if (problem->mode != KEYSIEVE_MODE_RAW) return "mode: expected raw";
  if (problem->order != KEYSIEVE_ORDER_ANY) return "order: expected any";
  if (problem->ties == KEYSIEVE_TIES_LARGEST || problem->nan_policy != KEYSIEVE_NAN_LOWEST || problem->mask_neg_inf)
    return "ties, nan_policy, mask_neg_inf: expected their defaults";
  return NULL;
}

static keysieve_status create(const keysieve_select_problem* problem, void** state, int64_t* workspace_bytes) {
  keysieve_select_problem* copy = malloc(sizeof *copy);
  if (!copy) return KEYSIEVE_OUT_OF_MEMORY;
  *copy = *problem;
  *state = copy;
  *workspace_bytes = problem->width * (int64_t)sizeof(Candidate);
  return KEYSIEVE_OK;
}

/* By score, NaN below all numbers; equal scores by column. */
static int compare(const void* left, const void* right) {
  const Candidate *a = left, *b = right;
  const int a_nan = a->score != a->score, b_nan = b->score != b->score;
  if (a_nan != b_nan) return a_nan - b_nan;
  if (!a_nan && a->score != b->score) return a->score > b->score ? -1 : 1;
  return a->column < b->column ? -1 : 1;
}

static keysieve_status run(void* state, const keysieve_select_args* args, void* stream) {
  const keysieve_select_problem* problem = state;
  (void)stream;
  if (args->next_n > 1 || args->row_starts || args->row_ends || args->values || args->counts)
    return KEYSIEVE_UNSUPPORTED;
  for (int64_t row = 0; row < problem->rows; ++row) {
    const float* scores = (const float*)args->scores + row * args->score_row_stride;
    int32_t* indices = (int32_t*)args->indices + row * args->indices_row_stride;
    const int64_t length = args->lengths ? args->lengths[row * args->length_request_stride] : problem->width;
    const int64_t live = length < 0 ? 0 : length < problem->width ? length : problem->width;
    Candidate* candidates = args->workspace;
    for (int64_t column = 0; column < live; ++column) candidates[column] = (Candidate){scores[column], (int32_t)column};
    if (live > 0) qsort(candidates, (size_t)live, sizeof *candidates, compare);
    for (int64_t slot = 0; slot < problem->k; ++slot) indices[slot] = slot < live ? candidates[slot].column : -1;
  }
  return KEYSIEVE_OK;
}

static void destroy(void* state) { free(state); }
static const char* last_error(void) { return "out of memory, or an argument that only keysieve serves"; }

static const keysieve_peer table = {
    .struct_size = sizeof(keysieve_peer),
    .abi_version = KEYSIEVE_PEER_ABI_VERSION,
    .name = "sorting_peer",
    .version = "1",
    .promises = KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST | KEYSIEVE_PEER_REPRODUCIBLE |
                KEYSIEVE_PEER_NAN_LOWEST | KEYSIEVE_PEER_ANY_LENGTH,
    .unmet_conditions = unmet_conditions,
    .create = create,
    .run = run,
    .destroy = destroy,
    .last_error = last_error,
};

const keysieve_peer* keysieve_peer_at(int32_t index) { return index == 0 ? &table : NULL; }
