#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include <fmt/format.h>
#include <nonzero/error.hpp>

// Before version 8 its header leaves this to whoever includes it; what it includes came above.
extern "C" {
#include <GraphBLAS.h>
}

#include "lab/peers/peer_product.hpp"

namespace nz::lab::peers {
namespace {

void check(GrB_Info status, const char* what) {
  if (status == GrB_SUCCESS) return;
  if (status == GrB_OUT_OF_MEMORY) throw NoResource(fmt::format("GraphBLAS: {}: no memory", what));
  throw Error(fmt::format("GraphBLAS: {}: status {}", what, static_cast<int>(status)));
}

// The number of threads belongs to the library, not to a matrix.
void use_threads(int wanted) {
  static int set = [] {
    check(GrB_init(GrB_BLOCKING), "init");
    return 0;
  }();
  if (set == wanted) return;
  check(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, wanted), "set threads");
  set = wanted;
}

template <class T>
constexpr bool is_float = std::is_same_v<T, float>;

template <class T>
GrB_Type type() {
  return is_float<T> ? GrB_FP32 : GrB_FP64;
}
template <class T>
GrB_BinaryOp plus() {
  return is_float<T> ? GrB_PLUS_FP32 : GrB_PLUS_FP64;
}
template <class T>
GrB_Semiring plus_times() {
  return is_float<T> ? GrB_PLUS_TIMES_SEMIRING_FP32 : GrB_PLUS_TIMES_SEMIRING_FP64;
}

// Memory that the library may take over and free.
template <class E>
struct Owned {
  explicit Owned(std::size_t n) : size(n), data(static_cast<E*>(std::malloc(n * sizeof(E)))) {
    if (!data) throw std::bad_alloc();
  }
  ~Owned() { std::free(data); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  std::size_t bytes() const { return size * sizeof(E); }

  std::size_t size;
  E* data;
};

// CSR with 64-bit indices, which is the narrowest this library has. Vectors are lent to it as they
// lie. y is added to, as the library does in place where it can; `prepare` tries whether it does,
// and where it does not, or with alpha other than 1, the sum goes through a vector of its own.
template <class T>
class GraphblasCsr final : public PeerProduct<T> {
 public:
  template <Offset O>
  GraphblasCsr(const CsrView<T, O>& a, const Parameters&)
      : PeerProduct<T>(a.rows, a.cols, static_cast<std::size_t>(a.nnz)) {
    if (this->empty()) return;
    use_threads(this->thread_count());
    try {
      import(a);
      for (const Op op : all_ops) {
        check(GrB_Vector_new(&vectors_[index(op)], type<T>(), this->length_in(op)), "Vector_new");
        sums_[index(op)] = std::make_unique<Owned<T>>(this->length_out(op));
      }
      for (const Op op : all_ops) try_in_place(op);
    } catch (...) {
      release();
      throw;
    }
  }
  ~GraphblasCsr() override { release(); }
  std::size_t bytes() const override {
    return stored() + (this->length_in(Op::none) + this->length_out(Op::none)) * sizeof(T);
  }
  bool borrows() const override { return false; }

 private:
  static int index(Op op) { return op == Op::none ? 0 : 1; }
  static Op other(Op op) { return op == Op::none ? Op::transpose : Op::none; }

  template <Offset O>
  void import(const CsrView<T, O>& a) {
    const auto rows = static_cast<std::size_t>(a.rows), nnz = this->slots();
    Owned<GrB_Index> offsets(rows + 1), columns(nnz);
    Owned<T> values(nnz);
    const ThreadScope scope(this->thread_count());
    parallel_ranges(rows + 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        offsets.data[i] = static_cast<GrB_Index>(a.offsets[i]);
    });
    parallel_ranges(nnz, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        columns.data[k] = static_cast<GrB_Index>(a.columns[k]);
        values.data[k] = a.values[k];
      }
    });
    void* taken = values.data;
    const GrB_Info status = GxB_Matrix_import_CSR(
        &matrix_, type<T>(), static_cast<GrB_Index>(a.rows), static_cast<GrB_Index>(a.cols),
        &offsets.data, &columns.data, &taken, offsets.bytes(), columns.bytes(), values.bytes(),
        false, false, nullptr);
    values.data = static_cast<T*>(taken);  // null once the library has it
    check(status, "import_CSR");
  }

  // y += op(A) x. The library may exchange the memory of y for memory of its own.
  void add_product(Op op, const T* x, T*& y) const {
    use_threads(this->thread_count());
    const GrB_Vector in = vectors_[index(op)], out = vectors_[index(other(op))];
    void* from = const_cast<T*>(x);  // lent and taken back
    void* to = y;
    GrB_Index size = 0;
    bool iso = false;
    check(GxB_Vector_pack_Full(in, &from, this->length_in(op) * sizeof(T), false, nullptr),
          "pack_Full");
    check(GxB_Vector_pack_Full(out, &to, this->length_out(op) * sizeof(T), false, nullptr),
          "pack_Full");
    const GrB_Info status = GrB_mxv(out, nullptr, plus<T>(), plus_times<T>(), matrix_, in,
                                    op == Op::none ? nullptr : GrB_DESC_T0);
    check(GxB_Vector_unpack_Full(in, &from, &size, &iso, nullptr), "unpack_Full");
    check(GxB_Vector_unpack_Full(out, &to, &size, &iso, nullptr), "unpack_Full");
    y = static_cast<T*>(to);
    check(status, "mxv");
  }

  void try_in_place(Op op) {
    const Owned<T> x(this->length_in(op));
    std::fill_n(x.data, x.size, T(1));
    T*& sum = sums_[index(op)]->data;
    std::fill_n(sum, this->length_out(op), T(0));
    const T* const before = sum;
    add_product(op, x.data, sum);
    in_place_[index(op)] = sum == before;
  }

  void run(Op op, T alpha, const T* x, T beta, T* y) const override {
    const std::size_t n = this->length_out(op);
    if (alpha == T(1) && in_place_[index(op)]) {
      this->scale(beta, y, n);
      add_product(op, x, y);
    } else {
      T*& sum = sums_[index(op)]->data;
      this->scale(T(0), sum, n);
      add_product(op, x, sum);
      this->combine(alpha, sum, beta, y, n);
    }
  }
  std::size_t stored() const override {
    return this->slots() * (sizeof(T) + sizeof(GrB_Index)) +
           (this->length_out(Op::none) + 1) * sizeof(GrB_Index);
  }
  void release() {
    for (GrB_Vector& v : vectors_) GrB_Vector_free(&v);
    GrB_Matrix_free(&matrix_);
  }

  GrB_Matrix matrix_ = nullptr;
  GrB_Vector vectors_[2] = {};  // of the lengths of x in N and in T, empty between products
  std::unique_ptr<Owned<T>> sums_[2];
  bool in_place_[2] = {};
};

std::string_view version() {
  static const std::string text =
      fmt::format("SuiteSparse:GraphBLAS {}.{}.{}", GxB_IMPLEMENTATION_MAJOR,
                  GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB);
  return text;
}

}  // namespace

Kernel graphblas_csr() {
  return {.family = "peer",
          .format = "graphblas",
          .strategy = "csr",
          .transposes = true,
          .threaded = true,
          .source = version(),
          .summary = "mxv over plus and times, 64-bit indices",
          .prepare = any_offsets<GraphblasCsr>()};
}

}  // namespace nz::lab::peers
