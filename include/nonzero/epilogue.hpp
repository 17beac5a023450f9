#pragma once
#include <limits>
#include <span>

#include <nonzero/export.hpp>
#include <nonzero/types.hpp>

namespace NZ_API nz {

// What a multiply does to y beyond the product, in this order:
//   y = alpha op(A) x + beta y
//   y = y + add_scale add           where there is an `add`
//   y = the nearest of [low, high]  element by element; NaN stays NaN
//   *dot = sum of y dot_with, *norm = |y|, of y as it is then
// All vectors are as long as y. `add` and y are apart; `dot_with` may be x, and y itself, but no
// other part of y. Sums are made in double, in an order that depends on the plan and on the length
// of y alone: where y has the same bits, so have they. On a GPU the vectors, y and the results lie
// in the memory of the plan's device, and the results are there when the stream is.
template <Value T>
struct Epilogue {
  std::span<const T> add{};
  T add_scale = 1;
  T low = -std::numeric_limits<T>::infinity(), high = std::numeric_limits<T>::infinity();
  std::span<const T> dot_with{};
  double* dot = nullptr;   // null: no such sum
  double* norm = nullptr;  // null: no such sum

  bool clamps() const {
    return low > -std::numeric_limits<T>::infinity() || high < std::numeric_limits<T>::infinity();
  }
  bool sums() const { return dot || norm; }
};

}  // namespace nz
