#pragma once
#include <cstdint>
#include <vector>

#include <nonzero/formats/pattern.hpp>

// What block detection sees of a matrix: windows of neighbouring rows, the columns of a row as runs
// without gaps. Blocks give long runs and equal neighbours, so what is worth a closer look is
// small.
namespace nz {

struct Run {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

// Rows in a row whose columns, or the union of whose columns, are the same.
struct RowSpan {
  std::int64_t first = 0;
  std::int64_t rows = 0;           // of whole lines, some of which may lie beyond the matrix
  std::size_t begin = 0, end = 0;  // of RowRuns::runs
};

// Windows of rows; with some R, of whole lines of the grid with R rows each, a line's runs being
// the union of its rows'.
struct RowRuns {
  std::vector<Run> runs;
  std::vector<RowSpan> spans;
  std::vector<std::size_t> window_ends;  // of spans
};

struct Window {
  index_t first = 0;  // its rows
  index_t last = 0;
  double weight = 1;
  std::vector<std::int64_t> entries;  // in the first 0, 1, ... rows, as far as they are looked at
};

struct RowSample {
  RowRuns rows;
  std::vector<Window> windows;
  bool whole = false;
};

// All rows of a matrix of at most `whole` nonzeros and rows; otherwise windows around nonzeros that
// are evenly spread, each with the same weight. A window of many long rows sees a part of their
// columns, the same for all.
RowSample sample_rows(const Pattern& a, std::int64_t whole);

}  // namespace nz
