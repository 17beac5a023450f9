#pragma once
#include <initializer_list>

#include <nonzero/solve.hpp>

#include "solve/sweep.hpp"

// How solvers write arithmetic on scalars: divide(alpha, rho, pq) is alpha = rho / pq, done when
// the sweep before it is.
namespace nz::solve {

// A scalar that lives with the vectors.
enum class Slot : std::uint16_t {};
inline Coefficient operator-(Slot s) { return {-1, static_cast<int>(s)}; }

// A factor of a vector: a number, a scalar, or a scalar's negative.
struct Factor : Coefficient {
  Factor(double number) : Coefficient{number, -1} {}
  Factor(Slot s) : Coefficient{1, static_cast<int>(s)} {}
  Factor(Coefficient c) : Coefficient(c) {}
};

using Steps = std::initializer_list<ScalarStep>;

inline ScalarStep step(ScalarOp what, Slot out, Slot a, Slot b, double value = 0) {
  const auto number = [](Slot s) { return static_cast<std::uint16_t>(s); };
  return {.value = value, .out = number(out), .a = number(a), .b = number(b), .what = what};
}
inline ScalarStep set(Slot out, double value) { return step(ScalarOp::set, out, out, out, value); }
inline ScalarStep copy(Slot out, Slot a) { return step(ScalarOp::copy, out, a, a); }
inline ScalarStep add(Slot out, Slot a, Slot b) { return step(ScalarOp::add, out, a, b); }
inline ScalarStep subtract(Slot out, Slot a, Slot b) { return step(ScalarOp::subtract, out, a, b); }
inline ScalarStep multiply(Slot out, Slot a, Slot b) { return step(ScalarOp::multiply, out, a, b); }
inline ScalarStep divide(Slot out, Slot a, Slot b) { return step(ScalarOp::divide, out, a, b); }
inline ScalarStep ratio(Slot out, Slot a, Slot b) { return step(ScalarOp::ratio, out, a, b); }
inline ScalarStep larger(Slot out, Slot a, Slot b) { return step(ScalarOp::larger, out, a, b); }
inline ScalarStep negate(Slot out, Slot a) { return step(ScalarOp::negate, out, a, a); }
inline ScalarStep root(Slot out, Slot a) { return step(ScalarOp::root, out, a, a); }
inline ScalarStep size(Slot out, Slot a) { return step(ScalarOp::size, out, a, a); }
inline ScalarStep hypotenuse(Slot out, Slot a, Slot b) {
  return step(ScalarOp::hypotenuse, out, a, b);
}
inline ScalarStep rotate(Slot first, Slot second, Slot rotation) {
  return step(ScalarOp::rotate, first, second, rotation);
}
inline ScalarStep rotation(Slot out, Slot a, Slot b) { return step(ScalarOp::rotation, out, a, b); }
inline ScalarStep push(Slot a) { return step(ScalarOp::push, a, a, a); }
inline ScalarStep need_nonzero(Slot a, Stop reason = Stop::breakdown) {
  return step(ScalarOp::need_nonzero, a, a, a, static_cast<double>(reason));
}
inline ScalarStep need_positive(Slot a, Stop reason) {
  return step(ScalarOp::need_positive, a, a, a, static_cast<double>(reason));
}
inline ScalarStep next() { return step(ScalarOp::next, Slot{}, Slot{}, Slot{}); }
inline ScalarStep record(Slot residual) {
  return step(ScalarOp::record, residual, residual, residual);
}
inline ScalarStep below(Slot a, Slot b, Stop reason) {
  return step(ScalarOp::below, a, a, b, static_cast<double>(reason));
}

}  // namespace nz::solve
