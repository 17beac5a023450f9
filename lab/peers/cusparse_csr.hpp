#pragma once
#include <concepts>
#include <cstdint>

#include "kernels/gpu/gpu_product.hpp"
#include "lab/peers/cusparse.hpp"
#include "lab/peers/cusparse_formats.hpp"

// CSR and COO for cuSPARSE: the arrays of our CSR, and what must stand beside them.
namespace nz::lab::peers::cusparse {

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
  std::size_t matrix_bytes(Op) const { return csr_.matrix_bytes(); }
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
  Matrix describe(Op op) const { return stored(op).describe(); }
  std::size_t bytes() const { return CsrFormat<T, O>::bytes() + transpose_.bytes(); }
  std::size_t matrix_bytes(Op op) const { return stored(op).matrix_bytes(); }

 private:
  const WideCsr<T, O>& stored(Op op) const { return op == Op::none ? this->csr() : transpose_; }

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
  std::size_t matrix_bytes(Op) const {
    return static_cast<std::size_t>(this->slots()) * (sizeof(T) + 2 * sizeof(O));
  }

 private:
  DeviceArray<O> row_;
};

}  // namespace nz::lab::peers::cusparse
