#include <nonzero/truth.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "truth/exact_sum.hpp"

namespace nz {
namespace {

// One row of op(A) times x, before alpha and beta.
struct Row {
  ExactSum sum;
  std::int64_t terms = 0;
};

template <class T, class O>
std::vector<Row> product(const CsrView<T, O>& a, Op op, std::span<const T> x) {
  std::vector<Row> y(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols));
  const auto add = [&](Row& row, O k, index_t j) {
    row.sum.add_product(a.values[k], x[static_cast<std::size_t>(j)]);
    ++row.terms;
  };
  if (op == Op::none)
    parallel_ranges(a.rows, [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i)
        for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
          add(y[static_cast<std::size_t>(i)], k, a.columns[k]);
    });
  else
    for (index_t i = 0; i < a.rows; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
        add(y[static_cast<std::size_t>(a.columns[k])], k, i);
  return y;
}

// Judges one row and adds it to the verdict.
template <class T>
void judge(Verdict& v, std::int64_t index, const Row& row, T alpha, T beta, const T* before,
           T computed) {
  using limits = std::numeric_limits<T>;
  ExactSum exact = alpha == T(0) ? ExactSum() : row.sum.scaled(alpha);
  if (beta != T(0)) exact.add_product(beta, *before);

  double bound = 0, error = 0;
  if (!exact.finite()) {
    // NaN and the two infinities each match only themselves.
    const double want = exact.limit(), got = computed;
    error = (std::isnan(want) ? std::isnan(got) : want == got) ? 0 : limits::infinity();
  } else {
    const double magnitude = exact.magnitude();
    if (exact.overflowed() || std::max(magnitude, row.sum.magnitude()) > limits::max()) {
      ++v.unjudged;
      return;
    }
    const double k = static_cast<double>(row.terms) + 3;
    const double roundoff = static_cast<double>(limits::epsilon()) / 2;
    // A product below the normal range loses up to the smallest subnormal, whatever its size.
    const double underflow = std::max(1.0, std::abs(static_cast<double>(alpha))) *
                             static_cast<double>(limits::denorm_min());
    if (magnitude > 0) bound = k * (roundoff * magnitude + underflow);
    error = std::isfinite(computed) ? exact.distance(computed) : limits::infinity();
    if (bound > 0 && std::isfinite(error)) v.worst = std::max(v.worst, error / bound);
  }
  if (error <= bound) return;
  ++v.wrong;
  if (v.first_wrong >= 0) return;
  v.first_wrong = index;
  v.computed = computed;
  v.exact = exact.finite() ? exact.value() : exact.limit();
  v.bound = bound;
}

}  // namespace

std::string Verdict::message() const {
  const std::string aside =
      unjudged == 0 ? "" : fmt::format(", {} not judged: their terms may overflow", unjudged);
  if (right())
    return fmt::format("right: {} rows within their bound, worst error {:.2g} of it{}",
                       rows - unjudged, worst, aside);
  return fmt::format("row {}: {:.17g}, exact {:.17g}, bound {:.2g} ({} of {} rows wrong{})",
                     first_wrong, computed, exact, bound, wrong, rows, aside);
}

template <Value T, Offset O>
Verdict check_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<const T> before, std::span<const T> computed) {
  const auto rows = static_cast<std::size_t>(op == Op::none ? a.rows : a.cols);
  const auto cols = static_cast<std::size_t>(op == Op::none ? a.cols : a.rows);
  const auto need = [](const char* what, std::size_t have, std::size_t want) {
    if (have != want)
      throw InvalidArgument(fmt::format("{} has {} elements, needs {}", what, have, want));
  };
  need("computed", computed.size(), rows);
  if (alpha != T(0)) need("x", x.size(), cols);
  if (beta != T(0)) need("before", before.size(), rows);

  const std::vector<Row> y = alpha == T(0) ? std::vector<Row>(rows) : product(a, op, x);
  Verdict v;
  v.rows = static_cast<std::int64_t>(rows);
  for (std::size_t i = 0; i < rows; ++i)
    judge(v, static_cast<std::int64_t>(i), y[i], alpha, beta, beta == T(0) ? nullptr : &before[i],
          computed[i]);
  return v;
}

#define NZ_INSTANTIATE(T, O)                                                         \
  template Verdict check_product(const CsrView<T, O>&, Op, T, std::span<const T>, T, \
                                 std::span<const T>, std::span<const T>);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
