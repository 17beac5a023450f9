#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"

// The naive prefix sums of dinoia2025 in shared memory: log2(size) steps, all threads in each.
namespace nz::NZ_HOME {
namespace {

template <class T, int size, bool equals>
struct SharedScan : AddedToY<T> {
  static constexpr const char* name = size == 32
                                          ? (equals ? "gpu/coo/ps-32-equals" : "gpu/coo/ps-32")
                                          : (equals ? "gpu/coo/ps-1024-equals" : "gpu/coo/ps-1024");
  static constexpr bool by_warp = size == 32;

  static NZ_DEVICE void meet(Thread& t) {
    if constexpr (by_warp)
      t.sync_warp();
    else
      t.sync();
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int i = t.index();
    const auto sum = t.shared<T>(t.block_size());
    const auto rows = t.shared<index_t>(t.block_size());
    const std::int64_t k = t.global_index();
    const bool mine = k < this->a.nnz;
    const index_t row = mine ? this->a.row[k] : -1;
    sum[i] = mine ? this->product(k) : T(0);
    rows[i] = row;
    meet(t);
    const int at = by_warp ? t.lane() : i;  // in the chunk
    const int chunk = by_warp ? 32 : t.block_size();
    for (int s = 1; s < chunk; s *= 2) {
      const bool adds = at >= s && (!equals || rows[i - s] == row);
      const T before = adds ? T(sum[i - s]) : T(0);
      meet(t);
      if (adds) sum[i] += before;
      meet(t);
    }
    if (!mine) return;
    const bool end = at == chunk - 1 || k == this->a.nnz - 1;
    add_row<equals>(*this, t, row, end ? -1 : this->a.row[k + 1], T(sum[i]));
  }
};

template <class T, int size, bool equals>
class InShared : public OnCoo<T> {
 public:
  template <Offset O>
  InShared(const CsrView<T, O>& a, const Parameters& p)
      : OnCoo<T>(a), threads_(threads_for(this->a().nnz, size == 32 ? threads_of(p) : size)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->rows());
    launch({.blocks = blocks_for(this->a().nnz, threads_),
            .threads = threads_,
            .shared_bytes = static_cast<std::size_t>(threads_) * (sizeof(T) + sizeof(index_t)),
            .stream = stream},
           SharedScan<T, size, equals>{{this->a(), alpha, x, y}});
  }

 private:
  int threads_;
};

template <class T>
using Ps32 = InShared<T, 32, false>;
template <class T>
using Ps1024 = InShared<T, 1024, false>;
template <class T>
using Ps32Equals = InShared<T, 32, true>;
template <class T>
using Ps1024Equals = InShared<T, 1024, true>;

}  // namespace

Kernel gpu_coo_ps_32() {
  return {
      .family = "gpu",
      .format = "coo",
      .strategy = "ps-32",
      .shared_rounding = 32,
      .source = "dinoia2025 algorithm 5",
      .summary = "prefix sums of 32 entries, two atomics a row; bound of the chunk, not of the row",
      .parameters = {threads_parameter()},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Ps32>()};
}

Kernel gpu_coo_ps_1024() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-1024",
          .shared_rounding = 1024,
          .source = "dinoia2025 algorithm 5",
          .summary =
              "prefix sums of 1024 entries, two atomics a row; bound of the chunk, not of the row",
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps1024>()};
}

Kernel gpu_coo_ps_32_equals() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-equals",
          .source = "dinoia2025 algorithm 6",
          .summary = "sums within rows over 32 entries, an atomic a row",
          .parameters = {threads_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps32Equals>()};
}

Kernel gpu_coo_ps_1024_equals() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-1024-equals",
          .source = "dinoia2025 algorithm 6",
          .summary = "sums within rows over 1024 entries, an atomic a row",
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Ps1024Equals>()};
}

}  // namespace nz::NZ_HOME
