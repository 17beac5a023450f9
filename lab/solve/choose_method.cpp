#include "lab/solve/choose_method.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <nonzero/array.hpp>

#include "base/parallel.hpp"

namespace nz::lab {
namespace {

// The value at (i, j), or null.
const double* find(const CsrView<double, std::int64_t>& a, index_t i, index_t j) {
  const index_t *begin = a.columns + a.offsets[i], *end = a.columns + a.offsets[i + 1];
  const index_t* at = std::lower_bound(begin, end, j);
  return at == end || *at != j ? nullptr : a.values + (at - a.columns);
}

// But for rounding: what cancelled to nearly nothing may differ by as much as it lost, so the
// measure is the largest entry of a row.
bool alike(double x, double y, double largest) {
  constexpr double rounding = 1e-10;
  return x == y || std::abs(x - y) <= rounding * largest;
}

double largest_of_row(const CsrView<double, std::int64_t>& a, index_t i) {
  double largest = 0;
  for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
    largest = std::max(largest, std::abs(a.values[k]));
  return largest;
}

// NaN is an entry, too.
void count_empty(const CsrView<double, std::int64_t>& a, SystemTraits& t) {
  std::vector<char> met(static_cast<std::size_t>(a.cols));
  for (index_t i = 0; i < a.rows; ++i) {
    bool any = false;
    for (auto k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (a.values[k] != 0) {
        any = true;
        met[static_cast<std::size_t>(a.columns[k])] = 1;
      }
    if (!any) ++t.empty_rows;
  }
  t.empty_columns = static_cast<index_t>(std::count(met.begin(), met.end(), 0));
}

// Whether the residual still went down in the last quarter of the iterations.
bool falling(const std::vector<double>& history) {
  if (history.size() < 8) return true;
  const auto before = history.end() - static_cast<std::ptrdiff_t>(history.size() / 4);
  return *std::min_element(before, history.end()) <
         0.9 * *std::min_element(history.begin(), before);
}

// "--preconditioner ...": what does more than the one that was there, or nothing. Jacobi divides by
// the diagonal, FSAI needs one of a sign, CG what is symmetric.
std::string other_preconditioners(const std::string& method, std::string_view had,
                                  const SystemTraits& traits) {
  if (!traits.square || method == "lsqr") return "";
  const bool definite = traits.symmetric && traits.definite_diagonal();
  if (method == "cg" && !definite) return "";
  const char* const more = definite ? "fsai" : "spai1";
  if (had == "none")
    return fmt::format("--preconditioner {}{}", traits.full_diagonal ? "jacobi or " : "", more);
  if (had == "jacobi" || had == "block" || had == "spai0")
    return fmt::format("--preconditioner {}", more);
  return "";
}

std::string either(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return fmt::format("{}{} or {}", a, a.find(" or ") == a.npos ? "" : ",", b);
}

// A preconditioner first: where none was, it does more than another method.
std::string other_ways(const std::string& method, std::string_view had, const std::string& next,
                       const SystemTraits& traits) {
  const std::string helps = other_preconditioners(method, had, traits);
  const std::string other = fmt::format("--method {}", next);
  return had == "none" ? either(helps, other) : either(other, helps);
}

}  // namespace

SystemTraits system_traits(const CsrView<double, std::int64_t>& a) {
  SystemTraits t{.square = a.rows == a.cols};
  if (!t.square) return t;
  Array<double> largest(static_cast<std::size_t>(a.rows));
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      largest[static_cast<std::size_t>(i)] = largest_of_row(a, i);
  });
  count_empty(a, t);
  std::atomic<bool> symmetric{true}, positive{true}, negative{true}, full{true};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      for (auto k = a.offsets[i]; k < a.offsets[i + 1] && symmetric; ++k) {
        const index_t j = a.columns[k];
        if (j == i) continue;
        const double* mirror = find(a, j, i);
        const double measure =
            std::min(largest[static_cast<std::size_t>(i)], largest[static_cast<std::size_t>(j)]);
        if (!alike(a.values[k], mirror ? *mirror : 0, measure)) symmetric = false;
      }
      const double* diagonal = find(a, i, i);
      if (!diagonal || !(*diagonal > 0)) positive = false;
      if (!diagonal || !(*diagonal < 0)) negative = false;
      if (!diagonal || *diagonal == 0) full = false;
      if (!symmetric && !full) return;
    }
  });
  t.symmetric = symmetric;
  t.positive_diagonal = positive;
  t.negative_diagonal = negative && a.rows > 0;
  t.full_diagonal = full;
  return t;
}

std::string singular_text(const SystemTraits& traits) {
  if (!traits.singular()) return "";
  const auto count = [](index_t n, const char* one, const char* many) {
    return n == 0 ? std::string() : fmt::format("{} empty {}", n, n == 1 ? one : many);
  };
  const std::string rows = count(traits.empty_rows, "row", "rows"),
                    columns = count(traits.empty_columns, "column", "columns");
  return fmt::format("the matrix has {}{}{}, so it is singular: --method lsqr, least squares", rows,
                     rows.empty() || columns.empty() ? "" : " and ", columns);
}

MethodChoice choose_method(const SystemTraits& traits, std::string_view preconditioner) {
  if (!traits.square) return {"lsqr", "the matrix is not square: least squares"};
  if (!traits.symmetric) return {"bicgstab", "the matrix is square and not symmetric"};
  if (preconditioner == "spai1")
    return {"bicgstab", "the matrix is symmetric, but the preconditioner is not"};
  if (traits.negative_diagonal)
    return {"cg", "the matrix is symmetric and its diagonal below 0: -A x = -b is solved"};
  if (!traits.positive_diagonal)
    return {"gmres", "the matrix is symmetric, but its diagonal is not all above 0"};
  return {"cg", "the matrix is symmetric and its diagonal above 0"};
}

std::string advice_after(const solve::Result& r, const std::string& method,
                         std::string_view preconditioner, const SystemTraits& traits) {
  using enum solve::Stop;
  const bool failed = !r.ok() && r.reason != stopped && r.reason != not_a_number;
  if (failed && method != "lsqr" && traits.singular()) return singular_text(traits);
  switch (r.reason) {
    case not_symmetric:
      return "not symmetric: try --method bicgstab";
    case not_definite:
      return "symmetric, but not positive definite: try --method gmres";
    case iteration_limit:
      if (r.iterations == 0) return "--max-iterations above 0";
      if (r.residual > 0 && r.residual < 1e-14)  // no solver gets x nearer than that in f64
        return fmt::format(
            "limit of {} iterations reached at {:.1g}, as near as rounding lets it: a larger "
            "--tolerance",
            r.iterations, r.residual);
      if (falling(r.history))
        return fmt::format(
            "limit of {} iterations reached at {:.1g}, falling: {}", r.iterations, r.residual,
            either("--max-iterations", other_preconditioners(method, preconditioner, traits)));
      return fmt::format(
          "limit of {} iterations reached at {:.1g}, not falling: {}", r.iterations, r.residual,
          traits.square
              ? other_ways(method, preconditioner, method == "gmres" ? "qmr" : "gmres", traits)
              : std::string("no other method takes this shape"));
    case breakdown:
    case diverged:
      if (!traits.square) return "";
      return other_ways(method, preconditioner, method == "gmres" ? "lsqr" : "gmres", traits);
    case not_a_number:
      return "look for NaN and infinities in the matrix, --rhs and --x0";
    case not_stochastic:
      return "--normalise divides each row by its sum";
    default:
      return "";
  }
}

}  // namespace nz::lab
