#pragma once
#include <cstdint>

namespace nz {

// How the lengths of rows fall off from the longest.
enum class Shape : int {
  flat = 0,    // all alike
  spread = 1,  // evenly between the extremes the mean allows
  tail = 2,    // with 1 / sqrt(rank)
  heavy = 3    // with 1 / rank, as in power-law graphs
};

// Lengths of `rows` rows by rank, longest first, with an exact total: rank 0 is exactly `max`, the
// last exactly `min`, those between follow the shape. In whole numbers and correctly rounded
// operations only, so the same on every machine.
class RankedLengths {
 public:
  // Throws InvalidArgument when no such lengths exist.
  RankedLengths(std::int64_t rows, std::int64_t total, std::int64_t min, std::int64_t max,
                Shape shape);

  std::int64_t operator[](std::int64_t rank) const;

 private:
  std::int64_t above_min(std::int64_t rank, std::int64_t level) const;
  std::int64_t sum(std::int64_t level) const;
  void find_level(std::int64_t budget);

  std::int64_t rows_, min_, max_;
  Shape shape_;
  std::int64_t level_ = 0;                      // scales the shape
  std::int64_t more_first_ = 0, more_end_ = 0;  // ranks with one more, to meet the total
};

}  // namespace nz
