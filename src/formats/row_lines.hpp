#pragma once
#include <vector>

#include "formats/row_runs.hpp"

// Lines of R rows of a sample, and the blocks in them. All sums are weighted by window.
namespace nz {

struct RowLines {
  RowRuns of;
  index_t height = 1;
  double slots = 0;  // values in blocks of height x 1
};

// Entries in the whole lines of so many rows; the last of the matrix may be shorter.
double entries_in_lines(const std::vector<Window>& windows, index_t rows, index_t height);

// Lines of `height` rows from those of a divisor. Gives up, with no slots, when it has more than
// `most`.
RowLines unite_lines(const RowLines& from, const std::vector<Window>& windows, index_t rows,
                     index_t height, double most);

struct BlockCount {
  double blocks = 0;
  double inside = 0;  // values of the blocks that lie inside the matrix
};

// Blocks of the lines' height and so many columns; one of block_sides().
BlockCount count_blocks(const RowLines& lines, const std::vector<Window>& windows, index_t rows,
                        index_t cols, index_t width);

}  // namespace nz
