#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/truth.hpp>

#include "base/instantiate.hpp"
#include "formats/inspect.hpp"

namespace nz {

template <Value T, Offset O>
Reference<T> flushed(const Reference<T>& exact, const CsrView<T, O>& a, Op op, T alpha) {
  op = op_for<T>(op);
  check_view(a);
  const auto rows = static_cast<std::size_t>(op == Op::none ? a.rows : a.cols);
  if (exact.rows() != rows)
    throw InvalidArgument(fmt::format("a reference of {} rows for {}", exact.rows(), rows));
  Reference<T> r = exact;
  if (alpha == T(0) || !std::isfinite(alpha)) return r;
  inspect(a);
  Array<std::int64_t> entries(rows);
  std::fill(entries.begin(), entries.end(), 0);
  for (index_t i = 0; i < a.rows; ++i)
    for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      ++entries[static_cast<std::size_t>(op == Op::none ? i : a.columns[k])];
  const double lost = static_cast<double>(std::numeric_limits<T>::min()) *
                      (std::abs(static_cast<double>(alpha)) + 1);
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = r.rows_[i];
    if (row.bound >= 0 && std::isfinite(row.high))
      row.bound += std::ldexp((2 * static_cast<double>(entries[i]) + 1) * lost, row.shift);
  }
  return r;
}

#define NZ_INSTANTIATE(T, O) \
  template Reference<T> flushed(const Reference<T>&, const CsrView<T, O>&, Op, T);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
