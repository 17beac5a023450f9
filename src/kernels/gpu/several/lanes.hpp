#pragma once
#include <type_traits>

#include "simt/simt.hpp"

namespace nz::NZ_HOME {

// body(std::integral_constant<int, lanes>) for a row of X.
template <int least, class Body>
void with_lanes(int lanes, Body&& body) {
  if constexpr (least <= 2)
    if (lanes <= 2) return body(std::integral_constant<int, 2>());
  if (lanes <= 4) return body(std::integral_constant<int, 4>());
  if (lanes == 8) return body(std::integral_constant<int, 8>());
  if (lanes == 16) return body(std::integral_constant<int, 16>());
  body(std::integral_constant<int, 32>());
}

}  // namespace nz::NZ_HOME
