#include <array>
#include <cmath>

#include <nonzero/error.hpp>
#include <nonzero/solve.hpp>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "base/parallel.hpp"
#include "formats/inspect.hpp"
#include "truth/exact_sum.hpp"

namespace nz::solve {

template <RealValue T>
std::span<const Method<T>> methods() {
  static constexpr std::array<Method<T>, 6> all{{
      {"cg", "conjugate gradients: symmetric positive definite", false, cg<T>, cg<T>},
      {"bicg", "bi-conjugate gradients: A and its transpose", true, bicg<T>, bicg<T>},
      {"bicgstab", "stabilised bi-conjugate gradients: A alone", false, bicgstab<T>, bicgstab<T>},
      {"qmr", "quasi-minimal residuals: A and its transpose, smooth", true, qmr<T>, qmr<T>},
      {"gmres", "minimal residuals, restarted: A alone, robust", false, gmres<T>, gmres<T>},
      {"lsqr", "least squares, any shape: A and its transpose", true, lsqr<T>, lsqr<T>},
  }};
  return all;
}

template <RealValue T, Offset O>
double true_residual(const CsrView<T, O>& a, std::span<const std::type_identity_t<T>> b,
                     std::span<const std::type_identity_t<T>> x) try {
  if (b.size() != static_cast<std::size_t>(a.rows) || x.size() != static_cast<std::size_t>(a.cols))
    throw InvalidArgument("b and x do not have the lengths of the matrix");
  inspect(a);
  Array<double> rest(b.size());
  parallel_ranges(
      a.rows,
      [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
          const auto row = static_cast<std::size_t>(i);
          ExactSum sum;
          sum.add_product(-1, static_cast<double>(b[row]));
          for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
            sum.add_product(static_cast<double>(a.values[k]),
                            static_cast<double>(x[static_cast<std::size_t>(a.columns[k])]));
          rest[row] = sum.finite() ? sum.rounded() : NAN;
        }
      },
      1 << 10);
  double r2 = 0, b2 = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    r2 += rest[i] * rest[i];
    b2 += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return b2 == 0 ? std::sqrt(r2) : std::sqrt(r2 / b2);
}
NZ_OR_NO_MEMORY("a residual")

#define NZ_INSTANTIATE_METHODS(T) template std::span<const Method<T>> methods();
#define NZ_INSTANTIATE(T, O) \
  template double true_residual(const CsrView<T, O>&, std::span<const T>, std::span<const T>);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_METHODS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::solve
