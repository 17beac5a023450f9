#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_lists.hpp"

namespace nz::NZ_HOME {
namespace {

// Blocks of the grid: first those for short rows, then medium, then long, as in the program; each
// row is taken once, without going round.
struct Parts {
  int shorts = 0, mediums = 0, longs = 0;
};

template <class T, class O>
struct ThreeClasses {
  static constexpr const char* name = "gpu/csr/hybrid";
  static constexpr Loop paper_loop = Loop::plain;
  CsrView<T, O> a;
  RowLists rows;
  Parts parts;
  const T* x;
  Output<T> out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    if (t.block() < parts.shorts)
      by_thread<loop>(t, std::int64_t{t.block()} * t.block_size() + t.index());
    else if (t.block() < parts.shorts + parts.mediums)
      by_warp<loop>(t, std::int64_t{t.block() - parts.shorts} * t.warps() + t.warp());
    else
      by_block<loop>(t, t.block() - parts.shorts - parts.mediums);
  }

 private:
  template <Loop loop>
  NZ_DEVICE void by_thread(Thread& t, std::int64_t i) const {
    if (i >= rows.shorts) return;
    const index_t row = t.load(rows.short_rows + i);
    out.put(row, row_sum<loop>(t, a, x, row, 0, 1));
  }
  template <Loop loop>
  NZ_DEVICE void by_warp(Thread& t, std::int64_t i) const {
    if (i >= rows.mediums) return;
    const index_t row = t.load(rows.medium_rows + i);
    const T sum = warp_row_sum<loop>(t, a, x, row);
    if (t.lane() == 0) out.put(row, sum);
  }
  template <Loop loop>
  NZ_DEVICE void by_block(Thread& t, int i) const {
    const auto warp_sums = t.shared<T>(t.warps());
    const index_t row = t.load(rows.long_rows + i);
    T sum = reduce_to_first_lane(t, row_sum<loop>(t, a, x, row, t.index(), t.block_size()));
    if (t.lane() == 0) warp_sums[t.warp()] = sum;
    t.sync();
    if (t.warp() > 0) return;
    sum = 0;
    if (t.lane() < t.warps()) sum = warp_sums[t.lane()];
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) out.put(row, sum);
  }
};

template <class T, class O>
class Hybrid : public OnRowLists<T, O> {
 public:
  Hybrid(const CsrView<T, O>& a, const Parameters& p)
      : OnRowLists<T, O>(a, p.at("short"), p.at("medium")),
        threads_(threads_of(p)),
        parts_{blocks_for(this->lists().shorts, threads_),
               blocks_for(this->lists().mediums, threads_ / 32), this->lists().longs},
        shared_bytes_(
            static_cast<std::size_t>(std::max<std::int64_t>(threads_ / 32, p.at("shared_values"))) *
            sizeof(T)),
        kernel_(a.rows, a.nnz, p) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    kernel_.launch({.blocks = parts_.longs + parts_.mediums + parts_.shorts,
                    .threads = threads_,
                    .shared_bytes = shared_bytes_,
                    .stream = stream},
                   {this->a(), this->lists(), parts_, x, {alpha, beta, y}});
  }
  Facts facts() const { return kernel_.facts(); }

 private:
  int threads_;
  Parts parts_;
  std::size_t shared_bytes_;
  BoundedKernel<ThreeClasses<T, O>> kernel_;
};

}  // namespace

Kernel gpu_csr_hybrid() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hybrid",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B4",
          .summary = "short rows to threads, medium ones to warps, long ones to blocks",
          .parameters = {threads_parameter(256, 256),
                         short_parameter(),
                         {"medium", "entries below which a warp takes a row", 512, 0, 1 << 30},
                         launch_bounds_parameter(bounds_by_length),
                         rolled_parameter(),
                         {"shared_values",
                          "values of shared memory a block, of which one a warp is used", 136, 1,
                          1024}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Hybrid>()};
}

}  // namespace nz::NZ_HOME
