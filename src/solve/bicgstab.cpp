#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {

// Van der Vorst's, preconditioned from the right, so that r is the residual of A x = b.
template <RealValue T>
Result bicgstab(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b,
                std::span<std::type_identity_t<T>> given_x,
                const Options<std::type_identity_t<T>>& options) try {
  System<T> s(a, b, given_x, options, {.method = "BiCGSTAB", .scalars = 7});
  SolverWorkspace<T>& m = s.m;
  const Slot alpha = m.scalar(), beta = m.scalar(), omega = m.scalar(), rho = m.scalar(),
             next_rho = m.scalar(), tt = m.scalar(), step_ratio = m.scalar();
  if (!s.begin()) return s.end();
  T *p = s.vector(), *v = s.vector(), *t = s.vector(), *shadow = s.vector(),
    *p_room = s.vector_if(s.preconditioned), *r_room = s.vector_if(s.preconditioned);
  const auto start = [&] { m.pass(s.n).copy(p, s.r).copy(shadow, s.r).dot(s.r, s.r, rho).then(); };
  s.repeat(start, [&] {
    const T* y = s.precondition(Op::none, p, p_room);
    s.multiply(Op::none, y, v);
    m.pass(s.n)
        .dot(shadow, v, alpha)
        .then({next(), need_nonzero(rho), need_nonzero(alpha), divide(alpha, rho, alpha)});
    m.pass(s.n).update(s.r, -alpha, v).then();
    const T* z = s.precondition(Op::none, s.r, r_room);
    s.multiply(Op::none, z, t);
    m.pass(s.n).dot(t, s.r, omega).dot(t, t, tt).then({ratio(omega, omega, tt)});
    // x first: z may be r.
    m.pass(s.n)
        .update(s.x, alpha, y)
        .update(s.x, omega, z)
        .update(s.r, -omega, t)
        .dot(s.r, s.r, s.rr)
        .dot(s.r, shadow, next_rho)
        .then({s.norm_of_rr(), s.relative(), record(s.residual), next(), need_nonzero(omega),
               divide(beta, next_rho, rho), divide(step_ratio, alpha, omega),
               multiply(beta, beta, step_ratio), copy(rho, next_rho)});
    m.pass(s.n).update(p, -omega, v).update(p, 1.0, s.r, beta).then();
  });
  return s.end();
}
NZ_OR_NO_MEMORY("bicgstab")

#define NZ_INSTANTIATE(T)                                                              \
  template Result bicgstab(const LinearOperator<T>&, std::span<const T>, std::span<T>, \
                           const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
