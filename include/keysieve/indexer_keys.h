/* keysieve C ABI: keys of an indexer in FP4 and FP8, and their paged caches. Conventions as in kernels.h.
 *
 * A vector has 128 dims. In FP4 it is 64 bytes of e2m1 pairs, the even dim in the low nibble, and 4 UE8M0 bytes in one
 * 32-bit word: byte g, the g-th from the least significant, is the exponent of dims 32g..32g+31. In FP8 it is 128 bytes
 * of e4m3 and one FP32 scale.
 *
 * A cache is pages of P slots, P a power of two from 8 to 256; slot s is entry s % P of page s / P. Inside a page the
 * payloads of all slots come first, then their scales of 4 bytes: a slot's payload is at entry * 64 (FP8: 128), its
 * scale at P * 64 (FP8: 128) + entry * 4. As a tensor it is [pages, P, 68] (FP8: 132) bytes, which says no more than
 * the size of a page; the bytes of a page are adjacent, and pages are any distance apart that is at least their size.
 * Address and distance: multiples of 16 are the fast path, multiples of 4 work, others are UNSUPPORTED.
 */
#ifndef KEYSIEVE_INDEXER_KEYS_H_
#define KEYSIEVE_INDEXER_KEYS_H_

#include "keysieve/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  KEYSIEVE_ROUND_TIES_TO_ZERO = 0, /* strict > at every midpoint */
  KEYSIEVE_ROUND_TIES_TO_EVEN = 1
};

/* FP4 quantisation, one scale for each 32 dims.
 *
 *   byte = exponent field of the least power of two >= max(amax / 6, 1e-4), all in FP32; amax: largest magnitude of the
 * 32 code = e2m1( x / 2^(byte - 127) ), ties to the smaller magnitude or to the even code
 *
 * A negative value that rounds to zero has code 0: code 8 is never stored. The least byte is 114 (2^-13). Where a group
 * holds an infinity or a NaN its byte is 254, infinities and NaN have the largest magnitude (6) with their own sign,
 * and the finite values are rounded on that scale. 16-byte rows of x are the fast path; rows of payload are multiples
 * of 4 bytes apart, and it begins at one.
 */
typedef struct keysieve_fp4_quantise_args {
  uint32_t struct_size;
  int32_t rounding; /* KEYSIEVE_ROUND_* */
  keysieve_call call;
  keysieve_tensor payload; /* [n, 64] bytes, inner stride 1 */
  keysieve_tensor scales;  /* [n] int32, contiguous */
  keysieve_tensor x;       /* [n, 128] bfloat16 or float32, inner stride 1 */
} keysieve_fp4_quantise_args;

