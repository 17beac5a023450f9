#include <algorithm>

#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

// The columns that other owners have in a row-wise distributed matrix: only rows at the boundary
// reach them, and columns are numbered in the order in which these rows meet them.
struct Halo {
  index_t rows, cols, nonempty, per_row;
  bool scattered;
  Hash hash;

  explicit Halo(const Settings& all)
      : rows(whole_index(all, "rows")),
        cols(whole_index(all, "cols")),
        nonempty(std::min(rows, whole_index(all, "nonempty"))),
        per_row(std::min(cols, whole_index(all, "per_row"))),
        scattered(whole_index(all, "scattered") != 0),
        hash(seed_of(all)) {}

  // Which of the rows with entries it is; -1: none.
  index_t place(index_t row) const {
    if (nonempty == 0) return -1;
    if (!scattered) {
      const index_t first = nonempty - nonempty / 2, after = rows - nonempty / 2;
      return row < first ? row : row >= after ? row - rows + nonempty : -1;
    }
    const std::int64_t slice = ((row + std::int64_t{1}) * nonempty - 1) / rows;
    return Strata(rows, nonempty, hash.at(0))[slice] == row ? static_cast<index_t>(slice) : -1;
  }
  index_t length(index_t row) const { return place(row) < 0 ? 0 : per_row; }

  // Some of twice as many neighbours.
  void fill(index_t row, index_t* columns, double* values) const {
    const index_t width = per_row > cols / 2 ? cols : 2 * per_row;
    const auto middle = static_cast<index_t>(scaled(static_cast<std::uint64_t>(cols),
                                                    static_cast<std::uint64_t>(place(row)),
                                                    static_cast<std::uint64_t>(nonempty)));
    const index_t first = std::clamp(middle - width / 2, 0, cols - width);
    const Strata near(width, per_row, hash.at(1).at(row));
    for (index_t k = 0; k < per_row; ++k) {
      columns[k] = first + static_cast<index_t>(near[k]);
      values[k] = cell_value(hash.at(2), row, columns[k]);
    }
  }
};

GeneratedMatrix make_halo(const Settings& all) {
  const Halo halo(all);
  return from_rows(
      halo.rows, halo.cols, [&](index_t i) { return halo.length(i); },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        halo.fill(i, columns, values);
      });
}

MatrixSize size_halo(const Settings& all) {
  const Halo halo(all);
  return size_by_rows(halo.rows, halo.cols, static_cast<double>(halo.nonempty) * halo.per_row);
}

}  // namespace

Family halo_family() {
  return {"halo",
          "hypersparse: what a part of a distributed matrix has in columns of others",
          "own",
          "halo:rows=45000,cols=300,nonempty=300,per_row=1",
          {{"rows", "number of rows", 45000, 0, max_index},
           {"cols", "number of columns", 300, 0, max_index},
           {"nonempty", "rows with entries, at most all", 300, 0, max_index},
           {"per_row", "entries of each, at most one a column", 1, 0, max_index},
           {"scattered", "which rows these are: 0 the first and the last ones, 1 any", 0, 0, 1},
           seed_setting},
          make_halo,
          size_halo};
}

}  // namespace nz
