#pragma once
#include <cstddef>
#include <cstdint>

#include "kernels/gpu/coo/device_coo.hpp"
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
  // Of each tile a counter and two parts of sums.
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(tiles_.spans.size(), 2 * tiles_.spans.size());
  }

  // Every row is written once, the same bits each time.
  void multiply(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                const simt::Scratch& scratch) const;
  void multiply_transposed(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                           const simt::Scratch&) const;

 private:
  CooView<T> a_;
  int threads_, steps_;  // steps of a warp in a tile
  CooTiles tiles_;
};

}  // namespace nz::NZ_HOME
