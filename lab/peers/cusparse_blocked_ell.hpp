#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include <nonzero/error.hpp>

#include "lab/peers/cusparse_blocks.hpp"

namespace nz::lab::peers::cusparse {

// Blocked ELL for cusparseSpMM, converted by the host: as many square blocks in every block row,
// those that lack some filled up with column -1 and zeros. Values are a matrix of `rows` x
// `ell_cols`, row by row. Blocks are whole, so the matrix it is told of may be larger than ours.
template <Value T, Offset O>
class BlockedEllFormat {
 public:
  using value_type = T;
  BlockedEllFormat(Device device, const CsrView<T, O>& a, const Parameters& p)
      : BlockedEllFormat(device, BsrFormat<T, O>::convert(HostCsr<T, O>(device, a).view(), p),
                         static_cast<double>(p.at("max_ratio")) * static_cast<double>(a.nnz)) {}

  static Op library_op(Op op) { return op; }
  Matrix describe(Op) const {
    cusparseConstSpMatDescr_t m = nullptr;
    check(cusparseCreateConstBlockedEll(&m, described_rows(), described_cols(), side_,
                                        width_ * side_, columns_.data(), values_.data(),
                                        index_type_of<O>, CUSPARSE_INDEX_BASE_ZERO, type_of<T>),
          "cusparseCreateConstBlockedEll");
    return Matrix(m);
  }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  std::int64_t described_rows() const { return high_ * side_; }
  std::int64_t described_cols() const { return wide_ * side_; }
  std::int64_t slots() const { return static_cast<std::int64_t>(values_.size()); }
  std::size_t bytes() const { return columns_.bytes() + values_.bytes(); }
  std::size_t matrix_bytes(Op) const { return bytes(); }
  bool borrows() const { return false; }
  Facts facts() const {
    return {{"block", static_cast<double>(side_)}, {"blocks_a_row", static_cast<double>(width_)}};
  }

 private:
  BlockedEllFormat(Device device, const Bsr<T, O>& b, double most_values)
      : rows_(b.rows), cols_(b.cols), side_(b.block_rows) {
    const auto v = b.view();
    high_ = v.grid_rows();
    wide_ = v.grid_cols();
    for (std::int64_t i = 0; i < high_; ++i)
      width_ = std::max<std::int64_t>(width_, v.offsets[i + 1] - v.offsets[i]);
    const double stored = static_cast<double>(high_) * static_cast<double>(width_) *
                          static_cast<double>(side_) * static_cast<double>(side_);
    if (stored > most_values)
      throw Refused(std::to_string(width_) + " blocks of side " + std::to_string(side_) +
                    " in every block row are more values than max_ratio allows");
    const auto each = static_cast<std::size_t>(side_ * side_);
    Array<O> columns(static_cast<std::size_t>(high_ * width_), O(-1));
    Array<T> values(columns.size() * each, T(0));
    const std::int64_t line = width_ * side_;
    for (std::int64_t i = 0; i < high_; ++i)
      for (std::int64_t k = v.offsets[i]; k < v.offsets[i + 1]; ++k) {
        const std::int64_t slot = k - v.offsets[i];
        columns[static_cast<std::size_t>(i * width_ + slot)] = static_cast<O>(v.columns[k]);
        for (std::int64_t r = 0; r < side_; ++r)
          std::copy_n(v.values + (k * side_ + r) * side_, side_,
                      values.data() + (i * side_ + r) * line + slot * side_);
      }
    columns_ = {device, span_of(columns)};
    values_ = {device, span_of(values)};
  }

  index_t rows_, cols_;
  std::int64_t side_, high_ = 0, wide_ = 0, width_ = 0;
  DeviceArray<O> columns_;
  DeviceArray<T> values_;
};

}  // namespace nz::lab::peers::cusparse
