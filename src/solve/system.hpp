#pragma once
#include <functional>
#include <limits>

#include "solve/workspace.hpp"
#include "solve/preconditioner.hpp"

namespace nz::solve {

// What all solvers of A x = b begin and end with.
template <Value T>
class System {
 public:
  struct Needs {
    const char* method = "";
    int scalars = 0;
    bool square = true;
    bool transposed = false;
  };
  // Throws InvalidArgument for lengths, shapes and operators that do not fit.
  System(const LinearOperator<T>& a, std::span<const T> b, std::span<T> x,
         const Options<T>& options, const Needs& needs);

  // r = b - A x. False where nothing is left to do.
  bool begin();
  // Does the iteration until it ends, and does not believe that it has converged before b - A x was
  // computed; `start` makes what it begins with of r, again after each restart.
  void repeat(const std::function<void()>& start, const std::function<void()>& iteration);
  // What repeat() does where the method is content, for those that repeat by themselves.
  void confirm(const std::function<void()>& restart);
  // Decides by a residual that was computed, and by the one that was before it. False where the
  // method is to go on from there, with target().
  bool settles(double truth, double& before, Stop reason);
  // r = b - A x and its norm.
  void refresh();
  // The same, and the last residual is that from now on.
  double measure();
  // What the method's own residual is to come to.
  double target() const { return target_; }
  // x goes back to where it came from.
  Result end();

  // y = op(A) x.
  void multiply(Op op, const T* from, T* to) { m.multiply(a, op, from, to); }
  // z = M r; r itself where there is no preconditioner.
  const T* precondition(Op op, const T* from, T* room) {
    if (!options.preconditioner) return from;
    m.precondition(options.preconditioner, op, from, room, n);
    return room;
  }
  // The diagonal that the preconditioner multiplies by; null where it is none or another one.
  const T* diagonal() const {
    const auto* p = options.preconditioner.inside();
    return p && !p->by ? p->diagonal() : nullptr;
  }
  T* vector() { return m.vector(n); }
  T* vector_if(bool wanted) { return wanted ? m.vector(n) : nullptr; }
  // residual = sqrt(rr) / |b|
  ScalarStep norm_of_rr() const { return root(residual, rr); }
  ScalarStep relative() const { return divide(residual, residual, norm_b); }

  const LinearOperator<T>& a;
  const Options<T>& options;
  SolverWorkspace<T> m;
  std::size_t rows, n;  // n: columns, the length of x
  const T* b;
  T* x;
  T* r;
  Slot rr, residual, norm_b;
  bool preconditioned;

 private:
  std::span<T> given_x_;
  double target_;
  double truth_ = std::numeric_limits<double>::infinity();  // the last one that was computed
};

// Empty where A is symmetric as far as can be seen; else which pair differs first. A handful of
// products.
template <Value T>
std::string why_not_symmetric(SolverWorkspace<T>& m, const LinearOperator<T>& a);

}  // namespace nz::solve
