#include <algorithm>
#include <stdexcept>

#include "bench/device.hpp"
#include "bench/kernels.hpp"

namespace keysieve::bench {
namespace {

constexpr int kVectorBytes = 16;

struct FloorArgs {
  const unsigned char* scores;
  const std::int32_t* lengths;
  std::int64_t stride_bytes;
  std::int32_t element_bytes;
  std::uint32_t pieces_per_row;
  std::uint32_t pieces;  // 32 bits: a division per CTA would show in the small floors
  const LivePiece* live_pieces;
  std::int32_t* indices;
  std::int64_t num_indices;
  std::int64_t index_vectors_per_cta;
  std::uint32_t* sink;
};

// No L1 allocation: nothing is read twice.
__device__ uint4 load_vector(const unsigned char* address) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address));
  return value;
}

// Through L1: the scores were written before this kernel began.
__device__ uint4 load_written(const uint4* address) {
  uint4 value;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address));
  return value;
}

__device__ void store_vector(uint4* address, const uint4& value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

// Only the live bytes of a word count in a checksum.
__device__ std::uint32_t live_word(std::uint32_t word, std::int64_t first_byte, std::int64_t live_bytes) {
  if (first_byte + 4 <= live_bytes) return word;
  return first_byte + 2 <= live_bytes ? word & 0xFFFFu : 0u;
}

__device__ std::uint32_t live_xor(const uint4& value, std::int64_t vector, std::int64_t live_bytes) {
  const std::int64_t byte = vector * kVectorBytes;
  return live_word(value.x, byte, live_bytes) ^ live_word(value.y, byte + 4, live_bytes) ^
         live_word(value.z, byte + 8, live_bytes) ^ live_word(value.w, byte + 12, live_bytes);
}

__device__ void write_share(const FloorArgs& args, int threads) {
  const std::int64_t vectors = args.num_indices / 4;
  const std::int64_t begin = args.index_vectors_per_cta * blockIdx.x;
  const std::int64_t end = min(begin + args.index_vectors_per_cta, vectors);
  for (std::int64_t i = begin + threadIdx.x; i < end; i += threads) {
    const auto index = static_cast<std::int32_t>(i);
    reinterpret_cast<int4*>(args.indices)[i] = make_int4(index, index + 1, index + 2, index + 3);
  }
  const std::int64_t tail = vectors * 4 + threadIdx.x;
  if (blockIdx.x == 0 && tail < args.num_indices) args.indices[tail] = 0;
}

// kListed: by the list of live pieces. A grid over the width reads as fast where rows are about as long as the width;
// where they are not, CTAs that find nothing to read would be most of its time.
template <int kThreads, int kUnroll, bool kListed, bool kWrite, bool kChecksum>
__global__ void __launch_bounds__(kThreads) read_floor_kernel(FloorArgs args) {
  constexpr int kPieceVectors = kThreads * kUnroll;
  std::uint32_t sum = 0;
  if constexpr (kWrite) write_share(args, kThreads);
  for (std::uint32_t piece = blockIdx.x; piece < args.pieces; piece += gridDim.x) {
    std::uint32_t row, piece_in_row;
    if constexpr (kListed) {
      const LivePiece listed = args.live_pieces[piece];
      row = listed.row;
      piece_in_row = listed.piece;
    } else {
      row = piece / args.pieces_per_row;
      piece_in_row = piece - row * args.pieces_per_row;
    }
    const std::int64_t live_bytes = std::int64_t{__ldg(args.lengths + row)} * args.element_bytes;
    const std::int64_t live_vectors = (live_bytes + kVectorBytes - 1) / kVectorBytes;
    const std::int64_t first = std::int64_t{piece_in_row} * kPieceVectors + threadIdx.x;
    const unsigned char* base = args.scores + row * args.stride_bytes + first * kVectorBytes;
    uint4 values[kUnroll];
    if (std::int64_t{piece_in_row + 1} * kPieceVectors <= live_vectors) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) values[u] = load_vector(base + u * kThreads * kVectorBytes);
    } else {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        values[u] = make_uint4(0, 0, 0, 0);
        if (first + u * kThreads < live_vectors) values[u] = load_vector(base + u * kThreads * kVectorBytes);
      }
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if constexpr (kChecksum) {
        sum ^= live_xor(values[u], first + u * kThreads, live_bytes);
      } else {
        sum ^= values[u].x ^ values[u].y ^ values[u].z ^ values[u].w;
      }
    }
  }
  if constexpr (kChecksum) {
    const std::uint32_t warp_sum = __reduce_xor_sync(0xFFFFFFFFu, sum);
    if (threadIdx.x % 32 == 0) atomicXor(args.sink, warp_sum);
  } else {
    if (sum == 0x9E3779B1u) *args.sink = sum;
  }
}

