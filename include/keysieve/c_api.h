/* keysieve C ABI: exact top-k selection over ragged rows of indexer scores.
 *
 * Valid C11 and C++20. No header but <stddef.h> and <stdint.h>, no CUDA.
 *
 * Conventions
 *  - Every entry returns a keysieve_status (0 is success) and never throws, aborts or prints. The text of
 *    the last failure in the calling thread is at keysieve_last_error(); it names the argument, what was
 *    expected and what was given. A failed call has written nothing.
 *  - Structs begin with struct_size. Set it with the *_init functions, which also fill in the defaults.
 *    Structs grow at the end only; a caller built against an older header passes its smaller struct_size
 *    and the missing tail takes its default.
 *  - Strides are counted in elements, sizes named *_bytes in bytes. All of them are 64-bit.
 *  - KEYSIEVE_AUTO is a value of its own in every tuning or layout field that says so; any other number is
 *    taken literally, 0 included.
 */
#ifndef KEYSIEVE_C_API_H_
#define KEYSIEVE_C_API_H_

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define KEYSIEVE_API
#else
#define KEYSIEVE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a struct or a meaning changes incompatibly; grows of a struct at its end do not raise it. */
#define KEYSIEVE_ABI_VERSION 2

#define KEYSIEVE_AUTO (-1)

/* Largest row count and width: positions must fit a signed 32-bit integer. */
#define KEYSIEVE_MAX_WIDTH INT32_MAX

typedef int32_t keysieve_status;
enum {
  KEYSIEVE_OK = 0,
  KEYSIEVE_INVALID_ARGUMENT = 1, /* a value, shape, pointer or overlap that no backend accepts */
  KEYSIEVE_UNSUPPORTED = 2,      /* a legal request that the chosen backend, route or build cannot serve */
  KEYSIEVE_OUT_OF_MEMORY = 3,
  KEYSIEVE_DEVICE_ERROR = 4, /* the driver or the device reported a failure */
  KEYSIEVE_INTERNAL = 5      /* a defect of keysieve */
};

/* Where the tensors of a call live. */
enum { KEYSIEVE_DEVICE_CPU = 0, KEYSIEVE_DEVICE_CUDA = 1 };

/* Who computes. AUTO: the fastest one that can serve the request on that device. */
enum {
  KEYSIEVE_BACKEND_AUTO = 0,
  KEYSIEVE_BACKEND_REFERENCE = 1, /* the oracle: obvious and slow */
  KEYSIEVE_BACKEND_CPU = 2,
  KEYSIEVE_BACKEND_CUDA = 3
};

enum {
  KEYSIEVE_ROUTE_AUTO = 0,
  KEYSIEVE_ROUTE_REFERENCE = 1,  /* full sort of every row */
  KEYSIEVE_ROUTE_CPU_ROWS = 2,   /* CPU: threads over rows */
  KEYSIEVE_ROUTE_CPU_CHUNKS = 3, /* CPU: threads over chunks of a row, then one merge a row */
  KEYSIEVE_ROUTE_TILE = 4,       /* CUDA: the row stays on chip, one CTA */
  KEYSIEVE_ROUTE_SIEVE = 5,      /* CUDA: one CTA streams a long row against a cutoff */
  KEYSIEVE_ROUTE_SPLIT = 6,      /* CUDA: a cluster of CTAs shares a row */
  KEYSIEVE_ROUTE_WIDE = 7,       /* CUDA: the whole device works on few very long rows */
  KEYSIEVE_ROUTE_TRIVIAL = 8     /* CUDA: no row is longer than k, so every column is chosen */
};

enum { KEYSIEVE_FLOAT32 = 0, KEYSIEVE_BFLOAT16 = 1, KEYSIEVE_FLOAT16 = 2 }; /* score_type */
enum { KEYSIEVE_INT32 = 0, KEYSIEVE_INT64 = 1 };                            /* index_type */

/* What a slot holds. i is the position inside the row's window. */
enum {
  KEYSIEVE_MODE_RAW = 0,    /* i */
  KEYSIEVE_MODE_OFFSET = 1, /* i + out_offsets[row] */
  KEYSIEVE_MODE_PAGED = 2,  /* page_table[line(row)][i / page_size] * page_size + i % page_size */
  KEYSIEVE_MODE_DUAL = 3    /* indices: as PAGED; raw_indices: as RAW, the same selection in the same slots */
};

