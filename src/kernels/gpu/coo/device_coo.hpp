#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nonzero/device.hpp>
#include <nonzero/formats/coo.hpp>

#include "kernels/gpu/gpu_product.hpp"

namespace nz::NZ_HOME {

// Queues on the default stream: row[k] = the row of entry k. All on the current device.
template <Offset O>
void expand_rows(index_t rows, const O* offsets, std::int64_t nnz, index_t* row);

// A matrix as coordinates in the current device's memory, made from CSR in host memory or there.
// Columns and values that are there already are borrowed, unless they are not aligned for loads of
// 16 bytes; the rows are written by the device itself.
template <Value T>
class DeviceCoo {
 public:
  template <Offset O>
  explicit DeviceCoo(const CsrView<T, O>& a)
      : view_{a.rows, a.cols, static_cast<std::int64_t>(a.nnz), nullptr, nullptr, nullptr} {
    const Device device = current_device();
    borrowed_ = lies_on(device, a);
    if (a.nnz == 0) return;
    const auto nnz = static_cast<std::size_t>(a.nnz);
    view_.column = keep(columns_, device, a.columns, nnz);
    view_.values = keep(values_, device, a.values, nnz);
    row_ = {device, nnz};
    DeviceArray<O> uploaded;
    const O* offsets = a.offsets;
    if (!borrowed_) {
      uploaded = {device, std::span(a.offsets, static_cast<std::size_t>(a.rows) + 1)};
      offsets = uploaded.data();
    }
    expand_rows(a.rows, offsets, view_.nnz, row_.data());
    view_.row = row_.data();
    wait_for(device);  // products may run on other streams
  }

  // From coordinates in host memory.
  DeviceCoo(Device device, const Coo<T>& a)
      : view_(a.view()),
        row_(device, std::span<const index_t>(a.row)),
        columns_(device, std::span<const index_t>(a.column)),
        values_(device, std::span<const T>(a.values)) {
    view_.row = row_.data();
    view_.column = columns_.data();
    view_.values = values_.data();
  }

  const CooView<T>& view() const { return view_; }
  bool borrowed() const {
    return borrowed_ && view_.nnz > 0 && (columns_.size() == 0 || values_.size() == 0);
  }
  std::size_t bytes() const { return row_.bytes() + columns_.bytes() + values_.bytes(); }

 private:
  template <class V>
  const V* keep(DeviceArray<V>& mine, Device device, const V* theirs, std::size_t n) const {
    if (borrowed_ && reinterpret_cast<std::uintptr_t>(theirs) % 16 == 0) return theirs;
    mine = {device, n};
    simt::backend(device).copy(mine.data(), theirs, n * sizeof(V), nullptr);
    return mine.data();
  }

  CooView<T> view_;
  bool borrowed_ = false;
  DeviceArray<index_t> row_, columns_;
  DeviceArray<T> values_;
};

// The base of strategies that multiply coordinates.
template <Value T>
class OnCoo {
 public:
  template <Offset O>
  explicit OnCoo(const CsrView<T, O>& a) : coo_(a) {}
  const CooView<T>& a() const { return coo_.view(); }
  index_t rows() const { return a().rows; }
  index_t cols() const { return a().cols; }
  std::size_t bytes() const { return coo_.bytes(); }
  bool borrows() const { return coo_.borrowed(); }
  std::size_t matrix_bytes() const { return a().bytes(); }

 private:
  DeviceCoo<T> coo_;
};

// What most kernels on coordinates share: the matrix and both vectors. y holds beta y already, and
// sums are added to it with atomics. Entries are counted as K.
template <class T, class Alpha = FactorOf<T>, class K = std::int64_t>
struct AddedToY {
  using Value = T;
  using Count = K;
  CooView<T> a;
  Alpha alpha;
  VectorOf<T> x;
  T* y;

  NZ_DEVICE K size() const { return static_cast<K>(a.nnz); }
  NZ_DEVICE T product(K k) const { return a.values[k] * x[a.column[k]]; }
  NZ_DEVICE void add(Thread& t, index_t row, T sum) const { t.atomic_add(y + row, alpha * sum); }
};

}  // namespace nz::NZ_HOME
