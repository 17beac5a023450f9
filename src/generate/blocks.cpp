#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/profile.hpp"
#include "generate/rows.hpp"
#include "generate/settings.hpp"
#include "generate/strata.hpp"

namespace nz {
namespace {

// Dense blocks of any shape on a grid of them. The lengths of block rows are those of a profile:
// ranked, dealt in random order. Blocks stand anywhere in their block row, or in a window around
// the diagonal.
struct Blocks {
  index_t down, across;  // block rows, block columns
  index_t height, width;
  index_t band;
  Hash places;

  // The t-th of `count` blocks of a block row, in increasing order, goes to visit(block column).
  template <class Visit>
  void for_blocks(index_t row, std::int64_t count, Visit&& visit) const {
    const std::int64_t wanted = band == 0 ? across : 2 * std::int64_t{band} + 1;
    const auto room = static_cast<index_t>(std::min<std::int64_t>(across, std::max(wanted, count)));
    const auto middle = static_cast<index_t>(std::int64_t{row} * across / down);
    const index_t first = std::clamp(middle - room / 2, index_t{0}, across - room);
    const Strata picks(room, count, places.at(row));
    for (std::int64_t t = 0; t < count; ++t) visit(first + static_cast<index_t>(picks[t]));
  }
};

GeneratedMatrix make_blocks(const Settings& all) {
  const Hash hash(seed_of(all)), values_of = hash.at(1);
  const Blocks b{whole_index(all, "down"),  whole_index(all, "across"), whole_index(all, "height"),
                 whole_index(all, "width"), whole_index(all, "band"),   hash.at(0)};
  const index_t rows = index_product("rows", b.down, b.height);
  const index_t cols = index_product("columns", b.across, b.width);
  const std::int64_t max = whole(all, "max");
  if (max > b.across)
    throw InvalidArgument(fmt::format("max = {}, but a block row has {} places", max, b.across));
  const RankedLengths ranked(b.down, whole(all, "blocks"), whole(all, "min"), max,
                             static_cast<Shape>(whole(all, "shape")));
  const Array<index_t> lengths = shuffled_lengths(b.down, ranked, 1, hash.at(2));
  const auto blocks = [&](index_t i) {
    return std::int64_t{lengths[static_cast<std::size_t>(i / b.height)]};
  };
  return from_rows(
      rows, cols, [&](index_t i) { return blocks(i) * b.width; },
      [&](index_t i, index_t* columns, double* values, std::int64_t) {
        const Hash row = values_of.at(i);
        b.for_blocks(i / b.height, blocks(i), [&](index_t block) {
          for (index_t j = block * b.width; j < (block + 1) * b.width; ++j) {
            *columns++ = j;
            *values++ = signed_value(row(j));
          }
        });
      });
}

MatrixSize size_blocks(const Settings& all) {
  const index_t down = whole_index(all, "down"), height = whole_index(all, "height");
  const index_t width = whole_index(all, "width");
  return size_by_rows(index_product("rows", down, height),
                      index_product("columns", whole_index(all, "across"), width),
                      static_cast<double>(whole(all, "blocks")) * height * width,
                      static_cast<double>(sizeof(index_t)) * down);
}

}  // namespace

Family blocks_family() {
  return {
      "blocks",
      "dense blocks of any shape on a grid, with given lengths of the block rows, met exactly",
      "own",
      "blocks:down=300,across=400,height=3,width=2,blocks=4000,min=1,max=200,shape=3",
      {{"down", "block rows", 1000, 0, max_index},
       {"across", "block columns", 1000, 0, max_index},
       {"height", "rows of a block", 2, 1, 1024},
       {"width", "columns of a block", 2, 1, 1024},
       {"blocks", "blocks", 10000, 0, max_count},
       {"min", "blocks of the shortest block row", 1, 0, max_index},
       {"max", "blocks of the longest block row", 50, 0, max_index},
       {"band", "block columns on each side of the diagonal to draw from; 0: all", 0, 0, max_index},
       {"shape", "lengths: 0 alike, 1 spread, 2 as 1/sqrt(rank), 3 as 1/rank", 1, 0, 3},
       seed_setting},
      make_blocks,
      size_blocks};
}

}  // namespace nz
