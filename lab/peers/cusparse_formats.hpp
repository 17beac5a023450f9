#pragma once
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include <nonzero/array.hpp>
#include <nonzero/error.hpp>
#include <nonzero/formats/bsr.hpp>
#include <nonzero/formats/sell.hpp>
#include <nonzero/kernel.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "lab/peers/cusparse.hpp"
#include "simt/backend.hpp"

// A matrix on a device in each format that cuSPARSE multiplies, and its description for the
// library:
// - describe(op): a fresh descriptor to make op with; library_op(op): what to ask of it
// - described_rows(), described_cols(): of op = N, longer than the matrix where blocks must be
// whole
// - slots(): values that are multiplied; bytes() held; matrix_bytes() read
// The library wants one width for all indices of a matrix: that of the offsets.
namespace nz::lab::peers::cusparse {

// A CSR matrix in host memory: copied from the device where it lies there.
template <Value T, Offset O>
class HostCsr {
 public:
  HostCsr(Device device, const CsrView<T, O>& a) : view_(a) {
    if (!simt::backend(device).owns(a.offsets)) return;
    const auto fetch = [&](auto& to, const auto* from, std::size_t n) {
      to = std::remove_reference_t<decltype(to)>(n);
      if (n > 0) detail::device_copy(device, to.data(), from, n * sizeof(*from), {});
      return to.data();
    };
    const auto nnz = static_cast<std::size_t>(a.nnz);
    view_.offsets = fetch(offsets_, a.offsets, static_cast<std::size_t>(a.rows) + 1);
    view_.columns = fetch(columns_, a.columns, nnz);
    view_.values = fetch(values_, a.values, nnz);
  }
  const CsrView<T, O>& view() const { return view_; }

 private:
  CsrView<T, O> view_;
  Array<O> offsets_;
  Array<index_t> columns_;
  Array<T> values_;
};

template <class E>
std::span<const E> span_of(const Array<E>& a) {
  return {a.data(), a.size()};
}

template <Offset O>
DeviceArray<O> put_indices(Device device, const Array<index_t>& from) {
  if constexpr (std::same_as<O, index_t>) {
    return {device, span_of(from)};
  } else {
    Array<O> wide(from.size());
    std::copy(from.begin(), from.end(), wide.begin());
    return {device, span_of(wide)};
  }
}

template <class O>
struct Widen {
  static constexpr const char* name = "wider indices";
  std::int64_t n;
  const index_t* from;
  O* to;
  NZ_DEVICE void operator()(cuda::Thread& t) const {
    for (std::int64_t k = t.global_index(); k < n; k += t.global_size()) to[k] = from[k];
  }
};

// A warp a row writes the row's number beside its entries.
template <class O>
struct RowNumbers {
  static constexpr const char* name = "row numbers";
  index_t rows;
  const O* offsets;
  O* to;
  NZ_DEVICE void operator()(cuda::Thread& t) const {
    for (std::int64_t row = t.global_index() / 32; row < rows; row += t.global_size() / 32)
      for (std::int64_t k = offsets[row] + std::int64_t{t.lane()}, end = offsets[row + 1]; k < end;
           k += 32)
        to[k] = static_cast<O>(row);
  }
};

template <class K>
void launch_over(std::int64_t threads, const K& kernel) {
  cuda::launch({.blocks = cuda::blocks_for(threads, 256, 1 << 16), .threads = 256}, kernel);
}

// CSR in a device's memory, with columns as wide as its offsets.
template <Value T, Offset O>
class WideCsr {
 public:
  WideCsr(Device device, const CsrView<T, O>& a) : csr_(device, a) {
    if constexpr (!std::same_as<O, index_t>) {
      columns_ = {device, static_cast<std::size_t>(a.nnz)};
      launch_over(a.nnz, Widen<O>{a.nnz, csr_.view().columns, columns_.data()});
    }
  }
  const CsrView<T, O>& a() const { return csr_.view(); }
  const O* columns() const {
    if constexpr (std::same_as<O, index_t>)
      return a().columns;
    else
      return columns_.data();
  }
  Matrix describe() const {
    cusparseConstSpMatDescr_t m = nullptr;
    check(cusparseCreateConstCsr(&m, a().rows, a().cols, a().nnz, a().offsets, columns(),
                                 a().values, index_type_of<O>, index_type_of<O>,
                                 CUSPARSE_INDEX_BASE_ZERO, type_of<T>),
          "cusparseCreateConstCsr");
    return Matrix(m);
  }
  std::size_t bytes() const { return csr_.bytes() + columns_.bytes(); }
  std::size_t matrix_bytes() const {
    return static_cast<std::size_t>(a().nnz) * (sizeof(T) + sizeof(O)) +
           (static_cast<std::size_t>(a().rows) + 1) * sizeof(O);
  }
  bool borrowed() const { return csr_.borrowed(); }

