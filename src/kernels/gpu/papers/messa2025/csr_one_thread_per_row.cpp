#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"
#include "kernels/gpu/row_order.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, of which the paper prints nothing, from its program: as many threads as rows.
template <class T, class O, class Out, class K, bool swizzled>
struct FirstThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row-plain";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Out out;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const auto place = index_as<K>(t);
    if (place >= a.rows) return;
    const auto row = static_cast<K>(row_at(t, place));
    out.put(row, first_row_sum<K>(t, a, x, row, 0, 1));
  }
};

template <class T, class O, class Out, class K>
struct StridingThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row";
  static constexpr Loop paper_loop = Loop::by_four;
  CsrView<T, O> a;
  const T* x;
  Out out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    for (auto row = index_as<K>(t); row < a.rows; row += size_as<K>(t))
      out.put(row, row_sum<loop, K>(t, a, x, row, 0, 1));
  }
};

// messa2025 §V-C: a thread's sum lies in shared memory until its block is done.
template <class T, class O, class Out, class K>
struct BufferingThreads {
  static constexpr const char* name = "gpu/csr/one-thread-per-row-shared";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Out out;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto sums = t.shared<T>(t.block_size());
    const int i = t.index();
    for (auto first = static_cast<K>(index_as<K>(t) - i); first < a.rows; first += size_as<K>(t)) {
      const auto row = static_cast<K>(first + i);
      if (row < a.rows) sums[i] = row_sum<Loop::by_four, K>(t, a, x, row, 0, 1);
      t.sync();
      if (row < a.rows) out.put(row, T(sums[i]));
      t.sync();  // before the next rows
    }
  }
};

template <class T, class O>
class OneThreadPerRowPlain : public OnOrderedCsr<T, O> {
 public:
  OneThreadPerRowPlain(const CsrView<T, O>& a, const Parameters& p)
      : OnOrderedCsr<T, O>(a, p),
        threads_(threads_of(p)),
        blocks_(blocks_for(a.rows, threads_)),
        form_(form_for(a, p, blocks_, threads_)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      const Launch how{.blocks = blocks_, .threads = threads_, .stream = stream};
      if (this->order())
        launch(how, FirstThreads<T, O, Out, K, true>{this->a(), x, out, {this->order()}});
      else
        launch(how, FirstThreads<T, O, Out, K, false>{this->a(), x, out, {}});
    });
  }

 private:
  int threads_, blocks_;
  Form form_;
};

template <class T, class O>
class OneThreadPerRow : public OnCsr<T, O> {
 public:
  OneThreadPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        kernel_(a, p, stride_blocks(blocks_for(a.rows, threads_of(p)), p), threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    kernel_.launch(stream, alpha, beta, y, body(x));
  }
  Facts facts() const { return kernel_.template facts<T>(body(nullptr)); }

 private:
  auto body(const T* x) const {
    return [this, x]<class K, class Out>(const Out& out) {
      return StridingThreads<T, O, Out, K>{this->a(), x, out};
    };
  }
  BoundedKernel kernel_;
};

template <class T, class O>
class OneThreadPerRowShared : public OnCsr<T, O> {
 public:
  OneThreadPerRowShared(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        blocks_(stride_blocks(blocks_for(a.rows, threads_), p)),
        form_(form_for(a, p, blocks_, threads_)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      launch({.blocks = blocks_,
              .threads = threads_,
              .shared_bytes = static_cast<std::size_t>(threads_) * sizeof(T),
              .stream = stream},
             BufferingThreads<T, O, Out, K>{this->a(), x, out});
    });
  }

 private:
  int threads_, blocks_;
  Form form_;
};

}  // namespace

Kernel gpu_csr_one_thread_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B1",
          .summary = "a thread a row: unrolled by four, launch bounds by mean row length",
          .parameters =
              with_form({threads_parameter(256, 256), launch_bounds_parameter(bounds_by_length),
                         rolled_parameter(), blocks_per_sm_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRow>()};
}

Kernel gpu_csr_one_thread_per_row_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row-plain",
          .determinism = Determinism::always,
          .source = "messa2025 Deliverable 1",
          .summary = "a thread a row, as many threads as rows",
          .parameters = with_form({threads_parameter(256, 256), swizzle_parameter(0)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRowPlain>()};
}

Kernel gpu_csr_one_thread_per_row_shared() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-thread-per-row-shared",
          .determinism = Determinism::always,
          .source = "messa2025 §V-C",
          .summary = "one-thread-per-row, its sums held in shared memory",
          .parameters = with_form({threads_parameter(256, 256), blocks_per_sm_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneThreadPerRowShared>()};
}

}  // namespace nz::NZ_HOME
