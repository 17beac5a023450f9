#pragma once
#include <string_view>

#include <nonzero/kernel.hpp>

// What those must know when they prepare that can multiply several vectors in one way only: plans
// as rows of the bench, and libraries whose preparation depends on the vectors. These parameters
// belong to the product that is asked for, not to the kernel: records leave them out.
namespace nz::lab {

inline constexpr std::string_view vectors_name = "vectors", layout_name = "layout";

inline Parameter vectors_parameter() {
  return {vectors_name, "vectors of a product; --vectors says it", 1, 1, 1 << 20};
}
inline Parameter layout_parameter() {
  return {layout_name, "of X and Y: 0 by rows, 1 by columns; --layout says it", 0, 0, 1};
}

}  // namespace nz::lab
