#include "solve/system.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "solve/operator_inside.hpp"

namespace nz::solve {
namespace {

template <Value T>
const LinearOperator<T>& checked(const LinearOperator<T>& a, std::span<const T> b, std::span<T> x,
                                 const Options<T>& options,
                                 const typename System<T>::Needs& needs) {
  const auto rows = static_cast<std::size_t>(a.rows()), cols = static_cast<std::size_t>(a.cols());
  if (needs.square && rows != cols)
    throw InvalidArgument(
        fmt::format("{} needs a square matrix, this one is {} x {}", needs.method, rows, cols));
  if (!a.supports(Op::none))
    throw InvalidArgument(fmt::format("{} multiplies by {}, which has the transposed product alone",
                                      needs.method, a.name()));
  if (needs.transposed && !a.supports(Op::transpose))
    throw InvalidArgument(
        fmt::format("{} multiplies by the transpose, which {} cannot do", needs.method, a.name()));
  if (b.size() != rows)
    throw InvalidArgument(fmt::format("b has {} elements, needs {}", b.size(), rows));
  if (x.size() != cols)
    throw InvalidArgument(fmt::format("x has {} elements, needs {}", x.size(), cols));
  if (const auto* p = options.preconditioner.inside()) {
    if (!needs.square)
      throw InvalidArgument(fmt::format("{} takes no preconditioner", needs.method));
    if (static_cast<std::size_t>(p->rows) != rows)
      throw InvalidArgument(
          fmt::format("the preconditioner is of {} rows, the matrix of {}", p->rows, rows));
    if (needs.transposed && p->by && !p->by.supports(Op::transpose))
      throw InvalidArgument(
          fmt::format("{} multiplies by the transpose of the preconditioner, which {} cannot do",
                      needs.method, p->by.name()));
    if (p->device != a.device())
      throw InvalidArgument(
          fmt::format("the preconditioner is on {}, the {} on {}", p->device.name(),
                      a.inside()->is_plan() ? "plan" : "operator", a.device().name()));
  }
  return a;
}

template <Value T>
bool captures(const Preconditioner<T>& m) {
  const auto* p = m.inside();
  return !p || !p->by || p->by.captures();
}

}  // namespace

template <Value T>
System<T>::System(const LinearOperator<T>& by, std::span<const T> given_b, std::span<T> given_x,
                  const Options<T>& o, const Needs& needs)
    : a(checked(by, given_b, given_x, o, needs)),
      options(o),
      m(by.device(), by.threads(),
        {.tolerance = o.tolerance,
         .max_iterations = o.max_iterations,
         .check_every = o.check_every,
         .callback = &o.callback,
         .stream = o.stream,
         .scalars = needs.scalars + 3,
         .captures = by.captures() && captures(o.preconditioner)}),
      rows(given_b.size()),
      n(given_x.size()),
      b(m.take(given_b)),
      x(m.take_to_change(given_x)),
      r(m.vector(rows)),
      rr(m.scalar()),
      residual(m.scalar()),
      norm_b(m.scalar()),
      preconditioned(static_cast<bool>(o.preconditioner)),
      given_x_(given_x),
      target_(o.tolerance) {}

template <Value T>
bool System<T>::begin() {
  multiply(Op::none, x, r);
  m.pass(rows)
      .update(r, 1.0, b, -1.0)
      .dot(r, r, rr)
      .dot(b, b, norm_b)
      .then({root(norm_b, norm_b), norm_of_rr(), relative()});
  if (m.read(norm_b) == 0) {  // whatever A is, 0 solves it
    m.pass(n).fill(x, 0.0).then({set(residual, 0)});
  }
  return m.start(residual);
}

template <Value T>
void System<T>::repeat(const std::function<void()>& start, const std::function<void()>& iteration) {
  start();
  m.repeat(iteration, {}, [&] { confirm(start); });
}

// A method subtracts from r what it takes A times the change of x to be. Rounding makes the two
// differ a little in each iteration, and what was lost when r was large stays when r is small: r
// may vanish while b - A x does not. So the end costs a product more, and x is right by that alone.
template <Value T>
void System<T>::confirm(const std::function<void()>& restart) {
  m.reopen();
  if (!settles(measure(), truth_, Stop::converged)) restart();
}

// No allowance for rounding is made: what x is called to be within the tolerance was computed to be
// so. A restart finds directions of its own in b - A x, and its r is right again at first. Where a
// restart has not even halved b - A x, rounding x itself is what is left of it.
template <Value T>
bool System<T>::settles(double truth, double& before, Stop reason) {
  const double last = std::exchange(before, truth);
  if (truth <= options.tolerance)
    m.decide(reason);
  else if (!std::isfinite(truth))
    m.decide(Stop::not_a_number);
  else if (!(truth <= last / 2))
    m.decide(Stop::stagnated);
  else if (m.iterations() >= options.max_iterations)
    m.decide(Stop::iteration_limit);
  else {
    // A little lower than before, so that the next difference has room below the tolerance.
    target_ = options.tolerance / 2;
    m.aim(target_);
    return false;
  }
  return true;
}

template <Value T>
void System<T>::refresh() {
  multiply(Op::none, x, r);
  m.pass(rows).update(r, 1.0, b, -1.0).dot(r, r, rr).then({norm_of_rr(), relative()});
}

template <Value T>
double System<T>::measure() {
  refresh();
  const double truth = m.read(residual);
  m.correct(truth);
  return truth;
}

template <Value T>
Result System<T>::end() {
  m.give(given_x_, x);
  return m.result();
}

#define NZ_INSTANTIATE(T) template class System<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
