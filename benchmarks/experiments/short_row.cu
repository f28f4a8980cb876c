// What a short row costs, step by step: one CTA keeps a row in registers and stops after a given step.
//   nvcc -O3 -std=c++20 -gencode arch=compute_90a,code=sm_90a short_row.cu -o short_row && ./short_row
// FP32 N(0,1), lengths 80-100 % of the width, order any, graph replay, median of 21. The difference between two
// lines is the price of the step between them. Results and what follows from them: docs/algorithms/tile.md.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    if (cudaError_t error = (call); error != cudaSuccess) {                      \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                              \
    }                                                                            \
  } while (false)

namespace {

enum Step { kEmpty, kLoad, kKeys, kMaxima, kCutoff, kCount, kScan, kAppend, kHistogram, kBoundary, kEmit, kSteps };
const char* const kStepNames[] = {"empty", "load",   "keys",      "group maxima", "cutoff", "count",
                                  "scan",  "append", "histogram", "boundary",     "emit"};
constexpr int kVectors = 8;  // float4 per thread: 32 columns
constexpr int kGroup = 2;    // vectors of a group: 8 columns
constexpr unsigned kAll = 0xFFFFFFFFu;

struct Row {
  const float* scores;
  const int* lengths;
  int* indices;
  long stride;
  int k;
};

__device__ __forceinline__ unsigned key_of(float score) {
  const unsigned bits = __float_as_uint(score);
  return bits ^ (static_cast<unsigned>(static_cast<int>(bits) >> 31) | 0x80000000u);
}

// The r-th largest of `count` keys, approximately: between r and r + r / 8 of them are at or above the result.
__device__ unsigned cutoff_of(const unsigned* maxima, int per_lane, int rank) {
  const int lane = threadIdx.x & 31;
  unsigned high = 0;
  for (int i = 0; i < per_lane; ++i) high = max(high, maxima[i * 32 + lane]);
  high = __reduce_max_sync(kAll, high);
  unsigned low = 0;
  const int window = rank + rank / 8;
  while (high > low) {
    const unsigned middle = low + (high - low) / 2 + 1;
    int at_or_above = 0;
    for (int i = 0; i < per_lane; ++i) at_or_above += maxima[i * 32 + lane] >= middle;
    at_or_above = static_cast<int>(__reduce_add_sync(kAll, static_cast<unsigned>(at_or_above)));
    if (at_or_above >= rank) {
      low = middle;
      if (at_or_above <= window) break;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

template <int kLast, int kThreads>
__global__ void __launch_bounds__(kThreads, 1024 / kThreads) short_row(Row row) {
  extern __shared__ uint4 shared[];
  __shared__ unsigned shared_cutoff, warp_totals[kThreads / 32], boundary_bin, boundary_above, boundary_count, num_out;
  __shared__ unsigned maximum;
  constexpr int kBins = 4 * kThreads;
  auto* candidates = reinterpret_cast<std::uint64_t*>(shared);  // capacity 32 * kThreads / 2
  auto* bins = reinterpret_cast<unsigned*>(candidates + 16 * kThreads);
  unsigned* maxima = bins;
  const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
  const int length = row.lengths[blockIdx.x];
  const float* scores = row.scores + blockIdx.x * row.stride;
  int* indices = row.indices + static_cast<long>(blockIdx.x) * row.k;
  if (kLast == kEmpty) {
    if (thread == 0) indices[0] = length;
    return;
  }
  float4 values[kVectors];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int vector = v * kThreads + thread;
    values[v] = make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    if (vector * 4 + 3 < length) values[v] = __ldg(reinterpret_cast<const float4*>(scores) + vector);
  }
  if (kLast == kLoad) {
    float sum = 0;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) sum += values[v].x + values[v].y + values[v].z + values[v].w;
    if (sum == 12345.f) indices[0] = thread;
    return;
  }
  unsigned keys[kVectors * 4];
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    keys[4 * v] = key_of(values[v].x);
    keys[4 * v + 1] = key_of(values[v].y);
    keys[4 * v + 2] = key_of(values[v].z);
    keys[4 * v + 3] = key_of(values[v].w);
  }
  if (kLast == kKeys) {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < kVectors * 4; ++i) sum ^= keys[i];
    if (sum == 12345u) indices[0] = thread;
    return;
  }
#pragma unroll
  for (int group = 0; group < kVectors / kGroup; ++group) {
    unsigned best = 0;
#pragma unroll
    for (int i = 0; i < kGroup * 4; ++i) best = max(best, keys[group * kGroup * 4 + i]);
    maxima[group * kThreads + thread] = best;
  }
  if (thread == 0) num_out = 0, maximum = 0;
  __syncthreads();
  if (kLast == kMaxima) {
    if (maxima[(thread * 33) % kThreads] == 12345u) indices[0] = thread;
    return;
  }
  if (warp == 0) {
    const int groups = kVectors / kGroup * kThreads;
    const float share = static_cast<float>(row.k) / length;
    const float passing = 1.f - powf(1.f - share, 4.f * kGroup);
    const float live = groups * (static_cast<float>(length) / (kVectors * 4 * kThreads));
    const int rank = static_cast<int>(live * passing + 4.f * sqrtf(live * passing * (1.f - passing))) + 1;
    const unsigned cutoff = cutoff_of(maxima, groups / 32, rank);
    if (lane == 0) shared_cutoff = cutoff;
  }
  __syncthreads();
  const unsigned cutoff = shared_cutoff;
  if (kLast == kCutoff) {
    if (cutoff == 12345u) indices[0] = thread;
    return;
  }
  int mine = 0;
#pragma unroll
  for (int i = 0; i < kVectors * 4; ++i) mine += keys[i] >= cutoff;
  if (kLast == kCount) {
    const unsigned total = __reduce_add_sync(kAll, static_cast<unsigned>(mine));
    if (lane == 0) warp_totals[warp] = total;
    __syncthreads();
    if (warp_totals[(warp + 1) % (kThreads / 32)] == 123456u) indices[0] = thread;
    return;
  }
  int prefix = mine;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int below = __shfl_up_sync(kAll, prefix, step);
    if (lane >= step) prefix += below;
  }
  if (lane == 31) warp_totals[warp] = prefix;
  __syncthreads();
  int begin = prefix - mine, total = 0;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w == warp) begin += total;
    total += warp_totals[w];
  }
  if (kLast == kScan) {
    if (begin == 1234567) indices[0] = total;
    return;
  }
  unsigned best = 0;
  const int capacity = 16 * kThreads;
