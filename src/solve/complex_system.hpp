#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/solve.hpp>

#include "base/parallel.hpp"

namespace nz::solve {

// A x = b of complex numbers, its vectors in host memory, and what has come of the iterations so
// far. Sums are carried in double, by as many parts as the plan has threads: the same bits every
// time where the plan has them.
template <ComplexValue T>
class ComplexSystem {
 public:
  using R = real_of<T>;
  using Scalar = std::complex<double>;
  using Vector = Array<T>;

  // Looks at lengths and settings; throws InvalidArgument.
  ComplexSystem(const char* method, const Plan<T>& plan, std::span<const T> b, std::span<T> x,
                const Options<T>& options);

  std::size_t size() const { return b.size(); }
  Vector vector() const { return Vector(size(), T(0)); }
  void multiply(const Vector& from, Vector& to, Op op = Op::none) const;
  // conj(u) v, summed up, and the norm.
  Scalar dot(const Vector& u, const Vector& v) const;
  double norm(const Vector& v) const;
  // y = a x + b y.
  void update(Vector& y, Scalar a, const Vector& x, Scalar b = 1) const;

  // The first residual, into r. False where that decides.
  bool begin();
  // Ends an iteration with a residual of that norm, as the method carries it; false where that
  // decides. The last one of a cycle is told by again().
  bool record(double residual_norm, bool ends_cycle = false);
  // After a record() that was false, when x is complete: computes r = b - A x where the method
  // takes itself to have converged, for rounding parts that from what it carries. True where it is
  // to begin again from r: x is not right yet, and another try may make it so.
  bool confirm();
  // After a cycle of GMRES that has decided nothing, when x is complete: r = b - A x. False where
  // that decides; `began` was its norm when the cycle began.
  bool again(double began);
  void stop(Stop reason) { decided_ = reason; }
  bool converged() const { return decided_ == Stop::converged; }
  // Hands x back, and tells.
  Result end(std::string message = {});

  const Options<T>& options;
  Vector b, x, r;

 private:
  template <class Body>
  void ranges(Body&& body) const {
    parallel_ranges(static_cast<std::int64_t>(size()), body, 1 << 14);
  }

  bool tell() const;

  const Plan<T>& plan_;
  std::span<T> given_x_;
  double norm_b_ = 0, target_ = 0;
  double truth_ = std::numeric_limits<double>::infinity();  // the last one that was computed
  int iterations_ = 0;
  std::vector<double> history_;
  Stop decided_ = Stop::iteration_limit;
  double began_ = 0;
};

}  // namespace nz::solve
