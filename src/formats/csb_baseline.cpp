#include <nonzero/formats/csb_baseline.hpp>

#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/block_places.hpp"
#include "formats/checks.hpp"

namespace nz {

namespace {

constexpr const char* format = "CSB-baseline";

}  // namespace

template <RealValue T, Offset O>
void CsbBaseline<T, O>::validate() const {
  check_grid(format, *this);
  check_size(format, "offsets", offsets.size(), static_cast<std::size_t>(blocks()) + 1);
  check_size(format, "values", values.size(), places.size());
  check_long_offsets(format, "block", offsets.data(), blocks(),
                     static_cast<std::int64_t>(places.size()));
  check_each(
      blocks(),
      [&](std::int64_t b) {
        for (O k = offsets[b]; k < offsets[b + 1]; ++k) {
          check_place(format, *this, b, k, places[k]);
          if (k > offsets[b] && morton_in(*this, places[k - 1]) >= morton_in(*this, places[k]))
            not_in_morton_order(format, b, k);
        }
      },
      64);
}

template <RealValue T, Offset O>
CsbBaseline<T, O> csb_baseline_from_csr(const CsrView<T, O>& a, std::int64_t beta,
                                        double max_ratio) {
  const BlockGrid g{a.rows, a.cols, digits_of(format, beta)};
  Csb<T, O> c = csb_of_bits(format, a, g.digits, max_ratio);
  parallel_ranges(c.places.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) c.places[k] = grid_place(g, c.places[k]);
  });
  return {g, std::move(c.offsets), std::move(c.places), std::move(c.values)};
}

template <RealValue T, Offset O>
Csr<T, O> csb_baseline_to_csr(const CsbBaselineView<T, O>& a) {
  Array<std::uint32_t> places(static_cast<std::size_t>(a.nnz));
  parallel_ranges(places.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) places[k] = csb_place(a, a.places[k]);
  });
  return csb_to_csr(
      CsbView<T, O>{a.rows, a.cols, a.digits, a.nnz, a.offsets, places.data(), a.values});
}

#define NZ_INSTANTIATE(T, O)                                                                    \
  template struct CsbBaseline<T, O>;                                                            \
  template CsbBaseline<T, O> csb_baseline_from_csr(const CsrView<T, O>&, std::int64_t, double); \
  template Csr<T, O> csb_baseline_to_csr(const CsbBaselineView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
