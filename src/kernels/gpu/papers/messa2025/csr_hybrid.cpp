#include "kernels/gpu/papers/messa2025/launch_bounds.hpp"
#include "kernels/gpu/papers/messa2025/row_lists.hpp"

namespace nz::NZ_HOME {
namespace {

// Blocks of the grid: first those for short rows, then medium, then long, as in the program; each
// row is taken once, without going round.
struct Parts {
  int shorts = 0, mediums = 0, longs = 0;
};

template <class T, class O, class Out, class K>
struct ThreeClasses {
  static constexpr const char* name = "gpu/csr/hybrid";
  static constexpr Loop paper_loop = Loop::plain;
  CsrView<T, O> a;
  RowLists rows;
  Parts parts;
  const T* x;
  Out out;
  template <Loop loop>
  NZ_DEVICE void work(Thread& t) const {
    if (t.block() < parts.shorts)
      by_thread<loop>(t, index_as<K>(t));
    else if (t.block() < parts.shorts + parts.mediums)
      by_warp<loop>(t, K{t.block() - parts.shorts} * t.warps() + t.warp());
    else
      by_block<loop>(t, t.block() - parts.shorts - parts.mediums);
  }

 private:
  template <Loop loop>
  NZ_DEVICE void by_thread(Thread& t, K i) const {
    if (i >= rows.shorts) return;
    const index_t row = t.load(rows.short_rows + i);
    out.put(row, row_sum<loop, K>(t, a, x, row, 0, 1));
  }
  template <Loop loop>
  NZ_DEVICE void by_warp(Thread& t, K i) const {
    if (i >= rows.mediums) return;
    const index_t row = t.load(rows.medium_rows + i);
    const T sum = warp_row_sum<loop, K>(t, a, x, row);
    if (t.lane() == 0) out.put(row, sum);
  }
  template <Loop loop>
  NZ_DEVICE void by_block(Thread& t, int i) const {
    const auto warp_sums = t.shared<T>(t.warps());
    const index_t row = t.load(rows.long_rows + i);
    T sum = reduce_to_first_lane(t, row_sum<loop, K>(t, a, x, row, t.index(), t.block_size()));
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
        parts_{blocks_for(this->lists().shorts, threads_of(p)),
               blocks_for(this->lists().mediums, threads_of(p) / 32), this->lists().longs},
        kernel_(a, p, parts_.longs + parts_.mediums + parts_.shorts, threads_of(p)) {
    const std::int64_t values = std::max<std::int64_t>(threads_of(p) / 32, p.at("shared_values"));
    kernel_.set_shared_bytes(static_cast<std::size_t>(values) * sizeof(T));
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    kernel_.launch(stream, alpha, beta, y, body(x));
  }
  Facts facts() const { return kernel_.template facts<T>(body(nullptr)); }

 private:
  auto body(const T* x) const {
    return [this, x]<class K, class Out>(const Out& out) {
      return ThreeClasses<T, O, Out, K>{this->a(), this->lists(), parts_, x, out};
    };
  }
  Parts parts_;
  BoundedKernel kernel_;
};

}  // namespace

Kernel gpu_csr_hybrid() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hybrid",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B4",
          .summary = "short rows to threads, medium ones to warps, long ones to blocks",
          .parameters = with_form(
              {threads_parameter(256, 256),
               short_parameter(),
               {"medium", "entries below which a warp takes a row", 512, 0, 1 << 30},
               launch_bounds_parameter(bounds_by_length),
               rolled_parameter(),
               {"shared_values", "values of shared memory a block, of which one a warp is used",
                136, 1, 1024}}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Hybrid>()};
}

}  // namespace nz::NZ_HOME
