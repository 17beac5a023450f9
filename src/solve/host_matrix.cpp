#include "solve/host_matrix.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "formats/inspect.hpp"

namespace nz::solve {
namespace {

struct NoRoom {};

}  // namespace

template <Value T, Offset O>
HostMatrix::HostMatrix(const CsrView<T, O>& a, const char* who) {
  const CsrOrder order = inspect(a);
  if (a.rows != a.cols)
    throw InvalidArgument(
        fmt::format("{} needs a square matrix, this one is {} x {}", who, a.rows, a.cols));
  const O first = a.rows > 0 ? a.offsets[0] : 0;
  bool borrowed = false;
  if constexpr (std::same_as<T, double> && std::same_as<O, std::int64_t>)
    if (order.from_zero && order.rising) {
      view_ = a;
      borrowed = true;
    }
  if (!borrowed) {
    const auto nnz = static_cast<std::size_t>(a.nnz);
    own_ = {a.rows, a.cols, Array<std::int64_t>(static_cast<std::size_t>(a.rows) + 1),
            Array<index_t>(nnz), Array<double>(nnz)};
    own_.offsets[0] = 0;
    for (index_t i = 0; i < a.rows; ++i)
      own_.offsets[static_cast<std::size_t>(i) + 1] =
          static_cast<std::int64_t>(a.offsets[i + 1]) - static_cast<std::int64_t>(first);
    for (std::size_t k = 0; k < nnz; ++k) {
      own_.columns[k] = a.columns[static_cast<std::size_t>(first) + k];
      own_.values[k] = static_cast<double>(a.values[static_cast<std::size_t>(first) + k]);
    }
    if (!order.rising) settle(own_);
    view_ = own_.view();
  }
  const index_t bad = each_row(
      view_.rows, [] { return NoRoom{}; },
      [&](index_t i, NoRoom&) {
        return std::all_of(view_.values + view_.offsets[i], view_.values + view_.offsets[i + 1],
                           [](double v) { return std::isfinite(v); });
      });
  if (bad >= 0)
    throw BadInput(
        fmt::format("{}: row {} (counting from 0) has a value that is not finite", who, bad));
}

Array<double> positive_diagonal(const DoubleView& a, const char* who) {
  Array<double> d(static_cast<std::size_t>(a.rows));
  for (index_t i = 0; i < a.rows; ++i) {
    const index_t *begin = a.columns + a.offsets[i], *end = a.columns + a.offsets[i + 1];
    const index_t* at = std::lower_bound(begin, end, i);
    const double here = at != end && *at == i ? a.values[at - a.columns] : 0;
    if (!(here > 0))
      throw BadInput(fmt::format(
          "{}: row {} (counting from 0) {}, so the matrix is not positive definite", who, i,
          begin == end ? "is empty" : fmt::format("has {} on the diagonal", here)));
    d[static_cast<std::size_t>(i)] = here;
  }
  return d;
}

Array<std::int64_t> offsets_of(std::span<const index_t> counts) {
  Array<std::int64_t> offsets(counts.size() + 1);
  offsets[0] = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) offsets[i + 1] = offsets[i] + counts[i];
  return offsets;
}

template <Value T>
Csr<T, std::int64_t> narrowed(DoubleMatrix&& m, const char* who) {
  Csr<T, std::int64_t> to;
  if constexpr (std::same_as<T, double>)
    to = std::move(m);
  else
    to = csr_cast<T, std::int64_t>(m.view());
  for (index_t i = 0; i < to.rows; ++i)
    for (auto k = to.offsets[static_cast<std::size_t>(i)];
         k < to.offsets[static_cast<std::size_t>(i) + 1]; ++k)
      if (!std::isfinite(to.values[static_cast<std::size_t>(k)]))
        throw BadInput(fmt::format("{}: row {} (counting from 0) becomes too large for {}", who, i,
                                   name(value_type_of<T>)));
  return to;
}

#define NZ_INSTANTIATE(T, O) template HostMatrix::HostMatrix(const CsrView<T, O>&, const char*);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
#undef NZ_INSTANTIATE

#define NZ_INSTANTIATE(T) template Csr<T, std::int64_t> narrowed<T>(DoubleMatrix&&, const char*);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
