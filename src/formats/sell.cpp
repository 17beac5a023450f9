#include <nonzero/formats/sell.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/checks.hpp"
#include "formats/grain.hpp"
#include "formats/padded.hpp"
#include "formats/scan.hpp"

namespace nz {
namespace {

template <class T, class O>
PaddedRow<T> row_at(const SellView<T, O>& a, index_t position) {
  const index_t slice = position / a.chunk;
  if (a.offsets[slice] == a.offsets[slice + 1]) return {nullptr, nullptr, 0, 0};
  const O first = a.offsets[slice] + position % a.chunk;
  return {a.columns + first, a.values + first, static_cast<std::size_t>(a.lanes(slice)),
          a.width(slice)};
}

// body(slice) over all slices; few and tall ones are worth as many threads as many flat ones.
template <class T, class O, class Body>
void for_each_slice(const SellView<T, O>& a, Body&& body) {
  parallel_ranges(
      a.slices(),
      [&](index_t begin, index_t end) {
        for (index_t q = begin; q < end; ++q) body(q);
      },
      grain_of(a.nnz, (1 << 14) / a.chunk + 1));
}

// Rows by falling length within each window, stable.
template <class T, class O>
Array<index_t> sorted_rows(const CsrView<T, O>& a, index_t sigma) {
  Array<index_t> order(static_cast<std::size_t>(a.rows));
  std::iota(order.begin(), order.end(), 0);
  if (sigma == 1) return order;
  const auto length = [&](index_t i) { return a.offsets[i + 1] - a.offsets[i]; };
  const index_t windows = a.rows / sigma + (a.rows % sigma != 0);
  parallel_ranges(
      windows,
      [&](index_t begin, index_t end) {
        for (index_t w = begin; w < end; ++w) {
          index_t* first = order.begin() + static_cast<std::ptrdiff_t>(w) * sigma;
          index_t* last = w + 1 == windows ? order.end() : first + sigma;
          std::stable_sort(first, last,
                           [&](index_t i, index_t j) { return length(i) > length(j); });
        }
      },
      (1 << 14) / sigma + 1);
  return order;
}

}  // namespace

template <RealValue T, Offset O>
void Sell<T, O>::validate() const {
  check_shape("SELL", rows, cols);
  if (chunk < 1 || sigma < 1)
    throw BadInput(fmt::format("SELL: chunk {} and sigma {} must be at least 1", chunk, sigma));
  const SellView<T, O> v = view();
  check_size("SELL", "permutation", permutation.size(), static_cast<std::size_t>(rows));
  check_size("SELL", "offsets", offsets.size(), static_cast<std::size_t>(v.slices()) + 1);
  check_size("SELL", "columns", columns.size(), values.size());
  check_offsets("SELL", "slice", offsets.data(), v.slices(),
                static_cast<std::int64_t>(values.size()));
  check_each(v.slices(), [&](index_t q) {
    if ((offsets[q + 1] - offsets[q]) % v.lanes(q) != 0)
      throw BadInput(fmt::format("SELL: slice {}: {} slots are no multiple of {} lanes", q,
                                 offsets[q + 1] - offsets[q], v.lanes(q)));
  });

  std::vector<bool> seen(static_cast<std::size_t>(rows), false);
  for (index_t p = 0; p < rows; ++p) {
    const index_t i = permutation[p];
    if (i < 0 || i >= rows || i / sigma != p / sigma)
      throw BadInput(
          fmt::format("SELL: position {}: row {} is outside its window (counting from 0)", p, i));
    if (seen[i])
      throw BadInput(fmt::format("SELL: position {}: row {} comes twice (counting from 0)", p, i));
    seen[i] = true;
  }

  Array<index_t> length(static_cast<std::size_t>(rows));
  const std::int64_t found = check_each(rows, [&](index_t p) {
    return length[p] = row_at(v, p).check("SELL", permutation[p], cols);
  });
  check_each(rows, [&](index_t p) {
    if (p % sigma == 0) return;
    const bool ordered = length[p - 1] == length[p] ? permutation[p - 1] < permutation[p]
                                                    : length[p - 1] > length[p];
    if (!ordered)
      throw BadInput(fmt::format(
          "SELL: position {}: row {} of {} entries stands after row {} of {} (counting from 0)", p,
          permutation[p], length[p], permutation[p - 1], length[p - 1]));
  });
  check_entries("SELL", entries, found);
}

template <RealValue T, Offset O>
Sell<T, O> sell_from_csr(const CsrView<T, O>& a, index_t chunk, index_t sigma, double max_ratio) {
  require_positive("SELL", "chunk", chunk);
  require_positive("SELL", "sigma", sigma);
  Sell<T, O> b{a.rows, a.cols, chunk, sigma, a.nnz, {}, sorted_rows(a, sigma), {}, {}};
  const SellView<T, O> shape = b.view();
  const auto length = [&](index_t p) {
    const index_t i = b.permutation[p];
    return a.offsets[i + 1] - a.offsets[i];
  };

  Array<std::int64_t> starts(static_cast<std::size_t>(shape.slices()) + 1);
  for_each_slice(shape, [&](index_t q) {
    O width = 0;
    const index_t first = q * chunk, lanes = shape.lanes(q);
    for (index_t l = 0; l < lanes; ++l) width = std::max(width, length(first + l));
    starts[q] = static_cast<std::int64_t>(width) * lanes;
  });
  const std::int64_t slots = scan_counts(starts);
  require_ratio("SELL", slots, 1, a.nnz, max_ratio,
                fmt::format("{} slices of {} rows", shape.slices(), chunk));
  require_countable<O>(slots, "SELL");

  b.offsets = Array<O>(starts.size());
  std::transform(starts.begin(), starts.end(), b.offsets.begin(),
                 [](std::int64_t n) { return static_cast<O>(n); });
  b.columns = Array<index_t>(static_cast<std::size_t>(slots));
  b.values = Array<T>(static_cast<std::size_t>(slots));
  const SellView<T, O> layout = b.view();
  for_each_slice(layout, [&](index_t q) {
    const index_t first = q * chunk, lanes = layout.lanes(q), width = layout.width(q);
    O to = layout.offsets[q];
    for (index_t s = 0; s < width; ++s)
      for (index_t l = 0; l < lanes; ++l, ++to) {
        const bool real = s < length(first + l);
        const O from = real ? a.offsets[b.permutation[first + l]] + s : 0;
        b.columns[to] = real ? a.columns[from] : padding;
        b.values[to] = real ? a.values[from] : T(0);
      }
  });
  return b;
}

template <RealValue T, Offset O>
Csr<T, O> sell_to_csr(const SellView<T, O>& a) {
  Array<std::int64_t> starts(static_cast<std::size_t>(a.rows) + 1);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t p = begin; p < end; ++p) starts[a.permutation[p]] = row_at(a, p).length();
  });
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, starts);
  parallel_ranges(a.rows, [&](index_t begin, index_t end) {
    for (index_t p = begin; p < end; ++p) {
      const std::int64_t to = starts[a.permutation[p]];
      row_at(a, p).copy_to(b.columns.data() + to, b.values.data() + to);
    }
  });
  return b;
}

#define NZ_INSTANTIATE(T, O)                                                         \
  template struct Sell<T, O>;                                                        \
  template Sell<T, O> sell_from_csr(const CsrView<T, O>&, index_t, index_t, double); \
  template Csr<T, O> sell_to_csr(const SellView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
