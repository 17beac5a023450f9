#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nonzero/dense.hpp>
#include <nonzero/export.hpp>
#include <nonzero/linear_operator.hpp>
#include <nonzero/plan.hpp>

// Iterative solvers on plans and other linear operators. They run where the plan runs: on a GPU the
// whole iteration stays there, and the host looks at it every `check_every` iterations. The same
// bits every time where the plan's kernel gives the same bits.
namespace NZ_API nz {
namespace solve {

// Why a solver ended. Only the first two mean that x is what was asked for: a method carries its
// residual along, rounding parts that from b - A x, and so b - A x is computed before x is called
// right.
enum class Stop : char {
  converged = 1,
  least_squares,  // LSQR: no x solves the system, this one comes nearest
  iteration_limit,
  stopped,         // by the callback
  breakdown,       // a division by zero within the method: try another one
  diverged,        // the residual has grown 1e10 times
  not_a_number,    // in A, b, x, or by overflow
  not_symmetric,   // CG and Lanczos; the message has the first pair that differs
  not_definite,    // CG met a direction p with p A p <= 0
  not_stochastic,  // a row of a Markov chain does not add up to 1
  stagnated        // b - A x falls no further, though the method's own residual does: rounding
};
std::string_view name(Stop s);  // "not symmetric"

struct Result {
  Stop reason = Stop::iteration_limit;
  int iterations = 0;
  // The last one of the history. Of systems A x = b that ended as converged, converged to least
  // squares or stagnated it is computed from x, otherwise it is the one that the method carries.
  double residual = 0;
  std::vector<double> history;  // one an iteration, the initial one first
  std::string message;          // for people, one line
  double seconds = 0;           // of the iterations alone
  bool replayed = false;        // most of them as a CUDA graph

