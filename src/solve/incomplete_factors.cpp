#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/preconditioners.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/host_matrix.hpp"

// Incomplete factors with the places of A, and their triangular solves: each unknown waits for
// those before it, which is why they are serial and for the CPU alone.
namespace nz::solve {
namespace {

using Offsets = Array<std::int64_t>;

// The lower triangle, whose rows end with the diagonal.
DoubleMatrix lower_triangle(const DoubleView& a) {
  std::vector<index_t> counts(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i)
    counts[static_cast<std::size_t>(i)] = static_cast<index_t>(
        std::upper_bound(a.columns + a.offsets[i], a.columns + a.offsets[i + 1], i) -
        (a.columns + a.offsets[i]));
  DoubleMatrix l;
  l.rows = l.cols = a.rows;
  l.offsets = offsets_of(counts);
  l.columns = Array<index_t>(static_cast<std::size_t>(l.offsets.back()));
  l.values = Array<double>(static_cast<std::size_t>(l.offsets.back()));
  for (index_t i = 0; i < a.rows; ++i) {
    const auto from = a.offsets[i], to = l.offsets[static_cast<std::size_t>(i)];
    const auto n = counts[static_cast<std::size_t>(i)];
    std::copy_n(a.columns + from, n, l.columns.begin() + to);
    std::copy_n(a.values + from, n, l.values.begin() + to);
  }
  return l;
}

// L in place of the lower triangle of A with its diagonal (1 + shift) times as large. Returns the
// first row whose pivot is not positive, or -1.
index_t factor_cholesky(DoubleMatrix& l, double shift) {
  std::vector<double> row(static_cast<std::size_t>(l.rows), 0.0);  // the row at hand, spread out
  const auto* at = l.offsets.data();
  const auto* column = l.columns.data();
  double* value = l.values.data();
  for (index_t i = 0; i < l.rows; ++i) {
    const auto diagonal = at[i + 1] - 1;
    double pivot = value[diagonal] * (1 + shift);
    const double least = 1e-15 * pivot;
    for (auto k = at[i]; k < diagonal; ++k) {
      const index_t j = column[k];
      double sum = value[k];
      for (auto e = at[j]; e < at[j + 1] - 1; ++e)
        sum -= value[e] * row[static_cast<std::size_t>(column[e])];
      value[k] = sum / value[at[j + 1] - 1];
      row[static_cast<std::size_t>(j)] = value[k];
      pivot -= value[k] * value[k];
    }
    for (auto k = at[i]; k < diagonal; ++k) row[static_cast<std::size_t>(column[k])] = 0;
    if (!(pivot > least) || !std::isfinite(pivot)) return i;
    value[diagonal] = std::sqrt(pivot);
  }
  return -1;
}

// L and U in place of A, the ones on the diagonal of L left out. `diagonal` has where the rows of U
// begin. Throws BadInput where a pivot is zero.
void factor_lu(DoubleMatrix& m, Offsets& diagonal) {
  std::vector<std::int64_t> where(static_cast<std::size_t>(m.rows), -1);
  const auto* at = m.offsets.data();
  const auto* column = m.columns.data();
  double* value = m.values.data();
  for (index_t i = 0; i < m.rows; ++i) {
    double largest = 0;
    for (auto k = at[i]; k < at[i + 1]; ++k) {
      where[static_cast<std::size_t>(column[k])] = k;
      largest = std::max(largest, std::abs(value[k]));
    }
    auto k = at[i];
    for (; k < at[i + 1] && column[k] < i; ++k) {
      const auto pivot = diagonal[static_cast<std::size_t>(column[k])];
      value[k] /= value[pivot];
      for (auto e = pivot + 1; e < at[column[k] + 1]; ++e)
        if (const auto to = where[static_cast<std::size_t>(column[e])]; to >= 0)
          value[to] -= value[k] * value[e];
    }
    for (auto e = at[i]; e < at[i + 1]; ++e) where[static_cast<std::size_t>(column[e])] = -1;
    if (at[i] == at[i + 1])
      throw BadInput(fmt::format("ILU(0): row {} (counting from 0) is empty", i));
    if (k == at[i + 1] || column[k] != i || !(std::abs(value[k]) > 1e-15 * largest) ||
        !std::isfinite(value[k]))
      throw BadInput(fmt::format(
          "ILU(0): the pivot of row {} (counting from 0) is zero, but for rounding", i));
    diagonal[static_cast<std::size_t>(i)] = k;
  }
}

// An operator on the CPU of y = solve(x, y, op).
template <RealValue T, class Solve>
Preconditioner<T> solving(index_t rows, const char* name, Solve solve) {
  return preconditioner(detail::called<T>(
      OperatorInfo{.rows = rows, .cols = rows, .name = name, .ops = both_ops},
      detail::Applied<T>([solve = std::move(solve)](std::span<const T> x, std::span<T> y, Op op,
                                                    StreamView) { solve(x, y, op); })));
}

}  // namespace

template <RealValue T, Offset O>
Preconditioner<T> incomplete_cholesky(const CsrView<T, O>& a) try {
  constexpr const char* who = "IC(0)";
  const HostMatrix from(a, who);
  positive_diagonal(from.view(), who);
  DoubleMatrix l = lower_triangle(from.view());
  index_t bad = factor_cholesky(l, 0);
  for (double shift = 1e-3; bad >= 0 && shift < 1.1; shift *= 2) {
    l = lower_triangle(from.view());
    bad = factor_cholesky(l, shift);
  }
  if (bad >= 0)
    throw BadInput(fmt::format(
        "{}: the pivot of row {} (counting from 0) is not positive, not even with a diagonal twice "
        "as large",
        who, bad));
  const auto shared = std::make_shared<const Csr<T, std::int64_t>>(narrowed<T>(std::move(l), who));
  return solving<T>(a.rows, who, [shared](std::span<const T> x, std::span<T> y, Op) {
    const auto* at = shared->offsets.data();
    const auto* column = shared->columns.data();
    const T* value = shared->values.data();
    for (index_t i = 0; i < shared->rows; ++i) {
      T sum = x[static_cast<std::size_t>(i)];
      const auto diagonal = at[i + 1] - 1;
      for (auto k = at[i]; k < diagonal; ++k)
        sum -= value[k] * y[static_cast<std::size_t>(column[k])];
      y[static_cast<std::size_t>(i)] = sum / value[diagonal];
    }
    for (index_t i = shared->rows; i-- > 0;) {
      const auto diagonal = at[i + 1] - 1;
      const T solved = y[static_cast<std::size_t>(i)] /= value[diagonal];
      for (auto k = at[i]; k < diagonal; ++k)
        y[static_cast<std::size_t>(column[k])] -= value[k] * solved;
    }
  });
}
NZ_OR_NO_MEMORY("a preconditioner")

template <RealValue T, Offset O>
Preconditioner<T> incomplete_lu(const CsrView<T, O>& a) try {
  constexpr const char* who = "ILU(0)";
  const HostMatrix from(a, who);
  DoubleMatrix m = csr_cast<double, std::int64_t>(from.view());
  struct Factors {
    Csr<T, std::int64_t> both;
    Offsets diagonal;
  };
  Offsets diagonal(static_cast<std::size_t>(a.rows));
  factor_lu(m, diagonal);
  const auto shared =
      std::make_shared<const Factors>(Factors{narrowed<T>(std::move(m), who), std::move(diagonal)});
  return solving<T>(a.rows, who, [shared](std::span<const T> x, std::span<T> y, Op op) {
    const auto *at = shared->both.offsets.data(), *pivot = shared->diagonal.data();
    const auto* column = shared->both.columns.data();
    const T* value = shared->both.values.data();
    const index_t n = shared->both.rows;
    const auto element = [&](index_t i) -> T& { return y[static_cast<std::size_t>(i)]; };
    if (op == Op::none) {
      for (index_t i = 0; i < n; ++i) {
        T sum = x[static_cast<std::size_t>(i)];
        for (auto k = at[i]; k < pivot[i]; ++k) sum -= value[k] * element(column[k]);
        element(i) = sum;
      }
      for (index_t i = n; i-- > 0;) {
        T sum = element(i);
        for (auto k = pivot[i] + 1; k < at[i + 1]; ++k) sum -= value[k] * element(column[k]);
        element(i) = sum / value[pivot[i]];
      }
    } else {
      std::copy(x.begin(), x.end(), y.begin());
      for (index_t i = 0; i < n; ++i) {
        const T solved = element(i) /= value[pivot[i]];
        for (auto k = pivot[i] + 1; k < at[i + 1]; ++k) element(column[k]) -= value[k] * solved;
      }
      for (index_t i = n; i-- > 0;)
        for (auto k = at[i]; k < pivot[i]; ++k) element(column[k]) -= value[k] * element(i);
    }
  });
}
NZ_OR_NO_MEMORY("a preconditioner")

#define NZ_INSTANTIATE(T, O)                                            \
  template Preconditioner<T> incomplete_cholesky(const CsrView<T, O>&); \
  template Preconditioner<T> incomplete_lu(const CsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::solve