enum {
  KEYSIEVE_ORDER_INDEX = 0, /* ascending position: reproducible to the slot */
  KEYSIEVE_ORDER_SCORE = 1, /* descending score, ascending position inside equal scores */
  KEYSIEVE_ORDER_ANY = 2    /* unspecified; the set is the same */
};

enum { KEYSIEVE_TIES_SMALLEST = 0, KEYSIEVE_TIES_LARGEST = 1, KEYSIEVE_TIES_ANY = 2 };
enum { KEYSIEVE_NAN_LOWEST = 0, KEYSIEVE_NAN_HIGHEST = 1 };

/* Bits OR-ed into the caller's error word. None of them changes the status of the call. */
#define KEYSIEVE_ERROR_BAD_PAGE 0x1u       /* page id negative, >= num_pages, or past the table's columns or lines */
#define KEYSIEVE_ERROR_LENGTH_CLAMPED 0x2u /* a length was negative or reached past the width */
#define KEYSIEVE_ERROR_START_OUTSIDE 0x4u  /* a row start outside [0, width]; the row is empty */
#define KEYSIEVE_ERROR_INDEX_OVERFLOW 0x8u /* a result did not fit int32; its slot is -1 */
#define KEYSIEVE_ERROR_NAN_SEEN 0x10u      /* check_nan only: a live score is NaN */

/* What a plan depends on. No pointers: one plan serves every call of these shapes and options. */
typedef struct keysieve_select_problem {
  uint32_t struct_size;
  int32_t device_type;
  int32_t device_ordinal;
  int32_t backend;
  int32_t route;
  int32_t threads; /* CPU: worker threads >= 1; CUDA: threads of a CTA, a multiple of 32; or KEYSIEVE_AUTO */
  int64_t rows;    /* 0..2^31-1; 0 is an ordinary, empty call */
  int64_t width;   /* capacity of a row in columns, 0..2^31-1 */
  int64_t k;       /* slots per row, >= 1; may exceed the width. CUDA: <= 8192 */
  int32_t score_type;
  int32_t index_type;
  int32_t mode;
  int32_t order;
  int32_t ties;
  int32_t nan_policy;
  int32_t mask_neg_inf; /* 1: -inf and NaN scores count as absent */
  int32_t check_nan;    /* 1: set KEYSIEVE_ERROR_NAN_SEEN; reads every live score */
  int32_t split;        /* CUDA, routes TILE, SPLIT and WIDE: CTAs that share a row, >= 1, or KEYSIEVE_AUTO */
  int32_t reserved;     /* 0 */
} keysieve_select_problem;

