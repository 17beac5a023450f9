#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/hash.hpp"
#include "generate/permutation.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

// izawa2023 §4.3: all blocks of a block row have the same number of nonzeros, different block rows
// have different ones (figure 4.2). 3,406,208 = 2^7 * 26,611 allows at most 128 blocks in a row of
// 8192 columns, so the paper's blocks are 64 wide or wider; its table 4.7 has padding for blocks of
// 64 and none for 128, so they are 128 wide. The counts are multiples of 16 in all
// block rows but one, and each block's nonzeros are dealt evenly to its quarters and their
// quarters: so outside that block row blocks of 32 and 16, which the paper runs, are balanced too.
namespace nz {
namespace {

// Nonzeros in each block of a block row: from half the mean to one and a half, in shuffled order;
// all alike when a block could not hold that much.
std::vector<std::int64_t> block_counts(index_t block_rows, std::int64_t total, index_t block,
                                       const Hash& hash) {
  const std::int64_t unit = block % 4 == 0 ? 16 : block % 2 == 0 ? 4 : 1;
  const std::int64_t room = std::int64_t{block} * block;
  const Permutation shuffled(static_cast<std::uint64_t>(block_rows), hash);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(block_rows));
  for (const bool varied : {true, false}) {
    std::uint64_t weight = 0, weights = 0, given = 0;
    const auto weight_of = [&](std::size_t k) {
      return varied ? counts.size() + 2 * shuffled(k) : std::uint64_t{1};
    };
    for (std::size_t k = 0; k < counts.size(); ++k) weights += weight_of(k);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      weight += weight_of(k);
      const std::uint64_t upto = scaled(static_cast<std::uint64_t>(total / unit), weight, weights);
      counts[k] = static_cast<std::int64_t>(upto - given) * unit;
      given = upto;
    }
    if (std::all_of(counts.begin(), counts.end(), [&](std::int64_t c) { return c <= room; })) break;
  }
  const auto with_room = std::find_if(counts.begin(), counts.end(),
                                      [&](std::int64_t c) { return c + total % unit <= room; });
  if (with_room != counts.end()) *with_room += total % unit;
  return counts;
}

// Visits (row, column) of `count` cells in a square, row by row within each part: for a given row
// the columns come in increasing order.
template <class Visit>
void for_cells(index_t size, std::int64_t count, const Hash& hash, index_t row, index_t column,
               int halvings, const Visit& visit) {
  if (halvings > 0 && size % 2 == 0) {
    for (int quarter = 0; quarter < 4; ++quarter)
      for_cells(size / 2, count / 4 + (quarter < count % 4), hash.at(quarter),
                row + quarter / 2 * (size / 2), column + quarter % 2 * (size / 2), halvings - 1,
                visit);
    return;
  }
  const Strata cells(std::int64_t{size} * size, count, hash);
  for (std::int64_t t = 0; t < count; ++t)
    visit(row + static_cast<index_t>(cells[t] / size),
          column + static_cast<index_t>(cells[t] % size));
}

GeneratedMatrix make_ideal(const Settings& all) {
  const index_t n = whole_index(all, "n"), block = whole_index(all, "block");
  const std::int64_t nnz = whole(all, "nnz");
  if (n % block != 0)
    throw InvalidArgument(fmt::format("block = {} does not divide n = {}", block, n));
  const index_t blocks = n / block;
  if (nnz > std::int64_t{n} * n)
    throw InvalidArgument(fmt::format("nnz = {} is above n * n = {}", nnz, std::int64_t{n} * n));
  if (blocks > 0 && nnz % blocks != 0)
    throw InvalidArgument(
        fmt::format("nnz = {} cannot be the same in all {} blocks of a row; {} can", nnz, blocks,
                    nnz / blocks * blocks));
  const Hash hash(seed_of(all)), pattern = hash.at(1), values = hash.at(2);
  const std::vector<std::int64_t> counts =
      block_counts(blocks, blocks == 0 ? 0 : nnz / blocks, block, hash.at(0));

  const auto for_block_row = [&](index_t k, const auto& visit) {
    for (index_t c = 0; c < blocks; ++c)
      for_cells(block, counts[static_cast<std::size_t>(k)], pattern.at(k).at(c), 0, c * block, 2,
                visit);
  };
  Array<std::int64_t> lengths(static_cast<std::size_t>(n), 0);
  parallel_ranges(
      blocks,
      [&](index_t begin, index_t end) {
        for (index_t k = begin; k < end; ++k)
          for_block_row(
              k, [&](index_t i, index_t) { ++lengths[static_cast<std::size_t>(k) * block + i]; });
      },
      2);
  GeneratedMatrix a =
      with_lengths(n, n, [&](index_t i) { return lengths[static_cast<std::size_t>(i)]; });
  parallel_ranges(
      blocks,
      [&](index_t begin, index_t end) {
        std::vector<std::int64_t> next(static_cast<std::size_t>(block));
        for (index_t k = begin; k < end; ++k) {
          const index_t first = k * block;
          std::copy_n(a.offsets.data() + first, block, next.data());
          for_block_row(k, [&](index_t i, index_t j) {
            const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
            a.columns[to] = j;
            a.values[to] = cell_value(values, first + i, j);
          });
        }
      },
      2);
  return a;
}

MatrixSize size_ideal(const Settings& all) {
  const index_t n = whole_index(all, "n");
  return size_by_rows(n, n, n == 0 ? 0 : static_cast<double>(whole(all, "nnz")),
                      static_cast<double>(sizeof(std::int64_t)) * n);
}

}  // namespace

Family ideal_family() {
  return {"ideal",
          "ideal for GCSB: blocks of a block row have equally many nonzeros, block rows differ",
          "izawa2023 §4.3",
          "ideal:n=1024,block=64,nnz=52224",
          {{"n", "rows and columns", 8192, 0, max_index},
           {"block", "edge of a block; divides n", 64, 1, 1 << 15},
           {"nnz", "nonzeros; a multiple of n / block", 3406208, 0, max_count},
           seed_setting},
          make_ideal,
          size_ideal};
}

}  // namespace nz
