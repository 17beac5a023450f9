#include <nonzero/formats/csb.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "base/parallel.hpp"
#include "formats/block_places.hpp"
#include "formats/checks.hpp"
#include "formats/morton.hpp"
#include "formats/scan.hpp"

namespace nz {
namespace {

// body(line) for every line of the grid, each thread taking the next when it is done with one:
// lines may differ much. make_body() is called once a thread, for its scratch memory.
template <class T, class O, class MakeBody>
void over_lines(const CsbView<T, O>& a, MakeBody&& make_body) {
  constexpr std::int64_t grain = 1 << 14;
  std::atomic<index_t> next{0};
  // All or one: OpenMP ends the threads that a smaller team leaves out.
  parallel(a.nnz < grain || a.grid_rows() < 2 ? 1 : threads(), [&](int, int) {
    index_t line = next++;
    if (line >= a.grid_rows()) return;
    auto body = make_body();
    for (; line < a.grid_rows(); line = next++) body(line);
  });
}

template <class T, class O>
index_t first_row(const CsbView<T, O>& a, index_t line) {
  return line << a.block_bits;
}

template <class T, class O>
index_t last_row(const CsbView<T, O>& a, index_t line) {
  return a.rows - first_row(a, line) < a.block() ? a.rows : first_row(a, line) + a.block();
}

template <class T>
struct Entry {
  std::uint32_t key;
  T value;
};

// Puts the entries of one block into Morton order; they lie there row by row.
template <class T>
void sort_block(std::uint32_t* places, T* values, std::size_t n, int block_bits,
                std::vector<Entry<T>>& scratch) {
  if (n < 2) return;
  if (scratch.size() < 2 * n) scratch.resize(2 * n);
  for (std::size_t k = 0; k < n; ++k) scratch[k] = {morton_of_place(places[k]), values[k]};
  const Entry<T>* sorted = sort_by_key(scratch.data(), scratch.data() + n, n, 2 * block_bits);
  for (std::size_t k = 0; k < n; ++k) {
    places[k] = place_of_morton(sorted[k].key);
    values[k] = sorted[k].value;
  }
}

}  // namespace

int csb_block_bits(index_t rows, index_t cols) {
  const auto n = static_cast<std::uint32_t>(std::max({rows, cols, index_t{1}}));
  const int root = (std::bit_width(n - 1) + 1) / 2;  // 2^root >= sqrt(n)
  return std::min(root + 3, csb_max_block_bits);
}

template <RealValue T, Offset O>
void Csb<T, O>::validate() const {
  check_shape("CSB", rows, cols);
  if (block_bits < 0 || block_bits > csb_max_block_bits)
    throw BadInput(fmt::format("CSB: blocks of 2^{}", block_bits));
  const CsbView<T, O> v = view();
  check_size("CSB", "offsets", offsets.size(), v.blocks() + 1);
  check_size("CSB", "values", values.size(), places.size());
  const auto total = static_cast<std::int64_t>(places.size());
  check_long_offsets("CSB", "block", offsets.data(), static_cast<std::int64_t>(v.blocks()), total);
  check_each(
      v.blocks(),
      [&](std::size_t b) {
        const auto width = static_cast<std::size_t>(v.grid_cols());
        const std::size_t top = b / width << block_bits, left = b % width << block_bits;
        const auto side = static_cast<std::size_t>(v.block());
        const std::size_t height = std::min(side, static_cast<std::size_t>(rows) - top);
        const std::size_t wide = std::min(side, static_cast<std::size_t>(cols) - left);
        for (O k = offsets[b]; k < offsets[b + 1]; ++k) {
          const std::uint32_t at = places[k];
          if (csb_row(at) >= height || csb_column(at) >= wide)
            throw BadInput(fmt::format("CSB: block {}, entry {}: place ({}, {}) is outside {} x {}",
                                       b, k, csb_row(at), csb_column(at), height, wide));
          if (k > offsets[b] && morton_of_place(places[k - 1]) >= morton_of_place(at))
            throw BadInput(fmt::format("CSB: block {}, entry {}: not in Morton order", b, k));
        }
      },
      64);
}

template <RealValue T, Offset O>
Csb<T, O> csb_from_csr(const CsrView<T, O>& a, int block_bits, double max_ratio) {
  if (block_bits < 0 || block_bits > csb_max_block_bits)
    throw InvalidArgument(fmt::format("CSB: block_bits is {}, outside 0 to 16", block_bits));
  return csb_of_bits("CSB", a, block_bits == 0 ? csb_block_bits(a.rows, a.cols) : block_bits,
                     max_ratio);
}

template <RealValue T, Offset O>
Csb<T, O> csb_of_bits(const char* format, const CsrView<T, O>& a, int bits, double max_ratio) {
  Csb<T, O> b{a.rows, a.cols, bits, {}, {}, {}};
  CsbView<T, O> grid = b.view();
  grid.nnz = a.nnz;
  require_blocks(format, {a.rows, a.cols, bits}, a.nnz, max_ratio);
  const auto width = static_cast<std::size_t>(grid.grid_cols());

  b.offsets = Array<O>(grid.blocks() + 1);
  b.offsets[0] = 0;
  over_lines(grid, [&] {
    return [&](index_t line) {
      O* const count = b.offsets.data() + static_cast<std::size_t>(line) * width + 1;
      std::fill_n(count, width, O{0});
      const O end = a.offsets[last_row(grid, line)];
      for (O k = a.offsets[first_row(grid, line)]; k < end; ++k)
        ++count[a.columns[k] >> grid.block_bits];
    };
  });
  for (std::size_t k = 1; k < b.offsets.size(); ++k) b.offsets[k] += b.offsets[k - 1];

  b.places = Array<std::uint32_t>(static_cast<std::size_t>(a.nnz));
  b.values = Array<T>(static_cast<std::size_t>(a.nnz));
  over_lines(grid, [&] {
    return [&, next = std::vector<O>(width),
            scratch = std::vector<Entry<T>>()](index_t line) mutable {
      const O* const starts = b.offsets.data() + static_cast<std::size_t>(line) * width;
      std::copy_n(starts, width, next.begin());
      const index_t top = first_row(grid, line), mask = grid.block() - 1;
      for (index_t i = top; i < last_row(grid, line); ++i)
        for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
          const index_t j = a.columns[k];
          const O to = next[static_cast<std::size_t>(j >> grid.block_bits)]++;
          b.places[to] =
              static_cast<std::uint32_t>(i - top) << 16 | static_cast<std::uint32_t>(j & mask);
          b.values[to] = a.values[k];
        }
      for (std::size_t j = 0; j < width; ++j)
        sort_block(b.places.data() + starts[j], b.values.data() + starts[j],
                   static_cast<std::size_t>(starts[j + 1] - starts[j]), grid.block_bits, scratch);
    };
  });
  return b;
}

