#pragma once
#include "kernels/gpu/bsr/shares.hpp"

// The door to bsr/stream.hpp, whose kernels are compiled in stream_f32.cpp and
// stream_f64.cpp.
namespace nz::NZ_HOME {

// Whether blocks are small enough.
template <class T>
bool stream_takes(int rows, int cols, bool transposed) {
  return (transposed ? cols : rows) <= 32 && rows * cols * int(sizeof(T)) <= 8192;
}

struct StreamFacts {
  int grain = 1;      // shares begin at multiples of it
  int stage = 1;      // blocks that a warp takes at a time
  int resident = 1;   // thread blocks that a multiprocessor holds
  int warps = 1;      // of a thread block
  int registers = 0;  // of a thread
};
template <Value T>
StreamFacts stream_facts(int rows, int cols, bool transposed);

// What a direction is multiplied with.
template <class T>
struct BsrOperands {
  const T* values;
  const index_t* other;  // block column of each block; transposed: block row, by column
  const int* number;     // transposed: of the blocks, by column
  std::int64_t in, out;  // lengths of x and y
  FactorOf<T> alpha;
  VectorOf<T> x;
  T beta;
  T* y;
};
template <Value T>
void launch_stream(CUstream_st* stream, int rows, int cols, bool transposed, int warps,
                   const ShareView<T>& shares, const BsrOperands<T>& m);

}  // namespace nz::NZ_HOME
