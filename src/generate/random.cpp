#include <algorithm>
#include <cmath>

#include "generate/hash.hpp"
#include "generate/permutation.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

std::int64_t cells_of(const Settings& all) {
  return std::int64_t{whole_index(all, "rows")} * whole_index(all, "cols");
}

std::int64_t nonzeros_of(const Settings& all) {
  const std::int64_t cells = cells_of(all);
  return std::min(cells, static_cast<std::int64_t>(
                             std::round(real(all, "density") * static_cast<double>(cells))));
}

// The first round(density * rows * cols) cells of a keyed permutation of all cells: drawn without
// replacement, so the count is exact and the lengths of the rows follow the (multivariate)
// hypergeometric law.
GeneratedMatrix make_random(const Settings& all) {
  const index_t rows = whole_index(all, "rows"), cols = whole_index(all, "cols");
  const std::int64_t cells = cells_of(all);
  const Hash hash(seed_of(all));
  const Permutation shuffled(static_cast<std::uint64_t>(cells), hash.at(0));
  const auto width = static_cast<std::uint64_t>(cols);
  return from_cells(
      rows, cols, nonzeros_of(all),
      [&](std::int64_t k, auto&& emit) {
        const std::uint64_t cell = shuffled(static_cast<std::uint64_t>(k));
        emit(static_cast<index_t>(cell / width), static_cast<index_t>(cell % width));
      },
      [values = hash.at(1)](index_t i, index_t j) { return cell_value(values, i, j); });
}

MatrixSize size_random(const Settings& all) {
  return size_by_cells(whole_index(all, "rows"), whole_index(all, "cols"),
                       static_cast<double>(nonzeros_of(all)), false);
}

}  // namespace

Family random_family() {
  return {"random",
          "exactly round(density * rows * cols) nonzeros, spread uniformly, values in (-1, 1)",
          "izawa2023 table 4.4",
          "random:rows=8192,cols=8192,density=0.001",
          {{"rows", "number of rows", 8192, 0, max_index},
           {"cols", "number of columns", 8192, 0, max_index},
           {"density", "share of the cells that is nonzero", 0.001, 0, 1},
           seed_setting},
          make_random,
          size_random};
}

}  // namespace nz
