#include <nonzero/formats/hyb.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/ell_of_width.hpp"
#include "formats/scan.hpp"

namespace nz {

template <RealValue T>
void Hyb<T>::validate() const {
  const auto check_part = [&](const char* name, const auto& part) {
    if (part.rows != rows || part.cols != cols)
      throw BadInput(fmt::format("HYB: the {} part is {} x {}, the matrix {} x {}", name, part.rows,
                                 part.cols, rows, cols));
    try {
      part.validate();
    } catch (const BadInput& e) {
      throw BadInput(fmt::format("HYB: {}", e.what()));
    }
  };
  check_shape("HYB", rows, cols);
  check_part("ELL", ell);
  check_part("COO", coo);
  const EllView<T> left = ell.view();
  check_each(coo.values.size(), [&](std::size_t k) {
    const index_t i = coo.row[k];
    index_t last = -1;
    for (index_t s = left.width; s-- > 0 && last < 0;) last = left.columns[left.slot(i, s)];
    if (last >= coo.column[k])
      throw BadInput(fmt::format(
          "HYB: row {}, COO entry {}: index {} does not follow {} in ELL (counting from 0)", i, k,
          coo.column[k], last));
  });
}

template <RealValue T, Offset O>
index_t hyb_width(const CsrView<T, O>& a, HybRule rule) {
  if (!(rule.relative_speed > 0))
    throw InvalidArgument(
        fmt::format("HYB: relative speed {} is not above 0", rule.relative_speed));
  const index_t longest = longest_row(a);
  Array<index_t> of_length(static_cast<std::size_t>(longest) + 1, 0);
  for (index_t i = 0; i < a.rows; ++i) ++of_length[a.offsets[i + 1] - a.offsets[i]];
  index_t population = a.rows;  // rows with k entries or more
  for (index_t k = 1; k <= longest; ++k) {
    population -= of_length[k - 1];
    if (rule.relative_speed * population < a.rows || population < rule.breakeven_rows) return k - 1;
  }
  return longest;
}

template <RealValue T, Offset O>
Hyb<T> hyb_from_csr(const CsrView<T, O>& a, HybRule rule) {
  const index_t width = hyb_width(a, rule);
  Array<std::int64_t> starts(static_cast<std::size_t>(a.rows) + 1);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      starts[i] = std::max<O>(a.offsets[i + 1] - a.offsets[i] - width, 0);
  });
  const auto rest = static_cast<std::size_t>(scan_counts(starts));
  Hyb<T> b{a.rows, a.cols, ell_of_width(a, width),
           Coo<T>{a.rows, a.cols, Array<index_t>(rest), Array<index_t>(rest), Array<T>(rest)}};
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      for (std::int64_t to = starts[i]; to < starts[i + 1]; ++to) {
        const O from = a.offsets[i + 1] - static_cast<O>(starts[i + 1] - to);
        b.coo.row[to] = i;
        b.coo.column[to] = a.columns[from];
        b.coo.values[to] = a.values[from];
      }
  });
  return b;
}

template <Offset O, RealValue T>
Csr<T, O> hyb_to_csr(const HybView<T>& a) {
  const Csr<T, std::int64_t> left = ell_to_csr<std::int64_t>(a.ell);
  const Csr<T, std::int64_t> right = coo_to_csr<std::int64_t>(a.coo);
  Array<std::int64_t> starts(left.offsets.size());
  const auto count = [&](const auto& part, std::size_t i) {
    return part.offsets[i + 1] - part.offsets[i];
  };
  for (index_t i = 0; i < a.rows; ++i) starts[i] = count(left, i) + count(right, i);
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, starts);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i) {
      std::int64_t to = starts[i];
      for (const auto* part : {&left, &right})
        for (std::int64_t k = part->offsets[i]; k < part->offsets[i + 1]; ++k, ++to) {
          b.columns[to] = part->columns[k];
          b.values[to] = part->values[k];
        }
    }
  });
  return b;
}

#define NZ_INSTANTIATE_CLASS(T)                                              \
  template struct Hyb<T>;                                                    \
  template Csr<T, std::int32_t> hyb_to_csr<std::int32_t>(const HybView<T>&); \
  template Csr<T, std::int64_t> hyb_to_csr<std::int64_t>(const HybView<T>&);
#define NZ_INSTANTIATE(T, O)                                 \
  template index_t hyb_width(const CsrView<T, O>&, HybRule); \
  template Hyb<T> hyb_from_csr(const CsrView<T, O>&, HybRule);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