/* The tensors of one call. Element stride inside a row is 1 everywhere. */
typedef struct keysieve_select_args {
  uint32_t struct_size;
  int32_t next_n;                /* rows per request, >= 1: rows = requests * next_n. 1: lengths are 1-D */
  const void* scores;            /* [rows, width] of score_type; never written */
  int64_t score_row_stride;      /* >= width; KEYSIEVE_AUTO: width */
  const int32_t* lengths;        /* [rows / next_n, next_n], signed; NULL: up to the end of the buffer */
  int64_t length_request_stride; /* KEYSIEVE_AUTO: next_n */
  int64_t length_row_stride;     /* KEYSIEVE_AUTO: 1 */
  const int32_t* row_starts;     /* [rows] first column of each window; NULL: 0 */
  const int32_t* row_ends;       /* [rows] instead of lengths: length = end - start */
  const int32_t* out_offsets;    /* [rows]; mode OFFSET */
  const int32_t* page_table;     /* [page_table_rows, page_table_columns]; modes PAGED and DUAL */
  int64_t page_table_rows;       /* rows, or rows / next_n (a line per request), or any with row_to_table */
  int64_t page_table_columns;
  int64_t page_table_row_stride;  /* KEYSIEVE_AUTO: page_table_columns */
  int64_t page_size;              /* slots per page, >= 1 */
  int64_t num_pages;              /* KEYSIEVE_AUTO: unknown, ids are checked for sign only */
  const int32_t* row_to_table;    /* [rows] table line of a row; -1: the row is empty */
  void* indices;                  /* [rows, k] of index_type */
  int64_t indices_row_stride;     /* KEYSIEVE_AUTO: k */
  void* raw_indices;              /* [rows, k] of index_type; mode DUAL only */
  int64_t raw_indices_row_stride; /* KEYSIEVE_AUTO: k */
  void* values;                   /* optional [rows, k] of score_type, bit copies; -inf in slots past m */
  int64_t values_row_stride;      /* KEYSIEVE_AUTO: k */
  int32_t* counts;                /* optional [rows]: m, the number of selected columns */
  uint32_t* error_word;           /* optional, OR-ed */
  void* workspace;                /* plan.workspace_bytes, any alignment, any contents; may be NULL if 0 */
  int64_t workspace_bytes;
  const void* hint;         /* optional [rows] of score_type: a guess of the k-th score, such as the previous
                               step's. Speed only: any value, NaN included, gives the same result. CUDA uses it
                               in place of the sample, the CPU ignores it. */
  int32_t* row_counters;    /* optional [rows, 2], written: second reads of the row, compactions of its candidate
                               buffers. CUDA only; the CPU writes zeros. */
  int32_t dependent_launch; /* 1: CUDA launches with programmatic stream serialization. Nothing in global memory is
                               touched before the kernel in front has completed; dependents are not released early. */
  int32_t reserved;         /* 0 */
} keysieve_select_args;

/* A decision: plain data, comparable field by field. */
typedef struct keysieve_select_plan {
  uint32_t struct_size;
  int32_t backend;        /* never AUTO */
  int32_t route;          /* never AUTO */
  int32_t reason;         /* why this route; text by keysieve_select_plan_describe */
  int32_t threads;        /* CPU: threads used; CUDA: threads of a CTA */
  int32_t chunks_per_row; /* pieces that share a row; 1 where a row has one owner */
  int32_t runnable;       /* 0: made for a device profile, cannot run here */
  int32_t reserved;
  int64_t workspace_bytes; /* exact need of a run; monotone in rows, width and k */
  keysieve_select_problem problem;
  int32_t shared_bytes;       /* CUDA: dynamic shared memory of a CTA */
  int32_t candidate_capacity; /* CUDA: candidates that a CTA's buffer holds */
  int32_t sample_vectors;     /* CUDA: sampled places, of 1 to 4 vectors, that give the first cutoff; 0: none */
  int32_t device_ordinal;     /* CUDA: the device it was made for */
} keysieve_select_plan;

/* Index transform alone: turns selected positions (any order, -1 allowed) into slots. */
typedef struct keysieve_transform_args {
  uint32_t struct_size;
  int32_t mode;       /* OFFSET or PAGED */
  int32_t index_type; /* of positions and of out */
  int32_t next_n;
  int64_t rows;
  int64_t k;
  const void* positions;        /* [rows, k] */
  int64_t positions_row_stride; /* KEYSIEVE_AUTO: k */
  const int32_t* out_offsets;
  const int32_t* page_table;
  int64_t page_table_rows;
  int64_t page_table_columns;
  int64_t page_table_row_stride;
  int64_t page_size;
  int64_t num_pages;
  const int32_t* row_to_table; /* -1: every slot of the row is -1 */
  void* out;                   /* [rows, k]; may be positions itself (in place) with the same stride */
  int64_t out_row_stride;
  uint32_t* error_word;
} keysieve_transform_args;

KEYSIEVE_API int32_t keysieve_abi_version(void);
KEYSIEVE_API const char* keysieve_version(void);    /* "0.1.0" */
KEYSIEVE_API const char* keysieve_build_info(void); /* one line: version, revision, compiler, CUDA */
KEYSIEVE_API const char* keysieve_last_error(void); /* never NULL; "" before the first failure */
KEYSIEVE_API const char* keysieve_status_name(keysieve_status status);

KEYSIEVE_API void keysieve_select_problem_init(keysieve_select_problem* problem);
KEYSIEVE_API void keysieve_select_args_init(keysieve_select_args* args);
KEYSIEVE_API void keysieve_transform_args_init(keysieve_transform_args* args);

