#include "lab/bench/density.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace nz::lab {
namespace {

// The first of n lines that falls into cell c of `cells`: the smallest i with i * cells / n == c.
std::int64_t first_line(std::int64_t c, std::int64_t n, std::int64_t cells) {
  return (c * n + cells - 1) / cells;
}

}  // namespace

double DensityGrid::ink(int y, int x) const {
  constexpr double lightest = 0.2, gamma = 0.45;
  const double d = at(y, x);
  return d == 0 ? 0 : lightest + (1 - lightest) * std::pow(d / largest, gamma);
}

DensityGrid density_grid(const CsrView<double, std::int64_t>& a, int height, int width) {
  DensityGrid g{.height = std::min(height, a.rows), .width = std::min(width, a.cols)};
  if (g.height <= 0 || g.width <= 0) return {};
  g.density.resize(static_cast<std::size_t>(g.height) * static_cast<std::size_t>(g.width));
  // A line of the grid belongs to one thread: no two write the same cell.
  parallel_ranges(
      g.height,
      [&](int begin, int end) {
        for (int y = begin; y < end; ++y) {
          double* cell =
              g.density.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(g.width);
          const std::int64_t first = first_line(y, a.rows, g.height);
          const std::int64_t last = first_line(y + 1, a.rows, g.height);
          for (std::int64_t k = a.offsets[first]; k < a.offsets[last]; ++k)
            cell[std::int64_t{a.columns[k]} * g.width / a.cols] += 1;
          for (int x = 0; x < g.width; ++x) {
            const std::int64_t across =
                first_line(x + 1, a.cols, g.width) - first_line(x, a.cols, g.width);
            cell[x] /= static_cast<double>(last - first) * static_cast<double>(across);
          }
        }
      },
      2);
  g.largest = *std::max_element(g.density.begin(), g.density.end());
  return g;
}

std::vector<std::string> thumbnail(const CsrView<double, std::int64_t>& a) {
  constexpr int side = 64;
  const DensityGrid g = density_grid(a, side, side);
  std::vector<std::string> lines(static_cast<std::size_t>(g.height));
  for (int y = 0; y < g.height; ++y)
    for (int x = 0; x < g.width; ++x)
      lines[static_cast<std::size_t>(y)] +=
          "0123456789abcdef"[static_cast<std::size_t>(std::lround(15 * g.ink(y, x)))];
  return lines;
}

}  // namespace nz::lab
