#include <nonzero/truth.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/inspect.hpp"

namespace nz {
namespace {

// The verdict on part of the rows, added to that on the rows before it.
void append(Verdict& all, const Verdict& part) {
  if (all.first_wrong < 0 && part.first_wrong >= 0) {
    all.first_wrong = part.first_wrong;
    all.computed = part.computed;
    all.exact = part.exact;
    all.bound = part.bound;
    all.part = part.part;
  }
  all.rows += part.rows;
  all.wrong += part.wrong;
  all.unjudged += part.unjudged;
  all.worst = std::max(all.worst, part.worst);
}

// Judges one row and adds it to the verdict.
template <class Row>
void judge_row(Verdict& v, std::size_t index, const Row& row, double computed) {
  const auto& [high, low, bound, shift] = row;
  ++v.rows;
  if (bound < 0) {
    ++v.unjudged;
    return;
  }
  double error = 0;
  if (!std::isfinite(high)) {
    // NaN and the two infinities each match only themselves.
    if (std::isnan(high) ? std::isnan(computed) : high == computed) return;
    error = std::numeric_limits<double>::infinity();
  } else {
    error = std::isfinite(computed) ? std::abs((std::ldexp(computed, shift) - high) - low)
                                    : std::numeric_limits<double>::infinity();
    if (bound > 0 && std::isfinite(error)) v.worst = std::max(v.worst, error / bound);
    if (error <= bound) return;
  }
  ++v.wrong;
  if (v.first_wrong >= 0) return;
  v.first_wrong = static_cast<std::int64_t>(index);
  v.computed = computed;
  v.exact = std::isfinite(high) ? std::ldexp(high + low, -shift) : high;
  v.bound = std::ldexp(bound, -shift);
}

// The two parts of a complex element, of which at most one is counted. One that is not finite is
// right where a part of what was computed is not finite either.
template <class Row>
void judge_element(Verdict& v, std::size_t index, const Row& real, const Row& imaginary, double re,
                   double im) {
  const bool known = real.bound >= 0 && imaginary.bound >= 0;
  if (known && (!std::isfinite(real.high) || !std::isfinite(imaginary.high))) {
    const Row nan{std::numeric_limits<double>::quiet_NaN(), 0, 0, 0};
    const double found = std::isfinite(re) && std::isfinite(im) ? re : nan.high;
    return judge_row(v, index, nan, found);
  }
  const std::int64_t wrong = v.wrong;
  const bool first = v.first_wrong < 0;
  judge_row(v, index, real, re);
  if (v.wrong == wrong && known) {
    --v.rows;
    judge_row(v, index, imaginary, im);
    if (first && v.first_wrong >= 0) v.part = "imaginary part";
  } else if (first && v.first_wrong >= 0) {
    v.part = "real part";
  }
}

// Verdicts on parts of the rows, by all threads, together: judge(verdict, row) for each.
template <class Judge>
Verdict judge_all(std::size_t rows, Judge&& judge) {
  constexpr std::size_t serial_below = 1 << 14;
  const int wanted = rows < serial_below ? 1 : threads();
  std::vector<Verdict> parts(static_cast<std::size_t>(wanted));
  parallel(wanted, [&](int thread, int count) {
    Verdict v;
    const auto [begin, end] = part_of(rows, thread, count);
    for (std::size_t i = begin; i < end; ++i) judge(v, i);
    parts[static_cast<std::size_t>(thread)] = v;
  });
  Verdict all;
  for (const Verdict& v : parts) append(all, v);
  return all;
}

void need_computed(std::size_t have, std::size_t want) {
  if (have != want)
    throw InvalidArgument(fmt::format("computed has {} elements, needs {}", have, want));
}

}  // namespace

std::string Verdict::message() const {
  const std::string aside =
      unjudged == 0 ? "" : fmt::format(", {} not judged: their terms may overflow", unjudged);
  if (right())
    return fmt::format("right: {} rows within their bound, worst error {:.2g} of it{}",
                       rows - unjudged, worst, aside);
  return fmt::format(
      "row {} (counting from 0){}{}: {:.17g}, exact {:.17g}, bound {:.2g} ({} of {} rows wrong{})",
      first_wrong, part.empty() ? "" : ", ", part, computed, exact, bound, wrong, rows, aside);
}

template <Value T>
Verdict Reference<T>::judge(std::span<const T> computed) const {
  need_computed(computed.size(), rows());
  return judge_all(rows(),
                   [&](Verdict& v, std::size_t i) { judge_row(v, i, rows_[i], computed[i]); });
}

template <class R>
Verdict Reference<std::complex<R>>::judge(std::span<const std::complex<R>> computed) const {
  need_computed(computed.size(), rows());
  return judge_all(rows(), [&](Verdict& v, std::size_t i) {
    judge_element(v, i, parts_[2 * i], parts_[2 * i + 1], computed[i].real(), computed[i].imag());
  });
}

template <Value T, Offset O>
Verdict check_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<const T> before, std::span<const T> computed) {
  check_view(a);
  need_computed(computed.size(), static_cast<std::size_t>(is_transposed(op) ? a.cols : a.rows));
  return exact_product(a, op, alpha, x, beta, before).judge(computed);
}

#define NZ_INSTANTIATE(T) template Verdict Reference<T>::judge(std::span<const T>) const;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE
#define NZ_INSTANTIATE(T, O)                                                         \
  template Verdict check_product(const CsrView<T, O>&, Op, T, std::span<const T>, T, \
                                 std::span<const T>, std::span<const T>);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
