#include "formats/inspect.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"

namespace nz {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
// Entries or rows that are worth a thread.
constexpr std::int64_t grain = 1 << 15;

// All or one: OpenMP ends the threads that a smaller team leaves out, and to create them again for
// the next one takes far longer than this look.
int threads_worth(std::int64_t n) { return n < 2 * grain ? 1 : threads(); }

// The first i with offsets[i + 1] < offsets[i].
template <Offset O>
std::int64_t first_fall(const O* offsets, index_t rows) {
  const int parts = threads_worth(rows);
  std::vector<std::int64_t> found(static_cast<std::size_t>(parts), nowhere);
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(std::int64_t{rows}, part, parts);
    bool falls = false;  // without a way out, so that it is done by vectors
    for (std::int64_t i = begin; i < end; ++i) falls |= offsets[i + 1] < offsets[i];
    if (!falls) return;
    std::int64_t i = begin;
    while (offsets[i + 1] >= offsets[i]) ++i;
    found[static_cast<std::size_t>(part)] = i;
  });
  return *std::min_element(found.begin(), found.end());
}

// What a part of the columns says: the first one that is out of range, and how many are not above
// the one before them, not counting first ones of rows.
struct Seen {
  std::int64_t outside = nowhere;
  std::int64_t falls = 0;
};

// So many entries at a time, so that the first columns of their rows are found in the cache.
constexpr std::int64_t a_chunk = 4096;

// The sign bit is set where the column is out of range.
std::uint32_t out_of_range(index_t column, index_t cols) {
  const auto c = static_cast<std::uint32_t>(column);
  return c | (static_cast<std::uint32_t>(cols) - 1u - c);
}

// Of entries begin to end, each of which has one before it. Every operation is one of the smallest
// vector instruction sets, and there is no way out in between.
struct Chunk {
  std::uint32_t signs = 0;
  int falls = 0;
};
Chunk see_chunk(const index_t* columns, std::int64_t begin, std::int64_t end, index_t cols) {
  Chunk c;
  for (std::int64_t k = begin; k < end; ++k) {
    c.signs |= out_of_range(columns[k], cols);
    c.falls += columns[k] <= columns[k - 1];
  }
  return c;
}

template <Value T, Offset O>
Seen see_columns(const CsrView<T, O>& a, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = a.offsets[0];
  Seen seen;
  std::int64_t row =
      std::lower_bound(a.offsets, a.offsets + a.rows, static_cast<O>(begin)) - a.offsets;
  for (std::int64_t at = begin; at < end; at += a_chunk) {
    const std::int64_t stop = std::min(end, at + a_chunk);
    Chunk c = see_chunk(a.columns, std::max(at, first + 1), stop, a.cols);
    if (at == first) c.signs |= out_of_range(a.columns[at], a.cols);
    if (c.signs >> 31 != 0) {
      std::int64_t k = at;
      while (a.columns[k] >= 0 && a.columns[k] < a.cols) ++k;
      seen.outside = k;
      return seen;
    }
    seen.falls += c.falls;
    for (; row < a.rows && a.offsets[row] < stop; ++row) {
      const O k = a.offsets[row];
      if (k > first && k < a.offsets[row + 1]) seen.falls -= a.columns[k] <= a.columns[k - 1];
    }
  }
  return seen;
}

}  // namespace

void throw_bad_offset(std::int64_t i, std::int64_t now, std::int64_t next) {
  throw InvalidArgument(
      fmt::format("offsets[{}] = {} is below offsets[{}] = {}", i + 1, next, i, now));
}

void check_ends(std::int64_t rows, std::int64_t first, std::int64_t last, std::int64_t nnz) {
  if (first < 0) throw InvalidArgument(fmt::format("offsets[0] = {} is negative", first));
  if (last < first)
    throw InvalidArgument(
        fmt::format("offsets[{}] = {} is below offsets[0] = {}", rows, last, first));
  if (last - first != nnz)
    throw InvalidArgument(
        fmt::format("offsets[0] = {} and offsets[{}] = {} make {} entries, not {}", first, rows,
                    last, last - first, nnz));
}

void throw_bad_column(std::int64_t row, std::int64_t entry, index_t column, index_t cols) {
  throw InvalidArgument(
      column < 0 ? fmt::format("row {}, entry {}: column {} is negative (counting from 0)", row,
                               entry, column)
                 : fmt::format("row {}, entry {}: column {} is not below {} (counting from 0)", row,
                               entry, column, cols));
}

template <Value T, Offset O>
void check_view(const CsrView<T, O>& a) {
  if (a.rows < 0 || a.cols < 0)
    throw InvalidArgument(fmt::format("the matrix is {} x {}", a.rows, a.cols));
  if (a.nnz < 0) throw InvalidArgument(fmt::format("the matrix has {} nonzeros", a.nnz));
  if (!a.offsets)
    throw InvalidArgument(
        "the matrix has no offsets: a CSR matrix has rows + 1, also without rows");
  if (a.nnz > 0 && !a.columns) throw InvalidArgument("the matrix has nonzeros, but no columns");
  if (a.nnz > 0 && !a.values) throw InvalidArgument("the matrix has nonzeros, but no values");
}

template <Value T, Offset O>
CsrOrder inspect(const CsrView<T, O>& a) {
  check_view(a);
  if (const std::int64_t i = first_fall(a.offsets, a.rows); i != nowhere)
    throw_bad_offset(i, a.offsets[i], a.offsets[i + 1]);
  const std::int64_t first = a.offsets[0], nnz = a.nnz;
  check_ends(a.rows, first, a.offsets[a.rows], nnz);
  const int parts = threads_worth(nnz);
  std::vector<Seen> seen(static_cast<std::size_t>(parts));
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(nnz, part, parts);
    seen[static_cast<std::size_t>(part)] = see_columns(a, first + begin, first + end);
  });
  std::int64_t falls = 0;
  for (const Seen& s : seen) {
    if (const std::int64_t k = s.outside; k != nowhere) {
      const O* row = std::upper_bound(a.offsets, a.offsets + a.rows + 1, static_cast<O>(k)) - 1;
      throw_bad_column(row - a.offsets, k, a.columns[k], a.cols);
    }
    falls += s.falls;
  }
  return {.from_zero = first == 0, .rising = falls == 0};
}

template <Value T, Offset O>
CsrOrder settle(Csr<T, O>& a) {
  if (a.rows < 0 || a.cols < 0)
    throw InvalidArgument(fmt::format("the matrix is {} x {}", a.rows, a.cols));
  const auto need = [](const char* what, std::size_t have, std::size_t want) {
    if (have != want)
      throw InvalidArgument(
          fmt::format("{} of the matrix are {} elements, not {}", what, have, want));
  };
  need("offsets", a.offsets.size(), static_cast<std::size_t>(a.rows) + 1);
  need("values", a.values.size(), a.columns.size());
  if (a.offsets[0] != 0)
    throw InvalidArgument(fmt::format("offsets[0] = {}: only a view may be a slice", a.offsets[0]));
  // The arrays' length, not what the last offset says.
  const auto nnz = static_cast<std::int64_t>(a.columns.size());
  check_ends(a.rows, 0, a.offsets.back(), nnz);
  const CsrOrder order = inspect(a.view());
  if (!order.rising) sort_rows_and_sum(a);
  return order;
}

#define NZ_INSTANTIATE(T, O)                       \
  template void check_view(const CsrView<T, O>&);  \
  template CsrOrder inspect(const CsrView<T, O>&); \
  template CsrOrder settle(Csr<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
