#pragma once
#include <cstdint>
#include <vector>

#include <nonzero/formats/csr.hpp>

// izawa2023 pads with zeros and multiplies them (figures 2.15, 2.16, 3.8 and 3.9). What stands
// where is printed as a star: here the value is 0, and so is the index beside it, a column or a
// place.
namespace nz::NZ_HOME {

// The matrix with a zero more at each of these places, for Kernel::with_fill. An entry that is
// there already keeps its own: entry and zero are both multiplied by x, and an infinite x makes NaN
// of the second alone. So rows of the result may have a column twice.
struct CellOfPadding {
  index_t row, column;
};
inline Csr<double, std::int64_t> with_zeros(const CsrView<double, std::int64_t>& a,
                                            const std::vector<CellOfPadding>& zeros) {
  const auto rows = static_cast<std::size_t>(a.rows);
  const std::size_t entries = static_cast<std::size_t>(a.nnz) + zeros.size();
  Csr<double, std::int64_t> b{a.rows, a.cols, Array<std::int64_t>(rows + 1),
                              Array<index_t>(entries), Array<double>(entries)};
  std::vector<std::int64_t> more(rows, 0);
  for (const CellOfPadding& z : zeros) ++more[static_cast<std::size_t>(z.row)];
  b.offsets[0] = 0;
  for (index_t i = 0; i < a.rows; ++i) {
    std::int64_t to = b.offsets[i];
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k, ++to) {
      b.columns[to] = a.columns[k];
      b.values[to] = a.values[k];
    }
    b.offsets[i + 1] = to + more[static_cast<std::size_t>(i)];
  }
  for (const CellOfPadding& z : zeros) {
    const std::int64_t to = b.offsets[z.row + 1] - more[static_cast<std::size_t>(z.row)]--;
    b.columns[to] = z.column;
    b.values[to] = 0;
  }
  return b;
}

}  // namespace nz::NZ_HOME
