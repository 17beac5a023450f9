#include <limits>

#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {

// Paige and Saunders'. u and v are kept with their lengths beta and alpha, which go into the next
// factors instead. The residual is |b - A x| / |b|; where no x makes that small, it ends when
// |A^T r| / (|A| |r|) is. That, too, is computed before x is called right: one transposed product
// more, which a restart begins with.
template <RealValue T>
Result lsqr(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b,
            std::span<std::type_identity_t<T>> given_x,
            const Options<std::type_identity_t<T>>& options) try {
  System<T> s(a, b, given_x, options,
              {.method = "LSQR", .scalars = 19, .square = false, .transposed = true});
  SolverWorkspace<T>& m = s.m;
  const Slot alpha = m.scalar(), beta = m.scalar(), to_u = m.scalar(), to_v = m.scalar(),
             keep_u = m.scalar(), keep_v = m.scalar(), rho_bar = m.scalar(), phi_bar = m.scalar(),
             rho = m.scalar(), turn = m.scalar(), sine = m.scalar(), phi = m.scalar(),
             to_w = m.scalar(), one = m.scalar(), norm_a = m.scalar(), temp = m.scalar(),
             gradient = m.scalar(), tolerance = m.scalar(), to_x = m.scalar();
  if (!s.begin()) return s.end();
  T *u = m.vector(s.rows), *v = s.vector(), *w = s.vector(), *av = m.vector(s.rows),
    *atu = s.vector();
  // Returns |A^T r| / |r|.
  const auto start = [&] {
    m.pass(s.rows)
        .copy(u, s.r)
        .dot(u, u, beta)
        .then({root(beta, beta), set(one, 1), ratio(to_u, one, beta)});
    s.multiply(Op::transpose, u, atu);
    m.pass(s.n)
        .update(v, to_u, atu, 0.0)
        .dot(v, v, alpha)
        .then({root(alpha, alpha), ratio(to_v, one, alpha), copy(rho_bar, alpha),
               copy(phi_bar, beta), set(norm_a, 0), set(tolerance, s.target())});
    m.pass(s.n).update(w, to_v, v, 0.0).then();
    const double steepness = m.read(alpha);
    // r may lie where nothing in the range of A comes near: A^T r = 0.
    if (steepness == 0) m.decide(Stop::least_squares);
    return steepness;
  };
  double gradient_before = std::numeric_limits<double>::infinity();
  const auto confirm = [&] {
    if (m.decided() != Stop::least_squares) return s.confirm([&] { start(); });
    const double size_of_a = m.read(norm_a);
    m.reopen();
    const double truth = s.measure();
    if (truth <= options.tolerance) return m.decide(Stop::converged);
    if (const double steepness = start(); steepness > 0)
      if (!s.settles(steepness / size_of_a, gradient_before, Stop::least_squares))
        m.write(tolerance, s.target());
  };
  start();
  const auto iteration = [&] {
    s.multiply(Op::none, v, av);
    // u = A v / |v| - |v| u / |u|
    m.run({next(), ratio(to_v, one, alpha), ratio(keep_u, alpha, beta), negate(keep_u, keep_u),
           hypotenuse(norm_a, norm_a, alpha)});
    m.pass(s.rows)
        .update(u, to_v, av, keep_u)
        .dot(u, u, beta)
        .then({root(beta, beta), ratio(to_u, one, beta), ratio(keep_v, beta, alpha),
               negate(keep_v, keep_v), hypotenuse(norm_a, norm_a, beta)});
    s.multiply(Op::transpose, u, atu);
    m.pass(s.n)
        .update(v, to_u, atu, keep_v)
        .dot(v, v, alpha)
        .then({root(alpha, alpha), ratio(to_v, one, alpha), rotation(turn, rho_bar, beta),
               hypotenuse(rho, rho_bar, beta), need_nonzero(rho), multiply(phi, turn, phi_bar),
               divide(to_x, phi, rho), multiply(temp, sine, alpha), divide(to_w, temp, rho),
               negate(to_w, to_w), multiply(rho_bar, turn, alpha), negate(rho_bar, rho_bar),
               multiply(phi_bar, sine, phi_bar), copy(s.residual, phi_bar), s.relative(),
               record(s.residual),
               // |A^T r| = phi_bar alpha |turn|
               multiply(gradient, alpha, turn), size(gradient, gradient),
               divide(gradient, gradient, norm_a),
               below(gradient, tolerance, Stop::least_squares)});
    m.pass(s.n).update(s.x, to_x, w).update(w, to_v, v, to_w).then();
  };
  m.repeat(iteration, {}, confirm);
  return s.end();
}
NZ_OR_NO_MEMORY("lsqr")

#define NZ_INSTANTIATE(T)                                                          \
  template Result lsqr(const LinearOperator<T>&, std::span<const T>, std::span<T>, \
                       const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
