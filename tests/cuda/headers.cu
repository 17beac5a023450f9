// Compiled where nvcc is there: the public headers are clean for CUDA, and views can cross into a
// kernel by value.
#include <nonzero/nonzero.hpp>

__global__ void row_lengths(nz::CsrView<double, std::int64_t> a, nz::index_t* lengths) {
  const nz::index_t i = static_cast<nz::index_t>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < a.rows) lengths[i] = static_cast<nz::index_t>(a.offsets[i + 1] - a.offsets[i]);
}
