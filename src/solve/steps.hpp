#pragma once
#include <initializer_list>

#include <nonzero/solve.hpp>

#include "kernels/sweep.hpp"

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

inline ScalarStep step(Do what, Slot out, Slot a, Slot b, double value = 0) {
  const auto number = [](Slot s) { return static_cast<std::uint16_t>(s); };
  return {.value = value, .out = number(out), .a = number(a), .b = number(b), .what = what};
}
inline ScalarStep set(Slot out, double value) { return step(Do::set, out, out, out, value); }
inline ScalarStep copy(Slot out, Slot a) { return step(Do::copy, out, a, a); }
inline ScalarStep add(Slot out, Slot a, Slot b) { return step(Do::add, out, a, b); }
inline ScalarStep subtract(Slot out, Slot a, Slot b) { return step(Do::subtract, out, a, b); }
inline ScalarStep multiply(Slot out, Slot a, Slot b) { return step(Do::multiply, out, a, b); }
inline ScalarStep divide(Slot out, Slot a, Slot b) { return step(Do::divide, out, a, b); }
inline ScalarStep ratio(Slot out, Slot a, Slot b) { return step(Do::ratio, out, a, b); }
inline ScalarStep negate(Slot out, Slot a) { return step(Do::negate, out, a, a); }
inline ScalarStep root(Slot out, Slot a) { return step(Do::root, out, a, a); }
inline ScalarStep size(Slot out, Slot a) { return step(Do::size, out, a, a); }
inline ScalarStep hypotenuse(Slot out, Slot a, Slot b) { return step(Do::hypotenuse, out, a, b); }
inline ScalarStep rotate(Slot first, Slot second, Slot rotation) {
  return step(Do::rotate, first, second, rotation);
}
inline ScalarStep rotation(Slot out, Slot a, Slot b) { return step(Do::rotation, out, a, b); }
inline ScalarStep push(Slot a) { return step(Do::push, a, a, a); }
inline ScalarStep need_nonzero(Slot a, Stop reason = Stop::breakdown) {
  return step(Do::need_nonzero, a, a, a, static_cast<double>(reason));
}
inline ScalarStep need_positive(Slot a, Stop reason) {
  return step(Do::need_positive, a, a, a, static_cast<double>(reason));
}
inline ScalarStep next() { return step(Do::next, Slot{}, Slot{}, Slot{}); }
inline ScalarStep record(Slot residual) { return step(Do::record, residual, residual, residual); }
inline ScalarStep below(Slot a, Slot b, Stop reason) {
  return step(Do::below, a, a, b, static_cast<double>(reason));
}

}  // namespace nz::solve
