#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/fill.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Block sparse rows (chirila2025 §3.4): CSR of dense blocks. The matrix is cut into a grid of
// block_rows x block_cols blocks from its upper left corner; the last line and the last column of
// the grid may reach beyond the matrix. Line i of the grid holds blocks offsets[i] to offsets[i+1],
// block columns strictly increasing. Values lie block after block, row by row inside; what is no
// entry of the matrix is zero.
template <Value T, Offset O>
struct BsrView {
  using value_type = T;
  using offset_type = O;
  index_t rows = 0;
  index_t cols = 0;
  index_t block_rows = 1;
  index_t block_cols = 1;
  std::int64_t nnz = 0;  // without fill
  O blocks = 0;
  const O* offsets = nullptr;        // grid_rows() + 1
  const index_t* columns = nullptr;  // blocks
  const T* values = nullptr;         // blocks * block_size()

  constexpr index_t grid_rows() const { return rows / block_rows + (rows % block_rows != 0); }
  constexpr index_t grid_cols() const { return cols / block_cols + (cols % block_cols != 0); }
  constexpr std::size_t block_size() const {
    return static_cast<std::size_t>(block_rows) * static_cast<std::size_t>(block_cols);
  }
  // Rows and columns of a block that are inside the matrix.
  constexpr index_t height(index_t grid_row) const {
    const index_t left = rows - grid_row * block_rows;
    return left < block_rows ? left : block_rows;
  }
  constexpr index_t width(index_t grid_col) const {
    const index_t left = cols - grid_col * block_cols;
    return left < block_cols ? left : block_cols;
  }
  // As chirila2025 §5.1.3 counts: all blocks, one index a block, one offset a line and one more.
  constexpr std::size_t bytes() const {
    return static_cast<std::size_t>(blocks) * (block_size() * sizeof(T) + sizeof(index_t)) +
           (static_cast<std::size_t>(grid_rows()) + 1) * sizeof(O);
  }
};
static_assert(std::is_trivially_copyable_v<BsrView<double, std::int64_t>>);

template <Value T, Offset O>
struct Bsr {
  index_t rows = 0;
  index_t cols = 0;
  index_t block_rows = 1;
  index_t block_cols = 1;
  std::int64_t entries = 0;
  Array<O> offsets{0};
  Array<index_t> columns;
  Array<T> values;

  std::int64_t nnz() const { return entries; }
  std::size_t bytes() const { return view().bytes(); }
  BsrView<T, O> view() const {
    return {rows,           cols,           block_rows,
            block_cols,     entries,        static_cast<O>(columns.size()),
            offsets.data(), columns.data(), values.data()};
  }

  // Stored values that are no entries of the matrix, and stored values a nonzero.
  std::int64_t fill() const { return static_cast<std::int64_t>(values.size()) - entries; }
  double fill_ratio() const {
    return slots_per_nonzero(static_cast<std::int64_t>(values.size()), entries);
  }

  // Throws BadInput naming the first grid line, block or value that breaks the format.
  void validate() const;

  friend bool operator==(const Bsr&, const Bsr&) = default;
};

// Throws InvalidArgument for a block size below 1 and Refused, before it allocates blocks, when
// they hold more than max_ratio values a nonzero.
template <Value T, Offset O>
NZ_API Bsr<T, O> bsr_from_csr(const CsrView<T, O>& a, index_t block_rows, index_t block_cols,
                              double max_ratio = default_max_ratio);

// Gives the matrix back, but for explicit zeros: see Fill.
template <Value T, Offset O>
NZ_API Csr<T, O> bsr_to_csr(const BsrView<T, O>& a, Fill fill = Fill::drop);

}  // namespace nz
