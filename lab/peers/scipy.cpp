#include "lab/peers/python.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/formats/bsr.hpp>
#include <nz_peers_found.hpp>

#include "kernels/bsr_parameters.hpp"
#include "lab/peers/peer_product.hpp"

// SciPy's `A @ x` is a call of one function of scipy.sparse._sparsetools that adds to a vector of
// zeros; that call is made here, into y itself. It runs on one thread. `A @ X` is another one, on X
// and Y row by row: what lies otherwise SciPy brings into rows first, and so does this.
namespace nz::lab::peers {
namespace {

// The function and the arguments that come before x and y.
class Call {
 public:
  Call(const char* function, std::vector<python::Object> arguments)
      : function_(python::import("scipy.sparse._sparsetools", function)),
        arguments_(std::move(arguments)) {
    for (const auto& a : arguments_) borrowed_.push_back(a.get());
    borrowed_.resize(borrowed_.size() + 2);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    const python::Lock lock;
    arguments_.clear();
    function_.reset();
  }

  // y += A x; both have elements.
  template <class T>
  void add(const T* x, std::size_t nx, T* y, std::size_t ny) const {
    const python::Lock lock;
    const auto in = python::array(x, nx), out = python::writable_array(y, ny);
    borrowed_[borrowed_.size() - 2] = in.get();
    borrowed_[borrowed_.size() - 1] = out.get();
    python::checked(
        PyObject_Vectorcall(function_.get(), borrowed_.data(), borrowed_.size(), nullptr),
        "_sparsetools");
  }

  // The same for several vectors, whose number the function takes behind two arguments.
  template <class T>
  void add_several(index_t vectors, const T* x, std::size_t nx, T* y, std::size_t ny) const {
    const python::Lock lock;
    const auto count = python::integer(vectors);
    PyObject* const before = std::exchange(borrowed_[2], count.get());
    try {
      add(x, nx, y, ny);
    } catch (...) {
      borrowed_[2] = before;
      throw;
    }
    borrowed_[2] = before;
  }

 private:
  python::Object function_;
  std::vector<python::Object> arguments_;
  mutable std::vector<PyObject*> borrowed_;  // all arguments; the last two are x and y
};

template <class... Objects>
std::vector<python::Object> list(Objects... objects) {
  std::vector<python::Object> all;
  (all.push_back(std::move(objects)), ...);
  return all;
}

// What both formats share: y = alpha op(A) x + beta y by a call that only adds.
template <class T>
class ScipyProduct : public PeerProduct<T> {
 protected:
  ScipyProduct(index_t rows, index_t cols, std::size_t slots)
      : PeerProduct<T>(rows, cols, slots),
        sum_(static_cast<std::size_t>(std::max(rows, cols)), T(0)) {}

  void finish(const Call& call, Op op, T alpha, const T* x, std::size_t nx, T beta, T* y,
              std::size_t ny) const {
    const std::size_t n = this->length_out(op);
    if (alpha == T(1) && n == ny) {
      cpu::scale(beta, std::span<T>(y, n));
      call.add(x, nx, y, ny);
      return;
    }
    cpu::scale(T(0), std::span<T>(sum_.data(), ny));
    call.add(x, nx, sum_.data(), ny);
    this->combine(alpha, sum_.data(), beta, y, n);
  }
  void set_scratch(std::size_t n) { sum_ = Array<T>(n, T(0)); }
  std::size_t scratch_bytes() const { return sum_.size() * sizeof(T); }

 private:
  mutable Array<T> sum_;
};

template <class T>
class ScipyCsr final : public ScipyProduct<T> {
 public:
  ScipyCsr(const CsrView<T, std::int32_t>& a, const Parameters&)
      : ScipyProduct<T>(a.rows, a.cols, static_cast<std::size_t>(a.nnz)), bytes_(a.bytes()) {
    if (this->empty()) return;
    const python::Lock lock;
    const auto arguments = [&](index_t rows, index_t cols) {
      return list(python::integer(rows), python::integer(cols),
                  python::array(a.offsets, static_cast<std::size_t>(a.rows) + 1),
                  python::array(a.columns, this->slots()), python::array(a.values, this->slots()));
    };
    // A.T is the same arrays read as columns.
    by_rows_.emplace("csr_matvec", arguments(a.rows, a.cols));
    by_columns_.emplace("csc_matvec", arguments(a.cols, a.rows));
    const auto for_several = [&](index_t rows, index_t cols) {
      std::vector<python::Object> all = arguments(rows, cols);
      all.insert(all.begin() + 2, python::integer(1));
      return all;
    };
    several_by_rows_.emplace("csr_matvecs", for_several(a.rows, a.cols));
    several_by_columns_.emplace("csc_matvecs", for_several(a.cols, a.rows));
  }
  std::size_t bytes() const override { return this->scratch_bytes(); }
  bool borrows() const override { return true; }

