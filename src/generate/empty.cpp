#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {

static GeneratedMatrix make_empty(const Settings& all) {
  return with_lengths(whole_index(all, "rows"), whole_index(all, "cols"),
                      [](index_t) { return 0; });
}

static MatrixSize size_empty(const Settings& all) {
  return size_by_rows(whole_index(all, "rows"), whole_index(all, "cols"), 0);
}

Family empty_family() {
  return {"empty",
          "no nonzeros at all",
          "own",
          "empty:rows=100,cols=50",
          {{"rows", "number of rows", 1000, 0, max_index},
           {"cols", "number of columns", 1000, 0, max_index}},
          make_empty,
          size_empty};
}

}  // namespace nz