KEYSIEVE_API void keysieve_fp4_quantise_args_init(keysieve_fp4_quantise_args* args);
KEYSIEVE_API keysieve_status keysieve_fp4_quantise_can_use(const keysieve_fp4_quantise_args* args, char* buffer,
                                                           size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp4_quantise(const keysieve_fp4_quantise_args* args, void* stream);

/* FP8 quantisation, one scale for all 128 dims.
 *
 *   scale = max(amax, 1e-4) / 448, and where scale_to_power_of_two the least power of two at or above that
 *   payload = e4m3( x / scale ), to nearest, ties to even, clamped to +-448
 *
 * in FP32, each step rounded. -0 keeps its sign. Where a vector holds an infinity or a NaN, its payload is 0x7F (NaN)
 * throughout and its scale 2^127.
 * 16-byte rows of x and 8-byte rows of payload are the fast path; rows of payload are multiples of 4 bytes apart, and
 * it begins at one.
 */
typedef struct keysieve_fp8_quantise_args {
  uint32_t struct_size;
  int32_t scale_to_power_of_two; /* 0 or 1 */
  keysieve_call call;
  keysieve_tensor payload; /* [n, 128] e4m3, inner stride 1 */
  keysieve_tensor scales;  /* [n] float32, contiguous */
  keysieve_tensor x;       /* [n, 128] bfloat16 or float32, inner stride 1 */
} keysieve_fp8_quantise_args;

KEYSIEVE_API void keysieve_fp8_quantise_args_init(keysieve_fp8_quantise_args* args);
KEYSIEVE_API keysieve_status keysieve_fp8_quantise_can_use(const keysieve_fp8_quantise_args* args, char* buffer,
                                                           size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp8_quantise(const keysieve_fp8_quantise_args* args, void* stream);

/* Stores vectors into slots of a cache. A negative slot stores nothing; one past the cache stores nothing and sets
 * KEYSIEVE_ERROR_BAD_ID. Where a call names a slot twice, it is unspecified whose bytes the slot holds, or how mixed.
 * Rows of payload are multiples of 4 bytes apart (of 16: the fast path), and it begins at one. */
typedef struct keysieve_cache_store_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor cache;   /* written at the slots alone */
  keysieve_tensor payload; /* [n, 64] bytes (FP8: [n, 128]), inner stride 1 */
  keysieve_tensor scales;  /* [n] int32 (FP8: float32), contiguous */
  keysieve_tensor slots;   /* [n] int32 or int64, contiguous */
} keysieve_cache_store_args;

typedef keysieve_cache_store_args keysieve_fp4_store_args;
typedef keysieve_cache_store_args keysieve_fp8_store_args;

KEYSIEVE_API void keysieve_fp4_store_args_init(keysieve_fp4_store_args* args);
KEYSIEVE_API keysieve_status keysieve_fp4_store_can_use(const keysieve_fp4_store_args* args, char* buffer, size_t size,
                                                        size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp4_store(const keysieve_fp4_store_args* args, void* stream);
KEYSIEVE_API void keysieve_fp8_store_args_init(keysieve_fp8_store_args* args);
KEYSIEVE_API keysieve_status keysieve_fp8_store_can_use(const keysieve_fp8_store_args* args, char* buffer, size_t size,
                                                        size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp8_store(const keysieve_fp8_store_args* args, void* stream);

/* Gathers vectors from slots of a cache. Slot -1 gives a payload and a scale of zeros; so does any other slot outside
 * the cache, which also sets KEYSIEVE_ERROR_BAD_ID. Alignment as in store. */
typedef struct keysieve_cache_gather_args {
  uint32_t struct_size;
  int32_t reserved; /* 0 */
  keysieve_call call;
  keysieve_tensor payload; /* [n, 64] bytes (FP8: [n, 128]), inner stride 1 */
  keysieve_tensor scales;  /* [n] int32 (FP8: float32), contiguous */
  keysieve_tensor cache;
  keysieve_tensor slots; /* [n] int32 or int64, contiguous */
} keysieve_cache_gather_args;

typedef keysieve_cache_gather_args keysieve_fp4_gather_args;
typedef keysieve_cache_gather_args keysieve_fp8_gather_args;

KEYSIEVE_API void keysieve_fp4_gather_args_init(keysieve_fp4_gather_args* args);
KEYSIEVE_API keysieve_status keysieve_fp4_gather_can_use(const keysieve_fp4_gather_args* args, char* buffer,
                                                         size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp4_gather(const keysieve_fp4_gather_args* args, void* stream);
KEYSIEVE_API void keysieve_fp8_gather_args_init(keysieve_fp8_gather_args* args);
KEYSIEVE_API keysieve_status keysieve_fp8_gather_can_use(const keysieve_fp8_gather_args* args, char* buffer,
                                                         size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp8_gather(const keysieve_fp8_gather_args* args, void* stream);

/* FP4 keys of an indexer, from the vectors before their norm into the cache. For each n, in FP32, each step rounded:
 *
 *   1. v = bf16( weight * (x * rsqrt(sum(x^2) / 128 + eps)) )
 *   2. dims 64..127 of v rotated by freqs[position & ~(ratio - 1)], in pairs (a, b) = dims (64 + 2i, 65 + 2i) with
 *      (c, s) = freqs[.][2i], freqs[.][2i + 1]:
 *        bf16( fma(a, c, -(b * s)) ), bf16( fma(a, s, b * c) )
 *   3. each 32 dims quantised and back: e2m1( v / scale ) * scale, ties to even, scale the least power of two
 *      >= max(amax, 6 * 2^-126) * (1/6)
 *   4. that packed as in fp4_quantise, ties to even. The scale is another: amax is the one after step 3, and the
 *      floor of 1e-4 applies.
 *   5. stored at slots[n].
 *
 * The sum of squares: squares of 8 adjacent dims in ascending order, then the 16 sums in pairs, pairs of pairs and so
 * on. rsqrt(t) is 1 / sqrt(t), both correctly rounded. A group that holds an infinity or a NaN after step 2 skips step
 * 3; what step 3 takes past the largest FP32 is an infinity to step 4.
 *
 * slots[n] <= 0 stores nothing (a padded row, or no group of tokens complete), and nothing else is looked at; a slot
 * past the cache stores nothing and sets KEYSIEVE_ERROR_BAD_ID; else, a position outside [0, max_positions) stores
 * nothing, reads nothing of freqs and sets KEYSIEVE_ERROR_BAD_POSITION. A slot named twice: as in store.
 */
typedef struct keysieve_fp4_indexer_key_args {
  uint32_t struct_size;
  float eps; /* finite, >= 0 */
  keysieve_call call;
  keysieve_tensor cache;     /* [pages, P, 68], written at the slots alone */
  keysieve_tensor x;         /* [n, 128] bfloat16, inner stride 1; 16-byte rows are the fast path */
  keysieve_tensor weight;    /* [128] bfloat16, contiguous */
  keysieve_tensor freqs;     /* [max_positions, 64] float32, contiguous: real and imaginary parts in turn */
  keysieve_tensor positions; /* [n] int32 or int64, contiguous */
  keysieve_tensor slots;     /* [n] int32 or int64, contiguous */
  int64_t ratio;             /* tokens that share a key: a power of two */
} keysieve_fp4_indexer_key_args;

KEYSIEVE_API void keysieve_fp4_indexer_key_args_init(keysieve_fp4_indexer_key_args* args);
KEYSIEVE_API keysieve_status keysieve_fp4_indexer_key_can_use(const keysieve_fp4_indexer_key_args* args, char* buffer,
                                                              size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp4_indexer_key(const keysieve_fp4_indexer_key_args* args, void* stream);

/* FP4 queries of an indexer: steps 2 to 4 of fp4_indexer_key for every head of every token, rotated by
 * freqs[positions[token]]. A position outside [0, max_positions) gives payloads and scales of zeros, reads nothing of
 * freqs and sets KEYSIEVE_ERROR_BAD_POSITION.
 *
 *   weights_out = FP32( bf16( FP32(weights) * weight_scale ) )    where weights are given
 *
 * tokens * heads: up to 2^31 - 1. 16-byte rows of x are the fast path; payload begins at a multiple of 4 bytes.
 */
typedef struct keysieve_fp4_indexer_query_args {
  uint32_t struct_size;
  float weight_scale;
  keysieve_call call;
  keysieve_tensor payload;     /* [tokens, heads, 64] bytes, contiguous */
  keysieve_tensor scales;      /* [tokens, heads] int32, contiguous */
  keysieve_tensor weights_out; /* with weights: [tokens, heads] float32, contiguous */
  keysieve_tensor x;           /* [tokens, heads, 128] bfloat16, inner stride 1 */
  keysieve_tensor freqs;       /* [max_positions, 64] float32, contiguous */
  keysieve_tensor positions;   /* [tokens] int32 or int64, contiguous */
  keysieve_tensor weights;     /* optional [tokens, heads] bfloat16, inner stride 1 */
} keysieve_fp4_indexer_query_args;

KEYSIEVE_API void keysieve_fp4_indexer_query_args_init(keysieve_fp4_indexer_query_args* args);
KEYSIEVE_API keysieve_status keysieve_fp4_indexer_query_can_use(const keysieve_fp4_indexer_query_args* args,
                                                                char* buffer, size_t size, size_t* needed);
KEYSIEVE_API keysieve_status keysieve_fp4_indexer_query(const keysieve_fp4_indexer_query_args* args, void* stream);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KEYSIEVE_INDEXER_KEYS_H_ */
