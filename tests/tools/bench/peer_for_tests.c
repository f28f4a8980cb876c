/* Peers for the tests of `keysieve bench --peers`: one that is right, one that is not, one that serves nothing, and one
 * that fails. FP32 scores on the CPU, raw positions. */
#include <keysieve/peer.h>
#include <stdlib.h>

static const char* any_problem(const keysieve_select_problem* problem) {
  return problem->score_type == KEYSIEVE_FLOAT32 && problem->mode == KEYSIEVE_MODE_RAW ? NULL : "FP32 and raw only";
}

static const char* no_problem(const keysieve_select_problem* problem) {
  (void)problem;
  return "serves nothing";
}

static keysieve_status create(const keysieve_select_problem* problem, void** state, int64_t* workspace_bytes) {
  keysieve_select_problem* copy = malloc(sizeof *copy);
  if (copy == NULL) return KEYSIEVE_OUT_OF_MEMORY;
  *copy = *problem;
  *state = copy;
  *workspace_bytes = 64;
  return KEYSIEVE_OK;
}

/* k times the largest score that is left: of equal ones the last, which only a promise of ties would forbid. */
static keysieve_status run_right(void* state, const keysieve_select_args* args, void* stream) {
  const keysieve_select_problem* problem = state;
  (void)stream;
  for (int64_t row = 0; row < problem->rows; ++row) {
    const float* scores = (const float*)args->scores + row * args->score_row_stride;
    int32_t* slots = (int32_t*)args->indices + row * args->indices_row_stride;
    char* taken = calloc((size_t)problem->width + 1, 1);
    if (taken == NULL) return KEYSIEVE_OUT_OF_MEMORY;
    for (int64_t slot = 0; slot < problem->k; ++slot) {
      int32_t best = -1;
      for (int32_t i = 0; i < args->lengths[row]; ++i) {
        if (!taken[i] && (best < 0 || scores[i] >= scores[best])) best = i;
      }
      slots[slot] = best;
      if (best >= 0) taken[best] = 1;
    }
    free(taken);
  }
  return KEYSIEVE_OK;
}

static keysieve_status run_wrong(void* state, const keysieve_select_args* args, void* stream) {
  const keysieve_select_problem* problem = state;
  (void)stream;
  for (int64_t i = 0; i < problem->rows * problem->k; ++i) ((int32_t*)args->indices)[i] = (int32_t)(i % problem->k);
  return KEYSIEVE_OK;
}

static keysieve_status run_failing(void* state, const keysieve_select_args* args, void* stream) {
  (void)state;
  (void)args;
  (void)stream;
  return KEYSIEVE_INTERNAL;
}

static const char* last_error(void) { return "a peer's own words"; }

#define PEER(name, promises, unmet, run) \
  { sizeof(keysieve_peer), KEYSIEVE_PEER_ABI_VERSION, name, "1", promises, 0, unmet, create, run, free, last_error }

static const keysieve_peer peers[] = {
    PEER("right", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_REPRODUCIBLE, any_problem, run_right),
#if defined(WITH_FAULTS)
    PEER("wrong", KEYSIEVE_PEER_EXACT, any_problem, run_wrong),
    PEER("failing", KEYSIEVE_PEER_EXACT, any_problem, run_failing),
#endif
    PEER("picky", KEYSIEVE_PEER_EXACT, no_problem, run_wrong),
};

const keysieve_peer* keysieve_peer_at(int32_t index) {
  (void)run_failing;
  return index >= 0 && index < (int32_t)(sizeof peers / sizeof peers[0]) ? &peers[index] : NULL;
}
