#pragma once
#include <cstddef>
#include <type_traits>

#include <nonzero/export.hpp>
#include <nonzero/formats/coo.hpp>
#include <nonzero/formats/csr.hpp>
#include <nonzero/formats/ell.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// Hybrid: the first entries of every row in ELL, those that are left in COO.
template <RealValue T>
struct HybView {
  using value_type = T;
  index_t rows = 0;
  index_t cols = 0;
  std::int64_t nnz = 0;
  EllView<T> ell;
  CooView<T> coo;

  // izawa2023 equation 2.3 for the ELL part and 2.1 for the COO part.
  constexpr std::size_t bytes() const { return ell.bytes() + coo.bytes(); }
};
static_assert(std::is_trivially_copyable_v<HybView<double>>);

template <RealValue T>
struct Hyb {
  index_t rows = 0;
  index_t cols = 0;
  Ell<T> ell;
  Coo<T> coo;

  std::int64_t nnz() const { return ell.nnz() + coo.nnz(); }
  std::size_t bytes() const { return view().bytes(); }
  HybView<T> view() const { return {rows, cols, nnz(), ell.view(), coo.view()}; }

  // Padding slots of the ELL part, and slots a nonzero of both parts together.
  std::int64_t fill() const { return ell.fill(); }
  double fill_ratio() const { return slots_per_nonzero(nnz() + fill(), nnz()); }

  // Throws BadInput naming the part and the place that break the format.
  void validate() const;

  friend bool operator==(const Hyb&, const Hyb&) = default;
};

// The rule that izawa2023 §2.4.3 points to (Bell and Garland 2009): the ELL part gets a k-th slot
// a row while at least rows / relative_speed of the rows, and at least breakeven_rows of them, have
// k entries or more. Relative speed is that of ELL over COO; below the break-even population COO
// was the faster one. So the ELL part never takes more than relative_speed slots an entry, and a
// matrix with fewer rows than breakeven_rows is all COO.
struct HybRule {
  double relative_speed = 3;
  index_t breakeven_rows = 4096;
};

// Throws InvalidArgument unless relative_speed > 0.
template <RealValue T, Offset O>
NZ_API index_t hyb_width(const CsrView<T, O>& a, HybRule rule = {});

template <RealValue T, Offset O>
NZ_API Hyb<T> hyb_from_csr(const CsrView<T, O>& a, HybRule rule = {});

template <Offset O, RealValue T>
NZ_API Csr<T, O> hyb_to_csr(const HybView<T>& a);

}  // namespace nz
