#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/coo/tiles.hpp"

namespace nz::NZ_HOME {

// The products of gpu/coo/segmented, for whoever has coordinates on the current device, their
// arrays aligned for loads of 16 bytes. Borrows them.
template <Value T>
class CooSegments {
 public:
  // At most that many threads a block, and entries a thread.
  CooSegments(const CooView<T>& a, int threads, std::int64_t entries = 32);
  std::size_t bytes() const { return tiles_.bytes(); }
  simt::ScratchSize scratch_size() const { return tiles_.scratch_size(); }

  // Every row is written once, the same bits each time.
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const;
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const;

 private:
  CooView<T> a_;
  int threads_;
  TileStore<T> tiles_;
};

}  // namespace nz::NZ_HOME
