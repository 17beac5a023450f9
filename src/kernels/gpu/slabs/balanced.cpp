#include <algorithm>

#include "kernels/gpu/slabs/units.hpp"
#include "simt/warp.hpp"

// For matrices whose gathers of x miss the cache. A warp keeps the sums of its rows in shared
// memory and takes its entries by slabs of columns (slabs/units.hpp): all warps that the device
// holds go along x at about the same pace, so x comes from memory once for each round of them, and
// all gathers in between hit the cache. Nothing keeps the warps in step; a slab is a small part of
// the cache, so they may drift a few slabs apart. y is written once, whatever the number of slabs,
// and an entry takes 4 bytes and its value.
//
// Within a slab entries are in the order of rows. Of 32 at a time runs of one row are added up by
// as many shuffles as the longest run needs, mostly none or one, and the last lane of a run adds it
// to the row's sum. Rows belong to one warp, so nobody waits for anybody.
//
// It is for x that does not fit into half of the cache; where it does, or where a few rows have
// much, others are better.
namespace nz::NZ_HOME {
namespace {

// What a warp takes at once of a slab of a unit: lane l has the entries l, l + 32, ...
template <class T, int items>
struct Round {
  int n;  // entries that are left of the slab, these among them
  std::uint32_t place[items];
  T value[items];

  NZ_DEVICE bool has(Thread& t, int j) const { return 32 * j + t.lane() < n; }
};

// use(round, columns before the slab) for all entries of a unit, slab after slab. All of a round is
// on its way before anything of it is used.
template <int items, class T, class Use>
NZ_DEVICE void take_slabs(Thread& t, const SlabView<T>& a, int unit, Use&& use) {
  const std::int64_t* starts = a.starts + std::int64_t{unit} * a.slabs;
  std::int64_t begin = t.load(starts), ends = 0;
  NZ_ROLLED
  for (int s = 0; s < a.slabs; ++s) {
    if (s % 32 == 0) ends = s + t.lane() < a.slabs ? t.load(starts + s + t.lane() + 1) : 0;
    const std::int64_t end = t.shuffle(ends, s % 32);
    NZ_ROLLED
    for (; begin < end; begin += 32 * items) {
      Round<T, items> round;
      round.n = static_cast<int>(end - begin);
      const std::uint32_t* places = a.places + begin + t.lane();
      const T* values = a.values + begin + t.lane();
      NZ_UNROLL
      for (int j = 0; j < items; ++j)
        round.place[j] = round.has(t, j) ? t.load_streaming(places + 32 * j) : 0;
      NZ_UNROLL
      for (int j = 0; j < items; ++j)
        round.value[j] = round.has(t, j) ? t.load_streaming(values + 32 * j) : T(0);
      use(round, std::int64_t{s} << a.bits);
    }
    begin = end;
  }
}

template <class T, int items>
struct SlabsMultiply {
  static constexpr const char* name = "gpu/slabs/balanced";
  static constexpr int max_threads = 256;
  static constexpr int min_blocks = items == 4 ? 5 : 4;
  SlabView<T> a;
  const T* x;
  Output<T> out;
  T* parts;  // of long rows: their sums

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> sums = t.shared<T>(t.warps() * a.most_rows);
    const int unit = t.block() * t.warps() + t.warp(), mine = t.warp() * a.most_rows;
    if (unit >= a.units) return;
    const index_t first = t.load(a.first + unit);
    const int rows = t.load(a.first + unit + 1) - first;
    NZ_ROLLED
    for (int r = t.lane(); r < rows; r += 32) sums[mine + r] = T(0);
    t.sync_warp();
    const std::uint32_t columns = (1u << a.bits) - 1;
    take_slabs<items>(t, a, unit, [&](Round<T, items>& round, std::int64_t before) {
      NZ_UNROLL
      for (int j = 0; j < items; ++j)
        if (round.has(t, j)) round.value[j] *= t.load(x + before + (round.place[j] & columns));
      NZ_UNROLL
      for (int j = 0; j < items; ++j)
        if (32 * j < round.n)
          add(t, round.has(t, j) ? static_cast<int>(round.place[j] >> a.bits) : -1, round.value[j],
              sums, mine);
    });
    NZ_ROLLED
    for (int r = t.lane(); r < rows; r += 32) {
      const index_t row = first + r;
      if (row < a.rows)
        t.store_streaming(out.y + row,
                          combine(out.alpha, T(sums[mine + r]), out.beta, out.y + row));
      else
        parts[row - a.rows] = sums[mine + r];
    }
  }

 private:
  // Adds each lane's product to the sum of its row; -1: it has none. Equal rows are neighbours.
  NZ_DEVICE void add(Thread& t, int row, T product, const SharedArray<T>& sums, int mine) const {
    const int lane = t.lane(), left = t.shuffle_up(row, 1);
    const unsigned heads = t.ballot(lane == 0 || left != row);
    NZ_ROLLED
    for (int by = 1; by < 32; by *= 2) {
      const bool joins =
          row >= 0 && lane >= by && (heads >> (lane - by + 1) & ((1u << by) - 1)) == 0;
      if (!t.any(joins)) break;
      const T before = t.shuffle_up(product, by);
      if (joins) product += before;
    }
    const bool last = lane == 31 || (heads >> (lane + 1) & 1u) != 0;
    if (row >= 0 && last) sums[mine + row] = sums[mine + row] + product;
    t.sync_warp();
  }
};

// A warp each adds up the parts of a long row; y is scaled already.
template <class T>
struct AddParts {
  static constexpr const char* name = "gpu/slabs/balanced, long rows";
  const SlabLong* longs;
  int count;
  const T* parts;
  T alpha;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index() / 32;
    if (i >= count) return;
    const SlabLong its = longs[i];
    T sum = 0;
    for (int p = t.lane(); p < its.parts; p += 32) sum += t.load(parts + its.first + p);
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) y[its.row] += alpha * sum;
  }
};

