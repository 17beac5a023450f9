#include "kernels/gpu/papers/dinoia2025/coo_form.hpp"

// A thread an entry, added to y with an atomic: the baseline of dinoia2025, and with the roles of
// rows and columns exchanged the transposed product of izawa2023.
namespace nz::NZ_HOME {
namespace {

template <class To>
struct CooEntry : To {
  static constexpr const char* name = "gpu/coo/thread-per-entry";
  NZ_DEVICE void operator()(Thread& t) const {
    const auto k = index_as<typename To::Count>(t);
    if (k < this->size()) this->add(t, this->a.row[k], this->product(k));
  }
};

template <class T>
class ThreadPerEntry : public AddingCoo<T> {
 public:
  template <Offset O>
  ThreadPerEntry(const CsrView<T, O>& a, const Parameters& p)
      : AddingCoo<T>(a, p), threads_(threads_for(this->a().nnz, threads_of(p))) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run(stream, this->a(), alpha, x, beta, y);
  }

 protected:
  void run(CUstream_st* stream, const CooView<T>& a, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, a, alpha, x, beta, y, [&]<class To>(const To& to) {
      launch({.blocks = blocks_for(a.nnz, threads_), .threads = threads_, .stream = stream},
             CooEntry<To>{to});
    });
  }

 private:
  int threads_;
};

template <class T>
class CooScatter : public ThreadPerEntry<T> {
 public:
  using ThreadPerEntry<T>::ThreadPerEntry;
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const CooView<T>& a = this->a();
    this->run(stream, {a.cols, a.rows, a.nnz, a.column, a.row, a.values}, alpha, x, beta, y);
  }
};

}  // namespace

Kernel gpu_coo_thread_per_entry() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "thread-per-entry",
          .source = "dinoia2025 algorithm 3",
          .summary = "a thread an entry, an atomic an entry",
          .parameters = with_adding_form({threads_parameter(1024)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ThreadPerEntry>()};
}

Kernel gpu_coo_scatter() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "scatter",
          .transposes = true,
          .source = "izawa2023 §2.5.1",
          .summary = "a thread an entry, an atomic an entry, both ways",
          .parameters = with_adding_form({threads_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<CooScatter>()};
}

}  // namespace nz::NZ_HOME
