#include "generate/combinations.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"

namespace nz {
namespace {

// The complete block design: a column is a block, a subset of `block` of the points; a row is a
// pair of points, with a 1 where the block holds both.
struct Design {
  int points, block;
  index_t pairs, blocks;

  explicit Design(const Settings& all)
      : points(static_cast<int>(whole(all, "points"))),
        block(static_cast<int>(whole(all, "block"))) {
    if (block > points)
      throw InvalidArgument(fmt::format("a block of {} of {} points", block, points));
    pairs = counted("pairs", binomial(points, 2));
    blocks = counted("blocks", binomial(points, block));
  }
  std::int64_t per_pair() const { return binomial(points - 2, block - 2); }
};

// A zero bit put in at `place`.
std::uint64_t spread(std::uint64_t bits, int place) {
  const std::uint64_t below = (std::uint64_t{1} << place) - 1;
  return (bits & ~below) << 1 | (bits & below);
}

GeneratedMatrix make_bibd(const Settings& all) {
  const Design design(all);
  return from_rows(
      design.pairs, design.blocks, [&](index_t) { return design.per_pair(); },
      [&](index_t i, index_t* columns, double* values, std::int64_t n) {
        const std::uint64_t pair = subset_of_rank(design.points, 2, i);
        const int low = std::countr_zero(pair), high = std::bit_width(pair) - 1;
        // What the block has of the other points, in increasing order; so are the blocks then.
        std::uint64_t others = (std::uint64_t{1} << (design.block - 2)) - 1;
        for (std::int64_t k = 0; k < n; ++k) {
          const std::uint64_t block = spread(spread(others, low), high) | pair;
          columns[k] = static_cast<index_t>(rank_of_subset(block));
          values[k] = 1;
          if (others != 0) others = next_subset(others);
        }
      });
}

MatrixSize size_bibd(const Settings& all) {
  const Design design(all);
  return size_by_rows(design.pairs, design.blocks,
                      static_cast<double>(design.pairs) * static_cast<double>(design.per_pair()));
}

}  // namespace

Family bibd_family() {
  return {"bibd",
          "complete block design: pairs of points by blocks, few rows and all very long, all ones",
          "own",
          "bibd:points=14,block=6",
          {{"points", "number of points; a row a pair of them", 16, 2, most_things},
           {"block", "points in a block; a column a block", 6, 2, most_things}},
          make_bibd,
          size_bibd};
}

}  // namespace nz
