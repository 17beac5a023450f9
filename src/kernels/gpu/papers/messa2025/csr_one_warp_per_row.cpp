#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"
#include "kernels/gpu/row_order.hpp"

namespace nz::NZ_HOME {
namespace {

// Deliverable 1, of which the paper prints nothing, from its program: as many warps as rows.
template <class T, class O, class Out, class K, bool swizzled>
struct FirstWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row-plain";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Out out;
  RowAt<swizzled> row_at{};
  NZ_DEVICE void operator()(Thread& t) const {
    const auto place = index_as<K>(t) / 32;
    if (place >= a.rows) return;
    const auto row = static_cast<K>(row_at(t, place));
    const T sum = reduce_to_first_lane(t, first_row_sum<K>(t, a, x, row, t.lane(), 32));
    if (t.lane() == 0) out.put(row, sum);
  }
};

template <class T, class O, class Out, class K>
struct StridingWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row";
  static constexpr Loop paper_loop = Loop::unrolled_4;
  CsrView<T, O> a;
  const T* x;
  Out out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    for (auto row = index_as<K>(t) / 32; row < a.rows; row += size_as<K>(t) / 32) {
      const T sum = warp_row_sum<loop, K>(t, a, x, row);
      if (t.lane() == 0) out.put(row, sum);
    }
  }
};

template <class T, class O, class Out, class K>
struct BufferingWarps {
  static constexpr const char* name = "gpu/csr/one-warp-per-row-shared";
  static constexpr bool unbounded = true;
  CsrView<T, O> a;
  const T* x;
  Out out;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto parts = t.shared<T>(t.block_size());
    for (auto row = index_as<K>(t) / 32; row < a.rows; row += size_as<K>(t) / 32) {
      const T sum =
          sum_in_shared(t, parts, row_sum<Loop::unrolled_4, K>(t, a, x, row, t.lane(), 32));
      if (t.lane() == 0) out.put(row, sum);
    }
  }
};

template <class T, class O>
class OneWarpPerRowPlain : public OnOrderedCsr<T, O> {
 public:
  OneWarpPerRowPlain(const CsrView<T, O>& a, const Parameters& p)
      : OnOrderedCsr<T, O>(a, p),
        threads_(threads_of(p)),
        blocks_(blocks_for(a.rows, threads_ / 32)),
        form_(form_for(a, p, blocks_, threads_)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      const Launch how{.blocks = blocks_, .threads = threads_, .stream = stream};
      if (this->order())
        launch(how, FirstWarps<T, O, Out, K, true>{this->a(), x, out, {this->order()}});
      else
        launch(how, FirstWarps<T, O, Out, K, false>{this->a(), x, out, {}});
    });
  }

 private:
  int threads_, blocks_;
  Form form_;
};

template <class T, class O>
class OneWarpPerRow : public OnCsr<T, O> {
 public:
  OneWarpPerRow(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        kernel_(a, p, stride_blocks(blocks_for(a.rows, threads_of(p) / 32), p), threads_of(p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    kernel_.launch(stream, alpha, beta, y, body(x));
  }
  Facts facts() const { return kernel_.template facts<T>(body(nullptr)); }

 private:
  auto body(const T* x) const {
    return [this, x]<class K, class Out>(const Out& out) {
      return StridingWarps<T, O, Out, K>{this->a(), x, out};
    };
  }
  BoundedKernel kernel_;
};

template <class T, class O>
class OneWarpPerRowShared : public OnCsr<T, O> {
 public:
  OneWarpPerRowShared(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        blocks_(stride_blocks(blocks_for(a.rows, threads_ / 32), p)),
        form_(form_for(a, p, blocks_, threads_)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      launch({.blocks = blocks_,
              .threads = threads_,
              .shared_bytes = static_cast<std::size_t>(threads_) * sizeof(T),
              .stream = stream},
             BufferingWarps<T, O, Out, K>{this->a(), x, out});
    });
  }

 private:
  int threads_, blocks_;
  Form form_;
};

}  // namespace

Kernel gpu_csr_one_warp_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B2",
          .summary = "a warp a row: unrolled by four, summed by shuffles",
          .parameters = with_form({threads_parameter(256, 256), launch_bounds_parameter(0),
                                   rolled_parameter(), blocks_per_sm_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRow>()};
}

Kernel gpu_csr_one_warp_per_row_plain() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row-plain",
          .determinism = Determinism::always,
          .source = "messa2025 Deliverable 1",
          .summary = "a warp a row, as many warps as rows, summed by shuffles",
          .parameters = with_form({threads_parameter(256, 256), swizzle_parameter(0)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRowPlain>()};
}

Kernel gpu_csr_one_warp_per_row_shared() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "one-warp-per-row-shared",
          .determinism = Determinism::always,
          .source = "messa2025 §V-C",
          .summary = "one-warp-per-row, summed in shared memory",
          .parameters = with_form({threads_parameter(256, 256), blocks_per_sm_parameter()}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<OneWarpPerRowShared>()};
}

}  // namespace nz::NZ_HOME
