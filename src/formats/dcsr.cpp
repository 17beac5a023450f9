#include <nonzero/formats/dcsr.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"

namespace nz {
namespace {

// Rows that are worth a thread: looking at one takes less than a nanosecond.
constexpr index_t rows_a_thread = 1 << 15;

// All or one: OpenMP ends the threads that a smaller team leaves out.
int parts_of(index_t rows) { return rows < 2 * rows_a_thread ? 1 : threads(); }

// Without branches, so that it is done by vectors.
template <Offset O>
index_t count_nonempty(const O* offsets, index_t begin, index_t end) {
  index_t count = 0;
  for (index_t i = begin; i < end; ++i) count += offsets[i] != offsets[i + 1];
  return count;
}

// How many of the rows before each part have entries, and at the end how many of all.
template <Value T, Offset O>
std::vector<index_t> nonempty_before(const CsrView<T, O>& a, int parts) {
  std::vector<index_t> before(static_cast<std::size_t>(parts) + 1, 0);
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(a.rows, part, parts);
    before[static_cast<std::size_t>(part) + 1] = count_nonempty(a.offsets, begin, end);
  });
  for (std::size_t p = 1; p < before.size(); ++p) before[p] += before[p - 1];
  return before;
}

}  // namespace

template <RealValue T, Offset O>
void Dcsr<T, O>::validate() const {
  check_shape("DCSR", rows, cols);
  check_size("DCSR", "offsets", offsets.size(), row.size() + 1);
  check_size("DCSR", "values", values.size(), columns.size());
  const auto listed = static_cast<index_t>(row.size());
  check_offsets("DCSR", "listed row", offsets.data(), listed,
                static_cast<std::int64_t>(columns.size()));
  check_each(listed, [&](index_t i) {
    if (row[i] < 0 || row[i] >= rows)
      throw BadInput(
          fmt::format("DCSR: listed row {} is row {} of {} (counting from 0)", i, row[i], rows));
    if (i > 0 && row[i] <= row[i - 1])
      throw BadInput(
          fmt::format("DCSR: listed row {}: row {} does not follow row {} (counting from 0)", i,
                      row[i], row[i - 1]));
    if (offsets[i] == offsets[i + 1])
      throw BadInput(fmt::format("DCSR: listed row {} has no entries (counting from 0)", i));
  });
  check_columns("DCSR", "listed row", offsets.data(), columns.data(), listed, cols);
}

template <Value T, Offset O>
index_t count_nonempty_rows(const CsrView<T, O>& a) {
  return nonempty_before(a, parts_of(a.rows)).back();
}

template <RealValue T, Offset O>
Dcsr<T, O> dcsr_from_csr(const CsrView<T, O>& a) {
  const int parts = parts_of(a.rows);
  const std::vector<index_t> before = nonempty_before(a, parts);
  const auto listed = static_cast<std::size_t>(before.back());
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Dcsr<T, O> b{
      a.rows,       a.cols, Array<index_t>(listed), Array<O>(listed + 1), Array<index_t>(nnz),
      Array<T>(nnz)};
  b.offsets[listed] = a.nnz;
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(a.rows, part, parts);
    index_t at = before[static_cast<std::size_t>(part)];
    for (index_t i = begin; i < end; ++i) {
      if (a.offsets[i] == a.offsets[i + 1]) continue;
      b.row[at] = i;
      b.offsets[at++] = a.offsets[i];
    }
  });
  parallel_ranges(nnz, [&](std::size_t begin, std::size_t end) {
    std::copy(a.columns + begin, a.columns + end, b.columns.data() + begin);
    std::copy(a.values + begin, a.values + end, b.values.data() + begin);
  });
  return b;
}

template <RealValue T, Offset O>
Csr<T, O> dcsr_to_csr(const DcsrView<T, O>& a) {
  const auto nnz = static_cast<std::size_t>(a.nnz);
  Csr<T, O> b{a.rows, a.cols, Array<O>(static_cast<std::size_t>(a.rows) + 1),
              Array<index_t>(std::span(a.columns, nnz)), Array<T>(std::span(a.values, nnz))};
  // Rows up to a listed one, and after the last, begin where that begins.
  for (index_t i = 0, next = 0; i <= a.listed; ++i)
    for (const index_t last = i < a.listed ? a.row[i] : a.rows; next <= last; ++next)
      b.offsets[next] = a.offsets[i];
  return b;
}

#define NZ_INSTANTIATE(T, O)                                  \
  template struct Dcsr<T, O>;                                 \
  template index_t count_nonempty_rows(const CsrView<T, O>&); \
  template Dcsr<T, O> dcsr_from_csr(const CsrView<T, O>&);    \
  template Csr<T, O> dcsr_to_csr(const DcsrView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
#define NZ_INSTANTIATE_COUNT(T, O) template index_t count_nonempty_rows(const CsrView<T, O>&);
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE_COUNT)

}  // namespace nz
