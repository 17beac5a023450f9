#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "lab/peers/cusparse.hpp"
#include "lab/peers/cusparse_spmvop.hpp"

// cusparseSpMVOp on CSR as it is, behind the products of our own GPU kernels. The entries are there
// whatever library is loaded; one that has no such functions refuses every matrix and says why.
namespace nz::lab::peers {
namespace cusparse {
namespace {

template <class T, class O>
class WithPlan : public cuda::OnCsr<T, O> {
 public:
  WithPlan(const CsrView<T, O>& a, spmvop::Algorithm algorithm)
      : cuda::OnCsr<T, O>(a), algorithm_(algorithm) {
    if (this->a().nnz == 0) return;
    n_.emplace(handle_, cuda::current_device(), describe(), how(Op::none));
    try {
      t_.emplace(handle_, cuda::current_device(), describe(), how(Op::transpose));
    } catch (const Refused& e) {
      why_no_t_ = e.what();
    }
  }
  std::size_t bytes() const {
    return cuda::OnCsr<T, O>::bytes() + (n_ ? n_->bytes() : 0) + (t_ ? t_->bytes() : 0);
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!n_) return cuda::scale(stream, beta, y, this->rows());
    n_->run(handle_, stream, alpha, x, beta, y);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!n_) return cuda::scale(stream, beta, y, this->cols());
    if (!t_) throw Refused(why_no_t_);
    t_->run(handle_, stream, alpha, x, beta, y);
  }

 private:
  // Columns stay at 32 bits, whatever the offsets have: the library takes no others here.
  Matrix describe() const {
    const CsrView<T, O>& a = this->a();
    cusparseConstSpMatDescr_t m = nullptr;
    check(cusparseCreateConstCsr(&m, a.rows, a.cols, a.nnz, a.offsets, a.columns, a.values,
                                 index_type_of<O>, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 type_of<T>),
          "cusparseCreateConstCsr");
    return Matrix(m);
  }
  SpmvOp::How how(Op op) const {
    return {.op = op,
            .rows = this->rows(),
            .cols = this->cols(),
            .type = type_of<T>,
            .algorithm = algorithm_};
  }

  spmvop::Algorithm algorithm_;
  Handle handle_;
  std::optional<SpmvOp> n_, t_;
  std::string why_no_t_;
};

template <spmvop::Algorithm algorithm, Value T, Offset O>
std::unique_ptr<Product<T>> prepare_one(const CsrView<T, O>& a, const Parameters&) {
  require_spmvop();
  return std::make_unique<cuda::GpuProduct<T, WithPlan<T, O>>>(std::in_place, a.rows, a.cols, a,
                                                               algorithm);
}

template <spmvop::Algorithm algorithm>
Kernel entry(std::string_view name, std::string_view summary) {
  using I = std::int32_t;
  using L = std::int64_t;
  return {.family = "peer",
          .format = "cusparse",
          .strategy = name,
          .transposes = true,  // if the version has it
          .source = version(),
          .summary = summary,
          .runs_on = Device::Kind::cuda,
          .prepare = {prepare_one<algorithm, float, I>, prepare_one<algorithm, float, L>,
                      prepare_one<algorithm, double, I>, prepare_one<algorithm, double, L>}};
}

}  // namespace
}  // namespace cusparse

std::vector<Kernel> cusparse_spmvop() {
  using namespace cusparse;
  return {entry<spmvop::algorithm_1>("spmvop-alg1",
                                     "cusparseSpMVOp, CUSPARSE_SPMVOP_ALG1 on CSR; planned"),
          entry<spmvop::algorithm_2>("spmvop-alg2",
                                     "cusparseSpMVOp, CUSPARSE_SPMVOP_ALG2 on CSR; planned")};
}

}  // namespace nz::lab::peers
