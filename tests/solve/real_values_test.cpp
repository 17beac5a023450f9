#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/nonzero.hpp>

// What the library has for real numbers alone says so to the compiler: each question below is
// answered without an error, where the linker would be the first to miss something.
namespace nz::test {
namespace {

using Complex = std::complex<double>;

template <class T>
concept HasOperator = requires {
  typename LinearOperator<T>;
};
template <class T>
concept HasWidePlan = requires {
  typename WidePlan<T>;
};
template <class T>
concept HasWideMatrices = requires {
  typename WideCoo<T>;
  typename WideCsr<T>;
};
template <class T>
concept PlansWide = requires(const WideCooView<T>& a) {
  wide_plan(a);
};
template <class T>
concept ReadsWide = requires {
  read_wide<T>("");
};
template <class T>
concept HasBatch = requires {
  typename Batch<T>;
};
template <class T>
concept PlanIsOperator = OperatorLike < const Plan<T>
& > ;
template <class T>
concept HasIdentity = requires {
  identity<T>(3);
};
template <class T>
concept IsMatrixFree = requires(void (*f)(std::span<const T>, std::span<T>)) {
  matrix_free<T>(OperatorInfo{}, f);
};
template <class T>
concept IsShifted = requires(const Plan<T>& a) {
  shifted(a, 1);
};
template <class T>
concept PlansBatches = requires(const CsrView<T, int>& a, std::span<const T> values) {
  plan_batch(a, 1, values);
};
template <class T>
concept PlansManyInBatches = requires(const std::vector<CsrView<T, int>>& all) {
  plan_batch(all);
};

#define NZ_ASKS_SOLVER(name)                                                                 \
  template <class T>                                                                         \
  concept name##_solves = requires(const Plan<T>& a, std::span<const T> b, std::span<T> x) { \
    solve::name(a, b, x);                                                                    \
  };
NZ_ASKS_SOLVER(cg)
NZ_ASKS_SOLVER(bicg)
NZ_ASKS_SOLVER(bicgstab)
NZ_ASKS_SOLVER(qmr)
NZ_ASKS_SOLVER(gmres)
NZ_ASKS_SOLVER(lsqr)
#undef NZ_ASKS_SOLVER

template <class T>
concept HasChebyshev = requires(const CsrView<T, int>& a) {
  solve::chebyshev({}, a);
};
template <class T>
concept HasStationary = requires(const Plan<T>& a, std::span<T> x) {
  solve::stationary(a, x);
};
template <class T>
concept HasPagerank = requires(const Plan<T>& a, std::span<T> x) {
  solve::pagerank(a, x);
};
template <class T>
concept HasEigenvalue = requires(const Plan<T>& a) {
  solve::largest_eigenvalue(a);
};
template <class T>
concept HasLobpcg = requires(const Plan<T>& a, DenseView<T> x) {
  solve::lobpcg(a, x);
};
template <class T>
concept HasMethods = requires {
  solve::methods<T>();
};

#define NZ_ASKS_INVERSE(name, ...)                               \
  template <class T>                                             \
  concept name##_is_there = requires(const CsrView<T, int>& a) { \
    solve::name(a __VA_OPT__(, ) __VA_ARGS__);                   \
  };
NZ_ASKS_INVERSE(jacobi)
NZ_ASKS_INVERSE(block_jacobi, 2)
NZ_ASKS_INVERSE(fsai)
NZ_ASKS_INVERSE(spai)
NZ_ASKS_INVERSE(incomplete_cholesky)
NZ_ASKS_INVERSE(incomplete_lu)
#undef NZ_ASKS_INVERSE

#define NZ_REAL_ALONE(concept_)                       \
  static_assert(concept_<float> && concept_<double>); \
  static_assert(!concept_<std::complex<float>> && !concept_<Complex>);
NZ_REAL_ALONE(HasOperator)
NZ_REAL_ALONE(HasWidePlan)
NZ_REAL_ALONE(HasWideMatrices)
NZ_REAL_ALONE(PlansWide)
NZ_REAL_ALONE(ReadsWide)
NZ_REAL_ALONE(HasBatch)
NZ_REAL_ALONE(PlanIsOperator)
NZ_REAL_ALONE(HasIdentity)
NZ_REAL_ALONE(IsMatrixFree)
NZ_REAL_ALONE(IsShifted)
NZ_REAL_ALONE(PlansBatches)
NZ_REAL_ALONE(PlansManyInBatches)
NZ_REAL_ALONE(bicg_solves)
NZ_REAL_ALONE(qmr_solves)
NZ_REAL_ALONE(lsqr_solves)
NZ_REAL_ALONE(HasChebyshev)
NZ_REAL_ALONE(HasStationary)
NZ_REAL_ALONE(HasPagerank)
NZ_REAL_ALONE(HasEigenvalue)
NZ_REAL_ALONE(HasLobpcg)
NZ_REAL_ALONE(HasMethods)
NZ_REAL_ALONE(jacobi_is_there)
NZ_REAL_ALONE(block_jacobi_is_there)
NZ_REAL_ALONE(fsai_is_there)
NZ_REAL_ALONE(spai_is_there)
NZ_REAL_ALONE(incomplete_cholesky_is_there)
NZ_REAL_ALONE(incomplete_lu_is_there)
#undef NZ_REAL_ALONE

// Complex systems have three methods, and nothing else was taken from them.
static_assert(cg_solves<Complex> && bicgstab_solves<Complex> && gmres_solves<Complex>);
static_assert(cg_solves<double> && bicgstab_solves<double> && gmres_solves<double>);
static_assert(requires(const CsrView<Complex, int>& a, std::span<const Complex> b) {
  plan(a);
  solve::true_residual(a, b, b);
});

// To a real operator the conjugate transpose is the transpose, and the conjugate is nothing.
TEST(RealValues, ConjugatesAreNothing) {
  const auto a = generate("random:rows=20,cols=30,density=0.2").matrix;
  const auto made = plan(a, {.kernel = "cpu/csr/serial"});
  const LinearOperator<double> op(made), turned = transposed(op);
  std::vector<double> wide(30 * 2), high(20 * 2);
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = 1 + static_cast<double>(i % 7);
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = 2 - static_cast<double>(i % 5);
  for (const index_t k : {1, 2}) {
    const auto product = [&](const LinearOperator<double>& by, const std::vector<double>& x,
                             index_t height, Op which) {
      const index_t in = is_transposed(which) ? by.rows() : by.cols();
      std::vector<double> y(static_cast<std::size_t>(height * k));
      if (k == 1)
        by.multiply(1, std::span(x).first(static_cast<std::size_t>(in)), 0, y, which);
      else
        by.multiply(1, row_major(x.data(), in, k), 0, row_major(y.data(), height, k), which);
      return y;
    };
    const auto n = product(op, wide, 20, Op::none), t = product(op, high, 30, Op::transpose);
    EXPECT_EQ(product(op, wide, 20, Op::conjugate), n);
    EXPECT_EQ(product(op, high, 30, Op::conjugate_transpose), t);
    EXPECT_EQ(product(turned, wide, 20, Op::conjugate_transpose), n);
    EXPECT_EQ(product(turned, high, 30, Op::conjugate), t);
  }
}

}  // namespace
}  // namespace nz::test
