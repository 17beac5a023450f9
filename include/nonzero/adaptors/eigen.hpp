#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <nonzero/dense.hpp>
#include <nonzero/error.hpp>
#include <nonzero/export.hpp>
#include <nonzero/linear_operator.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/spans.hpp>

// For programs with Eigen 3.4, which this header needs and the library does not: plans of Eigen's
// sparse matrices in place, products with Eigen's vectors and dense matrices, and plans and other
// linear operators inside of Eigen's iterative solvers.
namespace NZ_API nz {
template <RealValue T>
class EigenOperator;
}

// How Eigen knows a matrix that it only multiplies by.
namespace Eigen::internal {
template <class T>
struct traits<nz::EigenOperator<T>> : traits<SparseMatrix<T>> {};
}  // namespace Eigen::internal

namespace NZ_API nz {

namespace detail {
template <class V>
concept DenseOfEigen =
    std::derived_from<std::remove_cvref_t<V>, Eigen::DenseBase<std::remove_cvref_t<V>>>;
// X and Y of several vectors: one of the two is no vector.
template <class X, class Y>
concept SeveralOfEigen = DenseOfEigen<X> && DenseOfEigen<Y> && !(
    std::remove_cvref_t<X>::IsVectorAtCompileTime && std::remove_cvref_t<Y>::IsVectorAtCompileTime);
// A dense matrix of the order of M.
template <class M>
using PlainOfEigen = Eigen::Matrix<typename M::Scalar, Eigen::Dynamic, Eigen::Dynamic,
                                   M::IsRowMajor ? Eigen::RowMajor : Eigen::ColMajor>;
}  // namespace detail

template <Value T>
using EigenVector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

// The elements of a vector, a map or a reference of Eigen's as our own functions take them. Throws
// InvalidArgument where they do not lie one behind the other.
template <detail::DenseOfEigen V>
auto span_of(V&& v) {
  static_assert(std::remove_cvref_t<V>::IsVectorAtCompileTime, "a vector has one dimension");
  if (v.size() > 1 && v.innerStride() != 1)
    throw InvalidArgument("a vector of Eigen whose elements do not lie one behind the other");
  return std::span(v.data(), static_cast<std::size_t>(v.size()));
}

// Several vectors, the columns of a matrix, a map, a block or a reference of Eigen's, where they
// are and in the order that they have. Throws InvalidArgument where neither the elements of a row
// nor those of a column lie one behind the other, and for sides beyond 32 bits.
template <detail::DenseOfEigen M>
auto dense_of(M&& m) {
  using Matrix = std::remove_cvref_t<M>;
  static_assert((Matrix::Flags & Eigen::DirectAccessBit) != 0, "an expression has no memory");
  constexpr Eigen::Index most = std::numeric_limits<index_t>::max();
  if (m.rows() > most || m.cols() > most)
    throw InvalidArgument("a matrix of Eigen with more rows or columns than 32 bits can count");
  if (m.innerSize() > 1 && m.innerStride() != 1)
    throw InvalidArgument("a matrix of Eigen whose elements do not lie one behind the other");
  if (m.outerSize() > 1 && m.outerStride() < m.innerSize())
    throw InvalidArgument("a map of Eigen whose rows or columns share elements");
  return DenseView(m.data(), static_cast<index_t>(m.rows()), static_cast<index_t>(m.cols()),
                   Matrix::IsRowMajor ? Layout::row_major : Layout::column_major,
                   m.outerSize() > 1 ? m.outerStride() : 0);
}

namespace detail {
// By a plan or by a linear operator.
template <Value T, class A, class X, class Y>
void multiply_several(const A& a, T alpha, const X& x, T beta, Y&& y, Op op) {
  static_assert(std::same_as<typename X::Scalar, T> &&
                    std::same_as<typename std::remove_cvref_t<Y>::Scalar, T>,
                "X and Y have values of the matrix's type");
  if constexpr ((X::Flags & Eigen::DirectAccessBit) != 0) {
    if (x.innerSize() <= 1 || x.innerStride() == 1)
      return a.multiply(alpha, dense_of(x), beta, dense_of(y), op);
  }
  const PlainOfEigen<X> copy = x.matrix();
  a.multiply(alpha, dense_of(copy), beta, dense_of(y), op);
}

// Whether what lies from the first element of one to its last meets what lies so of the other.
template <class X, class Y>
bool share_memory(const X& x, const Y& y) {
  const auto ends = [](const auto& m) {
    const Eigen::Index outer = (m.outerSize() - 1) * m.outerStride(),
                       inner = (m.innerSize() - 1) * m.innerStride(), none = 0;
    return std::pair(m.data() + std::min(outer, none) + std::min(inner, none),
                     m.data() + std::max(outer, none) + std::max(inner, none));
  };
  if (x.size() == 0 || y.size() == 0) return false;
  const auto a = ends(x), b = ends(y);
  const std::less<const void*> before;
  return !before(a.second, b.first) && !before(b.second, a.first);
}

// Whether a destination has so many rows and columns, or is given them by Eigen's resize(), which
// otherwise looks by an assertion alone.
template <class Y>
bool has_or_gets(const Y& y, Eigen::Index rows, Eigen::Index cols, bool resized) {
  if (y.rows() == rows && y.cols() == cols) return true;
  if constexpr (std::derived_from<Y, Eigen::PlainObjectBase<Y>>) {
    const auto takes = [](Eigen::Index n, Eigen::Index fixed, Eigen::Index most) {
      return fixed == Eigen::Dynamic ? most == Eigen::Dynamic || n <= most : n == fixed;
    };
    return resized && takes(rows, Y::RowsAtCompileTime, Y::MaxRowsAtCompileTime) &&
           takes(cols, Y::ColsAtCompileTime, Y::MaxColsAtCompileTime);
  }
  return false;
}
}  // namespace detail

// The arrays of one of Eigen's sparse matrices in place: as CSR where it stores rows, and as CSR of
// its transpose where it stores columns, which is Eigen's own way. Indices are int, Eigen's own.
// Throws InvalidArgument where the matrix is not compressed: call makeCompressed() then.
template <class Derived>
auto csr_of(const Eigen::SparseCompressedBase<Derived>& m) {
  using T = typename Derived::Scalar;
  static_assert(Value<T>, "values are float, double, or std::complex of them");
  static_assert(std::same_as<typename Derived::StorageIndex, std::int32_t>,
                "the indices of the matrix have 32 bits");
  if (!m.isCompressed())
    throw InvalidArgument("the matrix of Eigen is not compressed: call makeCompressed() first");
  return CsrView<T, std::int32_t>{static_cast<index_t>(m.outerSize()),
                                  static_cast<index_t>(m.innerSize()),
                                  static_cast<std::int32_t>(m.nonZeros()),
                                  m.outerIndexPtr(),
                                  m.innerIndexPtr(),
                                  m.valuePtr()};
}

// A linear operator as Eigen takes it: A * x is a product, and ConjugateGradient, BiCGSTAB and the
// solvers of unsupported/Eigen/IterativeSolvers take it with Eigen::IdentityPreconditioner or a
// preconditioner that was made elsewhere. Copies share the operator. It works on the CPU, or copies
// the vectors to its device and back. Operators are real; complex matrices of Eigen's have plans,
// plan(csr_of(A)), and multiply() below.
template <RealValue T>
class EigenOperator : public Eigen::EigenBase<EigenOperator<T>> {
 public:
  using Scalar = T;
  using RealScalar = T;
  using StorageIndex = int;
  enum {
    ColsAtCompileTime = Eigen::Dynamic,
    MaxColsAtCompileTime = Eigen::Dynamic,
    IsRowMajor = false
  };

