#include <algorithm>
#include <string>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <cblas.h>
#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/error.hpp>

#include "lab/peers/peer_product.hpp"

// Declared here because the cblas.h that is found may be another one's.
extern "C" {
void openblas_set_num_threads(int);
char* openblas_get_config(void);
}

namespace nz::lab::peers {
namespace {

void gemv(CBLAS_TRANSPOSE t, int m, int n, float alpha, const float* a, const float* x, float beta,
          float* y) {
  cblas_sgemv(CblasRowMajor, t, m, n, alpha, a, n, x, 1, beta, y, 1);
}

void gemv(CBLAS_TRANSPOSE t, int m, int n, double alpha, const double* a, const double* x,
          double beta, double* y) {
  cblas_dgemv(CblasRowMajor, t, m, n, alpha, a, n, x, 1, beta, y, 1);
}

// Setting the number makes the library exchange its buffers, so only when it changes. The OpenMP
// variant keeps it as OpenMP's own number, which others may have set since.
void use_threads(int wanted) {
  static int set = 0;
#ifdef _OPENMP
  if (omp_get_max_threads() != wanted) set = 0;
#endif
  if (set != wanted) openblas_set_num_threads(set = wanted);
}

// The matrix with all its zeros, as NumPy multiplies it.
template <class T>
class OpenblasDense final : public PeerProduct<T> {
 public:
  template <Offset O>
  OpenblasDense(const CsrView<T, O>& a, const Parameters& p)
      : PeerProduct<T>(a.rows, a.cols,
                       static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.cols)),
        values_(checked(this->slots(), p), T(0)) {
    for (index_t i = 0; i < a.rows; ++i) {
      T* row = values_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(a.cols);
      for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k) row[a.columns[k]] = a.values[k];
    }
  }
  std::size_t bytes() const override { return stored(); }
  bool borrows() const override { return false; }

 private:
  static std::size_t checked(std::size_t slots, const Parameters& p) {
    const auto limit = static_cast<std::size_t>(p.at("max_mib"));
    if (slots > (limit << 20) / sizeof(T))
      throw Refused(
          fmt::format("dense: {} MiB, more than max_mib = {}", (slots >> 20) * sizeof(T), limit));
    return slots;
  }

  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    use_threads(this->thread_count());
    // 0 times what was in y may be NaN in some versions.
    if (beta == T(0)) std::fill_n(y, this->length_out(op), T(0));
    gemv(op == Op::none ? CblasNoTrans : CblasTrans, this->rows(), this->cols(), alpha,
         values_.data(), x, beta, y);
  }
  std::size_t stored() const override { return this->slots() * sizeof(T); }

  Array<T> values_;
};

Csr<double, std::int64_t> filled(const CsrView<double, std::int64_t>& a, const Parameters&) {
  const auto cols = static_cast<std::size_t>(a.cols);
  Csr<double, std::int64_t> full;
  full.rows = a.rows;
  full.cols = a.cols;
  full.offsets = Array<std::int64_t>(static_cast<std::size_t>(a.rows) + 1, 0);
  full.columns = Array<index_t>(static_cast<std::size_t>(a.rows) * cols);
  full.values = Array<double>(full.columns.size(), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    full.offsets[i + 1] = static_cast<std::int64_t>((i + 1) * cols);
    for (std::size_t j = 0; j < cols; ++j) full.columns[i * cols + j] = static_cast<index_t>(j);
    for (std::int64_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      full.values[i * cols + static_cast<std::size_t>(a.columns[k])] = a.values[k];
  }
  return full;
}

// "OpenBLAS 0.3.21 NO_LAPACKE ...": the first two words.
std::string_view version() {
  static const std::string text = openblas_get_config();
  const auto name = text.find(' ');
  return std::string_view(text).substr(0, text.find(' ', name == text.npos ? name : name + 1));
}

}  // namespace

Kernel openblas_dense() {
  return {.family = "peer",
          .format = "openblas",
          .strategy = "dense",
          .transposes = true,
          .threaded = true,
          .source = version(),
          .summary = "dense GEMV over all zeros, as NumPy multiplies",
          .parameters = {{"max_mib", "most MiB of the dense matrix", 2048, 1, 1 << 20}},
          .prepare = any_offsets<OpenblasDense>(),
          .with_fill = filled};
}

}  // namespace nz::lab::peers
