#include <nonzero/formats/ecsb.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/block_places.hpp"
#include "formats/checks.hpp"

namespace nz {
namespace {

constexpr const char* format = "eCSB";

// The most entries that at least as many rows of blocks have as the rule asks for.
template <class O>
O width_by_rule(std::vector<O> lengths, index_t beta, HybRule rule) {
  if (!(rule.relative_speed > 0))
    throw InvalidArgument(
        fmt::format("eCSB: relative speed {} is not above 0", rule.relative_speed));
  const auto n = static_cast<double>(lengths.size());
  const double wanted = std::max({std::ceil(n / rule.relative_speed),
                                  std::ceil(static_cast<double>(rule.breakeven_rows) / beta), 1.0});
  if (wanted > n) return 0;
  const auto at = lengths.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
  std::nth_element(lengths.begin(), at, lengths.end(), std::greater<>());
  return *at;
}

template <class T, class O>
typename Ecsb<T, O>::Part room_for(std::size_t n) {
  return {Array<std::uint32_t>(n), Array<std::uint32_t>(n), Array<T>(n)};
}

// body(block, k, s) for the entries k of a row of blocks, s counting them from 0.
template <class T, class O, class Body>
void over_entries(const CsbView<T, O>& c, index_t line, Body&& body) {
  O s = 0;
  for (index_t j = 0; j < c.grid_cols(); ++j) {
    const O* const at = c.block_offset(line, j);
    for (O k = at[0]; k < at[1]; ++k) body(j, k, s++);
  }
}

}  // namespace

template <RealValue T, Offset O>
Ecsb<T, O> ecsb_from_csr(const CsrView<T, O>& a, std::int64_t beta, EcsbChoice choice, HybRule rule,
                         double max_ratio) {
  const BlockGrid g{a.rows, a.cols, digits_of(format, beta)};
  Ecsb<T, O> b{g, a.nnz, 0, {}, {}, Array<O>(static_cast<std::size_t>(g.block_rows()) + 1)};
  const int shift = b.view().column_bits();
  if (g.block_rows() > 0 && std::int64_t{g.block_rows() - 1} >> (32 - shift) != 0)
    throw Refused(fmt::format("eCSB: {} x {} blocks of beta {} do not fit in 32 bits",
                              g.block_rows(), g.block_cols(), beta));
  const Csb<T, O> owner = csb_of_bits(format, a, g.digits, max_ratio);
  const CsbView<T, O> c = owner.view();

  const index_t lines = g.block_rows();
  std::vector<O> lengths(static_cast<std::size_t>(lines));
  for (index_t i = 0; i < lines; ++i)
    lengths[i] = *c.block_offset(i + 1, 0) - *c.block_offset(i, 0);
  if (choice == EcsbChoice::by_rule)
    b.width = width_by_rule(lengths, g.beta(), rule);
  else if (choice == EcsbChoice::ell && lines > 0)
    b.width = *std::max_element(lengths.begin(), lengths.end());
  const std::size_t slots =
      require_ratio(format, b.width, lines, a.nnz,
                    choice == EcsbChoice::ell ? max_ratio : std::numeric_limits<double>::infinity(),
                    fmt::format("{} rows of blocks, {} slots each", lines, b.width));

  b.offsets[0] = 0;
  for (index_t i = 0; i < lines; ++i)
    b.offsets[i + 1] = b.offsets[i] + std::max<O>(lengths[i] - b.width, 0);
  b.ell = room_for<T, O>(slots);
  b.coo = room_for<T, O>(static_cast<std::size_t>(b.offsets.back()));
  parallel_ranges(
      lines,
      [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
          const auto put = [&](typename Ecsb<T, O>::Part& to, std::size_t at, index_t j, O k) {
            to.blocks[at] = static_cast<std::uint32_t>(std::int64_t{i} << shift | j);
            to.places[at] = grid_place(g, c.places[k]);
            to.values[at] = c.values[k];
          };
          const auto slot = [&](O s) {
            return static_cast<std::size_t>(s) * static_cast<std::size_t>(lines) +
                   static_cast<std::size_t>(i);
          };
          over_entries(c, i, [&](index_t j, O k, O s) {
            if (s < b.width)
              put(b.ell, slot(s), j, k);
            else
              put(b.coo, static_cast<std::size_t>(b.offsets[i] + s - b.width), j, k);
          });
          for (O s = lengths[i]; s < b.width; ++s) {
            b.ell.blocks[slot(s)] = padding_place;
            b.ell.places[slot(s)] = padding_place;
            b.ell.values[slot(s)] = T(0);
          }
        }
      },
      8);
  return b;
}

template <RealValue T, Offset O>
Ecsb<T, O> ecsb_from_csr(const CsrView<T, O>& a) {
  return ecsb_from_csr(a, root_beta(a.rows, a.cols));
}

namespace {

// body(part, at) for the entries of a row of blocks, in order.
template <class T, class O, class Body>
void over_parts(const EcsbView<T, O>& a, index_t line, Body&& body) {
  for (O s = 0; s < a.width; ++s) {
    const std::int64_t at = std::int64_t{s} * a.block_rows() + line;
    if (a.ell.places[at] == padding_place) break;
    body(a.ell, at);
  }
  for (std::int64_t k = a.offsets[line]; k < a.offsets[line + 1]; ++k) body(a.coo, k);
}

}  // namespace