  EigenOperator() = default;  // none
  EigenOperator(LinearOperator<T> a) : a_(std::move(a)) {}
  EigenOperator(const Plan<T>& plan) : a_(plan) {}  // borrowed: the plan stays longer
  EigenOperator(Plan<T>&& plan) : a_(std::move(plan)) {}

  Eigen::Index rows() const { return a_.rows(); }
  Eigen::Index cols() const { return a_.cols(); }
  const LinearOperator<T>& linear_operator() const { return a_; }
  // They share the operator with this one. It is real: the adjoint is the transpose.
  EigenOperator transpose() const { return transposed(a_); }
  EigenOperator adjoint() const { return transpose(); }

  // A times a vector, or times a matrix, whose columns are multiplied at once. What is an
  // expression, or does not lie one behind the other, is copied first. Throws InvalidArgument for
  // another number of rows. A matrix or vector of Eigen's gets the size of the product; a
  // destination that cannot, such as a map or a block, is refused by noalias() and for a number
  // times a product. What noalias() is refused for stays as it was. Without noalias() Eigen itself
  // copies the product, and looks at sizes by an assertion, which NDEBUG takes away.
  template <class Rhs>
  requires std::same_as<typename Rhs::Scalar, T>
  auto operator*(const Eigen::MatrixBase<Rhs>& x) const {
    if (x.rows() != cols())
      throw InvalidArgument("X has " + std::to_string(x.rows()) + " rows, needs " +
                            std::to_string(cols()));
    if constexpr (Rhs::RowsAtCompileTime == 1 && Rhs::ColsAtCompileTime != 1) {
      // Eigen would make an outer product, which reads the entries of A, were it not for a block
      // that is a row only at run time.
      using Row = Eigen::Block<const Rhs, Eigen::Dynamic, Eigen::Dynamic>;
      return Eigen::Product<EigenOperator, Row>(*this, Row(x.derived(), 0, 0, 1, x.cols()));
    } else {
      return Eigen::Product<EigenOperator, Rhs>(*this, x.derived());
    }
  }

