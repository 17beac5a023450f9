#pragma once
#include <cstdint>

struct CUstream_st;

// A kernel that does nothing but read memory, as fast as it can be read, for both homes of the
// device language.
namespace nz {

inline constexpr int reading_block = 256;  // threads

// Adds up a[0..n), n even, into one sum a warp: parts has blocks * reading_block / 32.
// `keep`: what it reads goes to the cache like anything else.
#define NZ_DECLARE_READING(home)                                                                  \
  namespace home {                                                                                \
  void queue_sum(CUstream_st* stream, const double* a, std::int64_t n, double* parts, int blocks, \
                 bool keep);                                                                      \
  }
NZ_DECLARE_READING(cuda)
NZ_DECLARE_READING(emulated)
#undef NZ_DECLARE_READING

}  // namespace nz
