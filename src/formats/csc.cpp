#include <nonzero/formats/csc.hpp>

#include <utility>

#include "base/instantiate.hpp"
#include "formats/checks.hpp"

namespace nz {

template <RealValue T, Offset O>
void Csc<T, O>::validate() const {
  check_shape("CSC", rows, cols);
  check_size("CSC", "offsets", offsets.size(), static_cast<std::size_t>(cols) + 1);
  check_size("CSC", "values", values.size(), row.size());
  check_offsets("CSC", "column", offsets.data(), cols, static_cast<std::int64_t>(row.size()));
  check_columns("CSC", "column", offsets.data(), row.data(), cols, rows);
}

template <RealValue T, Offset O>
Csc<T, O> csc_from_csr(const CsrView<T, O>& a) {
  Csr<T, O> t = transpose(a);
  return {a.rows, a.cols, std::move(t.offsets), std::move(t.columns), std::move(t.values)};
}

template <RealValue T, Offset O>
Csr<T, O> csc_to_csr(const CscView<T, O>& a) {
  return transpose(CsrView<T, O>{a.cols, a.rows, a.nnz, a.offsets, a.row, a.values});
}

#define NZ_INSTANTIATE(T, O)                             \
  template struct Csc<T, O>;                             \
  template Csc<T, O> csc_from_csr(const CsrView<T, O>&); \
  template Csr<T, O> csc_to_csr(const CscView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