  void multiply_several(StreamView, Op op, T alpha, DenseView<const T> x, T beta,
                        DenseView<T> y) const override {
    const auto whole = [](const auto& v) {
      return v.layout() == Layout::row_major && v.leading() == v.columns();
    };
    const auto size = [](const auto& v) {
      return static_cast<std::size_t>(v.rows()) * static_cast<std::size_t>(v.columns());
    };
    const bool nothing = alpha == T(0) || this->empty();
    Array<T> rows_of_x, sums;
    const T* from = x.data();
    if (!nothing && !whole(x)) {
      rows_of_x = Array<T>(size(x));
      const auto to = row_major(rows_of_x.data(), x.rows(), x.columns());
      for (index_t i = 0; i < x.rows(); ++i)
        for (index_t j = 0; j < x.columns(); ++j) to(i, j) = x(i, j);
      from = rows_of_x.data();
    }
    if (!nothing && alpha == T(1) && whole(y)) {
      cpu::scale(beta, std::span<T>(y.data(), size(y)));
      return call(op).add_several(y.columns(), from, size(x), y.data(), size(y));
    }
    sums = Array<T>(size(y), T(0));
    if (!nothing) call(op).add_several(y.columns(), from, size(x), sums.data(), size(y));
    const auto sum = row_major(sums.data(), y.rows(), y.columns());
    for (index_t i = 0; i < y.rows(); ++i)
      for (index_t j = 0; j < y.columns(); ++j)
        if (nothing)
          cpu::scale(beta, std::span<T>(&y(i, j), 1));
        else
          cpu::store(y(i, j), alpha, sum(i, j), beta);
  }
  bool has_several(Op) const override { return true; }

 private:
  const Call& call(Op op) const {
    return op == Op::none ? *several_by_rows_ : *several_by_columns_;
  }
  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    this->finish(op == Op::none ? *by_rows_ : *by_columns_, op, alpha, x, this->length_in(op), beta,
                 y, this->length_out(op));
  }
  std::size_t stored() const override { return bytes_; }

  std::size_t bytes_;
  std::optional<Call> by_rows_, by_columns_, several_by_rows_, several_by_columns_;
};

// SciPy's BSR wants whole blocks: where the last ones reach beyond the matrix, x and y go through
// longer vectors.
template <class T>
class ScipyBsr final : public ScipyProduct<T> {
 public:
  ScipyBsr(const CsrView<T, std::int32_t>& a, const Parameters& p)
      : ScipyBsr(a.rows, a.cols, to_bsr(a, p)) {}
  std::size_t bytes() const override {
    return matrix_.bytes() + this->scratch_bytes() + long_x_.size() * sizeof(T);
  }
  bool borrows() const override { return false; }

 private:
  ScipyBsr(index_t rows, index_t cols, Bsr<T, std::int32_t> matrix)
      : ScipyProduct<T>(rows, cols, matrix.values.size()), matrix_(std::move(matrix)) {
    if (this->empty()) return;
    const auto v = matrix_.view();
    in_ = static_cast<std::size_t>(v.grid_cols()) * static_cast<std::size_t>(v.block_cols);
    out_ = static_cast<std::size_t>(v.grid_rows()) * static_cast<std::size_t>(v.block_rows);
    if (in_ != static_cast<std::size_t>(cols)) long_x_ = Array<T>(in_, T(0));
    this->set_scratch(out_);
    const python::Lock lock;
    call_.emplace("bsr_matvec",
                  list(python::integer(v.grid_rows()), python::integer(v.grid_cols()),
                       python::integer(v.block_rows), python::integer(v.block_cols),
                       python::array(v.offsets, static_cast<std::size_t>(v.grid_rows()) + 1),
                       python::array(v.columns, static_cast<std::size_t>(v.blocks)),
                       python::array(v.values, this->slots())));
  }

  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    if (!long_x_.empty()) {
      std::copy_n(x, this->length_in(op), long_x_.data());
      x = long_x_.data();
    }
    this->finish(*call_, op, alpha, x, in_, beta, y, out_);
  }
  std::size_t stored() const override { return matrix_.bytes(); }

  Bsr<T, std::int32_t> matrix_;
  std::size_t in_ = 0, out_ = 0;
  mutable Array<T> long_x_;
  std::optional<Call> call_;
};

}  // namespace

Kernel scipy_csr() {
  return {.family = "peer",
          .format = "scipy",
          .strategy = "csr",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .source = "SciPy " NZ_SCIPY_VERSION,
          .summary = "csr_matvec, and csc_matvec for T, csr_matvecs and csc_matvecs; one thread",
          .prepare = offsets_of_32_bits<ScipyCsr>()};
}

Kernel scipy_bsr() {
  return {.family = "peer",
          .format = "scipy",
          .strategy = "bsr",
          .determinism = Determinism::always,
          .source = "SciPy " NZ_SCIPY_VERSION,
          .summary = "bsr_matvec; one thread",
          .parameters = bsr_parameters(),
          .prepare = offsets_of_32_bits<ScipyBsr>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

}  // namespace nz::lab::peers
