#pragma once
#include <vector>

#include <nonzero/formats/csr.hpp>

namespace nz {

// Puts rows in order, one range of rows at a time; a thread has one of these for its scratch.
template <Value T, Offset O>
class RowSorter {
 public:
  // Sorts rows begin to end of `a` by column, equal columns in their order, and sums them. The rows
  // lie from offsets[begin] to `stop` and stay packed from offsets[begin] on; returns where they
  // end. Reads and writes the offsets of these rows only.
  O settle(Csr<T, O>& a, index_t begin, index_t end, O stop);

 private:
  O settle_row(index_t* columns, T* values, O n);

  struct Pair {
    index_t column;
    T value;
  };
  std::vector<Pair> pairs_;
};

// Rows first to the next range's first now lie packed from `begin` to `end`.
template <Offset O>
struct SettledRange {
  index_t first;
  O begin, end;
};

// Closes the gaps that summed duplicates have left between ranges, and sets the last offset.
template <Value T, Offset O>
void close_gaps(Csr<T, O>& a, const std::vector<SettledRange<O>>& ranges);

}  // namespace nz
