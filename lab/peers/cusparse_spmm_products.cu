#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "lab/peers/cusparse_blocked_ell.hpp"
#include "lab/peers/cusparse_blocks.hpp"
#include "lab/peers/cusparse_csr.hpp"
#include "lab/peers/cusparse_spmm.hpp"
#include "lab/peers/cusparse_whole_several.hpp"
#include "lab/peers/several_parameters.hpp"

// cuSPARSE's product of several vectors. What it prepares depends on how many they are and how they
// lie: the parameters `vectors` and `layout` say it.
namespace nz::lab::peers {
namespace cusparse {
namespace {

using cuda::current_device;

// The matrix, and both operations made ready.
template <class Format, cusparseSpMMAlg_t algorithm>
class Several {
 public:
  using T = typename Format::value_type;
  template <Offset O>
  Several(const CsrView<T, O>& a, const Parameters& p)
      : vectors_(static_cast<index_t>(p.find(vectors_name)->second)),
        layout_(p.find(layout_name)->second == 0 ? Layout::row_major : Layout::column_major),
        format_(current_device(), a, p) {
    if (format_.slots() == 0) return;
    n_.emplace(*this, Op::none);
    try {
      t_.emplace(*this, Op::transpose);
    } catch (const Refused& e) {
      why_no_t_ = e.what();
    }
  }

  index_t vectors() const { return vectors_; }
  Layout layout() const { return layout_; }
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

  // Where there is nothing to multiply, the vectors are as many numbers as they are.
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!n_) return cuda::scale(stream, beta, y, std::int64_t{rows()} * vectors_);
    n_->run(handle_, stream, alpha, x, beta, y);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!n_) return cuda::scale(stream, beta, y, std::int64_t{cols()} * vectors_);
    if (!t_) throw Refused(why_no_t_);
    t_->run(handle_, stream, alpha, x, beta, y);
  }

 private:
  class Ready {
   public:
    Ready(const Several& s, Op op)
        : spmm_(s.handle_, current_device(), s.format_.describe(op),
                {.op = op,
                 .rows = s.format_.described_rows(),
                 .cols = s.format_.described_cols(),
                 .vectors = s.vectors_,
                 .layout = s.layout_,
                 .type = type_of<T>,
                 .algorithm = algorithm}),
          whole_(current_device(), s.format_, op, s.vectors_, s.layout_) {}
    std::size_t bytes() const { return spmm_.bytes() + whole_.bytes(); }
    void run(const Handle& handle, CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
      whole_.around(stream, x, beta, y, [&](const T* from, T* to) {
        spmm_.run(handle, stream, alpha, from, beta, to);
      });
    }

   private:
    Spmm spmm_;
    WholeSeveral<T> whole_;
  };

  index_t vectors_;
  Layout layout_;
  Format format_;
  Handle handle_;
  std::optional<Ready> n_, t_;
  std::string why_no_t_;
};

// Several vectors, in device memory and as many as were prepared for, in that layout.
template <Value T, class Strategy>
class SeveralProduct final : public Product<T> {
 public:
  template <Offset O>
  SeveralProduct(const CsrView<T, O>& a, const Parameters& p)
      : device_(current_device()), s_(a, p) {}

  void multiply(Op, T, std::span<const T>, T, std::span<T>) const override {
    throw Refused("prepared for " + std::to_string(s_.vectors()) + " vectors, not for one");
  }
  void multiply_several(StreamView where, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    check(x);
    check(y);
    CUstream_st* const stream = simt::stream_for(device_, where);
    const simt::DeviceScope scope(device_);
    if (alpha == T(0)) return cuda::scale(stream, beta, y.data(), y.extent());
    if (!std::isfinite(alpha)) throw Refused("takes finite factors only");
    if (op == Op::none)
      s_.multiply(stream, alpha, x.data(), beta, y.data());
    else
      s_.multiply_transposed(stream, alpha, x.data(), beta, y.data());
  }
  bool has_several(Op) const override { return true; }
  Device device() const override { return device_; }
  std::size_t bytes() const override { return s_.bytes(); }
  bool borrows() const override { return s_.borrows(); }
  std::size_t traffic(Op op, bool reads_y) const override {
    const index_t again = !reads_y ? 0 : op == Op::none ? s_.rows() : s_.cols();
    return s_.matrix_bytes(op) +
           static_cast<std::size_t>(std::int64_t{s_.rows()} + s_.cols() + again) * sizeof(T);
  }
  Facts facts() const override { return s_.facts(); }

