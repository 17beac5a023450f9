#include <nonzero/formats/dia.hpp>

#include <algorithm>
#include <atomic>
#include <limits>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/scan.hpp"

namespace nz {
namespace {

// Visits the values of rows [begin, end) that are inside the matrix, diagonal by diagonal:
// body(row, column, value). Strips of rows keep what the body writes in the cache.
template <class T, class Body>
void for_each_value(const DiaView<T>& a, index_t begin, index_t end, Fill fill, Body&& body) {
  constexpr index_t strip = 256;
  for (index_t first = begin; first < end;) {
    const index_t last = end - first > strip ? first + strip : end;
    for (index_t d = 0; d < a.diagonals; ++d) {
      const T* values = a.values + static_cast<std::size_t>(d) * static_cast<std::size_t>(a.rows);
      const index_t stop = std::min(last, a.last_row(d));
      for (index_t i = std::max(first, a.first_row(d)); i < stop; ++i)
        if (fill == Fill::keep || values[i] != T(0)) body(i, i + a.offsets[d], values[i]);
    }
    first = last;
  }
}

// Entries a row would have. With keep, no value needs to be read: the lengths say it.
template <class T>
Array<std::int64_t> count_rows(const DiaView<T>& a, Fill fill) {
  Array<std::int64_t> counts(static_cast<std::size_t>(a.rows) + 1, 0);
  if (fill == Fill::keep) {
    for (index_t d = 0; d < a.diagonals; ++d) {
      ++counts[a.first_row(d)];
      --counts[a.last_row(d)];
    }
    std::inclusive_scan(counts.begin(), counts.end(), counts.begin());
    return counts;
  }
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for_each_value(a, begin, end, fill, [&](index_t i, index_t, T) { ++counts[i]; });
  });
  return counts;
}

}  // namespace

template <RealValue T>
void Dia<T>::validate() const {
  check_shape("DIA", rows, cols);
  check_size("DIA", "values", values.size(), offsets.size() * static_cast<std::size_t>(rows));
  for (std::size_t d = 0; d < offsets.size(); ++d) {
    if (offsets[d] <= -rows || offsets[d] >= cols)
      throw BadInput(fmt::format("DIA: diagonal {}: offset {} is outside {} to {}", d, offsets[d],
                                 1 - rows, cols - 1));
    if (d > 0 && offsets[d] <= offsets[d - 1])
      throw BadInput(fmt::format("DIA: diagonal {}: offset {} does not follow {}", d, offsets[d],
                                 offsets[d - 1]));
  }
  const DiaView<T> v = view();
  const std::int64_t found = check_each(values.size(), [&](std::size_t k) {
    if (values[k] == T(0)) return 0;
    const auto d = static_cast<index_t>(k / static_cast<std::size_t>(rows));
    const auto i = static_cast<index_t>(k % static_cast<std::size_t>(rows));
    if (i < v.first_row(d) || i >= v.last_row(d))
      throw BadInput(fmt::format(
          "DIA: diagonal {} (offset {}), row {}: value {} is outside the matrix (counting from 0)",
          d, offsets[d], i, values[k]));
    return 1;
  });
  check_entries("DIA", entries, found, static_cast<std::int64_t>(values.size()));
}

template <RealValue T, Offset O>
Dia<T> dia_from_csr(const CsrView<T, O>& a, double max_ratio) {
  // The diagonal of offset o is number o + rows - 1 of all that the matrix has.
  const auto number = [&](index_t i, index_t j) {
    return static_cast<std::size_t>(a.rows - 1 - i) + static_cast<std::size_t>(j);
  };
  Array<char> used(static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(a.cols), 0);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        const std::atomic_ref<char> mark(used[number(i, a.columns[k])]);
        if (!mark.load(std::memory_order_relaxed)) mark.store(1, std::memory_order_relaxed);
      }
  });
  const std::int64_t diagonals = std::count(used.begin(), used.end(), 1);
  const std::size_t slots = require_ratio("DIA", diagonals, a.rows, a.nnz, max_ratio,
                                          fmt::format("{} diagonals x {} rows", diagonals, a.rows));
  if (diagonals > std::numeric_limits<index_t>::max())
    throw Refused(fmt::format("DIA: {} diagonals are more than 2^31 - 1", diagonals));

  Dia<T> b{a.rows, a.cols, a.nnz, Array<index_t>(static_cast<std::size_t>(diagonals)),
           Array<T>(slots)};
  Array<index_t> position(used.size());
  index_t count = 0;
  for (std::size_t n = 0; n < used.size(); ++n) {
    position[n] = count;
    if (used[n])
      b.offsets[count++] = static_cast<index_t>(static_cast<std::int64_t>(n) - (a.rows - 1));
  }
  const auto rows = static_cast<std::size_t>(a.rows);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (std::size_t d = 0; d < b.offsets.size(); ++d)
      std::fill_n(b.values.data() + d * rows + begin, end - begin, T(0));
    for (index_t i = begin; i < end; ++i)
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
        const auto d = static_cast<std::size_t>(position[number(i, a.columns[k])]);
        b.values[d * rows + static_cast<std::size_t>(i)] = a.values[k];
      }
  });
  return b;
}

template <Offset O, RealValue T>
Csr<T, O> dia_to_csr(const DiaView<T>& a, Fill fill) {
  Array<std::int64_t> next = count_rows(a, fill);
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, next);
  // Diagonals come by increasing offset, so a row's entries come by increasing column.
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for_each_value(a, begin, end, fill, [&](index_t i, index_t j, T v) {
      const std::int64_t to = next[i]++;
      b.columns[to] = j;
      b.values[to] = v;
    });
  });
  return b;
}

#define NZ_INSTANTIATE_CLASS(T)                                                    \
  template struct Dia<T>;                                                          \
  template Csr<T, std::int32_t> dia_to_csr<std::int32_t>(const DiaView<T>&, Fill); \
  template Csr<T, std::int64_t> dia_to_csr<std::int64_t>(const DiaView<T>&, Fill);
#define NZ_INSTANTIATE(T, O) template Dia<T> dia_from_csr(const CsrView<T, O>&, double);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE_CLASS)
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