template <RealValue T, Offset O>
Csr<T, O> ecsb_to_csr(const EcsbView<T, O>& a) {
  const std::uint64_t mask = (std::uint64_t{1} << a.column_bits()) - 1;
  const auto wide = static_cast<std::size_t>(a.block_cols());
  Csb<T, O> c{a.rows,
              a.cols,
              a.digits,
              Array<O>(static_cast<std::size_t>(a.blocks()) + 1),
              Array<std::uint32_t>(static_cast<std::size_t>(a.nnz)),
              Array<T>(static_cast<std::size_t>(a.nnz))};
  // The entries come in the order of CSB: blocks are counted, all else is copied.
  std::vector<O> starts(static_cast<std::size_t>(a.block_rows()) + 1);
  c.offsets[0] = 0;
  parallel_ranges(
      a.block_rows(),
      [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
          O* const counts = c.offsets.data() + static_cast<std::size_t>(i) * wide + 1;
          std::fill_n(counts, wide, O{0});
          over_parts(a, i, [&](const EcsbPart<T>& part, std::int64_t at) {
            ++counts[part.blocks[at] & mask];
            ++starts[static_cast<std::size_t>(i) + 1];
          });
        }
      },
      8);
  std::partial_sum(c.offsets.begin(), c.offsets.end(), c.offsets.begin());
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  parallel_ranges(
      a.block_rows(),
      [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) {
          O to = starts[static_cast<std::size_t>(i)];
          over_parts(a, i, [&](const EcsbPart<T>& part, std::int64_t at) {
            c.places[to] = csb_place(a, part.places[at]);
            c.values[to++] = part.values[at];
          });
        }
      },
      8);
  return csb_to_csr(c.view());
}

template <RealValue T, Offset O>
void Ecsb<T, O>::validate() const {
  check_grid(format, *this);
  const EcsbView<T, O> v = view();
  const auto lines = static_cast<std::size_t>(block_rows());
  const int bits = v.column_bits();
  if (width < 0) throw BadInput(fmt::format("eCSB: {} slots a row of blocks", width));
  const auto check_part = [](const char* blocks, const char* places, const Part& part) {
    check_size(format, blocks, part.blocks.size(), part.values.size());
    check_size(format, places, part.places.size(), part.values.size());
  };
  check_part("ell.blocks", "ell.places", ell);
  check_part("coo.blocks", "coo.places", coo);
  if (lines > 0 ? ell.values.size() / lines != static_cast<std::size_t>(width) ||
                      ell.values.size() % lines != 0
                : !ell.values.empty())
    throw BadInput(fmt::format("eCSB: ell.values has {} elements, needs {} x {}", ell.values.size(),
                               lines, width));
  check_size(format, "offsets", offsets.size(), lines + 1);
  check_offsets(format, "block row", offsets.data(), block_rows(),
                static_cast<std::int64_t>(coo.values.size()));
  const std::int64_t found = check_each(
      block_rows(),
      [&](index_t i) {
        std::int64_t n = 0, last = -1;
        std::uint32_t before = 0;
        over_parts(v, i, [&](const EcsbPart<T>& part, std::int64_t at) {
          const std::int64_t row = std::int64_t{part.blocks[at]} >> bits;
          const std::int64_t j = part.blocks[at] - (row << bits);
          if (row != i || j >= block_cols())
            throw BadInput(fmt::format("eCSB: block row {}, entry {}: block ({}, {}) is not of it",
                                       i, n, row, j));
          const std::int64_t block = std::int64_t{i} * block_cols() + j;
          check_place(format, *this, block, n, part.places[at]);
          if (j < last)
            throw BadInput(
                fmt::format("eCSB: block row {}, entry {}: block {} follows {}", i, n, j, last));
          if (j == last && morton_in(*this, before) >= morton_in(*this, part.places[at]))
            not_in_morton_order(format, block, n);
          last = j;
          before = part.places[at];
          ++n;
        });
        const std::int64_t rest = offsets[i + 1] - offsets[i];
        if (rest > 0 && n < width + rest)
          throw BadInput(
              fmt::format("eCSB: block row {} has padding, but {} entries in COO", i, rest));
        for (std::int64_t s = n - rest; s < width; ++s) {
          const std::int64_t at = s * block_rows() + i;
          if (ell.places[at] != padding_place || ell.blocks[at] != padding_place ||
              ell.values[at] != T(0))
            throw BadInput(fmt::format("eCSB: block row {}, slot {} should be padding", i, s));
        }
        return n;
      },
      8);
  check_entries(format, entries, found);
}

#define NZ_INSTANTIATE(T, O)                                                                 \
  template struct Ecsb<T, O>;                                                                \
  template Ecsb<T, O> ecsb_from_csr(const CsrView<T, O>&, std::int64_t, EcsbChoice, HybRule, \
                                    double);                                                 \
  template Ecsb<T, O> ecsb_from_csr(const CsrView<T, O>&);                                   \
  template Csr<T, O> ecsb_to_csr(const EcsbView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
