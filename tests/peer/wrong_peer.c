/* Peers that break what they promise, each in one way, so that a judge can be seen to find it:
 *   0  larger_index  of equal scores it takes the larger columns
 *   1  drops_ties    of columns that equal the k-th score it keeps the first alone, the other slots stay empty
 *   2  fails_to_run  run gives KEYSIEVE_DEVICE_ERROR
 *   3  bad_workspace create asks for a negative workspace
 */
#include <keysieve/peer.h>
#include <math.h>
#include <stdlib.h>

static const char* unmet_conditions(const keysieve_select_problem* problem) {
  const int served = problem->device_type == KEYSIEVE_DEVICE_CPU && problem->score_type == KEYSIEVE_FLOAT32 &&
                     problem->index_type == KEYSIEVE_INT32 && problem->mode == KEYSIEVE_MODE_RAW &&
                     problem->order == KEYSIEVE_ORDER_ANY;
  return served ? NULL : "expected raw int32 positions of float32 scores on the CPU in any order";
}

static keysieve_status create(const keysieve_select_problem* problem, void** state, int64_t* workspace_bytes) {
  keysieve_select_problem* copy = malloc(sizeof *copy);
  if (!copy) return KEYSIEVE_OUT_OF_MEMORY;
  *copy = *problem;
  *state = copy;
  *workspace_bytes = 0;
  return KEYSIEVE_OK;
}

static keysieve_status create_bad_workspace(const keysieve_select_problem* problem, void** state,
                                            int64_t* workspace_bytes) {
  const keysieve_status status = create(problem, state, workspace_bytes);
  *workspace_bytes = -8;
  return status;
}

static void destroy(void* state) { free(state); }

/* How many of the row's live columns come before `column`: higher scores, and of equal ones the smaller or the larger
 * columns. Quadratic; the rows of tests are short. */
static int64_t rank_of(const float* scores, int64_t live, int64_t column, int larger_first) {
  int64_t rank = 0;
  for (int64_t other = 0; other < live; ++other) {
    const int first = larger_first ? other > column : other < column;
    rank += scores[other] > scores[column] || (scores[other] == scores[column] && first);
  }
  return rank;
}

static int64_t live_columns(const keysieve_select_problem* problem, const keysieve_select_args* args, int64_t row) {
  const int64_t length = args->lengths ? args->lengths[row * args->length_request_stride] : problem->width;
  return length < 0 ? 0 : length < problem->width ? length : problem->width;
}

static keysieve_status select_rows(const keysieve_select_problem* problem, const keysieve_select_args* args,
                                   int larger_first, int drop_ties) {
  for (int64_t row = 0; row < problem->rows; ++row) {
    const float* scores = (const float*)args->scores + row * args->score_row_stride;
    int32_t* indices = (int32_t*)args->indices + row * args->indices_row_stride;
    const int64_t live = live_columns(problem, args, row);
    for (int64_t slot = 0; slot < problem->k; ++slot) indices[slot] = -1;
    float kth = -INFINITY;
    for (int64_t column = 0; column < live; ++column) {
      const int64_t rank = rank_of(scores, live, column, larger_first);
      if (rank >= problem->k) continue;
      indices[rank] = (int32_t)column;
      if (rank == problem->k - 1) kth = scores[column];
    }
    if (!drop_ties || live <= problem->k) continue;
    int kept = 0;
    for (int64_t slot = 0; slot < problem->k; ++slot) {
      if (scores[indices[slot]] != kth) continue;
      if (kept) indices[slot] = -1;
      kept = 1;
    }
  }
  return KEYSIEVE_OK;
}

static keysieve_status run_larger_index(void* state, const keysieve_select_args* args, void* stream) {
  (void)stream;
  return select_rows(state, args, 1, 0);
}

static keysieve_status run_drops_ties(void* state, const keysieve_select_args* args, void* stream) {
  (void)stream;
  return select_rows(state, args, 0, 1);
}

static keysieve_status run_fails(void* state, const keysieve_select_args* args, void* stream) {
  (void)state, (void)args, (void)stream;
  return KEYSIEVE_DEVICE_ERROR;
}

static const char* last_error(void) { return "failed on purpose"; }

#define PROMISES (KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST | KEYSIEVE_PEER_REPRODUCIBLE)
#define TABLE(name, create_function, run_function)                                                               \
  {                                                                                                              \
    sizeof(keysieve_peer), KEYSIEVE_PEER_ABI_VERSION, name, "1", PROMISES, 0, unmet_conditions, create_function, \
        run_function, destroy, last_error                                                                        \
  }

static const keysieve_peer tables[] = {
    TABLE("larger_index", create, run_larger_index),
    TABLE("drops_ties", create, run_drops_ties),
    TABLE("fails_to_run", create, run_fails),
    TABLE("bad_workspace", create_bad_workspace, run_larger_index),
};

const keysieve_peer* keysieve_peer_at(int32_t index) {
  return index >= 0 && index < (int32_t)(sizeof tables / sizeof *tables) ? &tables[index] : NULL;
}
