#pragma once
#include <cstdint>

#include "device/read_memory.hpp"

struct CUstream_st;

// Kernels that do nothing but touch memory, and one that does nothing, for both homes of the device
// language.
namespace nz {

// The element i of the array that the memory test reads: a whole number, so that sums are exact in
// any order.
constexpr double memory_value(std::int64_t i) {
  return static_cast<double>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 44);
}

#define NZ_DECLARE_MEMORY_KERNELS                                              \
  /* a[i] = memory_value(i) for i < n. */                                      \
  void queue_fill(CUstream_st* stream, double* a, std::int64_t n, int blocks); \
  void queue_nothing(CUstream_st* stream);
namespace cuda {
NZ_DECLARE_MEMORY_KERNELS
}
namespace emulated {
NZ_DECLARE_MEMORY_KERNELS
}
#undef NZ_DECLARE_MEMORY_KERNELS

}  // namespace nz
