#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {

// izawa2023 algorithm 1, with a preconditioner: A p and A^T p* in every iteration.
template <RealValue T>
Result bicg(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b,
            std::span<std::type_identity_t<T>> given_x,
            const Options<std::type_identity_t<T>>& options) try {
  System<T> s(a, b, given_x, options, {.method = "BiCG", .scalars = 4, .transposed = true});
  SolverWorkspace<T>& m = s.m;
  const Slot alpha = m.scalar(), beta = m.scalar(), rho = m.scalar(), next_rho = m.scalar();
  if (!s.begin()) return s.end();
  T *p = s.vector(), *q = s.vector(), *shadow_r = s.vector(), *shadow_p = s.vector(),
    *shadow_q = s.vector(), *room = s.vector_if(s.preconditioned),
    *shadow_room = s.vector_if(s.preconditioned);
  const T *z = nullptr, *shadow_z = nullptr;
  const auto start = [&] {
    m.pass(s.n).copy(shadow_r, s.r).then();
    z = s.precondition(Op::none, s.r, room);
    shadow_z = s.precondition(Op::transpose, shadow_r, shadow_room);
    m.pass(s.n).copy(p, z).copy(shadow_p, shadow_z).dot(z, shadow_r, rho).then();
  };
  s.repeat(start, [&] {
    s.multiply(Op::none, p, q);
    s.multiply(Op::transpose, shadow_p, shadow_q);
    m.pass(s.n)
        .dot(shadow_p, q, alpha)
        .then({next(), need_nonzero(rho), need_nonzero(alpha), divide(alpha, rho, alpha)});
    auto down = m.pass(s.n);
    down.update(s.r, -alpha, q).update(shadow_r, -alpha, shadow_q).dot(s.r, s.r, s.rr);
    if (!s.preconditioned) {
      down.dot(s.r, shadow_r, next_rho)
          .then({s.norm_of_rr(), s.relative(), record(s.residual), divide(beta, next_rho, rho),
                 copy(rho, next_rho)});
    } else {
      down.then({s.norm_of_rr(), s.relative(), record(s.residual)});
      s.precondition(Op::none, s.r, room);
      s.precondition(Op::transpose, shadow_r, shadow_room);
      m.pass(s.n)
          .dot(z, shadow_r, next_rho)
          .then({divide(beta, next_rho, rho), copy(rho, next_rho)});
    }
    m.pass(s.n)
        .update(s.x, alpha, p)
        .update(p, 1.0, z, beta)
        .update(shadow_p, 1.0, shadow_z, beta)
        .then();
  });
  return s.end();
}
NZ_OR_NO_MEMORY("bicg")

#define NZ_INSTANTIATE(T)                                                          \
  template Result bicg(const LinearOperator<T>&, std::span<const T>, std::span<T>, \
                       const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
