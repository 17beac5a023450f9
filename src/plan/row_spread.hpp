#pragma once
#include <algorithm>
#include <cstdint>

#include <nonzero/types.hpp>

namespace nz {

// Windows of rows, spread over a matrix: who looks at a part of it looks at these.
class RowSpread {
 public:
  // Each at the beginning of one of `count` equal parts, at a multiple of its rows; all of a small
  // matrix.
  static RowSpread one_a_part(index_t rows, index_t each, index_t count) {
    const index_t places = rows / each + 1;
    count = std::min(count, places);
    return {rows, each, count, 0, places, count, each};
  }
  // Each in the middle of one of `count` equal parts: the first rows, and those at round numbers,
  // are often not like the others.
  static RowSpread in_the_middle(index_t rows, index_t each, index_t count) {
    const index_t places = std::max(1, rows / each);
    count = std::min(count, places);
    return {rows, each, count, 0, places, count, each, 1};
  }
  // From the first rows to the last. Put together, one after the other, each is as far from its
  // place in the matrix as a multiple of `step` rows, so that blocks whose sides divide that stay
  // whole.
  static RowSpread to_the_end(index_t rows, index_t each, index_t count, std::int64_t step) {
    count =
        static_cast<index_t>(std::min<std::int64_t>(count, (std::int64_t{rows} + each - 1) / each));
    const std::int64_t free = std::max<std::int64_t>(0, rows - std::int64_t{count} * each);
    return {rows, each, count, each, free / step, std::max(1, count - 1), step};
  }

  index_t count() const { return count_; }
  index_t begin(index_t window) const {
    const std::int64_t halves = 2 * std::int64_t{window} + half_;
    return static_cast<index_t>(window * apart_ + steps_ * halves / (2 * parts_) * step_);
  }
  index_t end(index_t window) const {
    return static_cast<index_t>(std::min<std::int64_t>(rows_, std::int64_t{begin(window)} + each_));
  }
  index_t size(index_t window) const { return end(window) - begin(window); }

 private:
  RowSpread(index_t rows, index_t each, index_t count, std::int64_t apart, std::int64_t steps,
            std::int64_t parts, std::int64_t step, int half = 0)
      : rows_(rows),
        each_(each),
        count_(count),
        apart_(apart),
        steps_(steps),
        parts_(parts),
        step_(step),
        half_(half) {}

  index_t rows_, each_, count_;
  std::int64_t apart_;          // rows from one window to the next, at least
  std::int64_t steps_, parts_;  // that all windows together are shifted by, in so many parts
  std::int64_t step_;
  int half_;  // of a part before the first window
};

}  // namespace nz
