#include <cmath>
#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// The 5-point Laplacian of a grid, without a matrix: the solver asks for products alone. Then
// matrices that are never formed: one shifted, and one of two blocks by two.
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
  const std::vector<double> b(n, 1.0);
  std::vector<double> x(n, 0.0), y(n, 0.0);
  const auto first = nz::solve::cg(free, b, x);
  std::printf("without a matrix: %s\n", first.message.c_str());

  const auto plan = nz::plan(nz::generate("grid:points=5,nx=60,ny=50").matrix);
  const auto second = nz::solve::cg(plan, b, y);
  double apart = 0;
  for (int i = 0; i < n; ++i) apart = std::fmax(apart, std::fabs(x[i] - y[i]));
  std::printf("with a plan:      %s, %.1e apart\n", second.message.c_str(), apart);

  const auto shifted = nz::shifted(plan, -0.5);  // A + 0.5 I
  const auto third = nz::solve::cg(shifted, b, x);
  std::printf("shifted:          %s\n", third.message.c_str());

  const auto I = nz::identity<double>(n);
  const auto pair = nz::blocks<double>({{plan, I}, {nz::scaled(-1, I), plan}});  // A + i I
  std::vector<double> c(2 * n, 1.0), z(2 * n, 0.0);
  const auto fourth = nz::solve::gmres(pair, c, z);
  std::printf("two by two:       %s\n", fourth.message.c_str());
  return first.ok() && second.ok() && third.ok() && fourth.ok() && apart < 1e-4 ? 0 : 1;
}
