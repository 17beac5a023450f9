#pragma once
#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define NZ_ANYWHERE __host__ __device__ inline
#else
#define NZ_ANYWHERE inline
#endif

// Arithmetic on the scalars of a solver as data, so that whoever completes a sum, a host thread or
// the last block of a kernel, can go on with it: no host needs to look at a scalar in between.
namespace nz {

enum class ScalarOp : std::uint8_t {
  set,            // out = value
  copy,           // out = a
  add,            // out = a + b
  subtract,       // out = a - b
  multiply,       // out = a b
  divide,         // out = a / b
  ratio,          // the same, 0 where b is 0
  larger,         // out = the larger one of a and b, NaN where one is
  negate,         // out = -a
  root,           // out = sqrt(a), 0 below 0
  size,           // out = |a|
  hypotenuse,     // out = sqrt(a a + b b)
  rotate,         // (out, a) = (c out + s a, c a - s out) with c, s at b, b + 1
  rotation,       // the c, s at out, out + 1 that turn (a, b) into (hypotenuse, 0)
  push,           // to the log
  need_nonzero,   // stops for reason `value` where a is 0, NaN or infinite
  need_positive,  // the same where a is not above 0
  next,           // begins an iteration: stops where the last one decided so
  record,         // ends one with the residual a: counts and logs it, decides whether to stop
  below,          // decides to stop, for reason `value`, where a <= b and nothing
                  // but the number of iterations has decided
};

struct ScalarStep {
  double value = 0;
  std::uint16_t out = 0, a = 0, b = 0;
  ScalarOp what = ScalarOp::set;
};

// Scalars that every solver has. Reasons are numbers of solve::Stop; 0: none.
enum FixedScalar : std::uint16_t {
  scalar_stopped,  // the reason, from the next sweep on; nothing changes any more
  scalar_decided,  // the reason, once the iteration is complete
  scalar_iteration,
  scalar_most_iterations,
  scalar_target,  // of the residual
  scalar_limit,   // diverged above it
  scalar_logged,  // numbers in the log
  scalar_reason_nan,
  scalar_reason_converged,
  scalar_reason_diverged,
  scalar_reason_iterations,
  fixed_scalars
};

// Runs them one after the other, until one stops the solver. `s` is indexed by slots. No log: what
// is pushed is counted only.
template <class Scalars>
NZ_ANYWHERE void run_steps(const ScalarStep* steps, int n, Scalars&& s, double* log) {
  const auto at = [&](int i) -> double { return s[i]; };
  const auto push = [&](double v) {
    const double logged = at(scalar_logged);
    if (log) log[static_cast<std::int64_t>(logged)] = v;
    s[scalar_logged] = logged + 1;
  };
  for (int i = 0; i < n; ++i) {
    const ScalarStep& p = steps[i];
    const double a = at(p.a), b = at(p.b);
    const bool finite = a - a == 0;
    switch (p.what) {
      case ScalarOp::set:
        s[p.out] = p.value;
        break;
      case ScalarOp::copy:
        s[p.out] = a;
        break;
      case ScalarOp::add:
        s[p.out] = a + b;
        break;
      case ScalarOp::subtract:
        s[p.out] = a - b;
        break;
      case ScalarOp::multiply:
        s[p.out] = a * b;
        break;
      case ScalarOp::divide:
        s[p.out] = a / b;
        break;
      case ScalarOp::ratio:
        s[p.out] = b == 0 ? 0.0 : a / b;
        break;
      case ScalarOp::larger:
        s[p.out] = a > b || a != a ? a : b;
        break;
      case ScalarOp::negate:
        s[p.out] = -a;
        break;
      case ScalarOp::root:
        s[p.out] = a < 0 ? 0.0 : sqrt(a);
        break;
      case ScalarOp::size:
        s[p.out] = fabs(a);
        break;
      case ScalarOp::hypotenuse:
        s[p.out] = sqrt(a * a + b * b);
        break;
      case ScalarOp::rotate: {
        const double c = b, sine = at(p.b + 1), first = at(p.out);
        s[p.out] = c * first + sine * a;
        s[p.a] = c * a - sine * first;
        break;
      }
      case ScalarOp::rotation: {
        const double h = sqrt(a * a + b * b);
        s[p.out] = h == 0 ? 1.0 : a / h;
        s[p.out + 1] = h == 0 ? 0.0 : b / h;
        break;
      }
      case ScalarOp::push:
        push(a);
        break;
      case ScalarOp::need_nonzero:
      case ScalarOp::need_positive:
        if (finite && (p.what == ScalarOp::need_nonzero ? a != 0 : a > 0)) break;
        s[scalar_decided] = finite ? p.value : at(scalar_reason_nan);
        s[scalar_stopped] = finite ? p.value : at(scalar_reason_nan);
        return;
      case ScalarOp::next:
        if (at(scalar_decided) == 0) break;
        s[scalar_stopped] = at(scalar_decided);
        return;
      case ScalarOp::record: {
        const double done = at(scalar_iteration) + 1;
        s[scalar_iteration] = done;
        push(a);
        if (a != a)
          s[scalar_decided] = at(scalar_reason_nan);
        else if (a <= at(scalar_target))
          s[scalar_decided] = at(scalar_reason_converged);
        else if (!(a <= at(scalar_limit)))
          s[scalar_decided] = at(scalar_reason_diverged);
        else if (done >= at(scalar_most_iterations))
          s[scalar_decided] = at(scalar_reason_iterations);
        break;
      }
      case ScalarOp::below:
        if (a <= b &&
            (at(scalar_decided) == 0 || at(scalar_decided) == at(scalar_reason_iterations)))
          s[scalar_decided] = p.value;
        break;
    }
  }
}

}  // namespace nz
