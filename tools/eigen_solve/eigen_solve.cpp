// eigen_solve MATRIX cg|bicgstab diagonal|ichol|ilut LIMIT: solves A x = ones with Eigen to 1e-8
// and writes what came of it as JSON. A matrix whose first diagonal entry is negative is negated.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/io.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Columns = Eigen::SparseMatrix<double>;  // of which IncompleteCholesky wants the lower half

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class Solver, class Matrix>
void solve(Matrix a, int limit) {
  if (a.coeff(0, 0) < 0) a = -a;
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows());
  Solver solver;
  solver.setTolerance(1e-8);
  solver.setMaxIterations(limit);
  auto begin = Clock::now();
  solver.compute(a);
  const double made = seconds_since(begin);
  if (solver.info() != Eigen::Success) {
    fmt::print(
        "{{\"converged\": false, \"reason\": \"no factors\", \"preconditioner_seconds\": {}}}\n",
        made);
    return;
  }
  begin = Clock::now();
  const Eigen::VectorXd x = solver.solve(b);
  const double seconds = seconds_since(begin);
  const double truth = (b - a * x).norm() / b.norm();
  fmt::print(
      "{{\"converged\": {}, \"iterations\": {}, \"seconds\": {}, "
      "\"preconditioner_seconds\": {}, \"true_residual\": {}}}\n",
      solver.info() == Eigen::Success, solver.iterations(), seconds, made,
      std::isfinite(truth) ? fmt::format("{}", truth) : "null");
}

int run(const std::string& matrix, const std::string& method, const std::string& preconditioner,
        int limit) {
  const auto m = matrix.starts_with("gen:") ? nz::generate(matrix.substr(4)).matrix
                                            : nz::read_matrix<double, std::int64_t>(matrix);
  const auto from = nz::csr_cast<double, std::int32_t>(m.view());
  const Rows a = Eigen::Map<const Rows>(from.rows, from.cols, from.nnz(), from.offsets.data(),
                                        from.columns.data(), from.values.data());
  constexpr int both = Eigen::Lower | Eigen::Upper;
  if (method == "cg" && preconditioner == "diagonal")
    solve<Eigen::ConjugateGradient<Rows, both>>(a, limit);
  else if (method == "cg" && preconditioner == "ichol")
    solve<Eigen::ConjugateGradient<Columns, both, Eigen::IncompleteCholesky<double>>>(Columns(a),
                                                                                      limit);
  else if (method == "bicgstab" && preconditioner == "diagonal")
    solve<Eigen::BiCGSTAB<Rows>>(a, limit);
  else if (method == "bicgstab" && preconditioner == "ilut")
    solve<Eigen::BiCGSTAB<Rows, Eigen::IncompleteLUT<double>>>(a, limit);
  else
    return 2;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 5) return run(argv[1], argv[2], argv[3], std::stoi(argv[4]));
    std::fputs("eigen_solve MATRIX cg|bicgstab diagonal|ichol|ilut LIMIT\n", stderr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "eigen_solve: %s\n", e.what());
  }
  return 2;
}
