#include <nonzero/solve.hpp>

#include "base/instantiate.hpp"

// Solvers on plans are those on operators.
namespace nz::solve {

#define NZ_ON_PLANS(method)                                                               \
  template <RealValue T>                                                                  \
  Result method(const Plan<T>& plan, std::span<const std::type_identity_t<T>> b,          \
                std::span<std::type_identity_t<T>> x,                                     \
                const Options<std::type_identity_t<T>>& options) {                        \
    return method(LinearOperator<T>(plan), b, x, options);                                \
  }                                                                                       \
  template Result method(const Plan<float>&, std::span<const float>, std::span<float>,    \
                         const Options<float>&);                                          \
  template Result method(const Plan<double>&, std::span<const double>, std::span<double>, \
                         const Options<double>&);
NZ_ON_PLANS(cg)
NZ_ON_PLANS(bicg)
NZ_ON_PLANS(bicgstab)
NZ_ON_PLANS(qmr)
NZ_ON_PLANS(gmres)
NZ_ON_PLANS(lsqr)
#undef NZ_ON_PLANS

template <RealValue T>
Result stationary(const Plan<T>& chain, std::span<std::type_identity_t<T>> x,
                  const StationaryOptions& options) {
  return stationary(LinearOperator<T>(chain), x, options);
}

template <RealValue T>
Result pagerank(const Plan<T>& graph, std::span<std::type_identity_t<T>> x,
                const PageRankOptions<std::type_identity_t<T>>& options) {
  return pagerank(LinearOperator<T>(graph), x, options);
}

template <RealValue T>
Eigenvalue largest_eigenvalue(const Plan<T>& plan,
                              const Options<std::type_identity_t<T>>& options) {
  return largest_eigenvalue(LinearOperator<T>(plan), options);
}

template <RealValue T>
Result pagerank(const Plan<T>& graph, DenseView<const std::type_identity_t<T>> p,
                DenseView<std::type_identity_t<T>> x,
                const PageRankOptions<std::type_identity_t<T>>& options) {
  return pagerank(LinearOperator<T>(graph), p, x, options);
}

template <RealValue T>
Eigenpairs lobpcg(const Plan<T>& plan, DenseView<std::type_identity_t<T>> x,
                  const EigenOptions<std::type_identity_t<T>>& options) {
  return lobpcg(LinearOperator<T>(plan), x, options);
}

#define NZ_INSTANTIATE(T)                                                             \
  template Result stationary(const Plan<T>&, std::span<T>, const StationaryOptions&); \
  template Result pagerank(const Plan<T>&, std::span<T>, const PageRankOptions<T>&);  \
  template Result pagerank(const Plan<T>&, DenseView<const T>, DenseView<T>,          \
                           const PageRankOptions<T>&);                                \
  template Eigenpairs lobpcg(const Plan<T>&, DenseView<T>, const EigenOptions<T>&);   \
  template Eigenvalue largest_eigenvalue(const Plan<T>&, const Options<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::solve
