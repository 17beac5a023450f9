#pragma once
#include <nonzero/array.hpp>
#include <nonzero/formats/bsr.hpp>

namespace nz {

// The blocks of BSR in the order of their block columns, for transposed products: block column j
// has the blocks block[starts[j]] to block[starts[j + 1]], which lie in the grid lines row[...],
// increasing. Only the numbers: values stay where they are.
template <Offset O>
struct BlockColumns {
  Array<O> starts;     // grid_cols + 1
  Array<O> block;      // blocks
  Array<index_t> row;  // blocks
};

// offsets (grid_rows + 1) and columns are those of BSR, in host memory.
template <Offset O>
BlockColumns<O> columns_of(index_t grid_rows, index_t grid_cols, const O* offsets,
                           const index_t* columns);

template <Value T, Offset O>
BlockColumns<O> columns_of(const BsrView<T, O>& a) {
  return columns_of(a.grid_rows(), a.grid_cols(), a.offsets, a.columns);
}

}  // namespace nz
