#include <cstdio>
#include <vector>

#include <nonzero/nonzero.hpp>

// New values at every step, the same structure: the plan keeps its kernel and its format.
int main() {
  auto A = nz::generate("grid:points=5,nx=200,ny=200").matrix;
  auto plan = nz::plan(A.view());
  std::vector<double> x(A.cols, 1.0), y(A.rows);
  for (int step = 1; step <= 3; ++step) {
    for (double& a : A.values) a *= 1.5;
    plan.update_values(A.view());
    plan.multiply(1.0, x, 0.0, y);
    std::printf("step %d: y[0] = %g by %s\n", step, y[0], plan.kernel().id().c_str());
  }
}