  // y = alpha op(A) x + beta y. An x whose elements do not lie one behind the other is copied, and
  // such a y does not compile.
  void multiply(T alpha, const Eigen::Ref<const EigenVector<T>>& x, T beta,
                Eigen::Ref<EigenVector<T>> y, Op op = Op::none) const {
    a_.multiply(alpha, span_of(x), beta, span_of(y), op);
  }
  // Y = alpha op(A) X + beta Y for several vectors, as multiply() below.
  template <class X, class Y>
  requires detail::SeveralOfEigen<X, Y>
  void multiply(T alpha, const X& x, T beta, Y&& y, Op op = Op::none) const {
    detail::multiply_several(a_, alpha, x, beta, y, op);
  }

 private:
  LinearOperator<T> a_;
};

// A plan of one of Eigen's matrices, without a copy of it: the matrix stays as it is while the plan
// lives. The plan of one that stores columns is that of its transpose, and is asked for the other
// product; options.op means the products of the matrix itself. Throws InvalidArgument where the
// matrix is not compressed, and what plan() throws.
template <class Derived>
requires RealValue<typename Derived::Scalar>
auto eigen_plan(const Eigen::SparseCompressedBase<Derived>& m, PlanOptions options = {}) {
  using T = typename Derived::Scalar;
  if constexpr (Derived::IsRowMajor) {
    return EigenOperator<T>(plan(csr_of(m), options));
  } else {
    options.op = Use(options.op.t, options.op.n);
    return EigenOperator<T>(transposed(plan(csr_of(m), options)));
  }
}
template <class T, int layout>
void eigen_plan(const Eigen::SparseMatrix<T, layout>&& ends_too_early, PlanOptions = {}) = delete;

// The same for a plan that is there, whose values may be complex: y = alpha op(A) x + beta y.
template <Value T>
void multiply(const Plan<T>& plan, std::type_identity_t<T> alpha,
              const Eigen::Ref<const EigenVector<std::type_identity_t<T>>>& x,
              std::type_identity_t<T> beta, Eigen::Ref<EigenVector<std::type_identity_t<T>>> y,
              Op op = Op::none) {
  plan.multiply(alpha, span_of(x), beta, span_of(y), op);
}

template <RealValue T>
void multiply(const EigenOperator<T>& a, std::type_identity_t<T> alpha,
              const Eigen::Ref<const EigenVector<std::type_identity_t<T>>>& x,
              std::type_identity_t<T> beta, Eigen::Ref<EigenVector<std::type_identity_t<T>>> y,
              Op op = Op::none) {
  a.multiply(alpha, x, beta, y, op);
}

// Several vectors at once, the columns of X and Y: matrices, maps, blocks and references of Eigen's
// in either order. Nothing is copied but an X that is an expression, or whose elements are apart.
// Throws as dense_of(), Plan::multiply() and LinearOperator::multiply() do.
template <Value T, class X, class Y>
requires detail::SeveralOfEigen<X, Y>
void multiply(const Plan<T>& plan, std::type_identity_t<T> alpha, const X& x,
              std::type_identity_t<T> beta, Y&& y, Op op = Op::none) {
  detail::multiply_several(plan, alpha, x, beta, y, op);
}
template <RealValue T, class X, class Y>
requires detail::SeveralOfEigen<X, Y>
void multiply(const EigenOperator<T>& a, std::type_identity_t<T> alpha, const X& x,
              std::type_identity_t<T> beta, Y&& y, Op op = Op::none) {
  a.multiply(alpha, x, beta, y, op);
}

}  // namespace nz

