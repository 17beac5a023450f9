#pragma once
#include <cstdint>
#include <filesystem>
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

struct PictureSize {
  int height = 0;
  int width = 0;
};

// The longer side has `size` pixels, the other follows the shape of the matrix, but stays wide
// enough to see.
PictureSize picture_size(index_t rows, index_t cols, int size);

// A picture of the nonzeros. Throws BadInput when the file cannot be written.
PictureSize write_spy_png(const std::filesystem::path& path, const CsrView<double, std::int64_t>& a,
                          int size);

enum class Glyphs { braille, ascii };

// The same as text, at most `columns` wide and `lines` high, frame included. A character is blank
// only where the matrix has no entries.
std::string spy_text(const CsrView<double, std::int64_t>& a, int columns, int lines, Glyphs glyphs);

}  // namespace nz::lab
