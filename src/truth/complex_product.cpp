#include <nonzero/truth.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "formats/inspect.hpp"
#include "truth/exact_sum.hpp"

// The exact product of complex numbers: each part of an element is a sum of real products, carried
// as those of real matrices are.
namespace nz {
namespace {

using detail::ReferenceRow;

// An element of op(A) x, before alpha and beta.
struct ComplexTerms {
  ExactSum re, im;
  std::int64_t count = 0;

  template <class R>
  void add(std::complex<R> a, std::complex<R> x) {
    re.add_product(a.real(), x.real());
    re.add_product(-static_cast<double>(a.imag()), x.imag());
    im.add_product(a.real(), x.imag());
    im.add_product(a.imag(), x.real());
    ++count;
  }
};

constexpr ReferenceRow not_judged{0, 0, -1, 0};

template <class R>
class Finish {
  using limits = std::numeric_limits<R>;

 public:
  Finish(const ComplexTerms& terms, std::complex<R> alpha, std::complex<R> beta)
      : terms_(terms),
        alpha_(alpha),
        beta_(beta),
        k_(2 * static_cast<double>(terms.count) + 6),
        in_doubt_(may_overflow(terms.re) || may_overflow(terms.im)) {}

  // Both parts of the element, whose y was `before`.
  void put(const std::complex<R>* before, ReferenceRow* to) const {
    const bool reads_y = beta_ != std::complex<R>(0);
    const bool finite = is_finite(alpha_) && terms_.re.finite() && terms_.im.finite() &&
                        (!reads_y || (is_finite(beta_) && is_finite(*before)));
    if (!finite) {
      to[0] = to[1] = {limits::quiet_NaN(), 0, 0, 0};
      return;
    }
    const std::complex<R> y = reads_y ? *before : std::complex<R>(0);
    to[0] = part(terms_.re, -alpha_.imag(), terms_.im, y.real(), -beta_.imag(), y.imag());
    to[1] = part(terms_.im, alpha_.imag(), terms_.re, y.imag(), beta_.imag(), y.real());
    if (to[0].bound < 0 || to[1].bound < 0) to[0] = to[1] = not_judged;
  }

 private:
  static bool is_finite(std::complex<R> z) {
    return std::isfinite(z.real()) && std::isfinite(z.imag());
  }
  // Whether terms of this size may overflow on their way, rounded in any order.
  bool may_overflow(const ExactSum& sum) const {
    return !(sum.magnitude().plain() * (1 + k_ * roundoff) <= static_cast<double>(limits::max()));
  }

  // Re alpha `own` + `turn` `other` + Re beta y + `turn_y` `other_y`.
  ReferenceRow part(const ExactSum& own, R turn, const ExactSum& other, R y, R turn_y,
                    R other_y) const {
    ExactSum exact;
    if (alpha_.real() != R(0)) exact.add(own.scaled(alpha_.real()));
    if (turn != R(0)) exact.add(other.scaled(turn));
    const bool has_terms = exact.magnitude().value > 0;
    const bool has_y = beta_ != std::complex<R>(0) && (y != R(0) || other_y != R(0));
    exact.add_product(beta_.real(), y);
    exact.add_product(turn_y, other_y);
    if (in_doubt_ || may_overflow(exact)) return not_judged;
    // Small results of doubles are kept scaled up, as those of real matrices are.
    const int shift = std::clamp(-exact.magnitude().exponent, 0, 1024);
    const auto at_scale = [shift](ExactSum::Scaled s) {
      return std::ldexp(s.value, s.exponent + shift);
    };
    ReferenceRow r{at_scale(exact.high()), at_scale(exact.low()), 0, shift};
    const double eta = std::ldexp(static_cast<double>(limits::denorm_min()), shift);
    r.bound = k_ * roundoff * at_scale(exact.magnitude());
    const double sizes =
        std::abs(static_cast<double>(alpha_.real())) + std::abs(static_cast<double>(alpha_.imag()));
    if (has_terms) r.bound += k_ * (sizes + 2) * eta;
    if (has_y) r.bound += 2 * eta;
    return r;
  }

  static constexpr double roundoff = static_cast<double>(limits::epsilon()) / 2;
  const ComplexTerms& terms_;
  std::complex<R> alpha_, beta_;
  double k_;
  bool in_doubt_;
};

void need(const char* what, std::size_t have, std::size_t want) {
  if (have != want)
    throw InvalidArgument(fmt::format("{} has {} elements, needs {}", what, have, want));
}

}  // namespace

template <ComplexValue T, Offset O>
Reference<T> exact_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                           std::span<const T> before) {
  check_view(a);
  if (alpha != T(0)) inspect(a);
  const auto rows = static_cast<std::size_t>(is_transposed(op) ? a.cols : a.rows);
  const auto cols = static_cast<std::size_t>(is_transposed(op) ? a.rows : a.cols);
  if (alpha != T(0)) need("x", x.size(), cols);
  if (beta != T(0)) need("before", before.size(), rows);

  Array<ComplexTerms> terms(rows, ComplexTerms());
  if (alpha != T(0))
    for (index_t i = 0; i < a.rows; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        const index_t j = a.columns[k];
        const T value = is_conjugated(op) ? std::conj(a.values[k]) : a.values[k];
        terms[static_cast<std::size_t>(is_transposed(op) ? j : i)].add(
            value, x[static_cast<std::size_t>(is_transposed(op) ? i : j)]);
      }
  Array<ReferenceRow> parts(2 * rows);
  for (std::size_t i = 0; i < rows; ++i)
    Finish<real_of<T>>(terms[i], alpha, beta)
        .put(beta == T(0) ? nullptr : &before[i], &parts[2 * i]);
  return Reference<T>(std::move(parts));
}

template <ComplexValue T, Offset O>
Reference<T> flushed(const Reference<T>& exact, const CsrView<T, O>& a, Op op, T alpha) {
  check_view(a);
  const auto rows = static_cast<std::size_t>(is_transposed(op) ? a.cols : a.rows);
  if (exact.rows() != rows)
    throw InvalidArgument(fmt::format("a reference of {} rows for {}", exact.rows(), rows));
  Array<ReferenceRow> parts(exact.parts());
  if (alpha == T(0)) return Reference<T>(std::move(parts));
  inspect(a);
  Array<std::int64_t> entries(rows, 0);
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      ++entries[static_cast<std::size_t>(is_transposed(op) ? a.columns[k] : i)];
  const double lost = static_cast<double>(std::numeric_limits<real_of<T>>::min()) *
                      (std::abs(static_cast<double>(alpha.real())) +
                       std::abs(static_cast<double>(alpha.imag())) + 1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    ReferenceRow& part = parts[i];
    if (part.bound >= 0 && std::isfinite(part.high))
      part.bound += std::ldexp((4 * static_cast<double>(entries[i / 2]) + 1) * lost, part.shift);
  }
  return Reference<T>(std::move(parts));
}

#define NZ_INSTANTIATE(T, O)                                                              \
  template Reference<T> exact_product(const CsrView<T, O>&, Op, T, std::span<const T>, T, \
                                      std::span<const T>);                                \
  template Reference<T> flushed(const Reference<T>&, const CsrView<T, O>&, Op, T);
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
