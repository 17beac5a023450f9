#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/instantiate.hpp"
#include "kernels/batch.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/row_sums.hpp"

// A block takes a tile, and multiplies it for several matrices where they have one structure:
// columns and starts of rows are read once and stay in registers and shared memory, while values
// come from memory side by side, whatever the rows are. Products wait in shared memory until the
// rows are added up.
namespace nz::NZ_HOME {
namespace {

constexpr int threads = 128;
constexpr int items = batch_tile_size / threads;  // entries a thread
// Times of the pattern that a block takes at most, and blocks that a multiprocessor should have in
// turn before a block takes more than one.
constexpr int most_repeats = 16;
constexpr int waves = 24;

// The lists of one product; Index is the type of columns.
template <class T, class Index>
struct TileLists {
  const BatchTile* tiles;
  int count;
  const std::int32_t* starts;
  const Index* columns;
  const std::int32_t* places;  // where the product is `placed`
  const T* values;
  int repeats_each;                             // of a block
  std::int64_t repeats;                         // of all
  std::int64_t values_apart, x_apart, y_apart;  // from one time of the pattern to the next
  std::int64_t rows;                            // of y
};

template <class T, class Index, bool placed>
struct BatchMultiply {
  static constexpr const char* name = "batch of matrices";
  static constexpr int max_threads = threads, min_blocks = 8;
  TileLists<T, Index> a;
  const T* x;
  Output<T> out;

  static constexpr std::size_t shared_bytes() {
    return static_cast<std::size_t>(room) * sizeof(T) +
           (batch_tile_size + 1) * sizeof(std::int32_t);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const BatchTile tile = a.tiles[t.block() % a.count];
    const std::int64_t first = std::int64_t{t.block() / a.count} * a.repeats_each;
    const std::int64_t end =
        first + a.repeats_each < a.repeats ? first + a.repeats_each : a.repeats;
    const SharedArray<T> product = t.shared<T>(room);
    const SharedArray<std::int32_t> start = t.shared<std::int32_t>(batch_tile_size + 1);
    if (tile.entries > batch_tile_size) return long_row(t, tile, first, end, product);
    index_t column[items];
    std::int32_t place[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * threads + t.index();
      column[j] = i < tile.entries ? index_t(t.load(a.columns + tile.entry + i)) : 0;
      if constexpr (placed)
        place[j] = i < tile.entries ? t.load(a.places + tile.entry + i) : 0;
      else
        place[j] = i;
    }
    for (int i = t.index(); i <= tile.rows; i += threads)
      start[i] = t.load(a.starts + tile.start + i);
    t.sync();
    NZ_ROLLED
    for (std::int64_t r = first; r < end; ++r) {
      // The last time that the pattern comes, not all of it need be there.
      const std::int64_t left = a.rows - r * a.y_apart - tile.y;
      if (left <= 0) return;
      const int rows = left < tile.rows ? int(left) : tile.rows;
      multiply(t, tile, r, int(start[rows]), column, place, product);
      t.sync();
      const std::int64_t y = r * a.y_apart + tile.y;
      add_tile_rows<0>(t, rows, product, start, [&](int i, T sum) { out.put(y + i, sum); });
      t.sync();  // the products have been read
    }
  }

 private:
  static constexpr int room = batch_tile_size + batch_tile_size / 32;

  // Everything is on its way before anything of it is used.
  NZ_DEVICE void multiply(Thread& t, const BatchTile& tile, std::int64_t r, int entries,
                          const index_t* column, const std::int32_t* place,
                          const SharedArray<T>& product) const {
    const T* const values = a.values + (r * a.values_apart + tile.value);
    const T* const from = x + (r * a.x_apart + tile.x);
    T value[items], factor[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const bool there = j * threads + t.index() < entries;
      if constexpr (placed)
        value[j] = there ? t.load(values + place[j]) : T(0);
      else
        value[j] = there ? t.load_streaming(values + place[j]) : T(0);
      factor[j] = there ? t.load(from + column[j]) : T(0);
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * threads + t.index();
      if (i < entries) product[padded(i)] = value[j] * factor[j];
    }
  }

