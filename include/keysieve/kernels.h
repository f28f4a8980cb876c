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
#define KEYSIEVE_ERROR_BAD_ID 0x20u       /* an id or a slot outside its range */
#define KEYSIEVE_ERROR_BAD_POSITION 0x40u /* a position outside the table of frequencies */

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
