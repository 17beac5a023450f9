#include "kernels/gpu/papers/dinoia2025/coo_prefix_sum.hpp"
#include "kernels/gpu/papers/dinoia2025/shared_grid.hpp"

// dinoia2025 §VI-C: the sums within rows of a warp, with a thread's entries a block apart as in
// map-block; and the choice between that and sums over 1024.
namespace nz::NZ_HOME {
namespace {

// The products of `unroll` steps are under way before the first of them is summed.
template <class T, int unroll>
struct JumpBlock : AddedToY<T> {
  static constexpr const char* name =
      unroll == 1 ? "gpu/coo/ps-32-warp-jump-block" : "gpu/coo/ps-32-warp-jump-block-unroll";
  std::int64_t each;  // entries a thread

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t step = t.block_size();
    const std::int64_t begin = t.block() * each * step;
    const std::int64_t end = begin + each * step < this->a.nnz ? begin + each * step : this->a.nnz;
    // The whole warp goes on while its first lane has an entry.
    for (std::int64_t k = begin + t.index(); k - t.lane() < end; k += unroll * step) {
      index_t row[unroll];
      T v[unroll];
      NZ_UNROLL
      for (int u = 0; u < unroll; ++u) {
        const std::int64_t at = k + u * step;
        row[u] = at < end ? this->a.row[at] : -1;
        v[u] = at < end ? this->product(at) : T(0);
      }
      NZ_UNROLL
      for (int u = 0; u < unroll; ++u)
        if (k - t.lane() + u * step < end) scan_and_add<true>(*this, t, row[u], v[u]);
    }
  }
};

template <class T, int unroll>
class Jump : public OnCoo<T> {
 public:
  template <Offset O>
  Jump(const CsrView<T, O>& a, const Parameters& p) : OnCoo<T>(a), grid_(this->a().nnz, p) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->rows());
    launch({.blocks = grid_.blocks, .threads = grid_.threads, .stream = stream},
           JumpBlock<T, unroll>{{this->a(), alpha, x, y}, grid_.each});
  }

 private:
  SharedGrid grid_;
};

template <class T>
using Plain = Jump<T, 1>;
template <class T>
using Unrolled = Jump<T, 4>;

template <class T>
class ByRowDensity : public Plain<T> {
 public:
  template <Offset O>
  ByRowDensity(const CsrView<T, O>& a, const Parameters& p)
      : Plain<T>(a, p), dense_(this->a().nnz >= p.at("dense") * this->rows()) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!dense_) return Plain<T>::multiply(stream, alpha, x, beta, y);
    scale(stream, beta, y, this->rows());
    launch_chunks(stream, this->a(), BlockScan<T, true>{{this->a(), alpha, x, y}});
  }

 private:
  bool dense_;
};

}  // namespace

Kernel gpu_coo_ps_32_warp_jump_block() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-warp-jump-block",
          .source = "dinoia2025 §VI-C",
          .summary = "ps-32-warp-equals, a thread several entries, a block apart",
          .parameters = shared_grid_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Plain>()};
}

Kernel gpu_coo_ps_32_warp_jump_block_unroll() {
  return {.family = "gpu",
          .format = "coo",
          .strategy = "ps-32-warp-jump-block-unroll",
          .source = "dinoia2025 §VI-C",
          .summary = "ps-32-warp-jump-block, four steps at once",
          .parameters = shared_grid_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Unrolled>()};
}

Kernel gpu_coo_by_row_density() {
  auto parameters = shared_grid_parameters();
  // In table VI, which leaves model7 out, sums over 32 win up to 6 entries a row and sums over 1024
  // from 642 on; 62 lies between, at equal ratios.
  parameters.push_back(
      {"dense", "mean entries a row from which sums run over 1024", 62, 1, 1 << 20});
  return {.family = "gpu",
          .format = "coo",
          .strategy = "by-row-density",
          .source = "dinoia2025 §VII",
          .summary = "ps-1024-warp-equals for dense rows, else ps-32-warp-jump-block",
          .parameters = parameters,
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ByRowDensity>()};
}

}  // namespace nz::NZ_HOME
