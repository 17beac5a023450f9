#include <string>
#include <utility>

#include <fmt/format.h>
#include <mkl_service.h>
#include <mkl_spblas.h>
#include <nonzero/error.hpp>

#include "lab/peers/peer_product.hpp"
#include "lab/peers/several_parameters.hpp"

namespace nz::lab::peers {
namespace {

void check(sparse_status_t status, const char* what) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  if (status == SPARSE_STATUS_ALLOC_FAILED)
    throw NoResource(fmt::format("MKL: {}: no memory", what));
  throw Error(fmt::format("MKL: {}: status {}", what, static_cast<int>(status)));
}

constexpr matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                               SPARSE_DIAG_NON_UNIT};

constexpr sparse_operation_t operation(Op op) {
  return op == Op::none ? SPARSE_OPERATION_NON_TRANSPOSE : SPARSE_OPERATION_TRANSPOSE;
}

// The library takes pointers to what it will not change.
template <class E>
E* mutable_pointer(const E* p) {
  return const_cast<E*>(p);
}

sparse_status_t create(sparse_matrix_t* m, const CsrView<float, std::int32_t>& a) {
  auto* offsets = mutable_pointer(a.offsets);
  return mkl_sparse_s_create_csr(m, SPARSE_INDEX_BASE_ZERO, a.rows, a.cols, offsets, offsets + 1,
                                 mutable_pointer(a.columns), mutable_pointer(a.values));
}

sparse_status_t create(sparse_matrix_t* m, const CsrView<double, std::int32_t>& a) {
  auto* offsets = mutable_pointer(a.offsets);
  return mkl_sparse_d_create_csr(m, SPARSE_INDEX_BASE_ZERO, a.rows, a.cols, offsets, offsets + 1,
                                 mutable_pointer(a.columns), mutable_pointer(a.values));
}

sparse_status_t product(Op op, float alpha, sparse_matrix_t a, const float* x, float beta,
                        float* y) {
  return mkl_sparse_s_mv(operation(op), alpha, a, general, x, beta, y);
}

sparse_status_t product(Op op, double alpha, sparse_matrix_t a, const double* x, double beta,
                        double* y) {
  return mkl_sparse_d_mv(operation(op), alpha, a, general, x, beta, y);
}

constexpr sparse_layout_t layout_of(Layout layout) {
  return layout == Layout::row_major ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR;
}

sparse_status_t product(Op op, float alpha, sparse_matrix_t a, const DenseView<const float>& x,
                        float beta, const DenseView<float>& y) {
  return mkl_sparse_s_mm(operation(op), alpha, a, general, layout_of(x.layout()), x.data(),
                         x.columns(), static_cast<MKL_INT>(x.leading()), beta, y.data(),
                         static_cast<MKL_INT>(y.leading()));
}

sparse_status_t product(Op op, double alpha, sparse_matrix_t a, const DenseView<const double>& x,
                        double beta, const DenseView<double>& y) {
  return mkl_sparse_d_mm(operation(op), alpha, a, general, layout_of(x.layout()), x.data(),
                         x.columns(), static_cast<MKL_INT>(x.leading()), beta, y.data(),
                         static_cast<MKL_INT>(y.leading()));
}

// How many vectors the products that are expected have, and in which layout.
struct Expected {
  std::int64_t calls = 1, vectors = 1;
  Layout layout = Layout::row_major;
};

// One matrix handle, inspected for one operation.
class Handle {
 public:
  template <class T>
  Handle(const CsrView<T, std::int32_t>& a, Op op, const Expected& expected) {
    check(create(&matrix_, a), "create_csr");
    try {
      const auto calls = static_cast<MKL_INT>(expected.calls);
      if (expected.vectors == 1)
        check(mkl_sparse_set_mv_hint(matrix_, operation(op), general, calls), "set_mv_hint");
      else
        check(mkl_sparse_set_mm_hint(matrix_, operation(op), general, layout_of(expected.layout),
                                     static_cast<MKL_INT>(expected.vectors), calls),
              "set_mm_hint");
      check(mkl_sparse_optimize(matrix_), "optimize");
    } catch (...) {
      mkl_sparse_destroy(matrix_);
      throw;
    }
  }
  Handle(Handle&& other) noexcept : matrix_(std::exchange(other.matrix_, nullptr)) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (matrix_) mkl_sparse_destroy(matrix_);
  }
  sparse_matrix_t get() const { return matrix_; }

 private:
  sparse_matrix_t matrix_ = nullptr;
};

// Both operations are inspected, each in a handle of its own over the same arrays, so that neither
// hint stands in the other's way.
template <class T>
class MklCsr final : public PeerProduct<T> {
 public:
  MklCsr(const CsrView<T, std::int32_t>& a, const Parameters& p)
      : PeerProduct<T>(a.rows, a.cols, static_cast<std::size_t>(a.nnz)), bytes_(a.bytes()) {
    if (this->empty()) return;
    use_threads();
    const Expected expected{
        p.at("expected_calls"), p.find(vectors_name)->second,
        p.find(layout_name)->second == 0 ? Layout::row_major : Layout::column_major};
    handles_.reserve(2);
    for (const Op op : all_ops) handles_.emplace_back(a, op, expected);
  }
  std::size_t bytes() const override { return 0; }  // the library does not say
  bool borrows() const override { return true; }

  void multiply_several(StreamView, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    if (alpha == T(0) || this->empty()) {
      const bool by_rows = y.layout() == Layout::row_major;
      for (index_t i = 0; i < (by_rows ? y.rows() : y.columns()); ++i)
        this->scale(beta, y.data() + i * y.leading(),
                    static_cast<std::size_t>(by_rows ? y.columns() : y.rows()));
      return;
    }
    if (x.layout() != y.layout()) throw Refused("takes X and Y in one layout only");
    use_threads();
    const Handle& h = handles_[op == Op::none ? 0 : 1];
    check(product(op, alpha, h.get(), x, beta, y), "mm");
  }
  bool has_several(Op) const override { return true; }

 private:
  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    use_threads();
    const Handle& h = handles_[op == Op::none ? 0 : 1];
    check(product(op, alpha, h.get(), x, beta, y), "mv");
  }
  std::size_t stored() const override { return bytes_; }
  void use_threads() const { mkl_set_num_threads_local(this->thread_count()); }

  std::size_t bytes_;
  std::vector<Handle> handles_;
};

std::string_view version() {
  static const std::string text = [] {
    MKLVersion v{};
    mkl_get_version(&v);
    return fmt::format("Intel MKL {}.{}.{}", v.MajorVersion, v.MinorVersion, v.UpdateVersion);
  }();
  return text;
}

}  // namespace

Kernel mkl_csr() {
  mkl_set_dynamic(0);
  return {
      .family = "peer",
      .format = "mkl",
      .strategy = "csr",
      .transposes = true,
      .several = true,
      .threaded = true,
      .source = version(),
      .summary = "inspector-executor, hinted for N and for T; may pad, so an infinite x may spread",
      .parameters = {{"expected_calls", "products the inspector may count on", 10'000, 1,
                      1'000'000'000},
                     vectors_parameter(),
                     layout_parameter()},
      .prepare = offsets_of_32_bits<MklCsr>()};
}

}  // namespace nz::lab::peers
