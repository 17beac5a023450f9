#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nonzero/array.hpp>
#include <nonzero/export.hpp>
#include <nonzero/formats/csr.hpp>

namespace NZ_API nz {

// What the check of one product found. A row of n entries is right when
//   |computed - exact| <= (n + 3) u (|alpha| sum |a||x| + |beta||y|)
//                         + (n + 3) (|alpha| + 1) eta + eta,
// u the unit roundoff of the values and eta their smallest subnormal, whatever the order of
// summation. The terms with eta stand for products below the normal range and are left out where
// there are none: without entries or with zeros alone the first, where beta y = 0 the second.
// Results that are NaN or infinite compare by class. A row is not judged where sum |a||x| or
// |alpha| sum |a||x| + |beta||y| may overflow, or where alpha is infinite and rounding may turn the
// sign of the sum.
// Of complex matrices the real and the imaginary part of an element of y are judged each for
// itself: the real part of s = op(A) x is a sum of 2 n real products, and so is the imaginary one.
// With S' and S" the sums of the absolute values of these products, the real part is right when
//   |computed - exact| <= (2 n + 6) u (|Re alpha| S' + |Im alpha| S" + |Re beta Re y| + |Im beta Im
//   y|)
//                         + (2 n + 6) (|Re alpha| + |Im alpha| + 2) eta + 2 eta,
// the imaginary one likewise with S' and S", and Re y and Im y, changed over. Where alpha, or a
// part of an entry, of x or of y that counts is not finite, a part of the result must not be
// either.
struct Verdict {
  std::int64_t rows = 0;
  std::int64_t wrong = 0;     // rows outside the bound
  std::int64_t unjudged = 0;  // rows that any order may end differently
  std::int64_t first_wrong = -1;
  std::string_view part{};  // of a complex element that is wrong: "real part", "imaginary part"
  double computed = 0, exact = 0, bound = 0;  // of the first wrong row
  double worst = 0;  // largest error as a share of its bound, over all finite rows

  bool right() const { return wrong == 0; }
  std::string message() const;  // "row 17: 3.5, exact 3.25, bound 1.2e-15 (4 of 100 rows wrong)"
};

namespace detail {
// The exact value is (high + low) 2^-shift, its bound likewise. Not finite: high alone counts, by
// class. bound < 0: not judged.
struct ReferenceRow {
  double high, low, bound;
  int shift;
};
}  // namespace detail

// The exact product with the bound of every row: made once, good for judging any number of results.
template <Value T>
class Reference {
 public:
  // Throws InvalidArgument for a wrong length.
  Verdict judge(std::span<const T> computed) const;
  std::size_t rows() const { return rows_.size(); }
  std::size_t bytes() const { return rows_.size() * sizeof(Row); }

 private:
  template <Value U, Offset O>
  friend Reference<U> exact_product(const CsrView<U, O>& a, Op op, U alpha, std::span<const U> x,
                                    U beta, std::span<const U> before);
  template <RealValue U, Offset O>
  friend Reference<U> widened(const Reference<U>& exact, const CsrView<U, O>& a, U alpha,
                              std::span<const U> x, int chunk);
  template <Value U, Offset O>
  friend Reference<U> flushed(const Reference<U>& exact, const CsrView<U, O>& a, Op op, U alpha);
  using Row = detail::ReferenceRow;
  Array<Row> rows_;
};

// The same of complex elements: two rows of numbers each.
template <class R>
class Reference<std::complex<R>> {
 public:
  using T = std::complex<R>;
  explicit Reference(Array<detail::ReferenceRow> parts) : parts_(std::move(parts)) {}
  // Throws InvalidArgument for a wrong length.
  Verdict judge(std::span<const T> computed) const;
  std::size_t rows() const { return parts_.size() / 2; }
  std::size_t bytes() const { return parts_.size() * sizeof(detail::ReferenceRow); }
  std::span<const detail::ReferenceRow> parts() const { return parts_; }

 private:
  Array<detail::ReferenceRow> parts_;  // real, imaginary, real, ...
};

// alpha op(A) x + beta before, in about twice the precision of double at any scale, with all
// threads(). `before` is not read when beta = 0, A and x are not read when alpha = 0. Throws
// InvalidArgument for a wrong length.
template <Value T, Offset O>
NZ_API Reference<T> exact_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x,
                                  T beta, std::span<const T> before);

template <ComplexValue T, Offset O>
NZ_API Reference<T> exact_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x,
                                  T beta, std::span<const T> before);

// `exact` of alpha A x + beta before, for kernels that take a row as a difference of prefix sums
// over chunks of consecutive entries (Kernel::shared_rounding): its error is not bounded by its own
// terms. To the bound of a row comes
//   (entries in the row + chunk + 3) (u 2 |alpha| sum |a||x| + (|alpha| + 1) eta),
// the sum over all chunks that the row touches: twice, because a sum up to its beginning is added
// and taken away. Rows that share a chunk with a NaN or an infinity are not judged, and none with
// entries where alpha is infinite. Throws InvalidArgument for a wrong length.
template <RealValue T, Offset O>
NZ_API Reference<T> widened(const Reference<T>& exact, const CsrView<T, O>& a, T alpha,
                            std::span<const T> x, int chunk);

// `exact`, for kernels that add to y with atomics that take subnormals for 0 (Kernel::flushes): an
// addition may lose its operand and its result, the first one what y was. To the bound of a row
// with n entries comes (2 n + 1) (|alpha| + 1) times the smallest normal number.
template <Value T, Offset O>
NZ_API Reference<T> flushed(const Reference<T>& exact, const CsrView<T, O>& a, Op op, T alpha);

// Of complex elements: (4 n + 1) (|Re alpha| + |Im alpha| + 1) times that number.
template <ComplexValue T, Offset O>
NZ_API Reference<T> flushed(const Reference<T>& exact, const CsrView<T, O>& a, Op op, T alpha);

// exact_product() for one result: checks computed = alpha op(A) x + beta before.
template <Value T, Offset O>
NZ_API Verdict check_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                             std::span<const T> before, std::span<const T> computed);

}  // namespace nz
