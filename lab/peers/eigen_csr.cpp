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
          .determinism = Determinism::always,
#ifdef EIGEN_HAS_OPENMP
          .threaded = true,
#endif
          .source = "Eigen " NZ_TEXT(EIGEN_WORLD_VERSION) "." NZ_TEXT(
              EIGEN_MAJOR_VERSION) "." NZ_TEXT(EIGEN_MINOR_VERSION),
          .summary = "row-major sparse times vector; T is serial",
          .prepare = offsets_of_32_bits<EigenCsr>()};
}

}  // namespace nz::lab::peers