 private:
  DeviceCsr<T, O> csr_;
  DeviceArray<O> columns_;  // empty where the matrix has them so
};

// The arrays of CSR as they are.
template <Value T, Offset O>
class CsrFormat {
 public:
  using value_type = T;
  static constexpr bool transposes = true;
  CsrFormat(Device device, const CsrView<T, O>& a, const Parameters&) : csr_(device, a) {}

  static Op library_op(Op op) { return op; }
  Matrix describe(Op) const { return csr_.describe(); }
  const WideCsr<T, O>& csr() const { return csr_; }
  index_t rows() const { return csr_.a().rows; }
  index_t cols() const { return csr_.a().cols; }
  std::int64_t described_rows() const { return rows(); }
  std::int64_t described_cols() const { return cols(); }
  std::int64_t slots() const { return csr_.a().nnz; }
  std::size_t bytes() const { return csr_.bytes(); }
  std::size_t matrix_bytes() const { return csr_.matrix_bytes(); }
  bool borrows() const { return csr_.borrowed(); }

 private:
  WideCsr<T, O> csr_;
};

// The transpose is stored as well, so that T reads rows, too.
template <Value T, Offset O>
class BothCsrFormat : public CsrFormat<T, O> {
 public:
  BothCsrFormat(Device device, const CsrView<T, O>& a, const Parameters& p)
      : CsrFormat<T, O>(device, a, p),
        transpose_(device, transpose(HostCsr<T, O>(device, a).view()).view()) {}

  static Op library_op(Op) { return Op::none; }
  Matrix describe(Op op) const { return (op == Op::none ? this->csr() : transpose_).describe(); }
  std::size_t bytes() const { return CsrFormat<T, O>::bytes() + transpose_.bytes(); }

 private:
  WideCsr<T, O> transpose_;
};

// CSR's columns and values, and a row number beside each.
template <Value T, Offset O>
class CooFormat : public CsrFormat<T, O> {
 public:
  CooFormat(Device device, const CsrView<T, O>& a, const Parameters& p)
      : CsrFormat<T, O>(device, a, p), row_(device, static_cast<std::size_t>(a.nnz)) {
    launch_over(std::int64_t{a.rows} * 32,
                RowNumbers<O>{a.rows, this->csr().a().offsets, row_.data()});
  }

  Matrix describe(Op) const {
    cusparseConstSpMatDescr_t m = nullptr;
    check(cusparseCreateConstCoo(&m, this->rows(), this->cols(), this->slots(), row_.data(),
                                 this->csr().columns(), this->csr().a().values, index_type_of<O>,
                                 CUSPARSE_INDEX_BASE_ZERO, type_of<T>),
          "cusparseCreateConstCoo");
    return Matrix(m);
  }
  std::size_t bytes() const { return CsrFormat<T, O>::bytes() + row_.bytes(); }
  std::size_t matrix_bytes() const {
    return static_cast<std::size_t>(this->slots()) * (sizeof(T) + 2 * sizeof(O));
  }

 private:
  DeviceArray<O> row_;
};

// Slices of `chunk` rows in their own order. The last slice is as high as the others: rows without
// entries are added to it, which the library is not told of. Padding has column -1, as ours has.
template <Value T, Offset O>
class SellFormat {
 public:
  using value_type = T;
  static constexpr bool transposes = true;
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
  std::size_t matrix_bytes() const { return bytes(); }
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
  static constexpr bool transposes = false;
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
  std::size_t matrix_bytes() const { return bytes(); }
  bool borrows() const { return false; }

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

inline Parameter max_ratio() {
  return {"max_ratio", "most stored values a nonzero", 3, 1, 1'000'000'000};
}

}  // namespace nz::lab::peers::cusparse
