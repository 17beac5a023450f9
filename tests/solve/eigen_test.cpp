#ifdef NZ_HAVE_EIGEN
#include <Eigen/Eigenvalues>
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include "solve/systems.hpp"

// The same systems solved by Eigen.
namespace nz::test {
namespace {

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;

EigenMatrix as_eigen(const Matrix& a) {
  std::vector<Eigen::Triplet<double, std::int64_t>> all;
  for (index_t i = 0; i < a.rows; ++i)
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      all.emplace_back(i, a.columns[k], a.values[k]);
  EigenMatrix m(a.rows, a.cols);
  m.setFromTriplets(all.begin(), all.end());
  return m;
}

Eigen::VectorXd as_eigen(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

TEST(Eigen, ConjugateGradientsAgreeStepByStep) {
  const Matrix a = laplace();
  const auto n = static_cast<std::size_t>(a.rows);
  const EigenMatrix m = as_eigen(a);
  const std::vector<double> b = numbers(n);
  for (const int steps : {5, 20, 100}) {
    Eigen::ConjugateGradient<EigenMatrix, Eigen::Lower | Eigen::Upper> theirs(m);  // Jacobi
    theirs.setMaxIterations(steps);
    theirs.setTolerance(1e-11);
    const Eigen::VectorXd expected = theirs.solve(as_eigen(b));
    std::vector<double> x(n, 0.0);
    const auto r = solve::cg(
        nz::plan(a.view()), b, x,
        {.tolerance = 1e-11, .max_iterations = steps, .preconditioner = solve::jacobi(a.view())});
    EXPECT_LT((as_eigen(x) - expected).norm(), 1e-9 * expected.norm()) << steps;
    EXPECT_NEAR(r.iterations, static_cast<double>(theirs.iterations()), 1);
  }
}

TEST(Eigen, UnsymmetricSystemsHaveTheSameSolution) {
  const Matrix a = wind();
  const auto n = static_cast<std::size_t>(a.rows);
  const EigenMatrix m = as_eigen(a);
  const std::vector<double> b = numbers(n);
  Eigen::BiCGSTAB<EigenMatrix> theirs(m);
  theirs.setTolerance(1e-13);
  const Eigen::VectorXd expected = theirs.solve(as_eigen(b));
  for (const auto& method : solve::methods<double>()) {
    if (method.name == "cg") continue;
    std::vector<double> x(n, 0.0);
    EXPECT_TRUE(method.solve(nz::plan(a.view()), b, x, {.tolerance = 1e-11}).ok());
    EXPECT_LT((as_eigen(x) - expected).norm(), 1e-9 * expected.norm()) << method.name;
  }
}

TEST(Eigen, LeastSquaresAgree) {
  const Matrix a = tall();
  const EigenMatrix m = as_eigen(a);
  const std::vector<double> b = numbers(static_cast<std::size_t>(a.rows));
  Eigen::LeastSquaresConjugateGradient<EigenMatrix> theirs(m);
  theirs.setTolerance(1e-14);
  const Eigen::VectorXd expected = theirs.solve(as_eigen(b));
  std::vector<double> x(static_cast<std::size_t>(a.cols), 0.0);
  EXPECT_TRUE(solve::lsqr(nz::plan(a.view()), b, x, {.tolerance = 1e-12}).ok());
  EXPECT_LT((as_eigen(x) - expected).norm(), 1e-9 * expected.norm());
}

TEST(Eigen, BlocksOfEigenpairsAgree) {
  // Symmetric and indefinite, with entries that are new every time.
  std::mt19937_64 random(std::random_device{}());
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<index_t> i, j;
  std::vector<double> v;
  const index_t n = 150;
  for (int e = 0; e < 900; ++e) {
    const auto r = static_cast<index_t>(random() % n), c = static_cast<index_t>(random() % n);
    const double w = number(random);
    i.insert(i.end(), {r, c}), j.insert(j.end(), {c, r}), v.insert(v.end(), {w, w});
  }
  const Matrix a = from_entries(n, n, i, j, v);
  const Eigen::VectorXd expected =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(Eigen::MatrixXd(as_eigen(a))).eigenvalues();
  std::vector<double> x(n * 4);
  for (const bool largest : {false, true}) {
    const auto e = solve::lobpcg(nz::plan(a.view()), column_major(x.data(), n, 4),
                                 {.tolerance = 1e-9, .largest = largest, .guard = 2});
    EXPECT_TRUE(e.ok()) << e.message;
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(e.values[static_cast<std::size_t>(k)], expected[largest ? n - 1 - k : k], 1e-10);
  }
}

}  // namespace
}  // namespace nz::test
#endif
