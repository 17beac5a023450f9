#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// What dense_view_of() asks of a view; std::mdspan has it, and so may a class of your own.
template <class T>
struct View {
  T* data;
  std::size_t extents[2], strides[2];
  static constexpr std::size_t rank() { return 2; }
  T* data_handle() const { return data; }
  std::size_t extent(std::size_t d) const { return extents[d]; }
  std::size_t stride(std::size_t d) const { return strides[d]; }
};

// Points on a circle, each of which moves to the middle of its neighbours. Coordinates are read
// where the program has them, x, y, z and a mass point by point, and written one after the other.
int main() {
  const int n = 1000;
  std::vector<nz::index_t> row, column;
  for (int i = 0; i < n; ++i)
    for (const int neighbour : {(i + n - 1) % n, (i + 1) % n}) {
      row.push_back(i);
      column.push_back(neighbour);
    }
  const std::vector<double> halves(row.size(), 0.5);
  const auto A = nz::csr_from_triplets<double, int>(n, n, row, column, halves);
  const auto plan = nz::plan(A.view(), {.vectors = 3});

  const double step = 2 * 3.141592653589793 / n;
  std::vector<double> points, moved(3 * n);
  for (int i = 0; i < n; ++i)
    points.insert(points.end(), {std::cos(i * step), std::sin(i * step), 1.0 * (i % 2), 70.0});
  const View<const double> from{points.data(), {n, 3}, {4, 1}};  // the masses are left out
  const View<double> to{moved.data(), {n, 3}, {1, n}};
  plan.multiply(1.0, nz::dense_view_of(from), 0.0, nz::dense_view_of(to));

  double worst = 0;  // the circle has shrunk by cos(step), and z has changed sides
  for (int i = 0; i < n; ++i)
    worst = std::max({worst, std::abs(moved[i] - std::cos(step) * points[4 * i]),
                      std::abs(moved[n + i] - std::cos(step) * points[4 * i + 1]),
                      std::abs(moved[2 * n + i] - (1 - points[4 * i + 2]))});
  std::printf("the first point is at %.6f %.6f %g now, off by at most %.1e\n", moved[0], moved[n],
              moved[2 * n], worst);
  return worst < 1e-12 ? 0 : 1;
}
