/* keysieve C ABI, second part: the kernels around selection. Conventions as in c_api.h, and
 *
 *  - Every kernel has three entries: NAME_args_init, NAME_can_use and NAME. can_use writes the unmet conditions of a
 *    call, one a line, and launches nothing; empty text: the call will be enqueued. NAME refuses what can_use names,
 *    before anything is launched or written.
 *  - Tensors are described whole (keysieve_tensor), as DLPack does. Outputs and inputs may not overlap unless a kernel
 *    says so.
 *  - Data outside its range (an id, a position, a slot) gets the output that the kernel documents and a bit in
 *    call.error_word; it is never an error of the call.
 *  - CPU and CUDA give the same bits: every sum has one documented order.
 */
#ifndef KEYSIEVE_KERNELS_H_
#define KEYSIEVE_KERNELS_H_

#include "keysieve/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  KEYSIEVE_ELEMENT_FLOAT32 = 0,
  KEYSIEVE_ELEMENT_BFLOAT16 = 1,
  KEYSIEVE_ELEMENT_FLOAT16 = 2,
  KEYSIEVE_ELEMENT_INT32 = 3,
  KEYSIEVE_ELEMENT_INT64 = 4,
  KEYSIEVE_ELEMENT_BYTE = 5 /* uint8, int8, e4m3, packed e2m1, UE8M0: the kernel says which */
};

#define KEYSIEVE_MAX_RANK 4

typedef struct keysieve_tensor {
  void* data; /* inputs are never written */
  int32_t element;
  int32_t rank; /* 1..4; 0: no tensor */
  int64_t shape[KEYSIEVE_MAX_RANK];
  int64_t strides[KEYSIEVE_MAX_RANK]; /* in elements; KEYSIEVE_AUTO: as if contiguous inside the next stride */
} keysieve_tensor;

/* Where and how a kernel runs. */
typedef struct keysieve_call {
  int32_t device_type; /* of all tensors, unless the kernel says otherwise */
  int32_t device_ordinal;
  int32_t backend;          /* AUTO: CUDA on a CUDA device, else CPU, or the reference where that cannot be loaded */
  int32_t dependent_launch; /* as in keysieve_select_args */
  uint32_t* error_word;     /* optional, OR-ed */
} keysieve_call;

/* Further bits of error words. */
#define KEYSIEVE_ERROR_BAD_ID 0x20u            /* an id or a slot outside its range */
#define KEYSIEVE_ERROR_BAD_POSITION 0x40u      /* a position outside the table of frequencies */
#define KEYSIEVE_ERROR_STALE_SELECTION 0x80u   /* a selection was made for other lengths or pages */
#define KEYSIEVE_ERROR_CONTEXT_EXCEEDED 0x100u /* a row is longer than the context of its graph */

/* Engram gather: rows of an FP8 table with a scale a block, as BF16.
 *
 *   out[n, :] = bf16( e4m3(table[ids[n] - first_row, :]) * 2^(e - 127) ),  e = scales[ids[n] - first_row, column /
 * block]
 *
 * for ids in [first_row, first_row + rows); any other id is another shard's: its row is all zero and nothing is read.
 * e = 0 is 2^-127, not zero; e = 255 is NaN. block = dim / blocks. dim and block are powers of two, dim <= 8192.
 * table, scales: device memory, or host memory that the device reads at the same address (pinned, coherent); 16-byte
 * rows of `table` are read fastest.
 */
typedef struct keysieve_engram_gather_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor out;    /* [n, dim] bfloat16, contiguous */
  keysieve_tensor table;  /* [rows, dim] e4m3, inner stride 1 */
  keysieve_tensor scales; /* [rows, blocks] UE8M0, inner stride 1 */
  keysieve_tensor ids;    /* [n] int32 or int64, contiguous */
  int64_t first_row;
} keysieve_engram_gather_args;

