#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"

// The prefix sums of dinoia2025 with shuffles instead of shared memory.
namespace nz::NZ_HOME {
namespace {

template <class To, bool equals>
struct WarpScan : To {
  using T = typename To::Value;
  static constexpr const char* name = equals ? "gpu/coo/ps-32-warp-equals" : "gpu/coo/ps-32-warp";
  NZ_DEVICE void operator()(Thread& t) const {
    const auto k = index_as<typename To::Count>(t);
    const bool mine = k < this->size();
    scan_and_add<equals>(*this, t, mine ? this->a.row[k] : -1, mine ? this->product(k) : T(0));
  }
};

template <class T, bool equals>
class OfWarps : public AddingCoo<T> {
 public:
  template <Offset O>
  OfWarps(const CsrView<T, O>& a, const Parameters& p)
      : AddingCoo<T>(a, p), threads_(threads_for(this->a().nnz, threads_of(p))) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      launch({.blocks = blocks_for(to.a.nnz, threads_), .threads = threads_, .stream = stream},
             WarpScan<To, equals>{to});
    });
  }

 private:
  int threads_;
};

template <class T, bool equals>
class OfBlocks : public AddingCoo<T> {
 public:
  using AddingCoo<T>::AddingCoo;
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      launch_chunks(stream, to.a, BlockScan<To, equals>{to});
    });
  }
};

template <class T>
using Ps32Warp = OfWarps<T, false>;
template <class T>
using Ps32WarpEquals = OfWarps<T, true>;
template <class T>
using Ps1024Warp = OfBlocks<T, false>;
template <class T>
using Ps1024WarpEquals = OfBlocks<T, true>;

}  // namespace

Kernel gpu_coo_ps_32_warp() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-warp",
          .shared_rounding = 32,
          .source = "dinoia2025 §IV",
          .summary = "ps-32 with shuffles; bound of the chunk, not of the row",
          .parameters = with_adding_form({threads_parameter(1024)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps32Warp>()};
}

Kernel gpu_coo_ps_1024_warp() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-1024-warp",
          .shared_rounding = 1024,
          .source = "dinoia2025 figure 7",
          .summary = "ps-1024 with shuffles; bound of the chunk, not of the row",
          .parameters = with_adding_form({}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps1024Warp>()};
}

Kernel gpu_coo_ps_32_warp_equals() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-warp-equals",
          .source = "dinoia2025 algorithm 7",
          .summary = "ps-32-equals with shuffles",
          .parameters = with_adding_form({threads_parameter(1024)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps32WarpEquals>()};
}

Kernel gpu_coo_ps_1024_warp_equals() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-1024-warp-equals",
          .source = "dinoia2025 figure 7",
          .summary = "ps-1024-equals with shuffles: the warps' sums are scanned again",
          .parameters = with_adding_form({}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps1024WarpEquals>()};
}

}  // namespace nz::NZ_HOME
