#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "generate/profile.hpp"
#include "generate/scatter.hpp"
#include "generate/strata.hpp"

// A symmetric pattern with exact nonzeros and exact longest row. The last row is the longest: it
// meets max others. Every other vertex i meets some of i - s for s in a fixed set of strides, so no
// edge comes twice and no row grows past twice the number of strides plus one; the number of
// strides is chosen so that this stays within max. Vertices are then shuffled within chunks, or all
// entries would lie on a few diagonals.
namespace nz {
namespace {

constexpr std::int64_t max_strides = 4096;
constexpr index_t chunk = 256;

// `count` different strides in [1, reach], more short ones than long ones.
std::vector<index_t> make_strides(std::int64_t count, std::int64_t reach) {
  std::vector<index_t> strides;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t far = count == 1 ? 0 : (reach - count) * k / (count - 1) * k / (count - 1);
    strides.push_back(static_cast<index_t>(1 + k + far));
  }
  return strides;
}

// A bijection that moves vertices within their chunk; an incomplete last chunk stays.
class ChunkShuffle {
 public:
  ChunkShuffle(index_t n, const Hash& hash) : whole_(n / chunk * chunk), hash_(hash) {}
  index_t operator()(index_t i) const {
    if (i >= whole_) return i;
    const std::uint64_t bits = hash_(i / chunk);
    const std::uint64_t x = static_cast<std::uint64_t>(i % chunk) * (bits | 1) + (bits >> 32);
    return i - i % chunk + static_cast<index_t>(x % chunk);
  }

 private:
  index_t whole_;
  Hash hash_;
};

}  // namespace

GeneratedMatrix make_symmetric_profile(const Profile& p) {
  if (p.block != 1)
    throw InvalidArgument(fmt::format("block = {}, but form = 2 has none", p.block));
  const index_t n = p.rows, longest = n - 1;
  const std::int64_t off_diagonal = p.nnz - (p.diagonal ? n : 0);
  const std::int64_t spokes = p.max - p.diagonal;
  if (off_diagonal < 0 || off_diagonal % 2 != 0)
    throw InvalidArgument(
        fmt::format("{} nonzeros off the diagonal cannot be symmetric", off_diagonal));
  const std::int64_t edges = off_diagonal / 2 - spokes;
  if (spokes < 0 || spokes > std::max(0, n - 1) || edges < 0)
    throw InvalidArgument(fmt::format(
        "a row of {} entries does not fit a symmetric matrix of {} rows and {} nonzeros", p.max, n,
        p.nnz));

  const std::int64_t reach = std::min<std::int64_t>(p.band == 0 ? n : p.band, n - 2);
  const std::int64_t degree =
      std::max<std::int64_t>(0, std::min({(spokes - 1) / 2, reach, edges, max_strides}));
  const std::vector<index_t> strides = make_strides(degree, reach);
  const auto usable = [&](index_t i) -> std::int64_t {  // strides that stay inside
    return std::upper_bound(strides.begin(), strides.end(), i) - strides.begin();
  };
  const index_t others = n == 0 ? 0 : n - 1;
  const Array<index_t> lengths = fitted_lengths(
      others, RankedLengths(others, edges, 0, degree, p.shape), 1, p.hash.at(-2), degree, usable);
  const ChunkShuffle place(others, p.hash.at(-3));
  const Hash values = p.hash.at(-1);

  return from_cells(
      n, n, n,
      [&](std::int64_t item, auto&& emit) {
        const auto i = static_cast<index_t>(item);
        const index_t at = i == longest ? i : place(i);
        if (p.diagonal) emit(at, at);
        const std::int64_t count = i == longest ? spokes : lengths[static_cast<std::size_t>(i)];
        const Strata picks(i == longest ? others : usable(i), count, p.hash.at(i));
        for (std::int64_t t = 0; t < count; ++t) {
          const auto pick = static_cast<std::size_t>(picks[t]);
          const index_t j = i == longest ? static_cast<index_t>(pick) : place(i - strides[pick]);
          emit(at, j);
          emit(j, at);
        }
      },
      [&](index_t i, index_t j) { return mirrored_value(values, i, j); });
}

}  // namespace nz