#pragma unroll
  for (int i = 0; i < kVectors * 4; ++i) {
    if (keys[i] >= cutoff && begin < capacity) {
      const int column = ((i / 4) * kThreads + thread) * 4 + i % 4;
      candidates[begin++] = static_cast<std::uint64_t>(keys[i]) << 32 | static_cast<unsigned>(~column);
      best = max(best, keys[i]);
    }
  }
  total = min(total, capacity);
  best = __reduce_max_sync(kAll, best);
  if (lane == 0) atomicMax(&maximum, best);
  reinterpret_cast<uint4*>(bins)[thread] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  if (kLast == kAppend) {
    if (candidates[thread] == 12345u) indices[0] = thread;
    return;
  }
  // One histogram over the live key range; the candidates of the boundary bin are ranked by counting.
  const unsigned range = maximum - cutoff;
  const int shift = max(0, 32 - __clz(range) - (31 - __clz(kBins)));
  for (int i = thread; i < total; i += kThreads) {
    atomicAdd(&bins[(static_cast<unsigned>(candidates[i] >> 32) - cutoff) >> shift], 1u);
  }
  __syncthreads();
  const uint4 four = reinterpret_cast<const uint4*>(bins)[kThreads - 1 - thread];  // thread 0 has the top bins
  const int sum = four.x + four.y + four.z + four.w;
  int inclusive = sum;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int below = __shfl_up_sync(kAll, inclusive, step);
    if (lane >= step) inclusive += below;
  }
  if (lane == 31) warp_totals[warp] = inclusive;
  __syncthreads();
  int above = inclusive - sum;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < warp) above += warp_totals[w];
  }
  const unsigned parts[4] = {four.w, four.z, four.y, four.x};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (above < row.k && above + static_cast<int>(parts[i]) >= row.k) {
      boundary_bin = (kThreads - 1 - thread) * 4 + 3 - i;
      boundary_above = above;
      boundary_count = parts[i];
    }
    above += parts[i];
  }
  __syncthreads();
  if (kLast == kHistogram) {
    if (boundary_bin == 1234567u) indices[0] = thread;
    return;
  }
  const int needed = row.k - boundary_above;
  __shared__ std::uint64_t boundary[512];
  __shared__ unsigned num_boundary;
  if (thread == 0) num_boundary = 0;
  __syncthreads();
  for (int i = thread; i < total; i += kThreads) {
    const std::uint64_t candidate = candidates[i];
    if ((static_cast<unsigned>(candidate >> 32) - cutoff) >> shift == boundary_bin) {
      const unsigned at = atomicAdd(&num_boundary, 1u);
      if (at < 512) boundary[at] = candidate;
    }
  }
  __syncthreads();
  __shared__ std::uint64_t threshold;
  for (int i = thread; i < static_cast<int>(boundary_count); i += kThreads) {
    int larger = 0;
    for (int j = 0; j < static_cast<int>(boundary_count); ++j) larger += boundary[j] > boundary[i];
    if (larger == needed - 1) threshold = boundary[i];
  }
  __syncthreads();
  if (kLast == kBoundary) {
    if (threshold == 12345u) indices[0] = thread;
    return;
  }
  for (int base = 0; base < total; base += kThreads) {
    const int i = base + thread;
    const std::uint64_t candidate = i < total ? candidates[i] : 0;
    const bool chosen = candidate >= threshold;
    const unsigned ballot = __ballot_sync(kAll, chosen);
    unsigned slot = 0;
    if (lane == 0 && ballot != 0) slot = atomicAdd(&num_out, static_cast<unsigned>(__popc(ballot)));
    slot = __shfl_sync(kAll, slot, 0) + __popc(ballot & ((1u << lane) - 1));
    if (chosen && slot < static_cast<unsigned>(row.k))
      indices[slot] = static_cast<int>(~static_cast<unsigned>(candidate));
  }
}

