/* keysieve peers: how another implementation of top-k selection is benched and audited beside keysieve.
 *
 * A peer is a shared library that exports keysieve_peer_at(). It links nothing of keysieve. `keysieve bench --peers
 * LIB.so` times it in the cells of the same run, `keysieve audit --peer LIB.so` hunts for wrong answers in it.
 *
 * Valid C11 and C++20; the structs of problems and arguments are those of c_api.h. Tensors are where
 * problem->device_type says; a peer that serves other devices, types or options than it is asked for says so in
 * unmet_conditions, and the cell counts as refused.
 */
#ifndef KEYSIEVE_PEER_H_
#define KEYSIEVE_PEER_H_

#include "keysieve/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KEYSIEVE_PEER_ABI_VERSION 1

/* What an implementation promises; the judge holds it to this and to nothing more. */
#define KEYSIEVE_PEER_EXACT 0x1u         /* the k largest scores of a row, as a multiset */
#define KEYSIEVE_PEER_TIES_SMALLEST 0x2u /* of equal scores the smaller columns: the set of columns is unique */
#define KEYSIEVE_PEER_REPRODUCIBLE 0x4u  /* the same call gives the same slots again */
#define KEYSIEVE_PEER_CAPTURABLE 0x8u    /* run may be captured into a CUDA graph and replayed */
#define KEYSIEVE_PEER_NAN_LOWEST 0x10u   /* NaN ranks below -inf; without it rows that hold a NaN are not judged */

typedef struct keysieve_peer {
  uint32_t struct_size; /* sizeof(keysieve_peer) of the peer's header */
  int32_t abi_version;  /* KEYSIEVE_PEER_ABI_VERSION */
  const char* name;     /* short and stable: "cub_batched_topk". Letters, digits, '_', '-', '.': it labels files */
  const char* version;  /* of the implementation: "CCCL 3.5.0" */
  uint32_t promises;    /* KEYSIEVE_PEER_* */
  int32_t reserved;     /* 0 */

  /* NULL where the problem can be served, else the first unmet condition: a text that lives as long as the library.
   * Pure host work, legal on a machine without a GPU. */
  const char* (*unmet_conditions)(const keysieve_select_problem* problem);

  /* Makes a call's standing state (handles, scratch memory, tuning) for calls of this problem; *problem is the caller's
   * and gone afterwards. May allocate and synchronise. *workspace_bytes is what args->workspace must hold; 256-byte
   * alignment is given, contents are not. destroy is called once for every create that gave KEYSIEVE_OK. */
  keysieve_status (*create)(const keysieve_select_problem* problem, void** state, int64_t* workspace_bytes);

  /* One selection: writes args->indices, [rows, k] of problem->index_type, -1 in slots past a row's last one. On CUDA
   * it enqueues on `stream` and does not wait. Strides are numbers, never KEYSIEVE_AUTO. lengths, next_n, row_starts
   * and row_ends are part of no problem: a peer that does not serve one of them gives KEYSIEVE_UNSUPPORTED when it is
   * set, before it has enqueued anything, and the cell counts as refused. Page tables, offsets, values and counts are
   * only set where the problem's mode asks for them and unmet_conditions accepted it. */
  keysieve_status (*run)(void* state, const keysieve_select_args* args, void* stream);

  void (*destroy)(void* state);

  /* Text of the last failure in this thread; never NULL. */
  const char* (*last_error)(void);
} keysieve_peer;

/* The one exported symbol. One library may hold several implementations: index counts from 0, NULL ends the list. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const keysieve_peer*
keysieve_peer_at(int32_t index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* KEYSIEVE_PEER_H_ */
