#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include <nonzero/error.hpp>
#include <nonzero/formats/blocks.hpp>
#include <nonzero/formats/bsr.hpp>
#include <nonzero/formats/sell.hpp>

#include "kernels/bsr_parameters.hpp"
#include "lab/peers/cusparse.hpp"
#include "lab/peers/cusparse_formats.hpp"

// Sliced ELL and BSR for cuSPARSE, converted by the host.
namespace nz::lab::peers::cusparse {

// Slices of `chunk` rows in their own order. The last slice is as high as the others: rows without
// entries are added to it, which the library is not told of. Padding has column -1, as ours has.
template <Value T, Offset O>
class SellFormat {
 public:
  using value_type = T;
  SellFormat(Device device, const CsrView<T, O>& a, const Parameters& p)
      : SellFormat(device, a, convert(HostCsr<T, O>(device, a).view(), p)) {}

  static Op library_op(Op op) { return op; }
  Matrix describe(Op) const {
    cusparseConstSpMatDescr_t m = nullptr;
    check(cusparseCreateConstSlicedEll(&m, rows_, cols_, nnz_, slots(), chunk_, offsets_.data(),
                                       columns_.data(), values_.data(), index_type_of<O>,
                                       index_type_of<O>, CUSPARSE_INDEX_BASE_ZERO, type_of<T>),
          "cusparseCreateConstSlicedEll");
    return Matrix(m);
  }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  std::int64_t described_rows() const { return rows_; }
  std::int64_t described_cols() const { return cols_; }
  std::int64_t slots() const { return static_cast<std::int64_t>(values_.size()); }
  std::size_t bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }
  std::size_t matrix_bytes(Op) const { return bytes(); }
  bool borrows() const { return false; }

 private:
  SellFormat(Device device, const CsrView<T, O>& a, const Sell<T, O>& s)
      : rows_(a.rows),
        cols_(a.cols),
        chunk_(s.chunk),
        nnz_(a.nnz),
        offsets_(device, span_of(s.offsets)),
        columns_(put_indices<O>(device, s.columns)),
        values_(device, span_of(s.values)) {}

  static Sell<T, O> convert(CsrView<T, O> a, const Parameters& p) {
    const auto chunk = static_cast<index_t>(p.at("chunk"));
    const auto ratio = static_cast<double>(p.at("max_ratio"));
    Array<O> longer;
    if (a.rows % chunk != 0) {
      const std::int64_t whole = (std::int64_t{a.rows} / chunk + 1) * chunk;
      if (whole > std::numeric_limits<index_t>::max())
        throw Refused("whole slices have more rows than 32 bits count");
      longer = Array<O>(static_cast<std::size_t>(whole) + 1, a.nnz);
      std::copy_n(a.offsets, static_cast<std::size_t>(a.rows) + 1, longer.data());
      a.rows = static_cast<index_t>(whole);
      a.offsets = longer.data();
    }
    return sell_from_csr(a, chunk, 1, ratio);
  }

  index_t rows_, cols_, chunk_;
  std::int64_t nnz_;
  DeviceArray<O> offsets_;
  DeviceArray<O> columns_;
  DeviceArray<T> values_;
};

// Square blocks, row by row: the library has no others. It takes the last ones as whole, so the
// matrix it is told of may be larger than ours.
template <Value T, Offset O>
class BsrFormat {
 public:
  using value_type = T;
  BsrFormat(Device device, const CsrView<T, O>& a, const Parameters& p)
      : BsrFormat(device, convert(HostCsr<T, O>(device, a).view(), p)) {}

  static Op library_op(Op op) { return op; }
  Matrix describe(Op) const {
    cusparseConstSpMatDescr_t m = nullptr;
    check(cusparseCreateConstBsr(&m, shape_.grid_rows(), shape_.grid_cols(), shape_.blocks,
                                 shape_.block_rows, shape_.block_cols, offsets(), columns(),
                                 values(), index_type_of<O>, index_type_of<O>,
                                 CUSPARSE_INDEX_BASE_ZERO, type_of<T>, CUSPARSE_ORDER_ROW),
          "cusparseCreateConstBsr");
    return Matrix(m);
  }
  const BsrView<T, O>& shape() const { return shape_; }  // its pointers are null
  const O* offsets() const { return offsets_.data(); }
  const O* columns() const { return columns_.data(); }
  const T* values() const { return values_.data(); }
  index_t rows() const { return shape_.rows; }
  index_t cols() const { return shape_.cols; }
  std::int64_t described_rows() const {
    return std::int64_t{shape_.grid_rows()} * shape_.block_rows;
  }
  std::int64_t described_cols() const {
    return std::int64_t{shape_.grid_cols()} * shape_.block_cols;
  }
  std::int64_t slots() const { return static_cast<std::int64_t>(values_.size()); }
  std::size_t bytes() const { return offsets_.bytes() + columns_.bytes() + values_.bytes(); }
  std::size_t matrix_bytes(Op) const { return bytes(); }
  bool borrows() const { return false; }
  Facts facts() const { return bsr_facts(shape_); }

  static Bsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p) {
    const auto side = static_cast<index_t>(p.at("block"));
    return bsr_from_csr(a, side, side, static_cast<double>(p.at("max_ratio")));
  }

 private:
  BsrFormat(Device device, const Bsr<T, O>& b)
      : shape_(b.view()),
        offsets_(device, span_of(b.offsets)),
        columns_(put_indices<O>(device, b.columns)),
        values_(device, span_of(b.values)) {
    shape_.offsets = nullptr;
    shape_.columns = nullptr;
    shape_.values = nullptr;
  }

  BsrView<T, O> shape_;
  DeviceArray<O> offsets_;
  DeviceArray<O> columns_;
  DeviceArray<T> values_;
};

inline Csr<double, std::int64_t> with_bsr_fill(const CsrView<double, std::int64_t>& a,
                                               const Parameters& p) {
  return bsr_to_csr(BsrFormat<double, std::int64_t>::convert(a, p).view(), Fill::keep);
}

// The square of the fewest bytes. The library takes none of one row.
inline Parameters fit_square(const Pattern& a) {
  return {{"block", std::max<index_t>(2, detect_blocks(a, {.square = true}).block_rows)}};
}

}  // namespace nz::lab::peers::cusparse
