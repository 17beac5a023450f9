#include <algorithm>
#include <cmath>
#include <vector>

#include "generate/hash.hpp"
#include "generate/permutation.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

// `count` distinct numbers of [0, n), sorted.
std::vector<index_t> choose(index_t n, index_t count, const Hash& hash) {
  const Permutation shuffled(static_cast<std::uint64_t>(n), hash);
  std::vector<index_t> chosen(static_cast<std::size_t>(std::min(n, count)));
  for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = static_cast<index_t>(shuffled(k));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// A constraint matrix: rows of `per_row` entries, a few dense rows (budgets) that fill a share
// `fill` of the columns, a few dense columns that meet a share `fill` of the rows. Values are small
// whole numbers of both signs.
struct Lp {
  index_t rows, cols, per_row;
  std::int64_t dense_length;
  std::vector<index_t> dense_rows, dense_cols;
  Chance fill;
  Hash pattern;

  // The sorted columns of a row; valid until the same thread asks for another.
  const std::vector<index_t>& columns_of(index_t i) const {
    thread_local std::vector<index_t> out;
    out.clear();
    const Hash row = pattern.at(i);
    const bool dense = std::binary_search(dense_rows.begin(), dense_rows.end(), i);
    const std::int64_t count = dense ? dense_length : std::min(per_row, cols);
    const Strata picks(cols, count, row.at(0));
    for (std::int64_t t = 0; t < count; ++t) out.push_back(static_cast<index_t>(picks[t]));
    const auto middle = static_cast<std::ptrdiff_t>(out.size());
    for (const index_t j : dense_cols)
      if (fill(row.at(1)(j))) out.push_back(j);
    std::inplace_merge(out.begin(), out.begin() + middle, out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }
};

GeneratedMatrix make_lp(const Settings& all) {
  const Hash hash(seed_of(all)), values_of = hash.at(3);
  const index_t rows = whole_index(all, "rows"), cols = whole_index(all, "cols");
  const double fill = real(all, "fill");
  const Lp lp{rows,
              cols,
              whole_index(all, "per_row"),
              static_cast<std::int64_t>(std::round(fill * cols)),
              choose(rows, whole_index(all, "dense_rows"), hash.at(0)),
              choose(cols, whole_index(all, "dense_cols"), hash.at(1)),
              Chance(fill),
              hash.at(2)};
  return from_rows(
      rows, cols, [&](index_t i) { return lp.columns_of(i).size(); },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        std::copy_n(lp.columns_of(i).data(), n, columns);
        const Hash row = values_of.at(i);
        for (std::int64_t k = 0; k < n; ++k) {
          const std::uint64_t bits = row(columns[k]);
          const double size = static_cast<double>(1 + below(bits << 1, 9));
          values[k] = bits >> 63 ? -size : size;
        }
      });
}

MatrixSize size_lp(const Settings& all) {
  const index_t rows = whole_index(all, "rows"), cols = whole_index(all, "cols");
  const double fill = real(all, "fill");
  const double dense_rows = std::min(rows, whole_index(all, "dense_rows"));
  const double dense_cols = std::min(cols, whole_index(all, "dense_cols"));
  // A dense column adds to a row of `count` entries unless one of these stands there already.
  const auto length = [&](double count) {
    return cols == 0 ? 0 : count + dense_cols * fill * (1 - count / cols);
  };
  return size_by_rows(
      rows, cols,
      dense_rows * length(std::round(fill * cols)) +
          (rows - dense_rows) * length(std::min(whole_index(all, "per_row"), cols)));
}

}  // namespace

Family lp_family() {
  return {"lp",
          "linear-program-like: rectangular, short rows beside a few dense rows and columns",
          "own",
          "lp:rows=2000,cols=5000,per_row=6,dense_rows=4,dense_cols=10",
          {{"rows", "number of rows", 20000, 0, max_index},
           {"cols", "number of columns", 50000, 0, max_index},
           {"per_row", "entries of an ordinary row", 6, 0, 1 << 20},
           {"dense_rows", "number of dense rows", 5, 0, 1 << 20},
           {"dense_cols", "number of dense columns", 10, 0, 1 << 20},
           {"fill", "share of a dense row or column that is nonzero", 0.4, 0, 1},
           seed_setting},
          make_lp,
          size_lp};
}

}  // namespace nz
