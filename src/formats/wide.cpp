#include <nonzero/formats/wide.hpp>

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "formats/checks.hpp"
#include "formats/wide_checks.hpp"

namespace nz {
namespace {

void check_wide_shape(std::int64_t rows, std::int64_t cols) {
  if (rows < 0 || cols < 0) throw BadInput(fmt::format("a wide matrix of {} x {}", rows, cols));
}

}  // namespace

template <RealValue T>
void check_wide(const WideCooView<T>& a) {
  check_wide_shape(a.rows, a.cols);
  if (a.nnz < 0) throw BadInput(fmt::format("a wide matrix of {} entries", a.nnz));
  for (std::int64_t k = 0; k < a.nnz; ++k)
    if (a.row_index[k] < 0 || a.row_index[k] >= a.rows || a.col_index[k] < 0 ||
        a.col_index[k] >= a.cols)
      throw BadInput(
          fmt::format("entry {}: row {}, column {} is not in a matrix of {} x {} (counting from 0)",
                      k, a.row_index[k], a.col_index[k], a.rows, a.cols));
}

template <RealValue T>
void WideCoo<T>::validate() const {
  check_size("wide COO", "rows", row_index.size(), values.size());
  check_size("wide COO", "columns", col_index.size(), values.size());
  check_wide(view());
}

template <RealValue T>
void WideCsr<T>::validate() const {
  check_wide_shape(rows, cols);
  check_size("wide CSR", "offsets", offsets.size(), static_cast<std::size_t>(rows) + 1);
  if (offsets[0] != 0) throw BadInput(fmt::format("wide CSR: offsets[0] is {}", offsets[0]));
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    if (offsets[i + 1] < offsets[i])
      throw BadInput(fmt::format("wide CSR: offsets[{}] = {} is below offsets[{}] = {}", i + 1,
                                 offsets[i + 1], i, offsets[i]));
  check_size("wide CSR", "columns", columns.size(), static_cast<std::size_t>(nnz()));
  check_size("wide CSR", "values", values.size(), static_cast<std::size_t>(nnz()));
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k] < 0 || columns[k] >= cols)
      throw BadInput(fmt::format("wide CSR: entry {}: column {} is not below {} (counting from 0)",
                                 k, columns[k], cols));
}

template <RealValue T>
WideCoo<T> wide_coo_from_csr(const WideCsr<T>& a) {
  a.validate();
  WideCoo<T> b{a.rows, a.cols, Array<std::int64_t>(static_cast<std::size_t>(a.nnz())), a.columns,
               a.values};
  for (std::int64_t i = 0; i < a.rows; ++i)
    std::fill(b.row_index.begin() + a.offsets[static_cast<std::size_t>(i)],
              b.row_index.begin() + a.offsets[static_cast<std::size_t>(i) + 1], i);
  return b;
}

#define NZ_INSTANTIATE(T)                          \
  template struct WideCoo<T>;                      \
  template struct WideCsr<T>;                      \
  template void check_wide(const WideCooView<T>&); \
  template WideCoo<T> wide_coo_from_csr(const WideCsr<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
