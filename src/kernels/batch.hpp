#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <nonzero/device.hpp>
#include <nonzero/kernel.hpp>

#include "kernels/batch_tiles.hpp"

// The product of a batch: one function makes it on the CPU, one in each home of GPU kernels.
namespace nz {

// The tiles are those of a pattern that comes `repeats` times, each time with the next rows,
// columns and values; the last time not all of it is there. Matrices of one structure are such a
// pattern of one or several of them, matrices of many structures one that comes once.
struct BatchShape {
  BatchTiles n, t;           // for an op that nobody asks for: none
  std::int64_t repeats = 0;  // of the pattern
  std::int64_t pattern_rows = 0, pattern_cols = 0, pattern_entries = 0;
  std::int64_t rows = 0, cols = 0, entries = 0;  // of all matrices

  const BatchTiles& tiles(Op op) const { return op == Op::none ? n : t; }
};

template <Value T>
struct MadeBatch {
  std::unique_ptr<Product<T>> product;
  // Other values, as many: of memory that the product may go on to read where it borrows.
  std::function<void(std::span<const T>)> set_values;
};

// With `keep` values in the memory of the device are borrowed; all else is copied.
#define NZ_DECLARE_BATCH(home)                                                     \
  namespace home {                                                                 \
  template <Value T>                                                               \
  MadeBatch<T> make_batch(BatchShape shape, std::span<const T> values, bool keep); \
  }
NZ_DECLARE_BATCH(cpu)
NZ_DECLARE_BATCH(cuda)
NZ_DECLARE_BATCH(emulated)
#undef NZ_DECLARE_BATCH

}  // namespace nz
