#pragma once
#include <cstdint>
#include <span>
#include <string>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>

namespace nz {

// What the check of one product found. A row is right when
//   |computed - exact| <= gamma (|alpha| sum |a||x| + |beta||y|),
// gamma = (entries in the row + 3) u, u the unit roundoff of the values, whatever the order of
// summation. Results that are NaN or infinite compare by class.
struct Verdict {
  std::int64_t rows = 0;
  std::int64_t wrong = 0;     // rows outside the bound
  std::int64_t unjudged = 0;  // rows whose terms may overflow: any order may end differently
  std::int64_t first_wrong = -1;
  double computed = 0, exact = 0, bound = 0;  // of the first wrong row
  double worst = 0;  // largest error as a share of its bound, over all finite rows

  bool right() const { return wrong == 0; }
  std::string message() const;  // "row 17: 3.5, exact 3.25, bound 1.2e-15 (4 of 100 rows wrong)"
};

// The exact product with the bound of every row: made once, good for judging any number of results.
template <Value T>
class Reference {
 public:
  // Throws InvalidArgument for a wrong length.
  Verdict judge(std::span<const T> computed) const;
  std::size_t rows() const { return rows_.size(); }

 private:
  template <Value U, Offset O>
  friend Reference<U> exact_product(const CsrView<U, O>& a, Op op, U alpha, std::span<const U> x,
                                    U beta, std::span<const U> before);
  // The exact value is high + low. Not finite: high alone counts, by class. bound < 0: not judged.
  struct Row {
    double high, low, bound;
  };
  Array<Row> rows_;
};

// alpha op(A) x + beta before, in about twice the precision of double, with all threads(). `before`
// is not read when beta = 0, A and x are not read when alpha = 0. Throws InvalidArgument for a
// wrong length.
template <Value T, Offset O>
Reference<T> exact_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                           std::span<const T> before);

// The same for one result: checks computed = alpha op(A) x + beta before.
template <Value T, Offset O>
Verdict check_product(const CsrView<T, O>& a, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<const T> before, std::span<const T> computed);

}  // namespace nz
