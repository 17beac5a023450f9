#include <nonzero/formats/gcsb.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/assemble.hpp"
#include "formats/block_places.hpp"
#include "formats/checks.hpp"

namespace nz {
namespace {

constexpr const char* format = "GCSB";

// The blocks' numbers, those with the most entries first and equal ones as they come: a counting
// sort whose parts keep their order.
template <class O>
Array<index_t> swizzled(const Array<O>& offsets) {
  const auto n = static_cast<index_t>(offsets.size() - 1);
  const auto entries = [&](index_t b) { return offsets[b + 1] - offsets[b]; };
  Array<index_t> numbers(static_cast<std::size_t>(n));
  O most = 0;
  for (index_t b = 0; b < n; ++b) most = std::max(most, entries(b));
  if (most > n) {  // few blocks, and full ones
    std::iota(numbers.begin(), numbers.end(), index_t{0});
    std::stable_sort(numbers.begin(), numbers.end(),
                     [&](index_t a, index_t b) { return entries(a) > entries(b); });
    return numbers;
  }
  const int parts = n < 1 << 16 || most > 1 << 16 ? 1 : threads();
  const auto sizes = static_cast<std::size_t>(most) + 1;
  std::vector<index_t> next(static_cast<std::size_t>(parts) * sizes);
  const auto slot = [&](int part, index_t b) -> index_t& {
    return next[static_cast<std::size_t>(part) * sizes + static_cast<std::size_t>(entries(b))];
  };
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(n, part, parts);
    for (index_t b = begin; b < end; ++b) ++slot(part, b);
  });
  index_t before = 0;
  for (std::size_t size = sizes; size-- > 0;)
    for (std::size_t part = 0; part < static_cast<std::size_t>(parts); ++part)
      before += std::exchange(next[part * sizes + size], before);
  parallel_parts(parts, [&](int part) {
    const auto [begin, end] = part_of(n, part, parts);
    for (index_t b = begin; b < end; ++b) numbers[slot(part, b)++] = b;
  });
  return numbers;
}

// Entries of the i-th block.
template <class T, class O>
O length_of(const GcsbView<T, O>& a, std::int64_t i) {
  std::int64_t k = a.offsets[i / a.group_size] + i % a.group_size;
  O n = 0;
  for (; k < a.offsets[i / a.group_size + 1] && a.places[k] != padding_place; ++n)
    k += a.group_size;
  return n;
}

}  // namespace

BlockGrid gcsb_grid(index_t rows, index_t cols, std::int64_t nnz, std::int64_t beta,
                    index_t group_size, double max_ratio) {
  const BlockGrid g{rows, cols, digits_of(format, beta)};
  require_positive(format, "group_size", group_size);
  if (g.blocks() > std::numeric_limits<index_t>::max())
    throw Refused(fmt::format("GCSB: {} blocks of {} x {}, limit {}", g.blocks(), g.beta(),
                              g.beta(), std::numeric_limits<index_t>::max()));
  require_blocks(format, g, nnz, max_ratio);
  return g;
}

template <Offset O>
std::size_t gcsb_slots(std::int64_t depth, index_t group_size, std::int64_t nnz, double max_ratio) {
  const std::size_t slots = require_ratio(format, depth, group_size, nnz, max_ratio,
                                          fmt::format("{} rows of {} blocks", depth, group_size));
  require_countable<O>(static_cast<std::int64_t>(slots), format);
  return slots;
}

template <RealValue T, Offset O>
Gcsb<T, O> gcsb_from_csr(const CsrView<T, O>& a, std::int64_t beta, index_t group_size,
                         double max_ratio) {
  const BlockGrid g = gcsb_grid(a.rows, a.cols, a.nnz, beta, group_size, max_ratio);
  const Csb<T, O> c = csb_of_bits(format, a, g.digits, max_ratio);
  Gcsb<T, O> b{g, group_size, a.nnz, {}, swizzled(c.offsets), {}, {}};
  const std::int64_t groups = b.view().groups();

  b.offsets = Array<O>(static_cast<std::size_t>(groups) + 1);
  b.offsets[0] = 0;
  std::int64_t depth = 0;
  for (std::int64_t i = 0; i < groups; ++i) {
    const index_t first = b.numbers[i * group_size];
    depth += c.offsets[first + 1] - c.offsets[first];
    if (depth <= std::numeric_limits<std::int64_t>::max() / group_size)
      b.offsets[i + 1] = static_cast<O>(depth * group_size);
  }
  const std::size_t slots = gcsb_slots<O>(depth, group_size, a.nnz, max_ratio);

  b.places = Array<std::uint32_t>(slots);
  b.values = Array<T>(slots);
  // The first groups are the largest, the last may be empty: threads take every so many of them.
  parallel(slots < 1 << 14 ? 1 : threads(), [&](int thread, int count) {
    for (std::int64_t i = thread; i < groups && b.offsets[i] < b.offsets[i + 1]; i += count)
      for (index_t lane = 0; lane < group_size; ++lane) {
        const std::int64_t at = i * group_size + lane;
        O from = 0, left = 0;
        if (at < g.blocks()) {
          from = c.offsets[b.numbers[at]];
          left = c.offsets[b.numbers[at] + 1] - from;
        }
        for (std::int64_t k = b.offsets[i] + std::int64_t{lane}; k < b.offsets[i + 1];
             k += group_size, ++from, --left) {
          b.places[k] = left > 0 ? grid_place(g, c.places[from]) : padding_place;
          b.values[k] = left > 0 ? c.values[from] : T(0);
        }
      }
  });
  return b;
}

