#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include <nonzero/formats/csr.hpp>

namespace nz::lab {

// The lengths of a matrix's rows, or of its columns.
struct Lengths {
  std::int64_t count = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t empty = 0;
  double mean = 0;
  double deviation = 0;  // standard deviation
  // How many have length 0, 1, 2-3, 4-7, 8-15, ...
  std::vector<std::int64_t> histogram;
};

enum class NumericSymmetry { none, symmetric, skew_symmetric };
std::string_view name(NumericSymmetry s);

// What the pattern and the values of a matrix look like.
struct Statistics {
  double density = 0;  // nonzeros / (rows * columns)
  Lengths rows, columns;
  std::int64_t bandwidth = 0;         // largest |row - column|
  std::int64_t diagonals = 0;         // with at least one entry
  std::int64_t diagonal_entries = 0;  // on the main diagonal
  std::int64_t explicit_zeros = 0;
  // Of the entries off the main diagonal, the share whose mirror image is also there; 1 when there
  // are none, 0 when the matrix is not square.
  double pattern_symmetry = 0;
  NumericSymmetry symmetry = NumericSymmetry::none;
};

// Of the rows alone, which takes no look at the entries.
Lengths row_lengths(const CsrView<double, std::int64_t>& a);

Statistics statistics(const CsrView<double, std::int64_t>& a);

}  // namespace nz::lab
