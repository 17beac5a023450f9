#pragma once
#include <cstdint>

#include "kernels/batch_tiles.hpp"

namespace nz::cpu {

// What the loops over a batch's tiles take, for one time that the pattern comes.
template <class T>
struct BatchPass {
  const BatchTiles* tiles = nullptr;
  const T* values = nullptr;
  const T* x = nullptr;
  T* y = nullptr;
  T alpha = 1, beta = 0;
  std::int64_t rows = 0;  // of the pattern that are there
};

// Multiplies tiles `first` to `last`. Compiled once for each instruction set.
template <class T>
using BatchRows = void (*)(const BatchPass<T>& pass, std::int64_t first, std::int64_t last);

}  // namespace nz::cpu
