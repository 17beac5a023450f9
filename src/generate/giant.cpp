#include <algorithm>

#include "generate/hash.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

// Row n / 2 has exactly `length` entries; every other row draws `degree` on average (the whole part
// always, one more by chance). When symmetric, each draw is mirrored; draws never touch the giant
// row and column, so its length stays exact.
GeneratedMatrix make_giant(const Settings& all) {
  const index_t n = whole_index(all, "n"), giant = n / 2;
  const std::int64_t length = std::min<std::int64_t>(whole(all, "length"), n);
  const bool symmetric = whole(all, "symmetric") != 0;
  const double degree = real(all, "degree");
  const auto always = static_cast<std::int64_t>(degree);
  const Chance once_more(degree - static_cast<double>(always));
  const Hash hash(seed_of(all)), pattern = hash.at(0), values = hash.at(1);

  return from_cells(
      n, n, n,
      [&](std::int64_t item, auto&& emit) {
        const auto i = static_cast<index_t>(item);
        const auto put = [&](std::int64_t j) {
          emit(i, static_cast<index_t>(j));
          if (symmetric && j != i) emit(static_cast<index_t>(j), i);
        };
        const Hash row = pattern.at(i);
        if (i == giant) {
          const Strata picks(n, length, row);
          for (std::int64_t t = 0; t < length; ++t) put(picks[t]);
        } else {
          const std::int64_t draws = always + once_more(row(0));
          for (std::int64_t t = 1; t <= draws; ++t) {
            const std::uint64_t j = below(row(t), static_cast<std::uint64_t>(n));
            if (!symmetric || j != static_cast<std::uint64_t>(giant))
              put(static_cast<std::int64_t>(j));
          }
        }
      },
      [&](index_t i, index_t j) {
        return symmetric ? mirrored_value(values, i, j) : cell_value(values, i, j);
      });
}

MatrixSize size_giant(const Settings& all) {
  const index_t n = whole_index(all, "n");
  const double length = std::min<double>(static_cast<double>(whole(all, "length")), n);
  const double draws = length + real(all, "degree") * std::max(n - 1.0, 0.0);
  return size_by_cells(n, n, whole(all, "symmetric") != 0 ? 2 * draws : draws, true);
}

}  // namespace

Family giant_family() {
  return {"giant",
          "hypersparse with one giant row (and column, when symmetric), like packet traces",
          "own",
          "giant:n=100000,length=40000,degree=0.5",
          {{"n", "rows and columns", 1000000, 0, max_index},
           {"length", "entries of the giant row, at most n", 400000, 0, max_index},
           {"degree", "mean entries drawn by another row", 0.5, 0, 1000},
           {"symmetric", "1: mirror every entry", 0, 0, 1},
           seed_setting},
          make_giant,
          size_giant};
}

}  // namespace nz
