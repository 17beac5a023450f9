#include "lab/bench/showcase.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

namespace nz::lab {
namespace {

// CSR takes 12 bytes a nonzero in double precision.
constexpr double bytes_per_nonzero = 12;

}  // namespace

std::vector<Exhibit> exhibits(std::size_t cache_bytes, bool small) {
  // Three caches, so that little of it stays from one product to the next; at most 200 MB, so that
  // nobody waits long.
  const double wanted =
      small ? 1e5 : std::clamp(3.0 * static_cast<double>(cache_bytes), 60e6, 200e6);
  const double nonzeros = wanted / bytes_per_nonzero;
  const int side = static_cast<int>(std::sqrt(nonzeros / 5));
  constexpr int edges_per_vertex = 16;
  const int scale = static_cast<int>(std::lround(std::log2(nonzeros / edges_per_vertex)));
  return {{"grid", fmt::format("gen:grid:points=5,nx={0},ny={0}", side), "a 5-point grid"},
          {"rmat", fmt::format("gen:rmat:scale={},degree={}", scale, edges_per_vertex),
           "a power-law graph"}};
}

}  // namespace nz::lab
