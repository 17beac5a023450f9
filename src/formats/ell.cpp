#include <nonzero/formats/ell.hpp>

#include <algorithm>
#include <atomic>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/ell_of_width.hpp"
#include "formats/padded.hpp"
#include "formats/scan.hpp"

namespace nz {
namespace {

template <class T>
PaddedRow<T> row_of(const EllView<T>& a, index_t i) {
  return {a.columns + i, a.values + i, static_cast<std::size_t>(a.rows), a.width};
}

// Rows converted together, slot by slot: their part of CSR stays in the cache meanwhile.
constexpr index_t strip = 128;

}  // namespace

template <RealValue T>
void Ell<T>::validate() const {
  check_shape("ELL", rows, cols);
  if (width < 0) throw BadInput(fmt::format("ELL: negative width {}", width));
  check_size("ELL", "columns", columns.size(), view().slots());
  check_size("ELL", "values", values.size(), view().slots());
  if (width == 0) return check_entries("ELL", entries, 0);
  const std::int64_t found =
      check_each(rows, [&](index_t i) { return row_of(view(), i).check("ELL", i, cols); });
  check_entries("ELL", entries, found);
}

template <RealValue T, Offset O>
Ell<T> ell_of_width(const CsrView<T, O>& a, index_t width) {
  const auto slots = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(width);
  Ell<T> b{a.rows, a.cols, width, 0, Array<index_t>(slots), Array<T>(slots)};
  std::atomic<std::int64_t> entries{0};
  const EllView<T> layout = b.view();
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    std::int64_t mine = 0;
    for (index_t first = begin; first < end;) {
      const index_t last = end - first > strip ? first + strip : end;
      for (index_t s = 0; s < width; ++s)
        for (index_t i = first; i < last; ++i) {
          const O from = a.offsets[i];
          const bool real = s < a.offsets[i + 1] - from;
          const std::size_t to = layout.slot(i, s);
          b.columns[to] = real ? a.columns[from + s] : padding;
          b.values[to] = real ? a.values[from + s] : T(0);
          mine += real;
        }
      first = last;
    }
    entries += mine;
  });
  b.entries = entries;
  return b;
}

template <RealValue T, Offset O>
Ell<T> ell_from_csr(const CsrView<T, O>& a, double max_ratio) {
  const index_t width = longest_row(a);
  require_ratio("ELL", a.rows, width, a.nnz, max_ratio, fmt::format("{} rows x {}", a.rows, width));
  return ell_of_width(a, width);
}

template <Offset O, RealValue T>
Csr<T, O> ell_to_csr(const EllView<T>& a) {
  Array<std::int64_t> starts(static_cast<std::size_t>(a.rows) + 1);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) starts[i] = a.width == 0 ? 0 : row_of(a, i).length();
  });
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, starts);
  if (b.nnz() == 0) return b;
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      row_of(a, i).copy_to(b.columns.data() + starts[i], b.values.data() + starts[i]);
  });
  return b;
}

#define NZ_INSTANTIATE_CLASS(T)                                              \
  template struct Ell<T>;                                                    \
  template Csr<T, std::int32_t> ell_to_csr<std::int32_t>(const EllView<T>&); \
  template Csr<T, std::int64_t> ell_to_csr<std::int64_t>(const EllView<T>&);
#define NZ_INSTANTIATE(T, O)                                  \
  template Ell<T> ell_from_csr(const CsrView<T, O>&, double); \
  template Ell<T> ell_of_width(const CsrView<T, O>&, index_t);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
