#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// The 5-point Laplacian of a grid without a matrix: the solver asks for products alone. Then
// operators made of a plan, whose matrices are never formed.
int main() {
  const int nx = 60, ny = 50, n = nx * ny;
  const auto laplacian = [=](std::span<const double> x, std::span<double> y) {
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int at = j * nx + i;
        y[at] = 4 * x[at] - (i > 0 ? x[at - 1] : 0) - (i + 1 < nx ? x[at + 1] : 0) -
                (j > 0 ? x[at - nx] : 0) - (j + 1 < ny ? x[at + nx] : 0);
      }
  };
  const auto free = nz::matrix_free<double>({.rows = n, .cols = n, .name = "Laplacian"}, laplacian);
  const auto A = nz::plan(nz::generate("grid:points=5,nx=60,ny=50").matrix);  // the same, stored
  const auto I = nz::identity<double>(n);

  const std::vector<double> b(n, 1.0), c(2 * n, 1.0);
  std::vector<double> x(n), y(n), z(n), w(n), v(2 * n);  // zeros to begin with
  const auto pair = nz::blocks<double>({{A, I}, {nz::scaled(-1, I), A}});
  const nz::solve::Result results[] = {
      nz::solve::cg(free, b, x),
      nz::solve::cg(A, b, y),
      nz::solve::cg(nz::shifted(A, -0.5), b, z),            // A + I / 2
      nz::solve::cg(nz::shifted(nz::normal(A), -1), b, w),  // transpose of A times A, + I
      nz::solve::gmres(pair, c, v),                         // two by two blocks
  };
  bool all = true;
  for (const auto& result : results) {
    std::puts(result.message.c_str());
    all &= result.ok();
  }
  return all ? 0 : 1;
}