__global__ void read_floor(Row row, long width) {
  const int length = row.lengths[blockIdx.x];
  const float4* scores = reinterpret_cast<const float4*>(row.scores + blockIdx.x * row.stride);
  float sum = 0;
  for (int vector = threadIdx.x; vector < length / 4; vector += 8 * blockDim.x) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      const int at = vector + u * static_cast<int>(blockDim.x);
      if (at < length / 4) {
        const float4 value = __ldg(scores + at);
        sum += value.x + value.y + value.z + value.w;
      }
    }
  }
  if (sum == 12345.f) row.indices[0] = 1;
}

template <typename Launch>
double median_us(Launch launch) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < 4; ++i) launch(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> times;
  for (int sample = 0; sample < 24; ++sample) {
    CHECK(cudaEventRecord(begin, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (sample >= 3) times.push_back(ms * 1000 / 4);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <int kLast, int kThreads>
void run_steps(const Row& row, int rows, double floor_us, double before_us) {
  const int shared_bytes = 16 * kThreads * 8 + 4 * kThreads * 4;
  CHECK(cudaFuncSetAttribute(short_row<kLast, kThreads>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  int per_sm = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, short_row<kLast, kThreads>, kThreads, shared_bytes));
  const double us = median_us(
      [&](cudaStream_t stream) { short_row<kLast, kThreads><<<rows, kThreads, shared_bytes, stream>>>(row); });
  std::printf("  %-13s %8.2f us  step %7.2f us  %5.2f x floor  %d CTAs/SM\n", kStepNames[kLast], us, us - before_us,
              us / floor_us, per_sm);
  if constexpr (kLast + 1 < kSteps) run_steps<kLast + 1, kThreads>(row, rows, floor_us, us);
}

template <int kThreads>
void run_shape(int rows, int width, int k) {
  std::vector<float> host(static_cast<std::size_t>(rows) * width);
  std::uint64_t state = 88172645463325252ull;
  const auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (std::size_t i = 0; i + 1 < host.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log(1 - next())), angle = 6.283185307179586 * next();
    host[i] = static_cast<float>(radius * std::cos(angle));
    host[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
  std::vector<int> lengths(rows);
  for (int& length : lengths) length = static_cast<int>(width * (0.8 + 0.2 * next())) / 4 * 4;
  Row row{};
  float* scores = nullptr;
  int* device_lengths = nullptr;
  CHECK(cudaMalloc(&scores, host.size() * 4));
  CHECK(cudaMalloc(&device_lengths, lengths.size() * 4));
  CHECK(cudaMalloc(&row.indices, static_cast<std::size_t>(rows) * k * 4));
  CHECK(cudaMemcpy(scores, host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_lengths, lengths.data(), lengths.size() * 4, cudaMemcpyHostToDevice));
  row.scores = scores, row.lengths = device_lengths, row.stride = width, row.k = k;
  const double floor_us = median_us([&](cudaStream_t stream) { read_floor<<<rows, 512, 0, stream>>>(row, width); });
  std::printf("%d x %d, k = %d, %d threads: read floor %.2f us\n", rows, width, k, kThreads, floor_us);
  run_steps<kEmpty, kThreads>(row, rows, floor_us, 0);
  std::vector<int> indices(static_cast<std::size_t>(rows) * k);
  CHECK(cudaMemcpy(indices.data(), row.indices, indices.size() * 4, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int r = 0; r < rows; r += 97) {
    const float* scored = host.data() + static_cast<std::size_t>(r) * width;
    std::vector<float> expected(scored, scored + lengths[r]), got;
    std::nth_element(expected.begin(), expected.begin() + (k - 1), expected.end(), std::greater<>());
    for (int i = 0; i < k; ++i) got.push_back(scored[indices[static_cast<std::size_t>(r) * k + i] % width]);
    wrong += *std::min_element(got.begin(), got.end()) != expected[k - 1];
  }
  std::printf("  wrong rows among those checked: %d\n", wrong);
  cudaFree(scores), cudaFree(device_lengths), cudaFree(row.indices);
}

}  // namespace

int main() {
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d SMs\n", properties.name, properties.multiProcessorCount);
  for (const int k : {512, 2048}) {
    run_shape<256>(4096, 8192, k);
    run_shape<512>(1024, 16384, k);
  }
  return 0;
}