KEYSIEVE_API void keysieve_engram_gather_args_init(keysieve_engram_gather_args* args);
KEYSIEVE_API keysieve_status keysieve_engram_gather_can_use(const keysieve_engram_gather_args* args, char* buffer,
                                                            size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_engram_gather(const keysieve_engram_gather_args* args, void* stream);

/* Context guard: what a graph captured for rows of at most max_context columns puts in front of itself.
 *
 *   out[r] = min(max(lengths[r], 0), max_context); a longer row sets KEYSIEVE_ERROR_CONTEXT_EXCEEDED
 *
 * so no kernel of the graph goes past its buffers, and the caller finds out that the step has to run eagerly. Before a
 * replay the host asks the same of the lengths that it knows: keysieve_select_serves_context.
 */
typedef struct keysieve_context_guard_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor lengths; /* [rows] int32, contiguous */
  keysieve_tensor out;     /* [rows] int32, contiguous; may be lengths itself */
  int64_t max_context;     /* columns, 0..2^31-1 */
} keysieve_context_guard_args;

KEYSIEVE_API void keysieve_context_guard_args_init(keysieve_context_guard_args* args);
KEYSIEVE_API keysieve_status keysieve_context_guard_can_use(const keysieve_context_guard_args* args, char* buffer,
                                                            size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_context_guard(const keysieve_context_guard_args* args, void* stream);

/* Whether a graph that was captured with `plan` serves rows of max_context columns: empty text, or why the step has to
 * run eagerly. Host work, no device is touched. */
KEYSIEVE_API keysieve_status keysieve_select_serves_context(const keysieve_select_plan* plan, int64_t max_context,
                                                            char* buffer, size_t size, size_t* needed);

/* How scores are kept between scorer and selection. */
enum {
  KEYSIEVE_SCORES_FULL = 0,          /* rows * context elements */
  KEYSIEVE_SCORES_FIXED_CONTEXT = 1, /* rows of max_context elements, rounded up to 256: fixed at capture */
  KEYSIEVE_SCORES_CANDIDATES = 2     /* rows of blocks * 8 16-bit elements: a consumer of published blocks */
};
/* Bytes of scores of `rows` rows. element: FLOAT32, BFLOAT16 or FLOAT16 (CANDIDATES: 16-bit only). `context`: the
 * longest row, the captured maximum, or the kept blocks. */
KEYSIEVE_API keysieve_status keysieve_score_bytes(int32_t mode, int64_t rows, int64_t context, int32_t element,
                                                  int64_t* bytes);

/* Selection stamp: 64 bits a row that change when its length or one of its live pages does. A selection that later
 * layers use again carries the stamps of the lengths and tables that it was made for; with `expected` the call compares
 * instead and sets KEYSIEVE_ERROR_STALE_SELECTION where a row differs.
 *
 *   stamp[r] = mix(n, -1) + sum over columns c < ceil(n / page_size) of mix(page_table[line(r)][c], c)   (mod 2^64)
 *   mix(v, c) = splitmix64's finaliser of ((uint32)v * 2^32 + (uint32)c), n = max(lengths[r], 0)
 *
 * Columns past the table, and lines outside it, count as page -1. Without a page table the length alone is stamped.
 */
typedef struct keysieve_selection_stamp_args {
  uint32_t struct_size;
  int32_t next_n; /* rows per request, >= 1: the table has a line per row, or per request, or row_to_table says */
  keysieve_call call;
  keysieve_tensor lengths;      /* [rows] int32, contiguous */
  keysieve_tensor page_table;   /* optional [lines, columns] int32, inner stride 1 */
  keysieve_tensor row_to_table; /* optional [rows] int32, contiguous */
  keysieve_tensor stamps;       /* [rows] int64, contiguous: written; none with `expected` */
  keysieve_tensor expected;     /* optional [rows] int64, contiguous: compared with */
  int64_t page_size;            /* >= 1 with a page table */
} keysieve_selection_stamp_args;

KEYSIEVE_API void keysieve_selection_stamp_args_init(keysieve_selection_stamp_args* args);
KEYSIEVE_API keysieve_status keysieve_selection_stamp_can_use(const keysieve_selection_stamp_args* args, char* buffer,
                                                              size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_selection_stamp(const keysieve_selection_stamp_args* args, void* stream);
/* q RoPE store: every head of every token copied, its last 64 dims rotated by the token's position.
 *
 *   dims 0..447          out = q, bit for bit
 *   dims 448 + 2i, + 1   (a, b) -> ( fma(a, c, -(b * s)), fma(a, s, b * c) ),  (c, s) = freqs[positions[token], i]
 *
 * each product, fma and the result in FP32, then one rounding to BF16; NaN is 0x7FFF. A position outside
 * [0, max_position): the 64 dims are 0x7FFF (NaN), nothing of freqs is read, KEYSIEVE_ERROR_BAD_POSITION. `out` may be
 * `q` with the same strides. Gaps between tokens of `out` are not written. 16-byte aligned q, out, freqs and token
 * strides are served fastest.
 */
typedef struct keysieve_q_rope_store_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor out;       /* [tokens, heads, 512] bfloat16, strides [any, 512, 1] */
  keysieve_tensor q;         /* [tokens, heads, 512] bfloat16, strides [any, 512, 1] */
  keysieve_tensor freqs;     /* [max_position, 32, 2] float32: cosine and sine; contiguous */
  keysieve_tensor positions; /* [tokens] int32 or int64, contiguous */
} keysieve_q_rope_store_args;

KEYSIEVE_API void keysieve_q_rope_store_args_init(keysieve_q_rope_store_args* args);
KEYSIEVE_API keysieve_status keysieve_q_rope_store_can_use(const keysieve_q_rope_store_args* args, char* buffer,
                                                           size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_q_rope_store(const keysieve_q_rope_store_args* args, void* stream);

/* Small GEMM: out = x * w^T for (N, K) = (128, 512) and (32, 5120), for few rows.
 *
 * Products and sums in FP32, one rounding to BF16; NaN is 0x7FFF. The order of the sum is the same for every row,
 * whatever m and the other rows are:
 *
 *   k in blocks of 512, lanes l = 0..31 of a block, slots i = 0..7 of a lane:
 *     slot = fma(x[256 + 8l + i], w[256 + 8l + i], x[8l + i] * w[8l + i])
 *     lane = ((slot0 + slot1) + (slot2 + slot3)) + ((slot4 + slot5) + (slot6 + slot7))
 *   block = the lanes folded in halves: l with l + 16, then with l + 8, l + 4, l + 2, l + 1
 *   sum = the blocks added in pairs of neighbours, then those sums in pairs of neighbours, ...; a last one without a
 *         neighbour waits
 *
 * No term passes more than 13 roundings, so |out - exact| <= 2^-8 |exact| + 2^-20 sum|x||w| but for underflow. (The
 * reference sums in double and rounds once: within that bound of CPU and CUDA, not equal to them.)
 *
 * max_m is the caller's policy: a call with more rows is refused, as a GEMM that tiles over rows is faster there; the
 * kernel itself takes any number. On CUDA: compute capability 9.0 or newer.
 */
typedef struct keysieve_small_gemm_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor out; /* [m, N] bfloat16, inner stride 1 */
  keysieve_tensor x;   /* [m, K] bfloat16, inner stride 1, rows at multiples of 16 bytes */
  keysieve_tensor w;   /* [N, K] bfloat16, contiguous, at a multiple of 16 bytes */
  int64_t max_m;       /* 0 or more, or KEYSIEVE_AUTO: 32, which init leaves */
} keysieve_small_gemm_args;

KEYSIEVE_API void keysieve_small_gemm_args_init(keysieve_small_gemm_args* args);
KEYSIEVE_API keysieve_status keysieve_small_gemm_can_use(const keysieve_small_gemm_args* args, char* buffer,
                                                         size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_small_gemm(const keysieve_small_gemm_args* args, void* stream);
/* RMSNorm with MXFP8 quantisation: what a projection with block-scaled FP8 inputs reads.
 *
 *   y = bf16( x * rsqrt(mean(x^2) + eps) * weight )       FP32, multiplied from left to right, each step rounded
 *   scale byte of each 32 columns of y, amax the largest magnitude among them, t = amax * (1/448) in FP32:
 *     0 where t <= 2^-127, else the least b with 2^(b - 127) >= t, at most 254
 *   q = e4m3( y * 2^(127 - b) ), to nearest, ties to even, clamped to +-448; b = 0: zeros (of the sign of y)
 *
 * Where a group of 32 holds an infinity or a NaN, its scale byte is 254 and every code is 0x7F (NaN). rsqrt(t) is
 * 1 / sqrt(t), both correctly rounded; x^2 past the range of FP32 is infinite. Given y, q and scales are exact; y is
 * within one BF16 step of the exact value wherever FP32 neither overflows nor underflows on the way. A row's result
 * does not depend on the other rows or on their number.
 *
 * The sum of squares: a row is runs of 8 columns, and lane l of L = 32 * ceil(K / 512) holds runs l and l + L. A lane
 * adds the squares of its even columns in ascending order, those of its odd ones likewise, then both sums. The sums of
 * 32 lanes are added by halves (lane i and i + 16, then i + 8, ...), and so are those of up to 64 such warps (i and i +
 * 32, ...).
 *
 * Outputs: y alone, or q and scales, or all three; an absent tensor has rank 0. scales is in the 128x4 order of
 * block-scaled matrix products, keysieve_mxfp8_scale_bytes(m, K) bytes: the byte of row r and group g lies at
 *   ((r / 128) * ceil(K / 128) + g / 4) * 512 + (r % 32) * 16 + (r % 128) / 32 * 4 + g % 4
 * and every other byte is written as 0. K: a multiple of 32 up to 32768; m up to 2^31 - 1, m = 0 writes nothing.
 * 16-byte rows of x, weight and y and 8-byte rows of q are the fast path.
 */
typedef struct keysieve_rmsnorm_mxfp8_args {
  uint32_t struct_size;
  float eps; /* finite, >= 0 */
  keysieve_call call;
  keysieve_tensor y;      /* optional [m, K] bfloat16, inner stride 1 */
  keysieve_tensor q;      /* optional [m, K] e4m3, inner stride 1 */
  keysieve_tensor scales; /* with q: [bytes] UE8M0, contiguous */
  keysieve_tensor x;      /* [m, K] bfloat16, inner stride 1 */
  keysieve_tensor weight; /* [K] bfloat16, contiguous */
} keysieve_rmsnorm_mxfp8_args;

KEYSIEVE_API void keysieve_rmsnorm_mxfp8_args_init(keysieve_rmsnorm_mxfp8_args* args);
KEYSIEVE_API keysieve_status keysieve_rmsnorm_mxfp8_can_use(const keysieve_rmsnorm_mxfp8_args* args, char* buffer,
                                                            size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_rmsnorm_mxfp8(const keysieve_rmsnorm_mxfp8_args* args, void* stream);

/* Bytes of the scales of `rows` rows of `columns` columns: ceil(rows / 128) * ceil(columns / 128) * 512. Refused:
 * negative rows, columns that are not a positive multiple of 32, either past 2^31 - 1. */
KEYSIEVE_API keysieve_status keysieve_mxfp8_scale_bytes(int64_t rows, int64_t columns, int64_t* bytes);

/* The same of four residual streams (hyper-connections), combined first:
 *
 *   v[i] = bf16( sum over c = 0..3 of pre[c] * x[c * K + i] )   a chain of fused multiply-adds in FP32, from 0
 *
 * and v in the place of x above, bit for bit. y alone is the form without quantisation. K up to 16384.
 */
typedef struct keysieve_hc_rmsnorm_mxfp8_args {
  uint32_t struct_size;
  float eps; /* finite, >= 0 */
  keysieve_call call;
  keysieve_tensor y;      /* optional [m, K] bfloat16, inner stride 1 */
  keysieve_tensor q;      /* optional [m, K] e4m3, inner stride 1 */
  keysieve_tensor scales; /* with q: [bytes] UE8M0, contiguous */
  keysieve_tensor x;      /* [m, 4 * K] bfloat16, inner stride 1 */
  keysieve_tensor pre;    /* [m, 4] bfloat16 or float32, inner stride 1 */
  keysieve_tensor weight; /* [K] bfloat16, contiguous */
} keysieve_hc_rmsnorm_mxfp8_args;

KEYSIEVE_API void keysieve_hc_rmsnorm_mxfp8_args_init(keysieve_hc_rmsnorm_mxfp8_args* args);
KEYSIEVE_API keysieve_status keysieve_hc_rmsnorm_mxfp8_can_use(const keysieve_hc_rmsnorm_mxfp8_args* args, char* buffer,
                                                               size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_hc_rmsnorm_mxfp8(const keysieve_hc_rmsnorm_mxfp8_args* args, void* stream);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KEYSIEVE_KERNELS_H_ */
