#include <algorithm>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/parallel.hpp"
#include "generate/permutation.hpp"
#include "generate/profile.hpp"

namespace nz {
namespace {

// Whole groups of `block` rows trade places; rows after the last whole group stay.
class GroupShuffle {
 public:
  GroupShuffle(index_t rows, index_t block, const Hash& hash)
      : block_(block),
        whole_(rows / block * block),
        groups_(static_cast<std::uint64_t>(rows / block), hash) {}

  index_t operator()(index_t row) const {
    if (row >= whole_) return row;
    const auto group = groups_(static_cast<std::uint64_t>(row / block_));
    return static_cast<index_t>(group) * block_ + row % block_;
  }

 private:
  index_t block_, whole_;
  Permutation groups_;
};

template <class Rank>
Array<index_t> dealt(index_t rows, const RankedLengths& lengths, const Rank& rank) {
  Array<index_t> dealt(static_cast<std::size_t>(rows));
  parallel_ranges(rows, [&](index_t begin, index_t end) {
    for (index_t i = begin; i < end; ++i)
      dealt[static_cast<std::size_t>(i)] = static_cast<index_t>(lengths[rank(i)]);
  });
  return dealt;
}

}  // namespace

Array<index_t> shuffled_lengths(index_t rows, const RankedLengths& lengths, index_t block,
                                const Hash& hash) {
  return dealt(rows, lengths, GroupShuffle(rows, block, hash));
}

Array<index_t> fitted_lengths(index_t rows, const RankedLengths& lengths, index_t block,
                              const Hash& hash, std::int64_t max,
                              const std::function<std::int64_t(index_t)>& room) {
  const GroupShuffle shuffle(rows, block, hash);
  const index_t last = rows == 0 ? 0 : shuffle(rows - 1);
  Array<index_t> result = dealt(rows, lengths, [&](index_t i) {
    if (i == rows - 1) return index_t{0};
    const index_t rank = shuffle(i);
    return rank == 0 ? last : rank;
  });

  std::int64_t homeless = 0;
  for (index_t i = 0; i < rows; ++i) {
    index_t& length = result[static_cast<std::size_t>(i)];
    const std::int64_t fits = std::min<std::int64_t>(length, room(i));
    homeless += length - fits;
    length = static_cast<index_t>(fits);
  }
  while (homeless > 0) {
    const std::int64_t before = homeless;
    for (index_t i = rows - 1; i >= 0 && homeless > 0; --i) {
      index_t& length = result[static_cast<std::size_t>(i)];
      if (length >= std::min(max, room(i))) continue;
      ++length;
      --homeless;
    }
    if (homeless == before)
      throw InvalidArgument(
          fmt::format("{} of the nonzeros find no room below the diagonal", homeless));
  }
  return result;
}

}  // namespace nz
