/* keysieve C ABI: two-level candidates. A source layer scores every position and keeps the best blocks of positions;
 * later layers score those blocks alone. Here: the steps around that selection. Conventions as in kernels.h, and
 *
 *  - A block is block_size adjacent positions, 8 or 16. Row r has len = lengths[r] live positions (a negative length is
 * 0) in ceil(len / block_size) blocks; the last of them, the newest, may be partial.
 *  - lengths are int32 and contiguous: [rows], or [requests, next_n] of as many.
 *  - Selections, blocks and slots are int32; rows of every matrix may have gaps between them, elements of a row none.
 *  - A table of slots has a line a row, or with lengths [requests, next_n] a line a request, or with
 *    row_to_table [rows] int32 any number of lines; row_to_table[r] = -1: row r is empty, as if its length were 0.
 *      page table:   slot(i) = table[line][i / page_size] * page_size + i mod page_size
 *      token table:  slot(i) = table[line][i * ratio] / ratio
 *    An entry that is negative, not below num_pages, or past the table's columns or lines gives slot -1 in that place
 *    alone, and KEYSIEVE_ERROR_BAD_PAGE; a slot past 2^31 - 1 gives -1 and KEYSIEVE_ERROR_INDEX_OVERFLOW. Counts and
 *    positions are as if the page were good.
 *  - Error bits: KEYSIEVE_ERROR_LENGTH_CLAMPED where a length was negative or too large, and those named below.
 *  - rows: 0..2^31 - 1; 0 is an ordinary, empty call.
 */
#ifndef KEYSIEVE_CANDIDATES_H_
#define KEYSIEVE_CANDIDATES_H_

#include "keysieve/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lengths of candidate rows, when kept_blocks blocks of each are kept and the newest is among them:
 *
 *   num_blocks = ceil(len / block_size), not capped,     kept = min(num_blocks, kept_blocks)
 *   valid = block_size * (kept - 1) + (len - 1) mod block_size + 1;     len = 0: both 0
 */
typedef struct keysieve_candidate_lengths_args {
  uint32_t struct_size;
  int32_t block_size; /* 8 or 16; init: 8 */
  keysieve_call call;
  keysieve_tensor num_blocks; /* [rows] int32, contiguous */
  keysieve_tensor valid;      /* [rows] int32, contiguous */
  keysieve_tensor lengths;
  int64_t kept_blocks; /* 1..2^31 - 1 */
} keysieve_candidate_lengths_args;

