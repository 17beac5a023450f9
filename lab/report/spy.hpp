#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include <nonzero/formats/csr.hpp>

#include "lab/bench/density.hpp"

namespace nz::lab {

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
