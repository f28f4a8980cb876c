/* keysieve C ABI: what the source layer of a two-level model publishes. One call over the dense scores gives each row's
 * top-k, as keysieve_select_run does, and the blocks of eight columns that later layers may look at:
 *
 *   a block's key is its largest score (a NaN counts as none; -inf where there is no other); the newest block, the one
 *   that holds the row's last column, is above all. The `blocks` best are kept, smaller ids first among equal keys; a
 *   block whose key is -inf is not kept, unless keep_neg_inf. A row of at most `blocks` blocks keeps them all.
 *
 * On CUDA the scores are read once for both. Conventions as in c_api.h: plan is pure host work, run only enqueues.
 */
#ifndef KEYSIEVE_PUBLISH_H_
#define KEYSIEVE_PUBLISH_H_

#include "keysieve/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KEYSIEVE_PUBLISH_BLOCK 8    /* columns of a block */
#define KEYSIEVE_NO_BLOCK INT32_MAX /* fills block tables behind the last block */

typedef struct keysieve_publish_problem {
  uint32_t struct_size;
  int32_t keep_neg_inf;           /* 1: blocks whose key is -inf are kept like others */
  int64_t blocks;                 /* blocks kept per row, 1..8192 */
  int32_t physical;               /* 1: physical_blocks too, through the page table of the call */
  int32_t reserved;               /* 0 */
  keysieve_select_problem select; /* route AUTO, or on CUDA SIEVE or SPLIT where a row may have more than `blocks` */
} keysieve_publish_problem;

typedef struct keysieve_publish_plan {
  uint32_t struct_size;
  int32_t reads_twice; /* CPU and reference: the scores are read once more for the blocks */
  int64_t workspace_bytes;
  int64_t key_row_stride; /* block keys of a row in the workspace */
  keysieve_publish_problem problem;
  keysieve_select_plan select;       /* over the scores */
  keysieve_select_plan block_select; /* over the keys of the blocks; k = blocks - 1, as the newest is not chosen */
} keysieve_publish_plan;

typedef struct keysieve_publish_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  /* As for keysieve_select_run; row_starts and row_ends are not taken, workspace is not looked at. The page table is
   * needed with problem.physical too, whatever the mode; its page_size is then a power of two >= 8. */
  keysieve_select_args select;
  int32_t* blocks;           /* [rows, problem.blocks] kept ids, ascending, then KEYSIEVE_NO_BLOCK */
  int64_t blocks_row_stride; /* KEYSIEVE_AUTO: problem.blocks */
  int32_t* physical_blocks;  /* [rows, problem.blocks] page * (page_size / 8) + id % (page_size / 8) of the same
                                slots; -1 where the page is bad (and its bit is set) */
  int64_t physical_blocks_row_stride;
  int32_t* block_counts;  /* optional [rows]: kept blocks */
  int32_t* valid_lengths; /* optional [rows]: columns in them: 8 * (count - 1) + those of the last */
  void* workspace;        /* plan.workspace_bytes, any alignment, any contents */
  int64_t workspace_bytes;
} keysieve_publish_args;

KEYSIEVE_API void keysieve_publish_problem_init(keysieve_publish_problem* problem);
KEYSIEVE_API void keysieve_publish_plan_init(keysieve_publish_plan* plan);
KEYSIEVE_API void keysieve_publish_args_init(keysieve_publish_args* args);

KEYSIEVE_API keysieve_status keysieve_publish_make_plan(const keysieve_publish_problem* problem,
                                                        keysieve_publish_plan* plan);
/* The unmet conditions of a problem, one a line; empty text when it can run. */
KEYSIEVE_API keysieve_status keysieve_publish_can_use(const keysieve_publish_problem* problem, char* buffer,
                                                      size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_publish_run(const keysieve_publish_plan* plan, const keysieve_publish_args* args,
                                                  void* stream);

/* Block top-k: the second half of publishing, for keys that the caller has (keysieve_block_max makes them): which
 * blocks are kept, in ascending order, with what publish gives beside them. The newest block's key is not read: it is
 * kept whatever the others are, +inf included. A NaN key counts as -inf. */
typedef struct keysieve_block_topk_problem {
  uint32_t struct_size;
  int32_t keep_neg_inf;
  int64_t blocks;   /* kept per row, 1..8192 */
  int32_t physical; /* 1: physical_blocks too */
  int32_t device_type;
  int32_t device_ordinal;
  int32_t backend;
  int64_t rows;
  int64_t key_columns; /* capacity of a row of keys, up to 2^28 - 1: longer rows are clamped to 8 columns a key */
} keysieve_block_topk_problem;

typedef struct keysieve_block_topk_plan {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  int64_t workspace_bytes;
  keysieve_block_topk_problem problem;
  keysieve_select_plan block_select; /* over the keys */
} keysieve_block_topk_plan;

typedef struct keysieve_block_topk_args {
  uint32_t struct_size;
  int32_t next_n;    /* rows per request: the page table has a line per row, or per request, or row_to_table says */
  const float* keys; /* [rows, key_columns] */
  int64_t keys_row_stride;
  const int32_t* lengths;    /* [rows] columns of the rows that the keys are of */
  const int32_t* page_table; /* as in keysieve_publish_args, with physical */
  int64_t page_table_rows;
  int64_t page_table_columns;
  int64_t page_table_row_stride;
  int64_t page_size;
  int64_t num_pages;
  const int32_t* row_to_table; /* optional [rows] */
  int32_t* blocks;             /* outputs as in keysieve_publish_args */
  int64_t blocks_row_stride;
  int32_t* physical_blocks;
  int64_t physical_blocks_row_stride;
  int32_t* block_counts;
  int32_t* valid_lengths;
  uint32_t* error_word;
  void* workspace;
  int64_t workspace_bytes;
  int32_t dependent_launch;
  int32_t reserved; /* 0 */
} keysieve_block_topk_args;

KEYSIEVE_API void keysieve_block_topk_problem_init(keysieve_block_topk_problem* problem);
KEYSIEVE_API void keysieve_block_topk_plan_init(keysieve_block_topk_plan* plan);
KEYSIEVE_API void keysieve_block_topk_args_init(keysieve_block_topk_args* args);
KEYSIEVE_API keysieve_status keysieve_block_topk_make_plan(const keysieve_block_topk_problem* problem,
                                                           keysieve_block_topk_plan* plan);
KEYSIEVE_API keysieve_status keysieve_block_topk_can_use(const keysieve_block_topk_problem* problem, char* buffer,
                                                         size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_block_topk_run(const keysieve_block_topk_plan* plan,
                                                     const keysieve_block_topk_args* args, void* stream);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KEYSIEVE_PUBLISH_H_ */
