#include <type_traits>

#include <Eigen/SparseCore>

#include "lab/peers/peer_product.hpp"

namespace nz::lab::peers {
namespace {

// Eigen's row-major sparse matrix over our own arrays. The product by rows runs on OpenMP threads
// (from 20 000 nonzeros on), the transposed one is serial: Eigen has no other.
template <class T>
class EigenCsr final : public PeerProduct<T> {
 public:
  EigenCsr(const CsrView<T, std::int32_t>& a, const Parameters&)
      : PeerProduct<T>(a.rows, a.cols, static_cast<std::size_t>(a.nnz)), a_(a) {}
  std::size_t bytes() const override { return 0; }
  bool borrows() const override { return true; }

  // A dense matrix in either layout. Eigen multiplies it at once; by rows with threads, T serially.
  void multiply_several(StreamView, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    const bool nothing = alpha == T(0) || this->empty();
    const index_t lines = y.layout() == Layout::row_major ? y.rows() : y.columns();
    const index_t length = y.layout() == Layout::row_major ? y.columns() : y.rows();
    if (nothing || beta != T(0) || alpha != T(1))
      for (index_t i = 0; i < lines; ++i)
        this->scale(beta, y.data() + i * y.leading(), static_cast<std::size_t>(length));
    if (nothing) return;
    with(x, [&](const auto& in) {
      with(y, [&](auto&& out) { multiply_dense(op, alpha, in, beta, out); });
    });
  }
  bool has_several(Op) const override { return true; }

 private:
  using Matrix = Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    Eigen::setNbThreads(this->thread_count());
    const Matrix a(a_.rows, a_.cols, a_.nnz, a_.offsets, a_.columns, a_.values);
    const Eigen::Map<const Vector> in(x, static_cast<Eigen::Index>(this->length_in(op)));
    Eigen::Map<Vector> out(y, static_cast<Eigen::Index>(this->length_out(op)));
    if (alpha == T(1) && beta == T(0)) {
      if (op == Op::none)
        out.noalias() = a * in;
      else
        out.noalias() = a.transpose() * in;
      return;
    }
    this->scale(beta, y, this->length_out(op));
    // What `out += alpha * (a * in)` comes to, without its temporary.
    if (op == Op::none)
      Eigen::internal::sparse_time_dense_product(a, in, out, alpha);
    else
      Eigen::internal::sparse_time_dense_product(a.transpose(), in, out, alpha);
  }
  // body(map) of the vectors as they lie.
  template <class E, class Body>
  static void with(const DenseView<E>& v, Body&& body) {
    using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
    const Eigen::OuterStride<> stride(v.leading());
    constexpr bool reads = std::is_const_v<E>;
    if (v.layout() == Layout::row_major)
      body(Eigen::Map<std::conditional_t<reads, const Rows, Rows>, 0, Eigen::OuterStride<>>(
          v.data(), v.rows(), v.columns(), stride));
    else
      body(Eigen::Map<std::conditional_t<reads, const Columns, Columns>, 0, Eigen::OuterStride<>>(
          v.data(), v.rows(), v.columns(), stride));
  }
  // y is scaled already unless alpha = 1 and beta = 0.
  template <class X, class Y>
  void multiply_dense(Op op, T alpha, const X& x, T beta, Y& y) const {
    Eigen::setNbThreads(this->thread_count());
    const Matrix a(a_.rows, a_.cols, a_.nnz, a_.offsets, a_.columns, a_.values);
    if (alpha == T(1) && beta == T(0)) {
      if (op == Op::none)
        y.noalias() = a * x;
      else
        y.noalias() = a.transpose() * x;
    } else if (op == Op::none) {
      Eigen::internal::sparse_time_dense_product(a, x, y, alpha);
    } else {
      Eigen::internal::sparse_time_dense_product(a.transpose(), x, y, alpha);
    }
  }
  std::size_t stored() const override { return a_.bytes(); }

  CsrView<T, std::int32_t> a_;
};

#define NZ_TEXT2(x) #x
#define NZ_TEXT(x) NZ_TEXT2(x)

}  // namespace

Kernel eigen_csr() {
  return {.family = "peer",
          .format = "eigen",
          .strategy = "csr",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
#ifdef EIGEN_HAS_OPENMP
          .threaded = true,
#endif
          .source = "Eigen " NZ_TEXT(EIGEN_WORLD_VERSION) "." NZ_TEXT(
              EIGEN_MAJOR_VERSION) "." NZ_TEXT(EIGEN_MINOR_VERSION),
          .summary = "row-major sparse times vector or dense; T is serial",
          .prepare = offsets_of_32_bits<EigenCsr>()};
}

}  // namespace nz::lab::peers
