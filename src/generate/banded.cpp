#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

GeneratedMatrix make_banded(const Settings& all) {
  const index_t n = whole_index(all, "n");
  const index_t lower = whole_index(all, "lower"), upper = whole_index(all, "upper");
  const Chance keep(real(all, "density"));
  const Hash hash(seed_of(all)), pattern = hash.at(0), values_of = hash.at(1);

  const auto for_kept = [&](index_t i, auto&& visit) {
    const Hash row = pattern.at(i);
    const index_t first = std::max(index_t{0}, i - std::min(i, lower));
    const index_t last = i + std::min(n - 1 - i, upper);
    for (index_t j = first; j <= last; ++j)
      if (i == j || keep(row(j))) visit(j);
  };
  return from_rows(
      n, n,
      [&](index_t i) {
        std::int64_t count = 0;
        for_kept(i, [&](index_t) { ++count; });
        return count;
      },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        for_kept(i, [&](index_t j) {
          *columns++ = j;
          *values++ = cell_value(values_of, i, j);
        });
      });
}

MatrixSize size_banded(const Settings& all) {
  const index_t n = whole_index(all, "n");
  const auto cells = [&](std::string_view name) {  // of that many diagonals on one side
    const double most = std::max(n - 1.0, 0.0), d = std::min<double>(whole_index(all, name), most);
    return d * n - d * (d + 1) / 2;
  };
  const double band = cells("lower") + cells("upper"), density = real(all, "density");
  // Every cell of the band is looked at, kept or not: minutes for this many, days for all there can
  // be.
  constexpr double most_cells = 1e11;
  if (band > most_cells && density < 1)
    throw InvalidArgument(
        fmt::format("a band of {:g} cells with density = {:g} takes too long; at most {:g} cells",
                    band, density, most_cells));
  return size_by_rows(n, n, n + density * band);
}

}  // namespace

Family banded_family() {
  return {"banded",
          "a band around the diagonal; inside it each cell but the diagonal's is kept by chance",
          "own",
          "banded:n=1000,lower=3,upper=10,density=0.5",
          {{"n", "rows and columns", 10000, 0, max_index},
           {"lower", "diagonals below the main one", 10, 0, max_index},
           {"upper", "diagonals above the main one", 10, 0, max_index},
           {"density", "chance of a cell in the band to be nonzero", 1, 0, 1},
           seed_setting},
          make_banded,
          size_banded};
}

}  // namespace nz
