#include "kernels/gpu/papers/dinoia2025/coo_form.hpp"

// The four access maps of dinoia2025 §VI-B: a fixed number of threads share the entries, each takes
// several, and the map says how far apart those of one thread lie.
namespace nz::NZ_HOME {
namespace {

enum class Apart { one, threads, warp, block };

template <class To, Apart apart>
struct Mapped : To {
  using K = typename To::Count;
  static constexpr const char* name = apart == Apart::one       ? "gpu/coo/map-1"
                                      : apart == Apart::threads ? "gpu/coo/map-threads"
                                      : apart == Apart::warp    ? "gpu/coo/map-warp"
                                                                : "gpu/coo/map-block";
  K each;  // entries a thread

  NZ_DEVICE void operator()(Thread& t) const {
    K k = 0, step = 0;
    if constexpr (apart == Apart::one) {
      step = 1;
      k = index_as<K>(t) * each;
    } else if constexpr (apart == Apart::threads) {
      step = size_as<K>(t);
      k = index_as<K>(t);
    } else if constexpr (apart == Apart::warp) {
      step = 32;
      k = index_as<K>(t) / 32 * 32 * each + t.lane();
    } else {
      step = t.block_size();
      k = t.block() * each * t.block_size() + t.index();
    }
    for (K j = 0; j < each && k < this->size(); ++j, k += step)
      this->add(t, this->a.row[k], this->product(k));
  }
};

template <class T, Apart apart>
class Map : public AddingCoo<T> {
 public:
  template <Offset O>
  Map(const CsrView<T, O>& a, const Parameters& p) : Map(a, p, SharedGrid(a.nnz, p)) {}
  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    this->add_to(stream, alpha, x, beta, y, [&]<class To>(const To& to) {
      launch({.blocks = grid_.blocks, .threads = grid_.threads, .stream = stream},
             Mapped<To, apart>{to, static_cast<typename To::Count>(grid_.each)});
    });
  }

 private:
  template <Offset O>
  Map(const CsrView<T, O>& a, const Parameters& p, const SharedGrid& grid)
      : AddingCoo<T>(a, p, grid), grid_(grid) {}
  SharedGrid grid_;
};

template <class T>
using Map1 = Map<T, Apart::one>;
template <class T>
using MapThreads = Map<T, Apart::threads>;
template <class T>
using MapWarp = Map<T, Apart::warp>;
template <class T>
using MapBlock = Map<T, Apart::block>;

Kernel entry(const char* strategy, const char* summary, const PrepareTable& prepare) {
  return {.family = "gpu",
          .format = "coo",
          .strategy = strategy,
          .source = "dinoia2025 §VI-B",
          .summary = summary,
          .parameters = shared_grid_parameters(),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare};
}

}  // namespace

Kernel gpu_coo_map_1() {
  return entry("map-1", "a thread several neighbouring entries", prepare_gpu<Map1>());
}
Kernel gpu_coo_map_threads() {
  return entry("map-threads", "a thread several entries, all threads apart",
               prepare_gpu<MapThreads>());
}
Kernel gpu_coo_map_warp() {
  return entry("map-warp", "a thread several entries, a warp apart", prepare_gpu<MapWarp>());
}
Kernel gpu_coo_map_block() {
  return entry("map-block", "a thread several entries, a block apart", prepare_gpu<MapBlock>());
}

}  // namespace nz::NZ_HOME
