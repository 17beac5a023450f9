// One fault for each tool of compute-sanitizer, so that a run in which it finds nothing means
// something: `planted_faults memcheck|racecheck|initcheck|synccheck|none`. Ends with 0 when the
// kernel has run, whatever it did.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int threads = 64;

// Writes the element after the last.
__global__ void writes_outside(int* out, int n) { out[threadIdx.x < n ? threadIdx.x : n] = 1; }

// Reads what another warp writes, without a barrier between.
__global__ void races_in_shared_memory(int* out) {
  __shared__ int s[threads];
  s[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = s[threads - 1 - threadIdx.x];
}

__global__ void reads_all(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

// Half of a warp meets at a barrier that is said to be for the other half.
__global__ void waits_with_others(int* out) {
  if (threadIdx.x % 32 >= 16) __syncwarp(0x0000ffffu);
  out[threadIdx.x] = 1;
}

// All of this in the right way.
__global__ void does_all_right(const int* in, int* out) {
  __shared__ int s[threads];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threads - 1 - threadIdx.x];
}

}  // namespace

int main(int count, char** arguments) {
  const char* what = count == 2 ? arguments[1] : "";
  int *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, threads * sizeof(int)) != cudaSuccess ||
      cudaMalloc(&out, threads * sizeof(int)) != cudaSuccess)
    return std::fprintf(stderr, "no device memory\n"), 2;
  // The upper half stays unwritten where it is the fault.
  const std::size_t written = std::strcmp(what, "initcheck") == 0 ? threads / 2 : threads;
  cudaMemset(in, 0, written * sizeof(int));
  if (std::strcmp(what, "memcheck") == 0)
    writes_outside<<<1, threads + 1>>>(out, threads);
  else if (std::strcmp(what, "racecheck") == 0)
    races_in_shared_memory<<<1, threads>>>(out);
  else if (std::strcmp(what, "initcheck") == 0)
    reads_all<<<1, threads>>>(in, out);
  else if (std::strcmp(what, "synccheck") == 0)
    waits_with_others<<<1, threads>>>(out);
  else if (std::strcmp(what, "none") == 0)
    does_all_right<<<1, threads>>>(in, out);
  else
    return std::fprintf(stderr, "planted_faults memcheck|racecheck|initcheck|synccheck|none\n"), 2;
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  cudaFree(out);
  cudaFree(in);
  return 0;
}