/* Loads code and reads the traits of a device. Explicit, idempotent, thread-safe; other calls do it on
 * first use. */
KEYSIEVE_API keysieve_status keysieve_prepare(int32_t device_type, int32_t device_ordinal);

/* Pure host work: the same answer for the same problem. INVALID_ARGUMENT or UNSUPPORTED with every unmet
 * condition in keysieve_last_error(). */
KEYSIEVE_API keysieve_status keysieve_select_make_plan(const keysieve_select_problem* problem,
                                                       keysieve_select_plan* plan);

/* As make_plan, for a device known by name ("h200", "a100") instead of this machine's. The plan says
 * which route that device would take and is not runnable here. */
KEYSIEVE_API keysieve_status keysieve_select_make_plan_for_profile(const keysieve_select_problem* problem,
                                                                   const char* profile, keysieve_select_plan* plan);

/* Text results are written NUL-terminated into buffer[size]; *needed (optional) receives the size that
 * holds all of it, terminator included. A buffer that is too small gets what fits and is not an error. */

/* The unmet conditions of a problem, one a line; empty text when it can run. Returns OK either way. */
KEYSIEVE_API keysieve_status keysieve_select_supports(const keysieve_select_problem* problem, char* buffer, size_t size,
                                                      size_t* needed);
KEYSIEVE_API keysieve_status keysieve_select_plan_describe(const keysieve_select_plan* plan, char* buffer, size_t size,
                                                           size_t* needed);
KEYSIEVE_API keysieve_status keysieve_select_plan_to_json(const keysieve_select_plan* plan, char* buffer, size_t size,
                                                          size_t* needed);

/* What the indexers of known models select (docs/models.md): a JSON array, an object for each part of a model. */
KEYSIEVE_API keysieve_status keysieve_model_presets_json(char* buffer, size_t size, size_t* needed);

/* The selection that part 0, 1, ... of a model makes in a decode step of `batch` requests with `context` tokens each
 * and next_n rows a request: sets rows, width, k and score_type of an initialised problem and leaves the rest. `part`
 * counts the model's objects in the array above. INVALID_ARGUMENT with every unmet condition; the problem is as before
 * then. */
KEYSIEVE_API keysieve_status keysieve_model_problem(const char* model, int32_t part, int64_t context, int64_t batch,
                                                    int32_t next_n, keysieve_select_problem* problem);

/* CPU features and targets, GPUs, driver, toolkit, libraries as loaded: JSON for `keysieve doctor`. */
KEYSIEVE_API keysieve_status keysieve_system_json(char* buffer, size_t size, size_t* needed);

/* Selects. On the CPU the call returns when the outputs are written; `stream` is ignored. On CUDA it only
 * enqueues on `stream` (a cudaStream_t). No allocation by keysieve, no state kept. */
KEYSIEVE_API keysieve_status keysieve_select_run(const keysieve_select_plan* plan, const keysieve_select_args* args,
                                                 void* stream);

/* Host tensors only in this version. */
KEYSIEVE_API keysieve_status keysieve_transform_run(const keysieve_transform_args* args, void* stream);

/* Row lengths of a decode step, host memory: for request b and draft token t,
 *   out[b * next_n + t] = max(0, request_lengths[b] - next_n + t + 1) / compress_ratio   (rounded down).
 * request_lengths counts uncompressed tokens, this step's next_n included. */
KEYSIEVE_API keysieve_status keysieve_row_lengths(const int32_t* request_lengths, int64_t requests, int32_t next_n,
                                                  int32_t compress_ratio, int32_t* out);

/* Shadow mode: a sampled share of live calls is copied and checked against the reference by a thread of the shadow's
 * own. docs/tools/shadow.md says what it costs and what it cannot see. */
typedef struct keysieve_shadow keysieve_shadow;

/* Which output was wrong. */
enum {
  KEYSIEVE_SHADOW_NONE = 0,
  KEYSIEVE_SHADOW_INDICES = 1,
  KEYSIEVE_SHADOW_RAW_INDICES = 2,
  KEYSIEVE_SHADOW_VALUES = 3, /* expected and got are bits */
  KEYSIEVE_SHADOW_COUNTS = 4
};

