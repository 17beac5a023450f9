#pragma once
#include <algorithm>
#include <atomic>
#include <span>

#include <nonzero/formats/csr.hpp>
#include <nonzero/solve.hpp>

#include "base/parallel.hpp"

// What preconditioners are made from and become, on the host.
namespace nz::solve {

using DoubleView = CsrView<double, std::int64_t>;
using DoubleMatrix = Csr<double, std::int64_t>;

// The matrix of a caller: square, in double, columns rising in each row, all values finite. A copy
// where the caller's is not so already.
class HostMatrix {
 public:
  // Throws InvalidArgument for arrays that are no square CSR matrix, BadInput for a value that is
  // not finite. `who` begins messages.
  template <Value T, Offset O>
  HostMatrix(const CsrView<T, O>& a, const char* who);
  HostMatrix(const HostMatrix&) = delete;
  HostMatrix& operator=(const HostMatrix&) = delete;
  const DoubleView& view() const { return view_; }

 private:
  DoubleMatrix own_;
  DoubleView view_;
};

// The diagonal, in double. Throws BadInput with the first row where it is not above 0.
Array<double> positive_diagonal(const DoubleView& a, const char* who);

// work(row, room) for each of n rows, with all threads, each with a room of its own that
// make_room() makes. Rows are dealt out as threads come for them. Returns the first row for which
// work() was false, or -1.
template <class MakeRoom, class Work>
index_t each_row(index_t n, MakeRoom&& make_room, Work&& work) {
  constexpr index_t at_a_time = 64;
  std::atomic<std::int64_t> next{0};
  std::atomic<index_t> first{n};
  parallel(std::min<int>(threads(), n / at_a_time + 1), [&](int, int) {
    auto room = make_room();
    for (std::int64_t begin = 0; (begin = next.fetch_add(at_a_time)) < n;)
      for (auto i = static_cast<index_t>(begin); i < std::min<std::int64_t>(n, begin + at_a_time);
           ++i)
        if (!work(i, room))
          for (index_t seen = first; i < seen && !first.compare_exchange_weak(seen, i);) {
          }
  });
  return first == n ? -1 : first.load();
}

// The sum of x y, by sums that do not wait for each other.
inline double dot_of(const double* x, const double* y, std::size_t n) {
  double part[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (std::size_t k = 0; k < 4; ++k) part[k] += x[i + k] * y[i + k];
  for (; i < n; ++i) part[0] += x[i] * y[i];
  return (part[0] + part[1]) + (part[2] + part[3]);
}

// The offsets of rows of which the counts are known: count[i] is that of row i.
Array<std::int64_t> offsets_of(std::span<const index_t> counts);

// The same matrix in T. Throws BadInput with the first row that has a value too large for it.
template <Value T>
Csr<T, std::int64_t> narrowed(DoubleMatrix&& m, const char* who);

}  // namespace nz::solve
