#include <cstdio>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include <nonzero/adaptors/eigen.hpp>
#include <nonzero/nonzero.hpp>

// Eigen's conjugate gradients, once with Eigen's matrix and once with a plan of it: the arrays are
// read where they are. Then our conjugate gradients on Eigen's vectors.
int main() {
  const int side = 120, n = side * side;
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 4.01);
    if (i % side > 0) entries.emplace_back(i, i - 1, -1), entries.emplace_back(i - 1, i, -1);
    if (i >= side) entries.emplace_back(i, i - side, -1), entries.emplace_back(i - side, i, -1);
  }
  Eigen::SparseMatrix<double> A(n, n);  // stores columns; one that stores rows works the same
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(n);
  constexpr int both = Eigen::Lower | Eigen::Upper;

  Eigen::ConjugateGradient<Eigen::SparseMatrix<double>, both, Eigen::IdentityPreconditioner> theirs(
      A);
  const Eigen::VectorXd x = theirs.solve(b);

  const auto plan = nz::eigen_plan(A);  // A must stay as it is
  Eigen::ConjugateGradient<nz::EigenOperator<double>, both, Eigen::IdentityPreconditioner> with(
      plan);
  const Eigen::VectorXd y = with.solve(b);
  std::printf("Eigen's matrix: %td iterations; a plan: %td, %.1e apart\n", theirs.iterations(),
              with.iterations(), (x - y).norm() / x.norm());

  Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
  const auto result = nz::solve::cg(plan.linear_operator(), nz::span_of(b), nz::span_of(z));
  std::printf("our solver: %s; |b - A x| is %.1e\n", result.message.c_str(), (b - A * z).norm());

  // Several vectors at once, and as Eigen writes it.
  const Eigen::MatrixXd X = Eigen::MatrixXd::Random(n, 4);
  Eigen::MatrixXd Y = plan * X;
  nz::multiply(plan, 2, X, -1, Y);  // Y = 2 A X - Y, which is A X again
  return result.ok() && (x - y).norm() < 1e-8 * x.norm() && (b - A * z).norm() < 2e-8 * b.norm() &&
                 (Y - A * X).norm() < 1e-12 * Y.norm()
             ? 0
             : 1;
}
