#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {

// Freund and Nachtigal's quasi-minimal residuals from coupled two-term recurrences, without
// look-ahead; the preconditioner stands on the left of the Lanczos process only, so r is the
// residual of A x = b. Vectors of the process are kept with their lengths: rho of y, xi of w.
template <RealValue T>
Result qmr(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b,
           std::span<std::type_identity_t<T>> given_x,
           const Options<std::type_identity_t<T>>& options) try {
  System<T> s(a, b, given_x, options, {.method = "QMR", .scalars = 20, .transposed = true});
  SolverWorkspace<T>& m = s.m;
  const Slot rho = m.scalar(), xi = m.scalar(), delta = m.scalar(), epsilon = m.scalar(),
             beta = m.scalar(), theta = m.scalar(), gamma = m.scalar(), eta = m.scalar(),
             to_p = m.scalar(), to_q = m.scalar(), one = m.scalar(), next_rho = m.scalar(),
             d_kept = m.scalar(), temp = m.scalar(), by_rho = m.scalar(), by_xi = m.scalar(),
             v_kept = m.scalar(), w_kept = m.scalar(), old_gamma = m.scalar(),
             old_theta = m.scalar();
  if (!s.begin()) return s.end();
  const bool pre = s.preconditioned;
  T *v = s.vector(), *w = s.vector(), *p = s.vector(), *q = s.vector(), *ap = s.vector(),
    *aq = s.vector(), *d = s.vector(), *e = s.vector(), *y_room = s.vector_if(pre),
    *z_room = s.vector_if(pre);
  const T* y = nullptr;
  const auto start = [&] {
    m.pass(s.n).copy(v, s.r).copy(w, s.r).then();
    m.pass(s.n).fill(p, 0.0).fill(q, 0.0).fill(d, 0.0).then();
    m.pass(s.n).fill(e, 0.0).then({set(one, 1), set(gamma, 1), set(eta, -1), set(theta, 0),
                                   set(epsilon, 1), set(to_p, 0), set(to_q, 0)});
    y = s.precondition(Op::none, v, y_room);
    m.pass(s.n).dot(y, y, rho).dot(w, w, xi).dot(w, y, delta).then({root(rho, rho), root(xi, xi)});
  };
  s.repeat(start, [&] {
    // delta of the vectors at length 1; p = y / rho - (xi delta / epsilon) p, q likewise.
    m.run({next(), need_nonzero(rho), need_nonzero(xi), divide(delta, delta, rho),
           divide(delta, delta, xi), need_nonzero(delta), divide(by_rho, one, rho),
           divide(by_xi, one, xi), multiply(temp, to_p, delta), multiply(to_p, temp, xi),
           negate(to_p, to_p), multiply(to_q, temp, rho), negate(to_q, to_q)});
    const T* z = s.precondition(Op::transpose, w, z_room);
    m.pass(s.n).update(p, by_rho, y, to_p).update(q, by_xi, z, to_q).then();
    s.multiply(Op::none, p, ap);
    s.multiply(Op::transpose, q, aq);
    m.pass(s.n)
        .dot(q, ap, epsilon)
        .then({need_nonzero(epsilon), divide(beta, epsilon, delta), need_nonzero(beta),
               divide(to_p, one, epsilon), divide(v_kept, beta, rho), negate(v_kept, v_kept),
               divide(w_kept, beta, xi), negate(w_kept, w_kept)});
    m.pass(s.n).update(v, 1.0, ap, v_kept).update(w, 1.0, aq, w_kept).then();
    s.precondition(Op::none, v, y_room);
    m.pass(s.n)
        .dot(y, y, next_rho)
        .dot(w, w, xi)
        .dot(w, y, delta)
        .then({root(next_rho, next_rho), root(xi, xi), copy(old_theta, theta),
               copy(old_gamma, gamma),
               // theta = next_rho / (gamma |beta|), gamma = 1 / sqrt(1 + theta theta)
               size(temp, beta), multiply(temp, temp, gamma), divide(theta, next_rho, temp),
               hypotenuse(gamma, one, theta), divide(gamma, one, gamma),
               // eta = -eta rho gamma gamma / (beta old_gamma old_gamma)
               multiply(eta, eta, rho), divide(eta, eta, beta), divide(temp, gamma, old_gamma),
               multiply(eta, eta, temp), multiply(eta, eta, temp), negate(eta, eta),
               multiply(d_kept, old_theta, gamma), multiply(d_kept, d_kept, d_kept),
               copy(rho, next_rho)});
    m.pass(s.n).update(d, eta, p, d_kept).update(s.x, 1.0, d).then();
    m.pass(s.n)
        .update(e, eta, ap, d_kept)
        .update(s.r, -1.0, e)
        .dot(s.r, s.r, s.rr)
        .then({s.norm_of_rr(), s.relative(), record(s.residual)});
  });
  return s.end();
}
NZ_OR_NO_MEMORY("qmr")

#define NZ_INSTANTIATE(T)                                                         \
  template Result qmr(const LinearOperator<T>&, std::span<const T>, std::span<T>, \
                      const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
