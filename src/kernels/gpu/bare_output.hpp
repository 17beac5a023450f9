#pragma once
#include <cstdint>
#include <limits>
#include <string_view>

#include <nonzero/kernel.hpp>

#include "simt/simt.hpp"

// y = A x and nothing else, as papers print it and their programs count it: what their kernels do
// where alpha is 1 and beta 0, unless rows come in an order of their own.
namespace nz::NZ_HOME {

template <class T>
struct BareOutput {
  T* y;
  NZ_DEVICE void put(std::int64_t i, T sum) const { y[i] = sum; }
};

// The text says where the kernel heeds it.
inline Parameter bare_parameter(
    std::string_view text =
        "1: where alpha is 1, beta 0 and 32 bits count the entries, a kernel without scalars") {
  return {"bare", text, 1, 0, 1};
}

// Whether entries can be counted in 32 bits, the last steps beyond the end of a row included.
inline bool counts_in_32_bits(std::int64_t nnz) {
  return nnz < std::numeric_limits<std::int32_t>::max() - (1 << 20);
}

// Whether a product is to be made without scalars.
template <class T>
bool is_bare(bool wanted, T alpha, T beta) {
  return wanted && alpha == T(1) && beta == T(0);
}

}  // namespace nz::NZ_HOME