// y, scaled already, gets each entry's product by itself, slab after slab.
template <class T>
struct SlabsScatter {
  static constexpr const char* name = "gpu/slabs/balanced, transposed";
  static constexpr int max_threads = 256;
  SlabView<T> a;
  T alpha;
  const T* x;
  T* y;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> from_x = t.shared<T>(t.warps() * a.most_rows);
    const int unit = t.block() * t.warps() + t.warp(), mine = t.warp() * a.most_rows;
    if (unit >= a.units) return;
    const index_t first = t.load(a.first + unit);
    const int rows = t.load(a.first + unit + 1) - first;
    for (int r = t.lane(); r < rows; r += 32) {
      const index_t row = first + r;
      from_x[mine + r] = t.load(x + (row < a.rows ? row : t.load(a.row_of + (row - a.rows))));
    }
    t.sync_warp();
    const std::uint32_t columns = (1u << a.bits) - 1;
    take_slabs<4>(t, a, unit, [&](const Round<T, 4>& round, std::int64_t before) {
      NZ_UNROLL
      for (int j = 0; j < 4; ++j)
        if (round.has(t, j)) {
          const T its = from_x[mine + static_cast<int>(round.place[j] >> a.bits)];
          t.atomic_add(y + before + (round.place[j] & columns), alpha * (round.value[j] * its));
        }
    });
  }
};

template <Value T>
class Slabs {
 public:
  template <Offset O>
  Slabs(const CsrView<T, O>& a, const Parameters& p) : items_(p.at("items") < 6 ? 4 : 8) {
    const Device device = current_device();
    const DeviceCsr<T, O> there(device, a);
    const DeviceInfo& info = simt::backend(device).info();
    const int threads = threads_of(p), warps = threads / 32;
    // Blocks that a processor holds, and what each has of its shared memory, which is given out in
    // steps; a block takes 1 KiB more than it asks for.
    const int least =
        items_ == 4 ? SlabsMultiply<T, 4>::min_blocks : SlabsMultiply<T, 8>::min_blocks;
    const int blocks = std::min(32, least * 256 / threads);
    const std::int64_t all =
        std::min(1024 * p.at("shared"), static_cast<std::int64_t>(info.shared_bytes) + 1024);
    const std::int64_t share = all / blocks / 256 * 256 - 1024;
    a_ = slabs_on_device<T, O>(
        there.view(),
        {.bits = static_cast<int>(p.at("bits")),
         .piece = p.at("piece"),
         .at_once = info.processors * blocks * warps,
         .room = static_cast<int>(std::max<std::int64_t>(16, share / warps / int(sizeof(T))))});
    threads_ = threads_for(std::int64_t{a_.view.units} * 32, threads);
  }

  std::size_t bytes() const { return a_.bytes(); }
  std::size_t matrix_bytes() const { return a_.matrix_bytes(); }
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(0, static_cast<std::size_t>(a_.parts));
  }
  Facts facts() const {
    return {{"slabs", a_.view.slabs},
            {"units", a_.view.units},
            {"rows_a_unit", a_.view.most_rows},
            {"long_rows", static_cast<double>(a_.longs.size())},
            {"parts", static_cast<double>(a_.parts)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    T* const parts = scratch.values<T>();
    if (items_ == 4)
      launch(launch_config(stream), SlabsMultiply<T, 4>{a_.view, x, {alpha, beta, y}, parts});
    else
      launch(launch_config(stream), SlabsMultiply<T, 8>{a_.view, x, {alpha, beta, y}, parts});
    const auto count = static_cast<std::int64_t>(a_.longs.size());
    Launch longs = one_thread_each(32 * count);
    longs.stream = stream;
    launch(longs, AddParts<T>{a_.longs.data(), static_cast<int>(count), parts, alpha, y});
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch&) const {
    scale(stream, beta, y, a_.view.cols);
    launch(launch_config(stream), SlabsScatter<T>{a_.view, alpha, x, y});
  }

 private:
  Launch launch_config(CUstream_st* stream) const {
    return {.blocks = blocks_for(a_.view.units, threads_ / 32),
            .threads = threads_,
            .shared_bytes = sizeof(T) * static_cast<std::size_t>(threads_ / 32) *
                            static_cast<std::size_t>(a_.view.most_rows),
            .stream = stream};
  }

  int items_;
  int threads_ = 32;
  SlabUnits<T> a_;
};

}  // namespace

Kernel gpu_slabs_balanced() {
  return {
      .family = "gpu",
      .format = "slabs",
      .strategy = "balanced",
      .transposes = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "entries by slabs of columns, sums in shared memory: x from the cache",
      .parameters = {threads_parameter(256, 256),
                     {"bits", "2^bits columns a slab, at most 256 slabs", 18, 1, 22},
                     {"items", "entries a lane takes at once: 4 or 8, the nearest", 8, 1, 8},
                     {"shared", "KiB of a processor's shared memory for sums, at most what it has",
                      164, 64, 1024},
                     {"piece", "entries of the longest row that is not dealt out; 0: by the matrix",
                      0, 0, 1 << 20}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Slabs>()};
}

}  // namespace nz::NZ_HOME
