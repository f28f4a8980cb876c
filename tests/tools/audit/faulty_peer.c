/* A peer that sorts, and twins of it that are wrong, each in its own way: what `keysieve audit --peer` must find. */
#include <keysieve/peer.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct state {
  keysieve_select_problem problem;
  int32_t fault;
  int32_t calls;
} state;

enum { EXACT, DROPS_LAST, TIES_LARGER, SWAPS_ROWS, PAST_K, WIDE_ONLY, CHANGES, FAILS, HANGS, REFUSES_PADDING };

typedef struct column {
  float score;
  int32_t index;
} column;

static float widen(int32_t type, const void* scores, int64_t at) {
  uint32_t bits;
  float value;
  if (type == KEYSIEVE_FLOAT32) return ((const float*)scores)[at];
  bits = (uint32_t)((const uint16_t*)scores)[at] << 16;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* NaN below everything, then the score, then the smaller column. */
static int before(const void* a, const void* b) {
  const column *x = a, *y = b;
  const int x_nan = x->score != x->score, y_nan = y->score != y->score;
  if (x_nan != y_nan) return x_nan - y_nan;
  if (!x_nan && x->score != y->score) return x->score > y->score ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static const char* unmet(const keysieve_select_problem* problem) {
  if (problem->device_type != KEYSIEVE_DEVICE_CPU) return "it runs on the CPU";
  if (problem->score_type == KEYSIEVE_FLOAT16) return "it does not know FP16";
  if (problem->mode != KEYSIEVE_MODE_RAW || problem->index_type != KEYSIEVE_INT32) return "it writes raw int32 columns";
  return NULL;
}

static keysieve_status create(int32_t fault, const keysieve_select_problem* problem, void** out, int64_t* bytes) {
  state* made = malloc(sizeof *made);
  if (made == NULL) return KEYSIEVE_OUT_OF_MEMORY;
  made->problem = *problem;
  made->fault = fault;
  made->calls = 0;
  *out = made;
  *bytes = problem->width * (int64_t)sizeof(column);
  return KEYSIEVE_OK;
}

static void write_row(const state* call, const keysieve_select_args* args, int64_t row, int64_t n, int32_t* out) {
  const keysieve_select_problem* problem = &call->problem;
  const int64_t m = n < problem->k ? n : problem->k;
  column* columns = args->workspace;
  int64_t i;
  for (i = 0; i < n; ++i) {
    const int32_t place = (int32_t)(call->fault == TIES_LARGER ? n - 1 - i : i);
    columns[i].score = widen(problem->score_type, args->scores, row * args->score_row_stride + place);
    columns[i].index = (int32_t)i;
  }
  qsort(columns, (size_t)n, sizeof *columns, before);
  for (i = 0; i < problem->k; ++i) {
    const int32_t index = i < m ? columns[i].index : -1;
    out[i] = i < m && call->fault == TIES_LARGER ? (int32_t)(n - 1 - index) : index;
  }
  if (call->fault == DROPS_LAST && n > m) out[m - 1] = -1;
  if (call->fault == WIDE_ONLY && problem->width > 4096 && m > 0) out[0] = -1;
  if (call->fault == CHANGES && call->calls % 2 == 0 && m > 1) {
    const int32_t first = out[0];
    out[0] = out[1];
    out[1] = first;
  }
  if (call->fault == PAST_K && args->indices_row_stride > problem->k && row + 1 < problem->rows) out[problem->k] = 7;
}

static keysieve_status run(void* state_pointer, const keysieve_select_args* args, void* stream) {
  static int32_t calls_of_all = 0; /* the tests call from one thread */
  state* call = state_pointer;
  const keysieve_select_problem* problem = &call->problem;
  int64_t row;
  (void)stream;
  call->calls = ++calls_of_all;
  if (call->fault == HANGS && problem->rows > 0) {
    for (;;) pause();
  }
  if (call->fault == FAILS) return KEYSIEVE_INTERNAL;
  if (call->fault == REFUSES_PADDING && args->score_row_stride != problem->width) return KEYSIEVE_UNSUPPORTED;
  for (row = 0; row < problem->rows; ++row) {
    int64_t to = row;
    const int64_t n = args->lengths == NULL ? problem->width : args->lengths[row];
    if (call->fault == SWAPS_ROWS && row < 2 && problem->rows > 1) to = 1 - row;
    write_row(call, args, row, n, (int32_t*)args->indices + to * args->indices_row_stride);
  }
  return KEYSIEVE_OK;
}

static void destroy(void* state_pointer) { free(state_pointer); }
static const char* last_error(void) { return "it fails on purpose"; }

static keysieve_status create_exact(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(EXACT, p, s, b);
}
static keysieve_status create_drops_last(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(DROPS_LAST, p, s, b);
}
static keysieve_status create_ties_larger(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(TIES_LARGER, p, s, b);
}
static keysieve_status create_swaps_rows(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(SWAPS_ROWS, p, s, b);
}
static keysieve_status create_past_k(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(PAST_K, p, s, b);
}
static keysieve_status create_wide_only(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(WIDE_ONLY, p, s, b);
}
static keysieve_status create_changes(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(CHANGES, p, s, b);
}
static keysieve_status create_fails(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(FAILS, p, s, b);
}
static keysieve_status create_hangs(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(HANGS, p, s, b);
}
static keysieve_status create_refuses_padding(const keysieve_select_problem* p, void** s, int64_t* b) {
  return create(REFUSES_PADDING, p, s, b);
}

#define ALL (KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_TIES_SMALLEST | KEYSIEVE_PEER_NAN_LOWEST)
#define PEER(name, promises, create)                                                                          \
  {                                                                                                           \
    sizeof(keysieve_peer), KEYSIEVE_PEER_ABI_VERSION, name, "test", promises, 0, unmet, create, run, destroy, \
        last_error                                                                                            \
  }

static const keysieve_peer peers[] = {
    PEER("exact", ALL | KEYSIEVE_PEER_REPRODUCIBLE, create_exact),
    PEER("drops_last", ALL, create_drops_last),
    PEER("ties_larger", ALL, create_ties_larger),
    /* The same code is right where it does not promise which of the equal scores it takes. */
    PEER("free_ties", KEYSIEVE_PEER_EXACT | KEYSIEVE_PEER_NAN_LOWEST, create_ties_larger),
    PEER("swaps_rows", ALL, create_swaps_rows),
    PEER("past_k", ALL, create_past_k),
    PEER("wide_only", ALL, create_wide_only),
    PEER("changes", ALL | KEYSIEVE_PEER_REPRODUCIBLE, create_changes),
    PEER("fails", ALL, create_fails),
    PEER("hangs", ALL, create_hangs),
    /* Right where it answers: what it refuses shows only in the tensors of a call. */
    PEER("refuses_padding", ALL, create_refuses_padding),
    /* Promises nothing, so that only the shape of its answer is judged. */
    PEER("approximate", 0, create_ties_larger),
    PEER("not_even_approximate", 0, create_drops_last),
};

const keysieve_peer* keysieve_peer_at(int32_t index) {
  return index >= 0 && (size_t)index < sizeof peers / sizeof peers[0] ? &peers[index] : NULL;
}
