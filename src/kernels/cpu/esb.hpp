#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz::cpu {

// ESB, the ELLPACK sparse block of Liu, Smelyanskiy, Chow and Dubey (ICS 2013). The matrix is cut
// into blocks of columns. Within each, and within windows of rows, rows are sorted by how many
// entries they have there; every `height` positions of that order are a slice, as many rows as a
// vector of 64 bytes has values. A slice is a sequence of steps with one entry at most a lane.
// Entries alone are stored: a step's mask has a bit for each lane that has one.
//   slice s of column block b is slice b * slices + s
//   its steps are those from steps[.] to steps[. + 1], its entries begin at entries[.]
//   its lane l is row permutation[b * rows + s * height + l]
template <Value T>
struct Esb {
  static constexpr int height = 64 / sizeof(T);
  using Mask = std::conditional_t<height == 8, std::uint8_t, std::uint16_t>;
  using value_type = T;
  index_t rows = 0, cols = 0;
  index_t blocks = 0, slices = 0;  // slices a block
  Array<std::int64_t> steps, entries;
  Array<index_t> permutation;
  Array<Mask> masks;
  Array<index_t> columns;
  Array<T> values;

  std::size_t bytes() const {
    return (steps.size() + entries.size()) * sizeof(std::int64_t) +
           (permutation.size() + columns.size()) * sizeof(index_t) + masks.size() * sizeof(Mask) +
           values.size() * sizeof(T);
  }
};

// `blocks` column blocks of equal width, and windows of so many rows.
template <Value T, Offset O>
Esb<T> esb_from_csr(const CsrView<T, O>& a, index_t blocks, index_t window);

// Cuts the slices of a column block into parts of about equal work, rows and entries counted alike.
// parts + 1 cuts.
template <Value T>
std::vector<index_t> split_slices(const Esb<T>& a, index_t block, int parts);

}  // namespace nz::cpu
