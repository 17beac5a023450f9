#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/hash.hpp"
#include "generate/scatter.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// R-MAT (Chakrabarti, Zhan and Faloutsos 2004): an edge falls through `scale` levels, at each into
// one of four quadrants with chances a, b, c and 1 - a - b - c. Edges that fall on the same cell
// are stored once, so there are at most degree * 2^scale nonzeros, and fewer the more skewed a is.
GeneratedMatrix make_rmat(const Settings& all) {
  const auto scale = static_cast<int>(whole(all, "scale"));
  const double a = real(all, "a"), ab = a + real(all, "b"), abc = ab + real(all, "c");
  if (abc > 1) throw InvalidArgument(fmt::format("a + b + c = {} is above 1", abc));
  const Chance top_left(a), top(ab), not_last(abc);
  const Hash hash(seed_of(all)), edges = hash.at(0), values = hash.at(1);
  const index_t n = index_t{1} << scale;
  return from_cells(
      n, n, whole(all, "degree") << scale,
      [&](std::int64_t k, auto&& emit) {
        const Hash edge = edges.at(k);
        index_t i = 0, j = 0;
        for (int level = 0; level < scale; ++level) {
          const std::uint64_t bits = edge(level);
          const bool below = !top(bits);
          const bool right = below ? !not_last(bits) : !top_left(bits);
          i = 2 * i + below;
          j = 2 * j + right;
        }
        emit(i, j);
      },
      [&](index_t i, index_t j) { return cell_value(values, i, j); });
}

MatrixSize size_rmat(const Settings& all) {
  const auto scale = static_cast<int>(whole(all, "scale"));
  const index_t n = index_t{1} << scale;
  return size_by_cells(n, n, static_cast<double>(whole(all, "degree") << scale), true);
}

}  // namespace

Family rmat_family() {
  return {"rmat",
          "R-MAT power-law graph; edges that meet are merged, so slightly below degree * 2^scale",
          "own",
          "rmat:scale=14,degree=8",
          {{"scale", "2^scale rows and columns", 16, 0, 30},
           {"degree", "edges drawn a row", 16, 0, 1 << 20},
           {"a", "chance of the top left quadrant", 0.57, 0, 1},
           {"b", "chance of the top right one", 0.19, 0, 1},
           {"c", "chance of the bottom left one", 0.19, 0, 1},
           seed_setting},
          make_rmat,
          size_rmat};
}

}  // namespace nz
