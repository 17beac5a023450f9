#pragma once
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
};

// Empty where A is symmetric as far as can be seen; else which pair differs first. A handful of
// products.
template <Value T>
std::string why_not_symmetric(SolverWorkspace<T>& m, const LinearOperator<T>& a);

}  // namespace nz::solve
