#include <iostream>
#include <nonzero/nonzero.hpp>
#include <vector>

int main() {
  auto A = nz::generate("grid:points=5").matrix;
  std::vector<double> x(A.cols, 1.0), y(A.rows);
  auto plan = nz::plan(A.view(), {.op = nz::both_ops,  // N and T will be asked for
                                  .effort = nz::Effort::balanced,
                                  .memory_limit = 200'000'000,
                                  .deterministic = true});
  plan.multiply(1.0, x, 0.0, y, nz::Op::transpose);
  std::cout << plan.explain().text();  // what was thought of, and why this one
  for (double& a : A.values) a *= 2;   // other values, the same structure
  plan.update_values(A.view());
}
