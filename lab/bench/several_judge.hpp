#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include <nonzero/dense.hpp>
#include <nonzero/truth.hpp>

#include "lab/bench/verify.hpp"

namespace nz::lab {

// What was found of a product of several vectors.
struct SeveralVerdict : Finding {
  int exact_columns = 0;  // judged as a product of one vector is
};

// Judges products of one matrix with the X that x_of() makes, column by column, each element by the
// bound that one vector has. Exact products of a column are the same for any number of vectors and
// either layout, and are kept while they take little memory. Where all columns would take too long,
// a few are judged so, and the others by sums in double, within their bound and the rounding
// of those sums.
template <Value T, Offset O>
class SeveralJudge {
 public:
  explicit SeveralJudge(const CsrView<T, O>& a) : a_(a) {}
  const CsrView<T, O>& matrix() const { return a_; }

  static void fill_x(const DenseView<T>& x);
  // What Y is before: random where beta is not 0, else NaN.
  static void fill_before(const DenseView<T>& y, double beta);

  SeveralVerdict judge(const Case& c, const DenseView<const T>& computed, int shared_rounding = 0,
                       std::int64_t most_exact_entries = 1'000'000'000);

 private:
  Verdict column(const Case& c, index_t j, const DenseView<const T>& computed, int shared_rounding);
  std::string against_sums(const Case& c, const DenseView<const T>& computed,
                           const std::map<index_t, bool>& done);

  CsrView<T, O> a_;
  std::size_t kept_bytes_ = 0;
  std::map<std::tuple<Op, double, double, index_t>, Reference<T>> kept_;
  std::optional<Csr<T, O>> transposed_;  // made when first needed
};

// conformance() with so many vectors, by rows and by columns, all of their columns judged.
template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, SeveralJudge<T, O>& judge, Device device,
                                     int vectors);

}  // namespace nz::lab
