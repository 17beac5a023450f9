#pragma once
#include <cstdint>

#include "base/complex.hpp"
#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// alpha * sum + beta * y without reading y when beta = 0.
template <class T>
NZ_DEVICE T combine(FactorOf<T> alpha, T sum, T beta, const T* y) {
  return beta == T(0) ? alpha * sum : alpha * sum + beta * *y;
}

// What a product writes: y = alpha sum + beta y, each element once, by whoever has its sum.
template <class T>
struct Output {
  FactorOf<T> alpha;
  T beta;
  T* y;
  NZ_DEVICE void put(std::int64_t i, T sum) const { y[i] = combine(alpha, sum, beta, y + i); }
  // Where there is nothing to sum.
  NZ_DEVICE void put_empty(std::int64_t i) const { y[i] = beta == T(0) ? T(0) : beta * y[i]; }
};

}  // namespace nz::NZ_HOME