// Blocks come from left to right, and in Morton order the columns of a row increase: each row's
// entries come in order by themselves.
template <RealValue T, Offset O>
Csr<T, O> csb_to_csr(const CsbView<T, O>& a) {
  Array<std::int64_t> next(static_cast<std::size_t>(a.rows) + 1);
  over_lines(a, [&] {
    return [&](index_t line) {
      std::int64_t* const count = next.data() + first_row(a, line);
      std::fill_n(count, last_row(a, line) - first_row(a, line), std::int64_t{0});
      const O end = *a.block_offset(line + 1, 0);
      for (O k = *a.block_offset(line, 0); k < end; ++k) ++count[csb_row(a.places[k])];
    };
  });
  Csr<T, O> b = csr_with_room<T, O>(a.rows, a.cols, next);
  over_lines(a, [&] {
    return [&](index_t line) {
      std::int64_t* const to = next.data() + first_row(a, line);
      for (index_t j = 0; j < a.grid_cols(); ++j) {
        const O* const at = a.block_offset(line, j);
        for (O k = at[0]; k < at[1]; ++k) {
          const std::int64_t place = to[csb_row(a.places[k])]++;
          b.columns[place] = (j << a.block_bits) + static_cast<index_t>(csb_column(a.places[k]));
          b.values[place] = a.values[k];
        }
      }
    };
  });
  return b;
}

#define NZ_INSTANTIATE(T, O)                                                      \
  template struct Csb<T, O>;                                                      \
  template Csb<T, O> csb_from_csr(const CsrView<T, O>&, int, double);             \
  template Csb<T, O> csb_of_bits(const char*, const CsrView<T, O>&, int, double); \
  template Csr<T, O> csb_to_csr(const CsbView<T, O>&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz
