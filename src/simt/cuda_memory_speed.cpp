#include <cuda_runtime_api.h>

#include "simt/memory_speed.hpp"

namespace nz::simt {

double cuda_memory_speed(int index) noexcept {
  int khz = 0, bits = 0;
  if (cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, index) != cudaSuccess ||
      cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, index) != cudaSuccess) {
    cudaGetLastError();  // nobody else's
    return 0;
  }
  return 2e3 * khz * bits / 8;  // twice a clock
}

}  // namespace nz::simt
