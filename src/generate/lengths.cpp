#include "generate/lengths.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/parallel.hpp"
#include "generate/hash.hpp"

namespace nz {

RankedLengths::RankedLengths(std::int64_t rows, std::int64_t total, std::int64_t min,
                             std::int64_t max, Shape shape)
    : rows_(rows), min_(min), max_(max), shape_(shape) {
  if (min > max) throw InvalidArgument(fmt::format("min = {} is above max = {}", min, max));
  // The least and the most that the ends leave possible.
  const std::int64_t least = rows == 0 ? 0 : max + (rows - 1) * min;
  const std::int64_t most = rows == 0 ? 0 : rows == 1 ? max : min + (rows - 1) * max;
  if (total < least || total > most)
    throw InvalidArgument(
        fmt::format("{} rows of {} to {} entries, both met, hold {} to {} nonzeros, not {}", rows,
                    min, max, least, most, total));
  if (rows > 2) find_level(total - least);
}

std::int64_t RankedLengths::operator[](std::int64_t rank) const {
  if (rank == 0) return max_;
  if (rank == rows_ - 1) return min_;
  return min_ + above_min(rank, level_) + (rank >= more_first_ && rank < more_end_);
}

// Falls with the rank, grows with the level, by at most 1 a step.
std::int64_t RankedLengths::above_min(std::int64_t rank, std::int64_t level) const {
  const auto shaped = [&]() -> std::int64_t {
    switch (shape_) {
      case Shape::spread:
        return static_cast<std::int64_t>(scaled(static_cast<std::uint64_t>(level),
                                                static_cast<std::uint64_t>(rows_ - rank),
                                                static_cast<std::uint64_t>(rows_)));
      case Shape::tail:
        return static_cast<std::int64_t>(static_cast<double>(level) /
                                         std::sqrt(static_cast<double>(rank)));
      case Shape::heavy:
        return level / rank;
      default:
        return level;
    }
  };
  return std::min(shaped(), max_ - min_);
}

// Over ranks 1 to rows - 2.
std::int64_t RankedLengths::sum(std::int64_t level) const {
  std::int64_t ranks = rows_ - 2;
  if (shape_ == Shape::heavy) ranks = std::min(ranks, level);  // beyond, level / rank = 0
  std::atomic<std::int64_t> total{0};
  parallel_ranges(ranks, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t part = 0;
    for (std::int64_t r = begin; r < end; ++r) part += above_min(r + 1, level);
    total += part;
  });
  return total;
}

void RankedLengths::find_level(std::int64_t budget) {
  std::int64_t reach = 1;  // a level of (max - min) * reach fills every rank
  if (shape_ == Shape::tail)
    reach = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rows_))) + 1;
  if (shape_ == Shape::spread || shape_ == Shape::heavy) reach = rows_;
  // The highest level whose sum stays within the budget.
  std::int64_t low = 0, high = (max_ - min_) * reach;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (sum(middle) <= budget)
      low = middle;
    else
      high = middle - 1;
  }
  level_ = low;
  // Ranks still below max come after those at max. The next level would add at most 1 to each of
  // them and pass the budget, so there are enough of them for the rest.
  std::int64_t first = 1, end = rows_ - 1;
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    if (above_min(middle, level_) == max_ - min_)
      first = middle + 1;
    else
      end = middle;
  }
  more_first_ = first;
  more_end_ = first + budget - sum(level_);
}

}  // namespace nz
