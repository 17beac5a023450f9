#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nonzero/formats/csr.hpp>

namespace nz::lab {

// How dense the matrix is in each cell of a grid laid over it: nonzeros / places, 0 to 1. The grid
// is never finer than the matrix.
struct DensityGrid {
  int height = 0;
  int width = 0;
  std::vector<double> density;  // row by row
  double largest = 0;

  double at(int y, int x) const {
    return density[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                   static_cast<std::size_t>(x)];
  }
  // How dark to draw a cell: 0 where nothing is, 1 where it is densest, and never so little in
  // between that a lone nonzero disappears.
  double ink(int y, int x) const;
};

// At most `height` by `width` cells.
DensityGrid density_grid(const CsrView<double, std::int64_t>& a, int height, int width);

// A small picture for a record: at most 64 lines of as many hexadecimal digits, 0 where nothing is,
// f where the matrix is densest.
std::vector<std::string> thumbnail(const CsrView<double, std::int64_t>& a);

}  // namespace nz::lab