template <typename Word>
__global__ void __launch_bounds__(256)
    plain_checksum_kernel(const Word* scores, const std::int32_t* lengths, std::int64_t stride, std::uint32_t* sink) {
  const std::int64_t row = blockIdx.x;
  std::uint32_t sum = 0;
  for (std::int64_t column = threadIdx.x; column < lengths[row]; column += 256) {
    const std::uint32_t bits = scores[row * stride + column];
    sum ^= sizeof(Word) == 2 && column % 2 == 1 ? bits << 16 : bits;
  }
  const std::uint32_t warp_sum = __reduce_xor_sync(0xFFFFFFFFu, sum);
  if (threadIdx.x % 32 == 0) atomicXor(sink, warp_sum);
}

__global__ void __launch_bounds__(256) rewrite_kernel(uint4* scores, const std::int32_t* lengths,
                                                      std::int64_t stride_vectors, std::int32_t element_bytes) {
  const std::int64_t live_bytes = std::int64_t{__ldg(lengths + blockIdx.y)} * element_bytes;
  const std::int64_t vectors = (live_bytes + kVectorBytes - 1) / kVectorBytes;
  uint4* row = scores + blockIdx.y * stride_vectors;
  for (std::int64_t i = std::int64_t{blockIdx.x} * 256 + threadIdx.x; i < vectors; i += std::int64_t{gridDim.x} * 256) {
    // Assembly: the compiler would leave out a store of what was just loaded.
    const uint4 value = load_written(row + i);
    store_vector(row + i, value);
  }
}

__global__ void empty_kernel() {}

template <int kThreads, int kUnroll, bool kListed, bool kWrite, bool kChecksum>
void launch_floor(const ScoreRows& rows, bool persistent, FloorArgs args, cudaStream_t stream) {
  constexpr std::int64_t kPieceBytes = std::int64_t{kThreads} * kUnroll * kVectorBytes;
  const std::int64_t pieces_per_row = (rows.width * args.element_bytes + kPieceBytes - 1) / kPieceBytes;
  static_assert(!kListed || kPieceBytes == kLivePieceBytes);
  const std::int64_t pieces = kListed ? rows.num_live_pieces : rows.rows * pieces_per_row;
  if (pieces > 0x7FFFFFFF) throw std::runtime_error("read floor: more pieces than a grid holds");
  args.pieces_per_row = static_cast<std::uint32_t>(pieces_per_row);
  args.pieces = static_cast<std::uint32_t>(pieces);
  args.live_pieces = rows.live_pieces;
  std::int64_t ctas = std::max<std::int64_t>(pieces, 1);  // one writes the outputs of rows that are all empty
  if (persistent) {
    int device = 0, sms = 0, resident = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                   &resident, read_floor_kernel<kThreads, kUnroll, kListed, kWrite, kChecksum>, kThreads, 0),
               "occupancy of the read floor");
    ctas = std::min<std::int64_t>(ctas, std::int64_t{sms} * resident);
  }
  args.index_vectors_per_cta = (args.num_indices / 4 + ctas - 1) / ctas;
  read_floor_kernel<kThreads, kUnroll, kListed, kWrite, kChecksum>
      <<<static_cast<unsigned>(ctas), kThreads, 0, stream>>>(args);
  check_cuda(cudaGetLastError(), "read floor");
}

