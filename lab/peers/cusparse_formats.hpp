#pragma once
#include <algorithm>
#include <span>
#include <type_traits>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/kernel.hpp>

#include "device/csr.hpp"
#include "simt/backend.hpp"

// What the formats that cuSPARSE multiplies share. Each is a matrix on a device and its description
// for the library:
// - describe(op): a fresh descriptor to make op with; library_op(op): what to ask of it
// - described_rows(), described_cols(): of op = N, longer than the matrix where blocks must be
//   whole
// - slots(): values that are multiplied; bytes() held; matrix_bytes(op) read
// The library wants one width for all indices of a matrix: that of the offsets.
namespace nz::lab::peers::cusparse {

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

inline Parameter max_ratio() {
  return {"max_ratio", "most stored values a nonzero", 3, 1, 1'000'000'000};
}

}  // namespace nz::lab::peers::cusparse