  bool ok() const { return reason == Stop::converged || reason == Stop::least_squares; }
};

// Told of every iteration, in order, when the solver looks; false ends it.
using Callback = std::function<bool(int iteration, double residual)>;

// An approximate inverse of A, on the device of the plan it is used with. Copies share it.
template <Value T>
class Preconditioner {
 public:
  Preconditioner() = default;  // none
  explicit operator bool() const { return inside_ != nullptr; }
  struct Inside;
  explicit Preconditioner(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  const Inside* inside() const { return inside_.get(); }

 private:
  std::shared_ptr<const Inside> inside_;
};

// The inverse of the diagonal. The matrix lies in host memory. Throws BadInput, with the row, where
// the diagonal has a zero.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> jacobi(const CsrView<T, O>& a, Device device = cpu_device);
// The inverses of square blocks along the diagonal, the last one smaller where `block` does not
// divide the size. Throws BadInput, with the rows, where a block is singular.
template <RealValue T, Offset O>
NZ_API Preconditioner<T> block_jacobi(const CsrView<T, O>& a, int block,
                                      Device device = cpu_device);

template <Value T>
struct Options {
  // Of |b - A x| / |b|, that of x itself. In float rounding x leaves more than 1e-8 mostly.
  double tolerance = std::same_as<T, float> || std::same_as<T, std::complex<float>> ? 1e-5 : 1e-8;
  int max_iterations = 1000;
  Preconditioner<T> preconditioner{};
  Callback callback{};
  int check_every = 0;         // iterations between two looks; 0: 1 on the CPU, 25 on a GPU
  int restart = 30;            // of GMRES: vectors that it keeps
  bool check_symmetry = true;  // CG: two products more
  StreamView stream{};         // work on it is waited for before the solver begins
};

// Each solves A x = b from the x that it is given, A being a plan or a linear operator. b and x lie
// in host memory or in that of A's device. They throw InvalidArgument for wrong lengths, a matrix
// that is not square, or one without the transposed product; what happens on the way is in the
// result. What an operator throws ends them.
#define NZ_SOLVER(method)                                                                      \
  template <RealValue T>                                                                       \
  NZ_API Result method(const Plan<T>& plan, std::span<const std::type_identity_t<T>> b,        \
                       std::span<std::type_identity_t<T>> x,                                   \
                       const Options<std::type_identity_t<T>>& options = {});                  \
  template <RealValue T>                                                                       \
  NZ_API Result method(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b, \
                       std::span<std::type_identity_t<T>> x,                                   \
                       const Options<std::type_identity_t<T>>& options = {});
NZ_SOLVER(cg)        // symmetric positive definite
NZ_SOLVER(bicg)      // any square; multiplies by A and its transpose
NZ_SOLVER(bicgstab)  // any square; two products by A
NZ_SOLVER(qmr)       // any square; A and its transpose, smoother than BiCG
NZ_SOLVER(gmres)     // any square; the residual never grows, memory for `restart` vectors
NZ_SOLVER(lsqr)      // any shape; least squares by A and its transpose; no preconditioner
#undef NZ_SOLVER

// Of complex systems, on plans, without a preconditioner (InvalidArgument). The vectors of the
// iteration lie in host memory: a plan on a GPU has x and y copied there and back, which is slow.
#define NZ_COMPLEX_SOLVER(method)                                                       \
  template <ComplexValue T>                                                             \
  NZ_API Result method(const Plan<T>& plan, std::span<const std::type_identity_t<T>> b, \
                       std::span<std::type_identity_t<T>> x,                            \
                       const Options<std::type_identity_t<T>>& options = {});
NZ_COMPLEX_SOLVER(cg)        // Hermitian positive definite
NZ_COMPLEX_SOLVER(bicgstab)  // any square
NZ_COMPLEX_SOLVER(gmres)     // any square
#undef NZ_COMPLEX_SOLVER

template <RealValue T>
struct Method {
  std::string_view name;
  std::string_view summary;
  bool transposes = false;  // needs the transposed product
  Result (*solve)(const Plan<T>&, std::span<const T>, std::span<T>, const Options<T>&) = nullptr;
  Result (*solve_operator)(const LinearOperator<T>&, std::span<const T>, std::span<T>,
                           const Options<T>&) = nullptr;
};
// All of the above.
template <RealValue T>
NZ_API std::span<const Method<T>> methods();

// |b - A x| / |b|, each element of b - A x as exact as a double can be. In host memory.
template <RealValue T, Offset O>
NZ_API double true_residual(const CsrView<T, O>& a, std::span<const std::type_identity_t<T>> b,
                            std::span<const std::type_identity_t<T>> x);
template <ComplexValue T, Offset O>
NZ_API double true_residual(const CsrView<T, O>& a, std::span<const std::type_identity_t<T>> b,
                            std::span<const std::type_identity_t<T>> x);

// What the iterations below share.
struct PowerOptions {
  double tolerance = 1e-10;  // of what the sum of |x| changes by, once x adds up to 1
  int max_iterations = 1000;
  Callback callback{};
  int check_every = 0;
  bool transposed = false;  // the plan is of the transpose: faster where that can be had
  StreamView stream{};
  bool from_x = false;  // begins with the x that is given, all of it at least 0, not all 0
};

// The stationary distribution x = x P of a Markov chain by power iteration; `laziness` is the
// probability of staying where one is, above 0 for chains with a period. x is made, and read only
// with `from_x`.
struct StationaryOptions : PowerOptions {
  double laziness = 0;
};
template <RealValue T>
NZ_API Result stationary(const Plan<T>& chain, std::span<std::type_identity_t<T>> x,
                         const StationaryOptions& options = {});
template <RealValue T>
NZ_API Result stationary(const LinearOperator<T>& chain, std::span<std::type_identity_t<T>> x,
                         const StationaryOptions& options = {});

// PageRank of a graph with an edge, or a weight >= 0, from row to column. Whoever has no edge goes
// on as if started anew.
template <RealValue T>
struct PageRankOptions : PowerOptions {
  double damping = 0.85;
  // Where a walk starts anew, any positive sum, in host memory; empty: anywhere alike.
  std::span<const T> personalisation{};
};
template <RealValue T>
NZ_API Result pagerank(const Plan<T>& graph, std::span<std::type_identity_t<T>> x,
                       const PageRankOptions<std::type_identity_t<T>>& options = {});
template <RealValue T>
NZ_API Result pagerank(const LinearOperator<T>& graph, std::span<std::type_identity_t<T>> x,
                       const PageRankOptions<std::type_identity_t<T>>& options = {});

// PageRank with several personalisations at once, a column of P and of x each: all are multiplied
// together, so the graph is read once for many. The residual is the largest of the columns', and
// all go on until it is within the tolerance. P lies in host memory, x there or, column by column,
// on the graph's device; `personalisation` of the options stays empty.
template <RealValue T>
NZ_API Result pagerank(const Plan<T>& graph, DenseView<const std::type_identity_t<T>> p,
                       DenseView<std::type_identity_t<T>> x,
                       const PageRankOptions<std::type_identity_t<T>>& options = {});
template <RealValue T>
NZ_API Result pagerank(const LinearOperator<T>& graph, DenseView<const std::type_identity_t<T>> p,
                       DenseView<std::type_identity_t<T>> x,
                       const PageRankOptions<std::type_identity_t<T>>& options = {});

// The largest eigenvalue of a symmetric matrix, by Lanczos from a fixed start. The residual is the
// bound |A v - value v| / |value|.
struct Eigenvalue : Result {
  double value = 0;
};
template <RealValue T>
NZ_API Eigenvalue largest_eigenvalue(const Plan<T>& plan,
                                     const Options<std::type_identity_t<T>>& options = {});
template <RealValue T>
NZ_API Eigenvalue largest_eigenvalue(const LinearOperator<T>& a,
                                     const Options<std::type_identity_t<T>>& options = {});

// Several eigenpairs of a symmetric matrix at once, by LOBPCG: blocks of vectors that are
// multiplied together, one product of several vectors an iteration.
template <RealValue T>
struct EigenOptions {
  double tolerance = 1e-8;  // of |A v - value v| / |A|, |A| as a few products show it
  int max_iterations = 1000;
  Preconditioner<T> preconditioner{};  // symmetric and positive definite, near the inverse of A
  Callback callback{};                 // is told the largest of the residuals
  bool largest = false;                // the largest eigenvalues, not the smallest
  // Vectors of the block beyond those asked for: where the last eigenvalues have close neighbours,
  // they converge in fewer iterations, each of which takes longer.
  int guard = 0;
  bool from_x = false;         // begins with the x that is given, not with a fixed one
  bool check_symmetry = true;  // two products more, where there is a transposed one
  StreamView stream{};
};
struct Eigenpairs : Result {
  std::vector<double> values;     // rising; with `largest` falling
  std::vector<double> residuals;  // one for each
};
// x is n x k, 1 <= k <= n, and gets k eigenvectors of length 1, at right angles to each other. The
// work on blocks is the CPU's, and x lies in host memory: on a GPU a product copies its block there
// and back. Throws InvalidArgument as the solvers above do.
template <RealValue T>
NZ_API Eigenpairs lobpcg(const Plan<T>& plan, DenseView<std::type_identity_t<T>> x,
                         const EigenOptions<std::type_identity_t<T>>& options = {});
template <RealValue T>
NZ_API Eigenpairs lobpcg(const LinearOperator<T>& a, DenseView<std::type_identity_t<T>> x,
                         const EigenOptions<std::type_identity_t<T>>& options = {});

}  // namespace solve
}  // namespace nz
