#include <nonzero/truth.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/inspect.hpp"
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
template <class T, class Row>
Row finish(const Terms& row, T alpha, T beta, const T* before) {
  using limits = std::numeric_limits<T>;
  const double k = static_cast<double>(row.count) + 3;
  const double roundoff = static_cast<double>(limits::epsilon()) / 2;
  const double smallest = static_cast<double>(limits::denorm_min());
  // Whether terms of this size may overflow on their way, rounded in any order.
  const auto may_overflow = [&](const ExactSum& sum) {
    return !(sum.magnitude().plain() * (1 + k * roundoff) <= static_cast<double>(limits::max()));
  };

  ExactSum exact;
  bool in_doubt = may_overflow(row.sum);
  if (std::isfinite(alpha)) {
    if (alpha != T(0)) exact = row.sum.scaled(alpha);
  } else if (std::isnan(alpha)) {
    exact.add_nan();
  } else if (!row.sum.finite()) {
    exact.add_product(alpha, row.sum.limit());
  } else if (row.sum.magnitude().value == 0) {
    exact.add_nan();  // infinity times 0
  } else {
    // The sign of the sum decides, where rounding cannot change it or make it 0.
    const auto [high, exponent] = row.sum.high();
    const double error =
        k * (roundoff * row.sum.magnitude().value + std::ldexp(2 * smallest, -exponent));
    in_doubt = in_doubt || !(std::abs(high) > error);
    if (!in_doubt) exact.add_product(alpha, high);
  }
  const bool has_terms = exact.magnitude().value > 0;
  if (beta != T(0)) exact.add_product(beta, *before);
  const bool is_nan = !exact.finite() && std::isnan(exact.limit());  // whatever else overflows
  if (!is_nan && (in_doubt || may_overflow(exact))) return {0, 0, -1, 0};
  if (!exact.finite()) return {exact.limit(), 0, 0, 0};

  // Small results of doubles are kept scaled up, so that nothing of them is below the normal range.
  const int shift = std::clamp(-exact.magnitude().exponent, 0, 1024);
  const auto at_scale = [shift](ExactSum::Scaled s) {
    return std::ldexp(s.value, s.exponent + shift);
  };
  Row r{at_scale(exact.high()), at_scale(exact.low()), 0, shift};
  // A product below the normal range loses up to the smallest subnormal, whatever its size.
  const double eta = std::ldexp(smallest, shift);
  r.bound = k * roundoff * at_scale(exact.magnitude());
  if (has_terms) r.bound += k * eta * (std::abs(static_cast<double>(alpha)) + 1);
  if (beta != T(0) && *before != T(0)) r.bound += eta;
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
  op = op_for<T>(op);
  check_view(a);
  if (alpha != T(0)) inspect(a);
  const auto rows = static_cast<std::size_t>(op == Op::none ? a.rows : a.cols);
  const auto cols = static_cast<std::size_t>(op == Op::none ? a.cols : a.rows);
  if (alpha != T(0)) need("x", x.size(), cols);
  if (beta != T(0)) need("before", before.size(), rows);

  Reference<T> r;
  r.rows_ = Array<typename Reference<T>::Row>(rows);
  const auto put = [&](std::size_t i, const Terms& terms) {
    r.rows_[i] = finish<T, typename Reference<T>::Row>(terms, alpha, beta,
                                                       beta == T(0) ? nullptr : &before[i]);
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
