#include "kernels/gpu/papers/messa2025/row_lists.hpp"
#include "kernels/gpu/papers/messa2025/row_loops.hpp"

namespace nz::NZ_HOME {
namespace {

// Blocks of the grid: first those for long rows, which take longest, then medium, then short.
struct Parts {
  int longs = 0, mediums = 0, shorts = 0;
};

template <class T, class O>
struct ThreeClasses {
  static constexpr const char* name = "gpu/csr/hybrid";
  CsrView<T, O> a;
  RowLists rows;
  Parts parts;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < parts.longs)
      by_blocks(t, t.block());
    else if (t.block() < parts.longs + parts.mediums)
      by_warps(t, t.block() - parts.longs);
    else
      by_threads(t, t.block() - parts.longs - parts.mediums);
  }

 private:
  NZ_DEVICE void by_blocks(Thread& t, int block) const {
    const auto warp_sums = t.shared<T>(t.warps());
    for (std::int64_t i = block; i < rows.longs; i += parts.longs) {
      const index_t row = t.load(rows.long_rows + i);
      T sum = reduce_to_first_lane(t, row_sum(t, a, x, row, t.index(), t.block_size()));
      if (t.lane() == 0) warp_sums[t.warp()] = sum;
      t.sync();
      if (t.warp() == 0) {
        sum = 0;
        if (t.lane() < t.warps()) sum = warp_sums[t.lane()];
        sum = reduce_to_first_lane(t, sum);
        if (t.lane() == 0) out.put(row, sum);
      }
      t.sync();  // before the next row's sums
    }
  }
  NZ_DEVICE void by_warps(Thread& t, int block) const {
    const std::int64_t stride = std::int64_t{parts.mediums} * t.warps();
    for (std::int64_t i = std::int64_t{block} * t.warps() + t.warp(); i < rows.mediums;
         i += stride) {
      const index_t row = t.load(rows.medium_rows + i);
      const T sum = warp_row_sum(t, a, x, row);
      if (t.lane() == 0) out.put(row, sum);
    }
  }
  NZ_DEVICE void by_threads(Thread& t, int block) const {
    const std::int64_t stride = std::int64_t{parts.shorts} * t.block_size();
    for (std::int64_t i = std::int64_t{block} * t.block_size() + t.index(); i < rows.shorts;
         i += stride) {
      const index_t row = t.load(rows.short_rows + i);
      out.put(row, row_sum(t, a, x, row, 0, 1));
    }
  }
};

template <class T, class O>
class Hybrid : public OnRowLists<T, O> {
 public:
  Hybrid(const CsrView<T, O>& a, const Parameters& p)
      : OnRowLists<T, O>(a, p.at("short"), p.at("medium")),
        threads_(threads_of(p)),
        shared_bytes_(static_cast<std::size_t>(threads_ / 32) * sizeof(T)) {
    const auto blocks = [&](std::int64_t rows, int each) {
      return stride_blocks<ThreeClasses<T, O>>(blocks_for(rows, each), threads_, shared_bytes_, p);
    };
    const RowLists& lists = this->lists();
    parts_ = {blocks(lists.longs, 1), blocks(lists.mediums, threads_ / 32),
              blocks(lists.shorts, threads_)};
  }
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch({.blocks = parts_.longs + parts_.mediums + parts_.shorts,
            .threads = threads_,
            .shared_bytes = shared_bytes_,
            .stream = stream},
           ThreeClasses<T, O>{this->a(), this->lists(), parts_, x, {alpha, beta, y}});
  }

 private:
  int threads_;
  std::size_t shared_bytes_;
  Parts parts_;
};

}  // namespace

Kernel gpu_csr_hybrid() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hybrid",
          .determinism = Determinism::always,
          .source = "messa2025 §V-B4",
          .summary = "short rows to threads, medium ones to warps, long ones to blocks",
          .parameters = {threads_parameter(),
                         short_parameter(),
                         {"medium", "entries up to which a warp takes a row", 1024, 0, 1 << 30},
                         oversubscription_parameter()},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Hybrid>()};
}

}  // namespace nz::NZ_HOME
