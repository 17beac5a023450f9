#include "base/instantiate.hpp"
#include "base/no_memory.hpp"
#include "solve/system.hpp"

namespace nz::solve {

// Hestenes and Stiefel's, with a preconditioner. The update of x waits for that of p: both read p.
template <RealValue T>
Result cg(const LinearOperator<T>& a, std::span<const std::type_identity_t<T>> b,
          std::span<std::type_identity_t<T>> given_x,
          const Options<std::type_identity_t<T>>& options) try {
  System<T> s(a, b, given_x, options, {.method = "CG", .scalars = 6});
  SolverWorkspace<T>& m = s.m;
  if (options.check_symmetry)
    if (std::string why = why_not_symmetric(m, a); !why.empty()) {
      m.decide(Stop::not_symmetric);
      Result refused = m.result();
      refused.message = "CG needs a symmetric matrix: " + why;
      return refused;
    }
  const Slot alpha = m.scalar(), beta = m.scalar(), rho = m.scalar(), next_rho = m.scalar();
  if (!s.begin()) return s.end();
  T *p = s.vector(), *q = s.vector(), *room = s.vector_if(s.preconditioned);
  const T* z = nullptr;
  const T* const diagonal = s.diagonal();
  const auto start = [&] {
    z = s.precondition(Op::none, s.r, room);
    m.pass(s.n).copy(p, z).dot(s.r, z, rho).then();
  };
  s.repeat(start, [&] {
    const bool dotted = m.multiply_and_dot(a, Op::none, p, q, alpha);
    if (!dotted) s.multiply(Op::none, p, q);
    auto curvature = m.pass(dotted ? 0 : s.n);
    if (!dotted) curvature.dot(p, q, alpha);
    curvature.then({next(), need_positive(alpha, Stop::not_definite), divide(alpha, rho, alpha)});
    auto down = m.pass(s.n);
    down.update(s.r, -alpha, q);
    if (!s.preconditioned) {
      down.dot(s.r, s.r, s.rr)
          .then({s.norm_of_rr(), s.relative(), record(s.residual), divide(beta, s.rr, rho),
                 copy(rho, s.rr)});
    } else if (diagonal) {
      down.update(room, 1.0, s.r, 0.0, diagonal)
          .dot(s.r, s.r, s.rr)
          .dot(s.r, z, next_rho)
          .then({s.norm_of_rr(), s.relative(), record(s.residual), divide(beta, next_rho, rho),
                 copy(rho, next_rho)});
    } else {
      down.dot(s.r, s.r, s.rr).then({s.norm_of_rr(), s.relative(), record(s.residual)});
      s.precondition(Op::none, s.r, room);
      m.pass(s.n).dot(s.r, z, next_rho).then({divide(beta, next_rho, rho), copy(rho, next_rho)});
    }
    m.pass(s.n).update(s.x, alpha, p).update(p, 1.0, z, beta).then();
  });
  return s.end();
}
NZ_OR_NO_MEMORY("cg")

#define NZ_INSTANTIATE(T) \
  template Result cg(const LinearOperator<T>&, std::span<const T>, std::span<T>, const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
