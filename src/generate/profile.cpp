#include "generate/profile.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/rows.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

// `count` columns of [first, first + width) in runs of `run`, increasing. The same hash gives the
// same runs, so rows of one group share them.
void fill_runs(index_t first, index_t width, index_t run, std::int64_t count, const Hash& hash,
               index_t* columns) {
  if ((count + run - 1) / run > width / run) run = 1;
  const std::int64_t runs = (count + run - 1) / run;
  const Strata picks(width / run, runs, hash);
  for (std::int64_t t = 0, done = 0; t < runs; ++t) {
    const index_t start = first + static_cast<index_t>(picks[t]) * run;
    for (index_t k = 0; k < run && done < count; ++k, ++done) columns[done] = start + k;
  }
}

// A window of 2 * band + 1 columns (all, when band = 0) around the diagonal, moved inside the
// matrix and widened when the row needs more.
void fill_general(const Profile& p, index_t i, index_t* columns, std::int64_t n) {
  const index_t group = i - i % p.block;
  const std::int64_t wanted = p.band == 0 ? p.cols : 2 * std::int64_t{p.band} + 1;
  const std::int64_t even = std::max(wanted, n) + p.block - 1;
  const auto width = static_cast<index_t>(std::min<std::int64_t>(p.cols, even - even % p.block));
  const auto middle = static_cast<index_t>(std::int64_t{group} * p.cols / p.rows);
  index_t first = std::clamp(middle - width / 2, index_t{0}, p.cols - width);
  first -= first % p.block;
  fill_runs(first, width, p.block, n, p.hash.at(group), columns);
  if (p.diagonal && i < p.cols && !std::binary_search(columns, columns + n, i)) {
    index_t* place = std::lower_bound(columns, columns + n, i);
    *(place == columns + n ? place - 1 : place) = i;
  }
}

// The group's own columns up to the diagonal first, then runs from the `band` columns before.
void fill_lower(const Profile& p, index_t i, index_t* columns, std::int64_t n) {
  const index_t group = i - i % p.block;
  const index_t end = i + p.diagonal;
  const std::int64_t own = std::min<std::int64_t>(n, end - group);
  const std::int64_t others = n - own;
  if (others > 0) {
    const std::int64_t wanted = std::max<std::int64_t>(p.band == 0 ? group : p.band, others);
    const std::int64_t even = wanted + p.block - 1;
    const auto width = static_cast<index_t>(std::min<std::int64_t>(group, even - even % p.block));
    fill_runs(group - width, width, p.block, others, p.hash.at(group), columns);
  }
  for (std::int64_t k = 0; k < own; ++k) columns[others + k] = end - static_cast<index_t>(own - k);
}

GeneratedMatrix make_rows(const Profile& p) {
  const RankedLengths ranked(p.rows, p.nnz, p.min, p.max, p.shape);
  const Hash values_of = p.hash.at(-1), order = p.hash.at(-2);
  const Array<index_t> lengths =
      p.form == Form::general
          ? shuffled_lengths(p.rows, ranked, p.block, order)
          : fitted_lengths(p.rows, ranked, p.block, order, p.max,
                           [&](index_t i) { return std::int64_t{i} + p.diagonal; });
  return from_rows(
      p.rows, p.cols, [&](index_t i) { return lengths[static_cast<std::size_t>(i)]; },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        p.form == Form::general ? fill_general(p, i, columns, n) : fill_lower(p, i, columns, n);
        for (std::int64_t k = 0; k < n; ++k) values[k] = cell_value(values_of, i, columns[k]);
      });
}

GeneratedMatrix make_profile(const Settings& all) {
  const Profile p{whole_index(all, "rows"),
                  whole_index(all, "cols"),
                  whole(all, "nnz"),
                  whole(all, "min"),
                  whole(all, "max"),
                  whole_index(all, "band"),
                  whole_index(all, "block"),
                  static_cast<Shape>(whole(all, "shape")),
                  static_cast<Form>(whole(all, "form")),
                  whole(all, "diagonal") != 0,
                  Hash(seed_of(all))};
  const index_t widest = p.form == Form::general || p.diagonal ? p.cols : std::max(0, p.cols - 1);
  if (p.max > widest)
    throw InvalidArgument(
        fmt::format("max = {}, but no row has more than {} places", p.max, widest));
  if (p.form == Form::general) return make_rows(p);
  if (p.rows != p.cols)
    throw InvalidArgument(fmt::format("form = {} needs a square matrix, not {} x {}",
                                      static_cast<int>(p.form), p.rows, p.cols));
  if (p.min > p.diagonal)
    throw InvalidArgument(fmt::format("min = {}, but form = {} has rows of {}", p.min,
                                      static_cast<int>(p.form), static_cast<int>(p.diagonal)));
  return p.form == Form::lower ? make_rows(p) : make_symmetric_profile(p);
}

MatrixSize size_profile(const Settings& all) {
  const index_t rows = whole_index(all, "rows"), cols = whole_index(all, "cols");
  const auto nonzeros = static_cast<double>(whole(all, "nnz"));
  const double lengths = static_cast<double>(sizeof(index_t)) * rows;
  return static_cast<Form>(whole(all, "form")) == Form::symmetric
             ? size_by_cells(rows, cols, nonzeros, false, lengths)
             : size_by_rows(rows, cols, nonzeros, lengths);
}

}  // namespace

Family profile_family() {
  return {"profile",
          "given size, nonzeros and row lengths, all met exactly: what the stand-ins are made of",
          "own",
          "profile:rows=5000,cols=5000,nnz=60000,min=1,max=400,shape=2,band=600",
          {{"rows", "number of rows", 10000, 0, max_index},
           {"cols", "number of columns", 10000, 0, max_index},
           {"nnz", "nonzeros", 100000, 0, max_count},
           {"min", "length of the shortest row (a bound only, when form = 2)", 1, 0, max_index},
           {"max", "length of the longest row", 50, 0, max_index},
           {"band", "columns on each side of the diagonal that rows draw from; 0: all", 0, 0,
            max_index},
           {"block", "columns in a run, and rows that share their runs", 1, 1, 1024},
           {"shape", "lengths: 0 alike, 1 spread, 2 as 1/sqrt(rank), 3 as 1/rank", 1, 0, 3},
           {"form", "0 general, 1 lower half, 2 symmetric", 0, 0, 2},
           {"diagonal", "1: the diagonal is nonzero (form 0: where the row has an entry)", 0, 0, 1},
           seed_setting},
          make_profile,
          size_profile};
}

}  // namespace nz
