#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/truth.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/inspect.hpp"

namespace nz {
namespace {

// Sum of |a||x| over each chunk of consecutive entries; infinite where a term is not finite.
template <class T, class O>
Array<double> magnitudes(const CsrView<T, O>& a, std::span<const T> x, int chunk) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  const auto size = static_cast<std::size_t>(chunk);
  Array<double> all((nnz + size - 1) / size);
  parallel_ranges(all.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      double sum = 0;
      for (std::size_t k = c * size; k < std::min(nnz, (c + 1) * size); ++k)
        sum += std::abs(static_cast<double>(a.values[k]) *
                        static_cast<double>(x[static_cast<std::size_t>(a.columns[k])]));
      all[c] = std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
    }
  });
  return all;
}

}  // namespace

template <RealValue T, Offset O>
Reference<T> widened(const Reference<T>& exact, const CsrView<T, O>& a, T alpha,
                     std::span<const T> x, int chunk) {
  using limits = std::numeric_limits<T>;
  check_view(a);
  if (chunk < 1) throw InvalidArgument(fmt::format("chunks of {} entries", chunk));
  if (exact.rows() != static_cast<std::size_t>(a.rows))
    throw InvalidArgument(fmt::format("a reference of {} rows for {}", exact.rows(), a.rows));
  Reference<T> r = exact;
  if (alpha == T(0) || std::isnan(alpha) || a.nnz == 0) return r;
  if (x.size() != static_cast<std::size_t>(a.cols))
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), a.cols));
  if (!inspect(a).from_zero)
    throw InvalidArgument("chunks are those of a whole matrix, not a slice");
  const Array<double> chunks = magnitudes(a, x, chunk);
  const double scale = std::abs(static_cast<double>(alpha));
  const double roundoff = static_cast<double>(limits::epsilon()) / 2;
  const double smallest = static_cast<double>(limits::denorm_min());
  parallel_ranges(r.rows(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (a.offsets[i] == a.offsets[i + 1]) continue;
      const auto first = static_cast<std::size_t>(a.offsets[i]) / static_cast<std::size_t>(chunk);
      const auto last =
          static_cast<std::size_t>(a.offsets[i + 1] - 1) / static_cast<std::size_t>(chunk);
      double sum = 0;
      for (std::size_t c = first; c <= last; ++c) sum += chunks[c];
      auto& row = r.rows_[i];
      // Prefix sums, and sums of them, go up to twice this. With an infinite alpha their rounding
      // decides on the sign.
      if (std::isinf(scale) ||
          !(2 * std::max(1.0, scale) * sum <= static_cast<double>(limits::max()))) {
        row = {0, 0, -1, 0};
        continue;
      }
      const double k = static_cast<double>(a.offsets[i + 1] - a.offsets[i]) + chunk + 3;
      if (row.bound >= 0)
        row.bound += k * (std::ldexp(scale * sum, row.shift) * 2 * roundoff +
                          std::ldexp(smallest, row.shift) * (scale + 1));
    }
  });
  return r;
}

#define NZ_INSTANTIATE(T, O)                                                                      \
  template Reference<T> widened(const Reference<T>&, const CsrView<T, O>&, T, std::span<const T>, \
                                int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
