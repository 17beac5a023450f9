#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "kernels/gpu/gpu_product.hpp"

// Row swizzle: Gale, Zaharia, Young and Elsen, Sparse GPU kernels for deep learning, SC 2020. Rows
// are taken in the order of falling length: blocks start in the order of their numbers, so that the
// longest rows come first and short ones fill what is left, and rows that share a warp are about as
// long. The order is made once, by the host, beside CSR as it is.
namespace nz::NZ_HOME {

inline Parameter swizzle_parameter(int initial) {
  return {"swizzle", "1: rows by falling length; 0: as they are", initial, 0, 1};
}

template <Value T, Offset O>
DeviceArray<index_t> rows_by_length(const CsrView<T, O>& a) {
  const auto offsets = host_offsets(current_device(), a);
  const auto length = [&](index_t r) {
    const auto at = static_cast<std::size_t>(r);
    return offsets.span()[at + 1] - offsets.span()[at];
  };
  Array<index_t> order(static_cast<std::size_t>(a.rows));
  std::iota(order.begin(), order.end(), index_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](index_t i, index_t j) { return length(i) > length(j); });
  return {current_device(), std::span<const index_t>(order)};
}

// Which row is at a place: that of its number, or as the order says.
template <bool swizzled>
struct RowAt {
  NZ_DEVICE std::int64_t operator()(Thread&, std::int64_t place) const { return place; }
};
template <>
struct RowAt<true> {
  const index_t* order;
  NZ_DEVICE std::int64_t operator()(Thread& t, std::int64_t place) const {
    return t.load(order + place);
  }
};

// The base of strategies that can take rows in that order.
template <Value T, Offset O>
class OnOrderedCsr : public OnCsr<T, O> {
 public:
  OnOrderedCsr(const CsrView<T, O>& a, const Parameters& p) : OnCsr<T, O>(a) {
    if (const auto given = p.find("swizzle"); given != p.end() && given->second != 0)
      order_ = rows_by_length(a);
  }
  std::size_t bytes() const { return OnCsr<T, O>::bytes() + order_.bytes(); }
  std::size_t matrix_bytes() const { return OnCsr<T, O>::matrix_bytes() + order_.bytes(); }

 protected:
  // Null: as they are.
  const index_t* order() const { return order_.data(); }

 private:
  DeviceArray<index_t> order_;
};

}  // namespace nz::NZ_HOME
