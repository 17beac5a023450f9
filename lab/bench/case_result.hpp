#pragma once
#include "lab/bench/record.hpp"
#include "lab/bench/runner.hpp"

// From trials to what a record says of them.
namespace nz::lab {

// All that the record says of a matrix, and of a case.
Result about(const SuiteMatrix& m, std::int64_t rows, std::int64_t cols, std::int64_t nnz);
Result about(Result r, const Job& job, Op op, ValueType type, Device device);

// What was measured; the bandwidth is that of the device, null where it is not known.
void add(Result& r, const Trial& t, const Bandwidth* memory);

// What plain CSR must move for one product of so many vectors, as its kernel counts it.
template <class T, class O>
std::int64_t csr_traffic(const CsrView<T, O>& a, int count = 1) {
  const auto vectors = static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(a.cols);
  return static_cast<std::int64_t>(a.bytes() +
                                   vectors * static_cast<std::size_t>(count) * sizeof(T));
}

}  // namespace nz::lab
