#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "lab/peers/cusparse.hpp"
#include "lab/peers/cusparse_blocks.hpp"
#include "lab/peers/cusparse_csr.hpp"
#include "lab/peers/cusparse_whole_vectors.hpp"

// cuSPARSE's products as strategies like those of our own GPU kernels: GpuProduct stages vectors,
// checks streams and scales y where there is nothing to multiply.
namespace nz::lab::peers {
namespace cusparse {
namespace {

using cuda::current_device;

// cusparseSpMV.
template <class Format, cusparseSpMVAlg_t algorithm, bool preprocess>
class Generic {
 public:
  using T = typename Format::value_type;
  template <Offset O>
  Generic(const CsrView<T, O>& a, const Parameters& p) : format_(current_device(), a, p) {
    if (format_.slots() == 0) return;
    n_.emplace(handle_, format_, Op::none);
    try {
      t_.emplace(handle_, format_, Op::transpose);
    } catch (const Refused& e) {
      why_no_t_ = e.what();
    }
  }

  index_t rows() const { return format_.rows(); }
  index_t cols() const { return format_.cols(); }
  std::size_t bytes() const {
    return format_.bytes() + (n_ ? n_->bytes() : 0) + (t_ ? t_->bytes() : 0);
  }
  bool borrows() const { return format_.borrows(); }
  std::size_t matrix_bytes(Op op) const { return format_.matrix_bytes(op); }
  Facts facts() const {
    if constexpr (requires(const Format& f) { f.facts(); })
      return format_.facts();
    else
      return {};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!n_) return cuda::scale(stream, beta, y, rows());
    n_->run(handle_, stream, alpha, x, cols(), beta, y, rows());
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!n_) return cuda::scale(stream, beta, y, cols());
    if (!t_) throw Refused(why_no_t_);
    t_->run(handle_, stream, alpha, x, rows(), beta, y, cols());
  }

 private:
  static Spmv::How how(const Format& f, Op op) {
    const Op asked = Format::library_op(op);
    const bool turned = asked != op;  // the described matrix is the transpose
    return {.op = asked,
            .rows = turned ? f.described_cols() : f.described_rows(),
            .cols = turned ? f.described_rows() : f.described_cols(),
            .type = type_of<T>,
            .algorithm = algorithm,
            .preprocess = preprocess};
  }

  // One operation, made ready.
  class Ready {
   public:
    Ready(const Handle& handle, const Format& f, Op op)
        : spmv_(handle, current_device(), f.describe(op), how(f, op)),
          whole_(current_device(), f, op) {}
    std::size_t bytes() const { return spmv_.bytes() + whole_.bytes(); }
    void run(const Handle& handle, CUstream_st* stream, T alpha, const T* x, index_t nx, T beta,
             T* y, index_t ny) const {
      whole_.around(stream, x, nx, beta, y, ny, [&](const T* from, T* to) {
        spmv_.run(handle, stream, alpha, from, beta, to);
      });
    }

   private:
    Spmv spmv_;
    WholeVectors<T> whole_;
  };

  Format format_;
  Handle handle_;
  std::optional<Ready> n_, t_;
  std::string why_no_t_;
};

// `prepare` for all four types; Format is a template of those headers.
template <template <class, class> class Format, cusparseSpMVAlg_t algorithm, bool preprocess>
PrepareTable prepare_generic() {
  using I = std::int32_t;
  using L = std::int64_t;
  using cuda::prepare_gpu_one;
  return {prepare_gpu_one<Generic<Format<float, I>, algorithm, preprocess>, float, I>,
          prepare_gpu_one<Generic<Format<float, L>, algorithm, preprocess>, float, L>,
          prepare_gpu_one<Generic<Format<double, I>, algorithm, preprocess>, double, I>,
          prepare_gpu_one<Generic<Format<double, L>, algorithm, preprocess>, double, L>};
}

struct About {
  std::string_view name, summary;
  Determinism determinism = Determinism::never;
  std::vector<Parameter> parameters{};
  WithFill with_fill = nullptr;
  Fit fit = nullptr;
};

// Texts of entries, which live as long as the registry.
std::string_view kept(std::string_view text, const char* more) {
  static auto& all = *new std::list<std::string>;
  return all.emplace_back(std::string(text) + more);
}

Kernel entry(const About& about, bool preprocessed, const PrepareTable& prepare) {
  return {.family = "peer",
          .format = "cusparse",
          .strategy = preprocessed ? kept(about.name, "-pre") : about.name,
          .transposes = true,  // if the version has it
          .determinism = about.determinism,
          .source = version(),
          .summary = preprocessed ? kept(about.summary, "; preprocessed") : about.summary,
          .parameters = about.parameters,
          .runs_on = Device::Kind::cuda,
          .prepare = prepare,
          .with_fill = about.with_fill,
          .fit = about.fit};
}

// With and without cusparseSpMV_preprocess.
template <template <class, class> class Format, cusparseSpMVAlg_t algorithm>
void add(std::vector<Kernel>& all, const About& about) {
  all.push_back(entry(about, false, prepare_generic<Format, algorithm, false>()));
  all.push_back(entry(about, true, prepare_generic<Format, algorithm, true>()));
}

}  // namespace
}  // namespace cusparse

std::vector<Kernel> cusparse_spmv() {
  using namespace cusparse;
  std::vector<Kernel> all;
  add<CsrFormat, CUSPARSE_SPMV_CSR_ALG1>(
      all, {"csr-alg1", "CUSPARSE_SPMV_CSR_ALG1, the default for CSR"});
  add<CsrFormat, CUSPARSE_SPMV_CSR_ALG2>(
      all, {.name = "csr-alg2",
            .summary = "CUSPARSE_SPMV_CSR_ALG2, the same bits for N; T is that of ALG1",
            .determinism = Determinism::n_only});
  add<BothCsrFormat, CUSPARSE_SPMV_CSR_ALG1>(
      all,
      {"csr-stored-transpose", "CUSPARSE_SPMV_CSR_ALG1, for T on the transpose stored beside A"});
  add<CooFormat, CUSPARSE_SPMV_COO_ALG1>(
      all, {"coo-alg1", "CUSPARSE_SPMV_COO_ALG1, the default for COO"});
  add<CooFormat, CUSPARSE_SPMV_COO_ALG2>(
      all, {.name = "coo-alg2",
            .summary = "CUSPARSE_SPMV_COO_ALG2, the same bits for N; T is that of ALG1",
            .determinism = Determinism::n_only});
  add<SellFormat, CUSPARSE_SPMV_SELL_ALG1>(
      all, {.name = "sell-alg1",
            .summary = "CUSPARSE_SPMV_SELL_ALG1, sliced ELL without sorting",
            .determinism = Determinism::n_only,
            .parameters = {{"chunk", "rows of a slice", 32, 1, 1024}, max_ratio()}});
#if CUSPARSE_VERSION >= 12600
  add<BsrFormat, CUSPARSE_SPMV_BSR_ALG1>(
      all, {.name = "bsr-alg1",
            .summary = "CUSPARSE_SPMV_BSR_ALG1, square blocks row by row",
            .determinism = Determinism::n_only,
            .parameters = {{"block", "rows and columns of a block", 2, 1, 1024}, max_ratio()},
            .with_fill = with_bsr_fill,
            .fit = fit_square});
#endif
  return all;
}

}  // namespace nz::lab::peers