template <RealValue T, Offset O>
Csr<T, O> gcsb_to_csr(const GcsbView<T, O>& a) {
  const auto n = static_cast<std::size_t>(a.blocks());
  Csb<T, O> c{a.rows,
              a.cols,
              a.digits,
              Array<O>(n + 1),
              Array<std::uint32_t>(static_cast<std::size_t>(a.nnz)),
              Array<T>(static_cast<std::size_t>(a.nnz))};
  parallel_ranges(a.blocks(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) c.offsets[a.numbers[i] + 1] = length_of(a, i);
  });
  c.offsets[0] = 0;
  std::partial_sum(c.offsets.begin(), c.offsets.end(), c.offsets.begin());
  parallel_ranges(a.blocks(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t from = a.offsets[i / a.group_size] + i % a.group_size;
      for (O k = c.offsets[a.numbers[i]]; k < c.offsets[a.numbers[i] + 1]; ++k) {
        c.places[k] = csb_place(a, a.places[from]);
        c.values[k] = a.values[from];
        from += a.group_size;
      }
    }
  });
  return csb_to_csr(c.view());
}

template <RealValue T, Offset O>
void Gcsb<T, O>::validate() const {
  check_grid(format, *this);
  if (group_size < 1) throw BadInput(fmt::format("GCSB: groups of {} blocks", group_size));
  const GcsbView<T, O> v = view();
  check_size(format, "numbers", numbers.size(), static_cast<std::size_t>(blocks()));
  check_size(format, "offsets", offsets.size(), static_cast<std::size_t>(v.groups()) + 1);
  check_size(format, "values", values.size(), places.size());
  check_long_offsets(format, "group", offsets.data(), v.groups(),
                     static_cast<std::int64_t>(places.size()));
  check_each(v.groups(), [&](std::int64_t i) {
    if (offsets[i + 1] % group_size != 0)
      throw BadInput(fmt::format("GCSB: group {} ends at {}, not a multiple of {}", i,
                                 offsets[i + 1], group_size));
  });
  Array<char> seen(numbers.size(), 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= blocks())
      throw BadInput(fmt::format("GCSB: block {} has the number {}, outside 0 to {}", i, numbers[i],
                                 blocks() - 1));
    if (std::exchange(seen[numbers[i]], 1))
      throw BadInput(fmt::format("GCSB: block {} has the number {} again", i, numbers[i]));
  }
  // Blocks that the last group lacks are all padding, if it has any slots.
  const bool whole = blocks() > 0 && offsets[v.groups() - 1] < offsets[v.groups()];
  const std::int64_t found = check_each(
      whole ? v.groups() * group_size : blocks(),
      [&](std::int64_t i) {
        const std::int64_t group = i / group_size;
        const bool there = i < blocks();
        const std::int64_t end = offsets[group + 1];
        const O n = there ? length_of(v, i) : 0;
        if (there && i % group_size == 0 && n != (end - offsets[group]) / group_size)
          throw BadInput(fmt::format("GCSB: group {} begins with a block of {} entries, but has {}",
                                     group, n, (end - offsets[group]) / group_size));
        std::int64_t k = offsets[group] + i % group_size;
        for (O s = 0; s < n; ++s, k += group_size) {
          check_place(format, *this, numbers[i], k, places[k]);
          if (s > 0 && morton_in(*this, places[k - group_size]) >= morton_in(*this, places[k]))
            not_in_morton_order(format, numbers[i], k);
        }
        for (; k < end; k += group_size)
          if (places[k] != padding_place || values[k] != T(0))
            throw BadInput(fmt::format("GCSB: slot {} should be padding", k));
        if (there && i > 0) {
          const O before = length_of(v, i - 1);
          if (before < n || (before == n && numbers[i - 1] > numbers[i]))
            throw BadInput(fmt::format("GCSB: block {} with {} entries follows block {} with {}",
                                       numbers[i], n, numbers[i - 1], before));
        }
        return static_cast<std::int64_t>(n);
      },
      64);
  check_entries(format, entries, found);
}

#define NZ_INSTANTIATE(T, O)                                                              \
  template struct Gcsb<T, O>;                                                             \
  template Gcsb<T, O> gcsb_from_csr(const CsrView<T, O>&, std::int64_t, index_t, double); \
  template Csr<T, O> gcsb_to_csr(const GcsbView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)
template std::size_t gcsb_slots<std::int32_t>(std::int64_t, index_t, std::int64_t, double);
template std::size_t gcsb_slots<std::int64_t>(std::int64_t, index_t, std::int64_t, double);

}  // namespace nz
