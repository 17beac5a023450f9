#include <algorithm>
#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// A plate of 100 x 100 points, hot in the middle and held at 0 around its rim, cools down. Every
// step of implicit Euler solves (1 + s L) u_next = u, L being the 5-point Laplacian: symmetric and
// positive definite, so conjugate gradients. `heat cuda:0` runs on a GPU.
int main(int count, char** arguments) {
  const int side = 100, steps = 20;
  const double s = 10;  // time step / spacing squared
  auto A = nz::generate("grid:points=5,nx=100,ny=100").matrix;
  for (nz::index_t i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      A.values[k] = s * A.values[k] + (A.columns[k] == i ? 1 : 0);

  const nz::Device device = nz::device_named(count > 1 ? arguments[1] : "cpu");
  const auto plan = nz::plan(A.view(), {.device = device});
  const nz::solve::Options<double> options{.tolerance = 1e-8,
                                           .preconditioner = nz::solve::jacobi(A.view(), device)};

  std::vector<double> u(A.rows, 0.0);
  for (int y = 40; y < 60; ++y) std::fill_n(u.begin() + y * side + 40, 20, 100.0);
  for (int step = 1; step <= steps; ++step) {
    std::vector<double> next = u;  // a good guess to begin with
    const auto result = nz::solve::cg(plan, u, next, options);
    if (!result.ok()) return std::fprintf(stderr, "%s\n", result.message.c_str()), 1;
    u = next;
    if (step % 5 == 0)
      std::printf("step %2d: %5.2f in the middle, %zu iterations\n", step, u[side * 50 + 50],
                  result.history.size() - 1);
  }
}