// Eigen's products of what it only multiplies by: vectors and matrices, of any length that is known
// when they are compiled.
namespace Eigen::internal {
template <class T, class Rhs, int kind>
struct generic_product_impl<nz::EigenOperator<T>, Rhs, SparseShape, DenseShape, kind>
    : generic_product_impl_base<nz::EigenOperator<T>, Rhs,
                                generic_product_impl<nz::EigenOperator<T>, Rhs>> {
  // The base would write zeros first, and what is refused then would have lost its y.
  template <class Dest>
  static void evalTo(Dest& y, const nz::EigenOperator<T>& a, const Rhs& x) {
    multiply(T(1), a, x, T(0), y);
  }
  template <class Dest>
  static void scaleAndAddTo(Dest& y, const nz::EigenOperator<T>& a, const Rhs& x, const T& alpha) {
    multiply(alpha, a, x, T(1), y);
  }

 private:
  template <class Dest>
  static void multiply(T alpha, const nz::EigenOperator<T>& a, const Rhs& x, T beta, Dest& y) {
    if constexpr (Rhs::ColsAtCompileTime == 1 && Dest::ColsAtCompileTime == 1)
      a.multiply(alpha, x, beta, y);
    else
      nz::detail::multiply_several(a.linear_operator(), alpha, x, beta, y, nz::Op::none);
  }
};

// As Eigen has it, which would have given y another size and memory before the product sees an x
// that lies in y.
template <class Dest, class T, class Rhs>
struct Assignment<Dest, Product<nz::EigenOperator<T>, Rhs, DefaultProduct>, assign_op<T, T>,
                  Dense2Dense> {
  using Impl = generic_product_impl<nz::EigenOperator<T>, Rhs>;
  static void run(Dest& y, const Product<nz::EigenOperator<T>, Rhs, DefaultProduct>& product,
                  const assign_op<T, T>&) {
    const nz::EigenOperator<T>& a = product.lhs();
    const auto& x = product.rhs();
    const Index rows = product.rows(), cols = product.cols();
    // What does not fit is refused by the product.
    if ((y.rows() == rows && y.cols() == cols) || !nz::detail::has_or_gets(y, rows, cols, true))
      return Impl::evalTo(y, a, x);
    if constexpr ((Rhs::Flags & DirectAccessBit) != 0) {
      if (nz::detail::share_memory(x, y)) throw nz::InvalidArgument("X and Y overlap");
      y.resize(rows, cols);
      Impl::evalTo(y, a, x);
    } else {
      using Plain = typename plain_matrix_type<Rhs>::type;
      const Plain copy = x;
      y.resize(rows, cols);
      generic_product_impl<nz::EigenOperator<T>, Plain>::evalTo(y, a, copy);
    }
  }
};

// Numbers times products: Eigen would multiply A, here it is what A makes, in memory of its own.
template <class T, class Plain, class Rhs>
using ScaledByEigen =
    CwiseBinaryOp<scalar_product_op<T, T>, const CwiseNullaryOp<scalar_constant_op<T>, Plain>,
                  const Product<nz::EigenOperator<T>, Rhs, DefaultProduct>>;

template <class T, class Plain, class Rhs>
struct evaluator_assume_aliasing<ScaledByEigen<T, Plain, Rhs>> : std::false_type {};

template <class T, class Plain, class Rhs>
struct evaluator<ScaledByEigen<T, Plain, Rhs>>
    : evaluator<Product<nz::EigenOperator<T>, Rhs, DefaultProduct>> {
  explicit evaluator(const ScaledByEigen<T, Plain, Rhs>& e)
      : evaluator<Product<nz::EigenOperator<T>, Rhs, DefaultProduct>>(e.rhs()) {
    this->m_result *= e.lhs().functor().m_other;
  }
};

template <class Dest, class T, class Plain, class Rhs, class Function>
struct Assignment<Dest, ScaledByEigen<T, Plain, Rhs>, Function, Dense2Dense> {
  static void run(Dest& y, const ScaledByEigen<T, Plain, Rhs>& e, const Function& function) {
    constexpr bool assigned = std::same_as<Function, assign_op<T, T>>;
    if (!nz::detail::has_or_gets(y, e.rows(), e.cols(), assigned))
      throw nz::InvalidArgument("Y is " + std::to_string(y.rows()) + " x " +
                                std::to_string(y.cols()) + ", the product " +
                                std::to_string(e.rows()) + " x " + std::to_string(e.cols()));
    call_dense_assignment_loop(y, e, function);
  }
};
}  // namespace Eigen::internal
