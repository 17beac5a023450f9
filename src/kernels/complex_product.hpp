#pragma once
#include <complex>
#include <memory>

#include <nonzero/kernel.hpp>

#include "base/complex.hpp"

namespace nz {

// A matrix of a caller as kernels have it.
template <class R, Offset O>
CsrView<KernelComplex<R>, O> as_kernel(const CsrView<std::complex<R>, O>& a) {
  return {a.rows, a.cols, a.nnz, a.offsets, a.columns, as_kernel(a.values)};
}

// A product of a kernel as callers have it: the same memory, its numbers called std::complex.
template <class R>
std::unique_ptr<Product<std::complex<R>>> as_complex(
    std::unique_ptr<Product<KernelComplex<R>>> product);

// Puts make(matrix of KernelComplex, parameters), which gives a product of those, into the four
// places for complex values. `make` is a type without state: tables have plain functions.
template <class Make>
void add_complex(PrepareTable& table, Make) {
  const auto add = [&table]<class R, Offset O>(const CsrView<std::complex<R>, O>&) {
    std::get<Prepare<std::complex<R>, O>>(table) = [](const CsrView<std::complex<R>, O>& a,
                                                      const Parameters& p) {
      return as_complex<R>(Make{}(as_kernel(a), p));
    };
  };
  add(CsrView<std::complex<float>, std::int32_t>{});
  add(CsrView<std::complex<float>, std::int64_t>{});
  add(CsrView<std::complex<double>, std::int32_t>{});
  add(CsrView<std::complex<double>, std::int64_t>{});
}

}  // namespace nz
