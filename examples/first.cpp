#include <nonzero/nonzero.hpp>
#include <vector>

int main() {
  auto A = nz::generate("grid:points=5").matrix;  // or nz::read_matrix<double, int>("a.mtx")
  std::vector<double> x(A.cols, 1.0), y(A.rows);
  const auto plan = nz::plan(std::move(A));          // prepare once
  plan.multiply(2.0, x, 0.0, y);                     // y = 2 A x
  plan.multiply(1.0, x, 1.0, y, nz::Op::transpose);  // y += Aᵀ x
}