template <bool kWrite, bool kChecksum>
void launch_shape(const ScoreRows& rows, int shape, const FloorArgs& args, cudaStream_t stream) {
  switch (shape) {
    case 0:
      return launch_floor<128, 2, false, kWrite, kChecksum>(rows, false, args, stream);
    case 1:
      return launch_floor<256, 4, false, kWrite, kChecksum>(rows, false, args, stream);
    case 2:
      return launch_floor<256, 8, false, kWrite, kChecksum>(rows, false, args, stream);
    case 3:
      return launch_floor<256, 8, false, kWrite, kChecksum>(rows, true, args, stream);
    case 4:
      return launch_floor<256, 8, true, kWrite, kChecksum>(rows, false, args, stream);
    default:
      throw std::runtime_error("read floor: no such shape");
  }
}

FloorArgs floor_args(const ScoreRows& rows, std::int32_t* indices, std::int64_t k, std::uint32_t* sink) {
  const auto element_bytes = static_cast<std::int32_t>(size_bytes(rows.type));
  return {static_cast<const unsigned char*>(rows.scores),
          rows.lengths,
          rows.stride * element_bytes,
          element_bytes,
          0,
          0,
          nullptr,
          indices,
          indices == nullptr ? 0 : rows.rows * k,
          0,
          sink};
}

}  // namespace

void enqueue_read_floor(const ScoreRows& rows, int shape, std::int32_t* indices, std::int64_t k, std::uint32_t* sink,
                        cudaStream_t stream) {
  const FloorArgs args = floor_args(rows, indices, k, sink);
  if (indices != nullptr) {
    launch_shape<true, false>(rows, shape, args, stream);
  } else {
    launch_shape<false, false>(rows, shape, args, stream);
  }
}

void enqueue_floor_checksum(const ScoreRows& rows, int shape, std::uint32_t* sink, cudaStream_t stream) {
  launch_shape<false, true>(rows, shape, floor_args(rows, nullptr, 0, sink), stream);
}

void enqueue_plain_checksum(const ScoreRows& rows, std::uint32_t* sink, cudaStream_t stream) {
  const auto ctas = static_cast<unsigned>(rows.rows);
  if (rows.type == ScoreType::kFloat32) {
    plain_checksum_kernel<<<ctas, 256, 0, stream>>>(static_cast<const std::uint32_t*>(rows.scores), rows.lengths,
                                                    rows.stride, sink);
  } else {
    plain_checksum_kernel<<<ctas, 256, 0, stream>>>(static_cast<const std::uint16_t*>(rows.scores), rows.lengths,
                                                    rows.stride, sink);
  }
  check_cuda(cudaGetLastError(), "plain checksum");
}

void enqueue_rewrite(const ScoreRows& rows, void* scores, cudaStream_t stream) {
  constexpr std::int64_t kVectorsPerCta = 256 * 8;
  constexpr std::int64_t kMaxGridRows = 65535;
  const auto element_bytes = static_cast<std::int32_t>(size_bytes(rows.type));
  const std::int64_t vectors = (rows.width * element_bytes + kVectorBytes - 1) / kVectorBytes;
  const auto blocks = static_cast<unsigned>((vectors + kVectorsPerCta - 1) / kVectorsPerCta);
  const std::int64_t stride_vectors = rows.stride * element_bytes / kVectorBytes;
  for (std::int64_t first = 0; first < rows.rows; first += kMaxGridRows) {
    const auto count = static_cast<unsigned>(std::min(kMaxGridRows, rows.rows - first));
    rewrite_kernel<<<dim3(blocks, count), 256, 0, stream>>>(static_cast<uint4*>(scores) + first * stride_vectors,
                                                            rows.lengths + first, stride_vectors, element_bytes);
    check_cuda(cudaGetLastError(), "rewrite of scores");
  }
}

void enqueue_empty(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  check_cuda(cudaGetLastError(), "empty kernel");
}

}  // namespace keysieve::bench