typedef struct keysieve_shadow_report {
  uint32_t struct_size;
  int32_t first_wrong_output; /* KEYSIEVE_SHADOW_*; NONE: nothing wrong so far */
  int64_t calls_seen;
  int64_t calls_sampled;           /* drawn; the sum of the next five and of the calls in flight */
  int64_t calls_checked;           /* rows of them were compared */
  int64_t calls_skipped_busy;      /* all slots were in flight */
  int64_t calls_skipped_capturing; /* the stream was being captured */
  int64_t calls_too_large;         /* not even one row fits slot_bytes */
  int64_t calls_failed;            /* copying or checking failed; keysieve_shadow_report_json has the first reason */
  int64_t rows_checked;
  int64_t rows_wrong;
  int64_t first_wrong_call; /* number of the call, from 0 in the order of observe; -1: none */
  int64_t first_wrong_row;
  int64_t first_wrong_slot; /* -1 for COUNTS */
  int64_t first_wrong_expected;
  int64_t first_wrong_got;
} keysieve_shadow_report;

/* Runs once, in the shadow's thread, at the first wrong row; `text` says it in a sentence. It may read the report, and
 * must neither wait for the shadow nor destroy it. */
typedef void (*keysieve_shadow_callback)(void* user, const keysieve_shadow_report* report, const char* text);

typedef struct keysieve_shadow_options {
  uint32_t struct_size;
  int32_t device_type; /* where the tensors of the observed calls live */
  int32_t device_ordinal;
  int32_t reserved;                  /* 0 */
  double share;                      /* 0..1 of the calls; default 0.01 */
  int64_t max_rows_per_call;         /* rows checked of a sampled call, 1..1024; default 2 */
  int64_t slots;                     /* sampled calls in flight at once, 1..1024; default 4 */
  int64_t slot_bytes;                /* memory of a slot, pinned for CUDA: 64..2^40; default 4 MiB */
  uint64_t seed;                     /* of the draws: the same calls and rows for the same seed */
  keysieve_shadow_callback on_wrong; /* optional */
  void* user;
} keysieve_shadow_options;

KEYSIEVE_API void keysieve_shadow_options_init(keysieve_shadow_options* options);
KEYSIEVE_API void keysieve_shadow_report_init(keysieve_shadow_report* report);

/* All memory, the thread and, on CUDA, the events are made here. */
KEYSIEVE_API keysieve_status keysieve_shadow_create(const keysieve_shadow_options* options, keysieve_shadow** shadow);

/* To be called right after a call on the same stream, keysieve_select_run or another implementation's: only the
 * problem of the plan, the inputs and the outputs are looked at. What is compared is what stream order shows to the
 * next operation on `stream`: writes enqueued later do not matter. Neither waits nor allocates; on the CPU it copies
 * before it returns. A call that is not drawn, or is skipped, is OK too; arguments are checked in calls that are drawn.
 * Thread-safe. */
KEYSIEVE_API keysieve_status keysieve_shadow_observe(keysieve_shadow* shadow, const keysieve_select_plan* plan,
                                                     const keysieve_select_args* args, void* stream);

/* Waits until every call that was observed before is checked. timeout_ms < 0: without limit; 0: only asks.
 * *drained (optional): 1, or 0 where the time ran out, which is OK too. */
KEYSIEVE_API keysieve_status keysieve_shadow_wait(keysieve_shadow* shadow, int64_t timeout_ms, int32_t* drained);

KEYSIEVE_API keysieve_status keysieve_shadow_read_report(keysieve_shadow* shadow, keysieve_shadow_report* report);
/* The report and the options: JSON of schema keysieve.shadow/1. */
KEYSIEVE_API keysieve_status keysieve_shadow_report_json(keysieve_shadow* shadow, char* buffer, size_t size,
                                                         size_t* needed);

/* Waits for copies that are on their way, leaves out checks that have not begun. No other call may use the shadow any
 * more. NULL is nothing to do. In a forked child every entry refuses the parent's shadow and this one does nothing. */
KEYSIEVE_API keysieve_status keysieve_shadow_destroy(keysieve_shadow* shadow);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KEYSIEVE_C_API_H_ */