  // A row that is longer than a tile: the block goes along it.
  NZ_DEVICE void long_row(Thread& t, const BatchTile& tile, std::int64_t first, std::int64_t end,
                          const SharedArray<T>& part) const {
    for (std::int64_t r = first; r < end && r * a.y_apart + tile.y < a.rows; ++r) {
      const T* const values = a.values + (r * a.values_apart + tile.value);
      const T* const from = x + (r * a.x_apart + tile.x);
      T sum = 0;
      NZ_UNROLL_BY(4)
      for (int i = t.index(); i < tile.entries; i += threads) {
        std::int64_t place = i;
        if constexpr (placed) place = t.load(a.places + tile.entry + i);
        sum += t.load(values + place) * t.load(from + t.load(a.columns + tile.entry + i));
      }
      sum = reduce_to_first_lane(t, sum);
      if (t.lane() == 0) part[t.warp()] = sum;
      t.sync();
      if (t.warp() == 0) {
        sum = reduce_to_first_lane(t, t.lane() < t.warps() ? T(part[t.lane()]) : T(0));
        if (t.lane() == 0) out.put(r * a.y_apart + tile.y, sum);
      }
      t.sync();
    }
  }
};

template <class E>
DeviceArray<E> uploaded(const std::vector<E>& from) {
  return {current_device(), std::span<const E>(from)};
}

// The tiles of one op on the device. Columns take two bytes where they can.
struct DeviceTiles {
  DeviceTiles() = default;
  explicit DeviceTiles(const BatchTiles& from)
      : tiles(uploaded(from.tiles)), starts(uploaded(from.starts)), places(uploaded(from.places)) {
    if (from.last_column <= std::numeric_limits<std::uint16_t>::max())
      narrow = uploaded(std::vector<std::uint16_t>(from.columns.begin(), from.columns.end()));
    else
      wide = uploaded(from.columns);
  }
  std::size_t bytes() const {
    return tiles.bytes() + starts.bytes() + places.bytes() + narrow.bytes() + wide.bytes();
  }

  DeviceArray<BatchTile> tiles;
  DeviceArray<std::int32_t> starts, places;
  DeviceArray<std::uint16_t> narrow;
  DeviceArray<index_t> wide;
};

template <class T>
class BatchStrategy {
 public:
  BatchStrategy(const BatchShape& s, std::span<const T> values, bool keep)
      : n_(s.n),
        t_(s.t),
        repeats_(s.repeats),
        pattern_rows_(s.pattern_rows),
        pattern_cols_(s.pattern_cols),
        pattern_entries_(s.pattern_entries),
        rows_(s.rows),
        cols_(s.cols),
        entries_(s.entries),
        keeps_(keep),
        processors_(std::max(1, simt::backend(current_device()).info().processors)) {
    set_values(values);
  }

  void set_values(std::span<const T> values) {
    if (keeps_) {
      values_ = values.data();
      return;
    }
    if (own_.size() != values.size()) own_ = {current_device(), values.size()};
    values_ = own_.data();
    if (!values.empty())
      detail::device_copy(current_device(), own_.data(), values.data(), values.size_bytes(), {});
  }

  std::size_t bytes() const { return n_.bytes() + t_.bytes() + own_.bytes(); }
  std::size_t matrix_bytes(Op op) const {
    return (op == Op::none ? n_ : t_).bytes() + static_cast<std::size_t>(entries_) * sizeof(T);
  }
  bool borrows() const { return keeps_; }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<false>(stream, n_, pattern_cols_, pattern_rows_, rows_, x, {alpha, beta, y});
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<true>(stream, t_, pattern_rows_, pattern_cols_, cols_, x, {alpha, beta, y});
  }

 private:
  template <bool placed>
  void run(CUstream_st* stream, const DeviceTiles& tiles, std::int64_t x_apart,
           std::int64_t y_apart, std::int64_t rows, const T* x, const Output<T>& out) const {
    const auto with = [&]<class Index>(const Index* columns) {
      using K = BatchMultiply<T, Index, placed>;
      const auto count = static_cast<int>(tiles.tiles.size());
      const std::int64_t units = count * repeats_;
      const int each = static_cast<int>(
          std::clamp<std::int64_t>(units / (waves * processors_), 1, most_repeats));
      const std::int64_t blocks = count * ((repeats_ + each - 1) / each);
      launch({.blocks = static_cast<int>(blocks),
              .threads = threads,
              .shared_bytes = K::shared_bytes(),
              .stream = stream},
             K{{tiles.tiles.data(), count, tiles.starts.data(), columns, tiles.places.data(),
                values_, each, repeats_, pattern_entries_, x_apart, y_apart, rows},
               x,
               out});
    };
    if (tiles.narrow.size() > 0)
      with(tiles.narrow.data());
    else
      with(tiles.wide.data());
  }

  DeviceTiles n_, t_;
  std::int64_t repeats_, pattern_rows_, pattern_cols_, pattern_entries_, rows_, cols_, entries_;
  bool keeps_;
  int processors_;
  const T* values_ = nullptr;
  DeviceArray<T> own_;
};

}  // namespace

template <Value T>
MadeBatch<T> make_batch(BatchShape shape, std::span<const T> values, bool keep) {
  // The device is current whenever values are set.
  auto product = std::make_unique<GpuProduct<T, BatchStrategy<T>>>(std::in_place, shape.rows,
                                                                   shape.cols, shape, values, keep);
  const auto set = [p = product.get()](std::span<const T> more) { p->strategy().set_values(more); };
  return {std::move(product), set};
}

#define NZ_INSTANTIATE(T) template MadeBatch<T> make_batch(BatchShape, std::span<const T>, bool);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
