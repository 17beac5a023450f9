#pragma once
#include <cstddef>

struct CUstream_st;

namespace nz {

// How a kernel is launched.
struct Launch {
  int blocks = 1;
  int threads = 128;             // whole warps
  std::size_t shared_bytes = 0;  // dynamic shared memory
  CUstream_st* stream = nullptr;
};

}  // namespace nz
