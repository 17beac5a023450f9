#include "generate/hash.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {

static GeneratedMatrix make_diagonal(const Settings& all) {
  const index_t n = whole_index(all, "n");
  const Hash hash(seed_of(all));
  return from_rows(
      n, n, [](index_t) { return 1; },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        columns[0] = i;
        values[0] = signed_value(hash(i));
      });
}

static MatrixSize size_diagonal(const Settings& all) {
  const index_t n = whole_index(all, "n");
  return size_by_rows(n, n, n);
}

Family diagonal_family() {
  return {"diagonal",
          "the main diagonal, values in (-1, 1)",
          "own",
          "diagonal:n=1000",
          {{"n", "rows and columns", 1000, 0, max_index}, seed_setting},
          make_diagonal,
          size_diagonal};
}

}  // namespace nz