 private:
  template <class E>
  void check(const DenseView<E>& v) const {
    const bool whole = v.leading() == (s_.layout() == Layout::row_major ? v.columns() : v.rows());
    if (v.columns() != s_.vectors() || v.layout() != s_.layout() || !whole)
      throw Refused("prepared for " + std::to_string(s_.vectors()) + " vectors by " +
                    (s_.layout() == Layout::row_major ? "rows" : "columns") + " without gaps");
    if (!v.empty() && !simt::backend(device_).owns(v.data()))
      throw Refused("takes several vectors in device memory only");
  }

  Device device_;
  Strategy s_;
};

// One vector comes as our own kernels have it, from anywhere and with any factors.
template <class Strategy, Value T, Offset O>
std::unique_ptr<Product<T>> prepare_one(const CsrView<T, O>& a, const Parameters& p) {
  if (p.find(vectors_name)->second == 1) return cuda::prepare_gpu_one<Strategy, T, O>(a, p);
  return std::make_unique<SeveralProduct<T, Strategy>>(a, p);
}

template <template <class, class> class Format, cusparseSpMMAlg_t algorithm>
PrepareTable prepare_all() {
  using I = std::int32_t;
  using L = std::int64_t;
  return {prepare_one<Several<Format<float, I>, algorithm>, float, I>,
          prepare_one<Several<Format<float, L>, algorithm>, float, L>,
          prepare_one<Several<Format<double, I>, algorithm>, double, I>,
          prepare_one<Several<Format<double, L>, algorithm>, double, L>};
}

struct About {
  std::string_view name, summary;
  bool fills = false;  // has blocks
};

template <template <class, class> class Format, cusparseSpMMAlg_t algorithm>
Kernel entry(const About& about) {
  Kernel k{.family = "peer",
           .format = "cusparse",
           .strategy = about.name,
           .transposes = true,  // if the version has it
           .several = true,
           .source = version(),
           .summary = about.summary,
           .parameters = {vectors_parameter(), layout_parameter()},
           .runs_on = Device::Kind::cuda,
           .prepare = prepare_all<Format, algorithm>()};
  if (about.fills) {
    k.parameters.push_back({"block", "rows and columns of a block", 2, 2, 1024});
    k.parameters.push_back(max_ratio());
    k.with_fill = with_bsr_fill;
    k.fit = fit_square;
  }
  return k;
}

}  // namespace
}  // namespace cusparse

std::vector<Kernel> cusparse_spmm() {
  using namespace cusparse;
  return {
    entry<CsrFormat, CUSPARSE_SPMM_CSR_ALG1>(
        {"spmm-csr-alg1", "CUSPARSE_SPMM_CSR_ALG1 for several vectors; preprocessed"}),
        entry<CsrFormat, CUSPARSE_SPMM_CSR_ALG2>(
            {"spmm-csr-alg2", "CUSPARSE_SPMM_CSR_ALG2 for several vectors; preprocessed"}),
        entry<CsrFormat, CUSPARSE_SPMM_CSR_ALG3>(
            {"spmm-csr-alg3", "CUSPARSE_SPMM_CSR_ALG3 for several vectors; preprocessed"}),
        entry<CooFormat, CUSPARSE_SPMM_COO_ALG1>(
            {"spmm-coo-alg1", "CUSPARSE_SPMM_COO_ALG1 for several vectors; preprocessed"}),
        entry<CooFormat, CUSPARSE_SPMM_COO_ALG2>(
            {"spmm-coo-alg2", "CUSPARSE_SPMM_COO_ALG2 for several vectors; preprocessed"}),
        entry<CooFormat, CUSPARSE_SPMM_COO_ALG3>(
            {"spmm-coo-alg3", "CUSPARSE_SPMM_COO_ALG3 for several vectors; preprocessed"}),
        entry<CooFormat, CUSPARSE_SPMM_COO_ALG4>(
            {"spmm-coo-alg4", "CUSPARSE_SPMM_COO_ALG4 for several vectors; preprocessed"}),
        entry<BlockedEllFormat, CUSPARSE_SPMM_BLOCKED_ELL_ALG1>(
            {"spmm-blocked-ell",
             "CUSPARSE_SPMM_BLOCKED_ELL_ALG1 for several vectors, square blocks; preprocessed",
             true}),
#if CUSPARSE_VERSION >= 12500
        entry<BsrFormat, CUSPARSE_SPMM_BSR_ALG1>(
            {"spmm-bsr", "CUSPARSE_SPMM_BSR_ALG1 for several vectors, square blocks; preprocessed",
             true}),
#endif
  };
}

}  // namespace nz::lab::peers
