#include <nonzero/truth.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "truth/exact_sum.hpp"

namespace nz {
namespace {

// One row of op(A) times x, before alpha and beta.
struct Terms {
  ExactSum sum;
  std::int64_t count = 0;

  void add(double a, double x) {
    sum.add_product(a, x);
    ++count;
  }
};

// The exact value of one row of the result and its bound.
template <class T>
auto finish(const Terms& row, T alpha, T beta, const T* before) {
  using limits = std::numeric_limits<T>;
  struct {
    double high, low, bound;
  } r{};
  ExactSum exact = alpha == T(0) ? ExactSum() : row.sum.scaled(alpha);
  if (beta != T(0)) exact.add_product(beta, *before);
  if (!exact.finite()) {
    r.high = exact.limit();
    return r;
  }
  r.high = exact.high();
  r.low = exact.low();
  const double magnitude = exact.magnitude();
  if (exact.overflowed() ||
      std::max(magnitude, row.sum.magnitude()) > static_cast<double>(limits::max())) {
    r = {0, 0, -1};
    return r;
  }
  const double k = static_cast<double>(row.count) + 3;
  const double roundoff = static_cast<double>(limits::epsilon()) / 2;
  // A product below the normal range loses up to the smallest subnormal, whatever its size.
  const double underflow = std::max(1.0, std::abs(static_cast<double>(alpha))) *
                           static_cast<double>(limits::denorm_min());
  if (magnitude > 0) r.bound = k * (roundoff * magnitude + underflow);
  return r;
}

// body(begin, end) over ranges of rows with about equally many nonzeros.
template <class T, class O, class Body>
void parallel_rows(const CsrView<T, O>& a, Body&& body) {
  constexpr O serial_below = 1 << 14;
  parallel(a.nnz < serial_below ? 1 : threads(), [&](int thread, int count) {
    // The end of the last range is fixed, for rows behind the last nonzero.
    const auto cut = [&](int t) -> index_t {
      if (t == 0) return 0;
      if (t == count) return a.rows;
      const O before = part_of(a.nnz, t, count).first;
      return static_cast<index_t>(std::lower_bound(a.offsets, a.offsets + a.rows, before) -
                                  a.offsets);
    };
    body(cut(thread), cut(thread + 1));
  });
}

// The sums of the columns. Each thread walks all entries and adds those of its own columns, which
// are dealt out in small groups by a hash: no two threads write the same sum, and every sum is
// added up in the order of the rows.
template <class T, class O>
Array<Terms> transposed_terms(const CsrView<T, O>& a, std::span<const T> x) {
  Array<Terms> sums(static_cast<std::size_t>(a.cols));
  parallel_ranges(sums.size(), [&](std::size_t begin, std::size_t end) {
    std::fill(sums.begin() + begin, sums.begin() + end, Terms());
  });
  constexpr O serial_below = 1 << 14;
  parallel(a.nnz < serial_below ? 1 : threads(), [&](int thread, int count) {
    const auto owner = [&](index_t column) {
      constexpr std::uint32_t golden = 2654435769u;  // 2^32 over the golden ratio
      const std::uint32_t mixed = (static_cast<std::uint32_t>(column) >> 5) * golden;
      return static_cast<int>((std::uint64_t{mixed} * static_cast<std::uint32_t>(count)) >> 32);
    };
    for (index_t i = 0; i < a.rows; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        if (count == 1 || owner(a.columns[k]) == thread)
          sums[static_cast<std::size_t>(a.columns[k])].add(a.values[k],
                                                           x[static_cast<std::size_t>(i)]);
  });
  return sums;
}

void need(const char* what, std::size_t have, std::size_t want) {
  if (have != want)
    throw InvalidArgument(fmt::format("{} has {} elements, needs {}", what, have, want));
}

}  // namespace

template <Value T, Offset O>
Reference<T> exact_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                           std::span<const T> before) {
  const auto rows = static_cast<std::size_t>(op == Op::none ? a.rows : a.cols);
  const auto cols = static_cast<std::size_t>(op == Op::none ? a.cols : a.rows);
  if (alpha != T(0)) need("x", x.size(), cols);
  if (beta != T(0)) need("before", before.size(), rows);

  Reference<T> r;
  r.rows_ = Array<typename Reference<T>::Row>(rows);
  const auto put = [&](std::size_t i, const Terms& terms) {
    const auto row = finish(terms, alpha, beta, beta == T(0) ? nullptr : &before[i]);
    r.rows_[i] = {row.high, row.low, row.bound};
  };
  if (alpha == T(0)) {
    parallel_ranges(rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) put(i, Terms());
    });
  } else if (op == Op::none) {
    parallel_rows(a, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) {
        Terms row;
        for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
          row.add(a.values[k], x[static_cast<std::size_t>(a.columns[k])]);
        put(static_cast<std::size_t>(i), row);
      }
    });
  } else {
    const Array<Terms> sums = transposed_terms(a, x);
    parallel_ranges(rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) put(i, sums[i]);
    });
  }
  return r;
}

#define NZ_INSTANTIATE(T, O)                                                              \
  template Reference<T> exact_product(const CsrView<T, O>&, Op, T, std::span<const T>, T, \
                                      std::span<const T>);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
