#include "kernels/gpu/compact_reading.hpp"
#include "kernels/gpu/hub_columns.hpp"

// For graphs whose columns are as uneven as their rows. A gather of x that hits the L2 cache still
// takes a sector of it, and those are what R-MAT and its like are bound by: 80 million sectors for
// 65 million entries, 150 to a nanosecond. The few columns that have half of the entries, the hubs,
// lie all over x, a line of the L1 cache each. So x of the hubs is put side by side first, in as
// much as the L1 holds, and found there from then on; other elements of x pass the L1 by.
//
// The rest is gpu/compact/balanced, with numbers in place of columns: hubs by their place, others
// behind them.
namespace nz::NZ_HOME {
namespace {

template <class T>
struct GatherHubs {
  static constexpr const char* name = "x of hubs";
  const index_t* hubs;
  int n;
  const T* x;
  T* together;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto i = static_cast<int>(t.global_index());
    if (i < n) together[i] = t.load(x + t.load(hubs + i));
  }
};

template <class T>
struct HubX {
  static constexpr const char* name = "gpu/compact/hubs";
  static constexpr bool wide = true;
  const T* together;
  int hubs;
  const T* x;
  NZ_DEVICE T load(Thread& t, index_t, index_t number) const {
    return number < hubs ? t.load(together + number) : t.load_past_l1(x + (number - hubs));
  }
};

// Back from numbers.
struct HubOrColumn {
  const index_t* hubs;
  int hub_count;
  NZ_DEVICE index_t operator()(Thread& t, index_t number) const {
    return number < hub_count ? t.load(hubs + number) : number - hub_count;
  }
};

template <Value T>
class Hubs {
 public:
  template <Offset O>
  Hubs(const CsrView<T, O>& a, const Parameters& p) : threads_(threads_of(p)) {
    const DeviceCsr<T, O> there(current_device(), a);
    ValueCodes<T> codes = find_value_codes(there.view().values, std::int64_t{a.nnz});
    octets_ = code_bytes<T>(codes.code) < 4 ? 2 : 1;
    const int room = threads_ * octets_ * 8;
    HubColumns hubs = hub_columns(there.view().columns, std::int64_t{a.nnz}, a.cols, p.at("fewest"),
                                  static_cast<int>(p.at("kib") * 1024 / sizeof(T)));
    a_ = compact_on_device(there.view(), std::move(codes), room * 7 / 8, room / 8,
                           static_cast<int>(p.at("piece")), hubs.numbers.data());
    hubs_ = std::move(hubs.list);
    share_ = hubs.share;
    together_ = {current_device(), hubs_.size()};
  }

  index_t rows() const { return a_.rows; }
  index_t cols() const { return a_.cols; }
  bool borrows() const { return false; }
  std::size_t bytes() const { return a_.bytes() + hubs_.bytes() + together_.bytes(); }
  std::size_t matrix_bytes() const { return a_.matrix_bytes() + hubs_.bytes(); }
  Facts facts() const {
    return {{"value_bytes", static_cast<double>(code_bytes<T>(a_.codes.code))},
            {"hubs", static_cast<double>(hubs_.size())},
            {"in_hubs", share_},
            {"tiles", a_.tiles},
            {"pieces", a_.long_rows.pieces()}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const auto hubs = static_cast<int>(hubs_.size());
    launch({.blocks = blocks_for(hubs, 128), .threads = 128, .stream = stream},
           GatherHubs<T>{hubs_.data(), hubs, x, together_.data()});
    const HubX<T> from{together_.data(), hubs, x};
    for_code<T>(a_.codes.code, [&]<ValueCode code>() {
      const auto run = [&]<class K>(K k) { launch(how(stream, K::shared_bytes(threads_)), k); };
      if (octets_ == 1)
        run(CompactMultiply<T, code, 1, HubX<T>>{work(), from, {alpha, beta, y}});
      else
        run(CompactMultiply<T, code, 2, HubX<T>>{work(), from, {alpha, beta, y}});
    });
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    const HubOrColumn column{hubs_.data(), static_cast<int>(hubs_.size())};
    for_code<T>(a_.codes.code, [&]<ValueCode code>() {
      launch(how(stream, 0), CompactScatter<T, code, HubOrColumn>{work(), column, alpha, x, y});
    });
  }

 private:
  int piece_blocks() const { return blocks_for(a_.long_rows.pieces(), threads_ / 32); }
  Launch how(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = piece_blocks() + a_.tiles,
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  CompactWork<T> work() const { return {a_.view(), a_.long_rows.view(), piece_blocks()}; }

  int threads_;
  int octets_ = 1;
  CompactUnits<T> a_;
  DeviceArray<index_t> hubs_;
  mutable DeviceArray<T> together_;
  double share_ = 0;
};

}  // namespace

Kernel gpu_compact_hubs() {
  return {
      .device = "gpu",
      .format = "compact",
      .strategy = "hubs",
      .transposes = true,
      .deterministic = true,
      .atomic_transpose = true,
      .source = "own",
      .summary = "like balanced, x of the fullest columns side by side: they stay in the L1 cache",
      .parameters = {threads_parameter(128, 256),
                     {"fewest", "entries that make a column a hub", 256, 1, 1 << 30},
                     {"kib", "KiB of x that hubs may take", 64, 1, 1024},
                     {"piece", "entries of a long row that a warp takes; 0: by their number", 0, 0,
                      1 << 20}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Hubs>()};
}

}  // namespace nz::NZ_HOME