KEYSIEVE_API void keysieve_candidate_lengths_args_init(keysieve_candidate_lengths_args* args);
KEYSIEVE_API keysieve_status keysieve_candidate_lengths_can_use(const keysieve_candidate_lengths_args* args,
                                                                char* buffer, size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_candidate_lengths(const keysieve_candidate_lengths_args* args, void* stream);

/* Keys of blocks: out[r, b] = the largest score of block b, +inf for the newest block.
 *
 * NaN counts as no score; a block of nothing but NaN gets -inf. A largest score of zero is +0, whatever its sign was.
 * len is clamped to the width of `scores` and to block_size times that of `out`. Nothing is written at or past
 * ceil(len / block_size), and nothing in a row of at most kept_blocks blocks where kept_blocks > 0: such a row keeps
 * every block. The scores of the newest block are not read. Rows of `scores` at multiples of 16 bytes are read fastest.
 */
typedef struct keysieve_block_max_args {
  uint32_t struct_size;
  int32_t block_size; /* 8 or 16; init: 8 */
  keysieve_call call;
  keysieve_tensor out;    /* [rows, blocks] float32 */
  keysieve_tensor scores; /* [rows, width] float32 or bfloat16 */
  keysieve_tensor lengths;
  int64_t kept_blocks; /* 0..2^31 - 1; 0: every row is written */
} keysieve_block_max_args;

KEYSIEVE_API void keysieve_block_max_args_init(keysieve_block_max_args* args);
KEYSIEVE_API keysieve_status keysieve_block_max_can_use(const keysieve_block_max_args* args, char* buffer, size_t size,
                                                        size_t* needed);
KEYSIEVE_API keysieve_status keysieve_block_max(const keysieve_block_max_args* args, void* stream);

/* The block table of each row: kept ids ascending and distinct, INT32_MAX behind the last; where they lie in the cache.
 *
 * A row of at most `kept` blocks (the columns of `selected`) keeps all: 0, 1, ..., and `selected` is not read.
 * Otherwise the ids of `selected`, in any order: -1 and INT32_MAX are skipped, duplicates collapse, any other id
 * outside [0, num_blocks) is dropped (KEYSIEVE_ERROR_BAD_ID). phys[r, j] = table[line][id / blocks_per_page] *
 * blocks_per_page + id mod blocks_per_page, blocks_per_page = page_size / block_size; INT32_MAX behind the last, -1
 * where the page is bad. counts[r] = ids of row r,  valid[r] = their positions: block_size * (count - 1) + those of the
 * last one. `blocks` may be `selected`. Without a page table there is no `phys`.
 */
typedef struct keysieve_sort_blocks_args {
  uint32_t struct_size;
  int32_t block_size; /* 8 or 16; init: 8 */
  keysieve_call call;
  keysieve_tensor blocks;   /* [rows, kept] int32, kept 1..8192 */
  keysieve_tensor phys;     /* [rows, kept] int32; where page_table is given, and only there */
  keysieve_tensor valid;    /* optional, [rows] int32, contiguous */
  keysieve_tensor counts;   /* optional, [rows] int32, contiguous */
  keysieve_tensor selected; /* [rows, kept] int32 */
  keysieve_tensor lengths;
  keysieve_tensor page_table;   /* optional, [lines, pages] int32 */
  keysieve_tensor row_to_table; /* optional */
  int64_t page_size;            /* slots: a power of two, block_size..65536 */
  int64_t num_pages;            /* init: KEYSIEVE_AUTO, unknown */
} keysieve_sort_blocks_args;

KEYSIEVE_API void keysieve_sort_blocks_args_init(keysieve_sort_blocks_args* args);
KEYSIEVE_API keysieve_status keysieve_sort_blocks_can_use(const keysieve_sort_blocks_args* args, char* buffer,
                                                          size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_sort_blocks(const keysieve_sort_blocks_args* args, void* stream);

/* Candidates of each row one by one. Column c stands for position blocks[r, c / block_size] * block_size + c mod
 * block_size:
 *
 *   positions[r, c] = that position,  slots[r, c] = its slot;  both -1 where it is not below len or there is no block
 *   counts[r] = columns that have a position
 * Entries of `blocks` that are -1 or INT32_MAX are no block; nor is another one outside [0, ceil(len / block_size))
 * (KEYSIEVE_ERROR_BAD_ID). From a table of sort_blocks the candidates ascend and are the first counts[r] columns.
 */
typedef struct keysieve_candidate_slots_args {
  uint32_t struct_size;
  int32_t block_size; /* 8 or 16; init: 8 */
  keysieve_call call;
  keysieve_tensor positions; /* [rows, kept * block_size] int64 */
  keysieve_tensor slots;     /* [rows, kept * block_size] int32 */
  keysieve_tensor counts;    /* [rows] int32, contiguous */
  keysieve_tensor blocks;    /* [rows, kept] int32 */
  keysieve_tensor lengths;
  keysieve_tensor token_table;  /* [lines, tokens] int32 */
  keysieve_tensor row_to_table; /* optional: the request of a row */
  int64_t ratio;                /* tokens a position, 1..2^31 - 1; init: 1 */
} keysieve_candidate_slots_args;

KEYSIEVE_API void keysieve_candidate_slots_args_init(keysieve_candidate_slots_args* args);
KEYSIEVE_API keysieve_status keysieve_candidate_slots_can_use(const keysieve_candidate_slots_args* args, char* buffer,
                                                              size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_candidate_slots(const keysieve_candidate_slots_args* args, void* stream);

/* Slots of selected positions, each in its place: i = selected[r, j] is valid where 0 <= i < width and scores[r, i] is
 * above -inf (+inf is, NaN is not).
 *
 *   out[r, j] = slot(i),  raw[r, j] = i;  both -1 where i is not valid
 * -1 and INT32_MAX are skipped; any other i outside [0, width) sets KEYSIEVE_ERROR_BAD_ID. `out` or `raw` may be
 * `selected`. A page table too narrow for the width is no error of the call: what lies past it is a bad page.
 */
typedef struct keysieve_filter_pages_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor out;      /* [rows, k] int32 */
  keysieve_tensor raw;      /* optional, [rows, k] int32 */
  keysieve_tensor selected; /* [rows, k] int32, any k */
  keysieve_tensor scores;   /* [rows, width] float32, bfloat16 or float16 */
  keysieve_tensor page_table;
  keysieve_tensor row_to_table; /* optional */
  int64_t page_size;            /* 1..2^31 - 1 */
  int64_t num_pages;            /* init: KEYSIEVE_AUTO, unknown */
} keysieve_filter_pages_args;

KEYSIEVE_API void keysieve_filter_pages_args_init(keysieve_filter_pages_args* args);
KEYSIEVE_API keysieve_status keysieve_filter_pages_can_use(const keysieve_filter_pages_args* args, char* buffer,
                                                           size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_filter_pages(const keysieve_filter_pages_args* args, void* stream);

/* The three that finish a selection: valid entries ascending, -1 behind the last.
 *
 *   finalize_selection, finish_paged: i = selected[r, j] is valid where 0 <= i < min(lengths[r], width) and scores[r,
 * i] is above -inf (+inf is, NaN is not). i and lengths count columns of `scores`. -1 and INT32_MAX are skipped; any
 * other i outside the range sets KEYSIEVE_ERROR_BAD_ID and is dropped; lengths past the width are clamped. Duplicates
 * stay, beside each other. k is 1..8192, a power of two or not. `out` or `raw` may be `selected`. counts[r] = valid
 * entries of row r. A bad page gives slot -1 in its place, in front of other slots.
 *
 * finalize_selection, from a token table: slot(i) and raw = i; or from the outputs of candidate_slots:
 * slot = candidate_slots[r, i] and raw = candidate_positions[r, i], which must be >= 0 for i to be valid (past 2^31 -
 * 1: raw -1, KEYSIEVE_ERROR_INDEX_OVERFLOW). Sorted by i, which is by position too, as candidates ascend.
 */
typedef struct keysieve_finalize_selection_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor out;      /* [rows, k] int32 */
  keysieve_tensor raw;      /* optional, [rows, k] int32 */
  keysieve_tensor counts;   /* optional, [rows] int32, contiguous */
  keysieve_tensor selected; /* [rows, k] int32 */
  keysieve_tensor scores;   /* [rows, width] float32, bfloat16 or float16 */
  keysieve_tensor lengths;
  keysieve_tensor token_table;         /* [lines, tokens] int32, or none and both of the candidates' */
  keysieve_tensor row_to_table;        /* optional */
  keysieve_tensor candidate_positions; /* [rows, width] int64 */
  keysieve_tensor candidate_slots;     /* [rows, width] int32 */
  int64_t ratio;                       /* tokens a position, 1..2^31 - 1; init: 1 */
} keysieve_finalize_selection_args;

KEYSIEVE_API void keysieve_finalize_selection_args_init(keysieve_finalize_selection_args* args);
KEYSIEVE_API keysieve_status keysieve_finalize_selection_can_use(const keysieve_finalize_selection_args* args,
                                                                 char* buffer, size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_finalize_selection(const keysieve_finalize_selection_args* args, void* stream);

/* finish_paged: as above, with a page table. With `blocks`, column i stands for position
 * blocks[r, i / block_size] * block_size + i mod block_size, and is valid only where that block id is in
 * [0, 2^31 / block_size): -1 and INT32_MAX are skipped, others set KEYSIEVE_ERROR_BAD_ID. raw = position, sorted by it.
 * `out` and `raw` may have more rows and columns than `selected`; all of them are written, -1, and counts 0.
 */
typedef struct keysieve_finish_paged_args {
  uint32_t struct_size;
  int32_t block_size; /* 8 or 16; init: 8 */
  keysieve_call call;
  keysieve_tensor out;      /* [>= rows, >= k] int32 */
  keysieve_tensor raw;      /* optional, the shape of out */
  keysieve_tensor counts;   /* optional, [rows of out] int32, contiguous */
  keysieve_tensor selected; /* [rows, k] int32 */
  keysieve_tensor scores;   /* [rows, width] float32, bfloat16 or float16 */
  keysieve_tensor lengths;
  keysieve_tensor blocks; /* optional, [rows, >= ceil(width / block_size)] int32 */
  keysieve_tensor page_table;
  keysieve_tensor row_to_table; /* optional */
  int64_t page_size;            /* 1..2^31 - 1 */
  int64_t num_pages;            /* init: KEYSIEVE_AUTO, unknown */
} keysieve_finish_paged_args;

KEYSIEVE_API void keysieve_finish_paged_args_init(keysieve_finish_paged_args* args);
KEYSIEVE_API keysieve_status keysieve_finish_paged_can_use(const keysieve_finish_paged_args* args, char* buffer,
                                                           size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_finish_paged(const keysieve_finish_paged_args* args, void* stream);

/* finish_flat: columns of packed keys, whose slots lie in one array. i is valid where 0 <= i < keys; -1 and INT32_MAX
 * are skipped, any other i is dropped (KEYSIEVE_ERROR_BAD_ID).
 *
 *   slot = slots[i], as it is;  raw = i - starts[r], or -1 where that is negative (KEYSIEVE_ERROR_BAD_ID) or past 2^31
 * - 1 (KEYSIEVE_ERROR_INDEX_OVERFLOW)
 */
typedef struct keysieve_finish_flat_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor out;      /* [rows, k] int32 */
  keysieve_tensor raw;      /* optional, [rows, k] int32 */
  keysieve_tensor counts;   /* optional, [rows] int32, contiguous */
  keysieve_tensor selected; /* [rows, k] int32 */
  keysieve_tensor slots;    /* [keys] int32, contiguous */
  keysieve_tensor starts;   /* [rows] int32, contiguous; where raw is given */
} keysieve_finish_flat_args;

KEYSIEVE_API void keysieve_finish_flat_args_init(keysieve_finish_flat_args* args);
KEYSIEVE_API keysieve_status keysieve_finish_flat_can_use(const keysieve_finish_flat_args* args, char* buffer,
                                                          size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_finish_flat(const keysieve_finish_flat_args* args, void* stream);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KEYSIEVE_CANDIDATES_H_ */
