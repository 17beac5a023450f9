#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nonzero/io.hpp>

#include "io/budget.hpp"
#include "io/text_pieces.hpp"

namespace nz {

// What stands above the entries of a Matrix Market file.
struct MmHeader {
  bool coordinate = true;  // otherwise array
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t wide_rows = 0, wide_cols = 0;  // the same, where they may be more
  std::int64_t entries = 0;                   // lines that must follow
  std::uint64_t lines = 0;                    // of the header
};

// Whether a text begins as a Matrix Market file does.
bool begins_with_banner(std::string_view text);

// Reads the banner, the comments and the size line. Throws BadInput with file and line for what is
// not Matrix Market, for what cannot be (a hermitian matrix of reals), and for sizes that
// contradict each other or that are beyond the budget: memory is spent on every row, also on an
// empty one. A wide matrix of coordinates has any size, nothing is spent on its rows, and `rows`
// and `cols` are not set.
MmHeader read_mm_header(TextPieces& text, const Budget& budget, bool wide = false);

}  // namespace nz
