#include <algorithm>
#include <string>
#include <type_traits>

#include <nonzero/error.hpp>
#include <nonzero/formats/fill.hpp>

#include "kernels/gpu/clusters/local_slices.hpp"
#include "kernels/gpu/clusters/width.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/padded/slice_readers.hpp"

// For matrices whose rows have columns in common, but not where they stand: meshes and networks
// whose nodes are numbered anyhow. A gather of x that misses the L1 cache is a sector from the L2,
// about 165 of them a nanosecond, whatever it brings. Here rows are brought together that touch the
// same columns; a block asks for each of its columns once, and its rows find them in shared memory.
//
// A block takes one such tile of rows after the other. All that it needs of the next one, entries
// as well, is on its way to shared memory, in no registers, while this one is multiplied: blocks
// that only load when they begin all load, and all multiply, at the same time (edge elements of 10
// million nonzeros in float: 38.2 us; with a few steps at a time in registers 38.6; in turns TODO).
//
// A lane has a row of a slice; where rows are long, several warps deal its steps out.
namespace nz::NZ_HOME {
namespace {

constexpr int most_rows = 1024;

// What the tiles have.
template <class T>
struct ClustersView {
  SlicesView<T> a;
  const ClusterTile* tiles;
  const index_t* list;
  const index_t* row_of;
  int count, slices, parts;  // tiles, slices of one, warps of a slice
  int room, slots;           // columns and slots that a tile has at most
};

// The slice of a warp in a tile, and the lane's row.
struct SliceOfWarp {
  int first = 0, end = 0, lowest = 0;  // steps of the tile; column in the list
  index_t row = -1;                    // none

  template <class T>
  NZ_DEVICE void load(Thread& t, const ClustersView<T>& v, int tile, std::uint32_t begin) {
    const std::int64_t slice = std::int64_t{tile} * v.slices + t.warp() / v.parts;
    const std::int64_t place = slice * slice_rows + t.lane();
    end = first = 0;
    row = place < v.a.rows ? t.load(v.row_of + place) : -1;
    if (slice * slice_rows >= v.a.rows) return;
    const SliceHead head = t.load(v.a.heads + slice);
    lowest = head.lowest;
    first = static_cast<int>(head.step - begin);
    end = static_cast<int>(t.load(v.a.heads + slice + 1).step - begin);
  }
};

// The entries of a tile in shared memory.
template <class T, class Reader>
class TileEntries {
 public:
  using Stored = typename Reader::Stored;
  static constexpr bool has_values = !std::is_same_v<Reader, ValueReader<T, ValueCode::constant>>;
  static constexpr std::size_t slot_bytes =
      sizeof(std::uint16_t) + (has_values ? sizeof(Stored) : 0);

  // Before a block asks for anything else: whole slices keep the words of copies aligned.
  NZ_DEVICE TileEntries(Thread& t, const ClustersView<T>& v)
      : values_(t.shared<Stored>(has_values ? v.slots : 0)),
        columns_(t.shared<std::uint16_t>(v.slots)) {}

  // Begins to copy them.
  NZ_DEVICE void copy(Thread& t, const SlicesView<T>& a, const ClusterTile& tile) const {
    const std::int64_t from = std::int64_t{tile.step} * slice_rows;
    copy(t, columns_, reinterpret_cast<const std::uint16_t*>(a.columns) + from, tile.steps);
    if constexpr (has_values)
      copy(t, values_, reinterpret_cast<const Stored*>(a.values) + from, tile.steps);
  }

  // use(column in the list, value) for the lane's entries, those steps that are the warp's.
  template <class Use>
  NZ_DEVICE void for_each(Thread& t, const Reader& reader, const SliceOfWarp& mine, int part,
                          int parts, Use&& use) const {
    NZ_UNROLL_BY(4)
    for (int s = mine.first + part; s < mine.end; s += parts) {
      const int slot = s * slice_rows + t.lane();
      const std::uint16_t column = columns_[slot];
      Stored stored{};
      if constexpr (has_values) stored = values_[slot];
      const T value = reader.value(t, stored);
      if (column != no_column<std::uint16_t>) use(mine.lowest + static_cast<int>(column), value);
    }
  }

 private:
  template <class V>
  NZ_DEVICE static void copy(Thread& t, const SharedArray<V>& to, const V* from, int steps) {
    constexpr int word = 16 / int(sizeof(V));
    for (int i = t.index() * word; i < steps * slice_rows; i += t.block_size() * word)
      t.template copy_async<word>(to, i, from + i);
  }

  SharedArray<Stored> values_;
  SharedArray<std::uint16_t> columns_;
};

template <class T, class Reader>
struct ClustersMultiply {
  static constexpr const char* name = "gpu/clusters/staged";
  static constexpr int max_threads = most_rows;
  ClustersView<T> v;
  const T* x;
  Output<T> out;

  static std::size_t shared_bytes(const ClustersView<T>& v, int threads) {
    using Entries = TileEntries<T, Reader>;
    return 2 * (static_cast<std::size_t>(v.slots) * Entries::slot_bytes +
                static_cast<std::size_t>(v.room) * (sizeof(T) + sizeof(index_t))) +
           (v.parts > 1 ? threads : 0) * sizeof(T);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    TileEntries<T, Reader> entries(t, v), next_entries(t, v);
    SharedArray<T> near = t.shared<T>(v.room), next_near = t.shared<T>(v.room);
    const SharedArray<T> sums = t.shared<T>(v.parts > 1 ? t.block_size() : 0);
    SharedArray<index_t> list = t.shared<index_t>(v.room), next_list = t.shared<index_t>(v.room);
    const Reader reader(t, v.a.table);
    const int by = t.grid_size(), part = t.warp() % v.parts;

    // Of the first tile columns are read where they are; of all others they come ahead.
    int tile = t.block();
    ClusterTile now = t.load(v.tiles + tile), next{}, after{};
    if (tile + by < v.count) next = t.load(v.tiles + tile + by);
    if (tile + 2 * by < v.count) after = t.load(v.tiles + tile + 2 * by);
    entries.copy(t, v.a, now);
    NZ_UNROLL_BY(4)
    for (int i = t.index(); i < now.columns; i += t.block_size())
      t.template copy_async<1>(near, i, x + t.load_streaming(v.list + now.list + i));
    copy_list(t, list, next);
    t.commit_copies();
    SliceOfWarp mine, next_mine;
    mine.load(t, v, tile, now.step);

    NZ_ROLLED
    for (; tile < v.count; tile += by) {
      t.template wait_copies<0>();
      t.sync();
      if (tile + by < v.count) {
        next_entries.copy(t, v.a, next);
        for (int i = t.index(); i < next.columns; i += t.block_size())
          t.template copy_async<1>(next_near, i, x + list[i]);
        copy_list(t, next_list, after);
        t.commit_copies();
        next_mine.load(t, v, tile + by, next.step);
        next = after;
        after = {};
        if (tile + 3 * by < v.count) after = t.load(v.tiles + tile + 3 * by);
      }
      T sum = 0;
      entries.for_each(t, reader, mine, part, v.parts,
                       [&](int column, T value) { sum += value * near[column]; });
      if (v.parts > 1) {
        sums[t.index()] = sum;
        t.sync();
        if (part == 0)
          for (int p = 1; p < v.parts; ++p) sum += sums[t.index() + 32 * p];
      }
      if (part == 0 && mine.row >= 0) out.put(mine.row, sum);
      swap(entries, next_entries);
      swap(near, next_near);
      swap(list, next_list);
      mine = next_mine;
    }
  }

 private:
  NZ_DEVICE void copy_list(Thread& t, const SharedArray<index_t>& to,
                           const ClusterTile& tile) const {
    for (int i = t.index(); i < tile.columns; i += t.block_size())
      t.template copy_async<1>(to, i, v.list + tile.list + i);
  }
  template <class V>
  NZ_DEVICE static void swap(V& one, V& other) {
    const V kept = one;
    one = other;
    other = kept;
  }
};

// A block adds up what its rows have of a column before y, scaled already, gets it.
template <class T, class Reader>
struct ClustersScatter {
  static constexpr const char* name = "gpu/clusters/staged, transposed";
  static constexpr int max_threads = most_rows;
  ClustersView<T> v;
  T alpha;
  const T* x;
  T* y;

  static std::size_t shared_bytes(const ClustersView<T>& v) {
    return static_cast<std::size_t>(v.room) * sizeof(T) +
           static_cast<std::size_t>(v.slots) * TileEntries<T, Reader>::slot_bytes;
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const TileEntries<T, Reader> entries(t, v);
    const SharedArray<T> sums = t.shared<T>(v.room);
    const ClusterTile tile = t.load(v.tiles + t.block());
    entries.copy(t, v.a, tile);
    t.commit_copies();
    for (int i = t.index(); i < tile.columns; i += t.block_size()) sums[i] = T(0);
    const Reader reader(t, v.a.table);
    SliceOfWarp mine;
    mine.load(t, v, t.block(), tile.step);
    const T its = mine.row >= 0 ? t.load(x + mine.row) : T(0);
    t.template wait_copies<0>();
    t.sync();
    entries.for_each(t, reader, mine, t.warp() % v.parts, v.parts,
                     [&](int column, T value) { t.atomic_add(sums, column, value * its); });
    t.sync();
    for (int i = t.index(); i < tile.columns; i += t.block_size())
      t.atomic_add(y + t.load_streaming(v.list + tile.list + i), alpha * sums[i]);
  }
};

template <Value T>
class StagedClusters {
 public:
  template <Offset O>
  StagedClusters(const CsrView<T, O>& a, const Parameters& p) {
    const Device device = current_device();
    const DeviceInfo& info = simt::backend(device).info();
    const int usual = rows_of_cluster_tile(a.rows, static_cast<double>(a.nnz), info.processors);
    const int rows = p.at("rows") > 0
                         ? static_cast<int>(std::max<std::int64_t>(p.at("rows") / 32 * 32, 32))
                         : usual;
    const int cluster = p.at("cluster") > 0 ? static_cast<int>(p.at("cluster")) : rows / 4;
    a_ = local_slices_on_device(DeviceCsr<T, O>(device, a).view(), rows, cluster);
    const int slices = a_.tile_rows / slice_rows;
    const int parts = std::max(1, threads_of(p) / 32 / slices);
    threads_ = 32 * slices * parts;
    view_ = {a_.slices.view, a_.tiles.data(), a_.list.data(),  a_.row_of.data(), a_.count,
             slices,         parts,           a_.most_columns, a_.most_slots};
    if (a_.count > 0) find_blocks(info, p.at("blocks"));
  }

  std::size_t bytes() const { return a_.bytes(); }
  Facts facts() const {
    const auto nnz = static_cast<double>(std::max<std::int64_t>(a_.slices.nnz, 1));
    return {{"tiles", a_.count},
            {"tile_rows", a_.tile_rows},
            {"blocks", blocks_},
            {"columns_a_nonzero", static_cast<double>(a_.list.size()) / nnz},
            {"most_columns", a_.most_columns},
            {"most_slots", a_.most_slots},
            {"fill_ratio", slots_per_nonzero(a_.slices.steps * slice_rows, a_.slices.nnz)},
            {"value_bytes", static_cast<double>(code_bytes<T>(a_.slices.code))},
            {"warps_a_slice", view_.parts}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (a_.count == 0) return scale(stream, beta, y, a_.rows);
    with_reader([&]<class Reader>() {
      using K = ClustersMultiply<T, Reader>;
      launch(config(stream, blocks_, K::shared_bytes(view_, threads_)),
             K{view_, x, {alpha, beta, y}});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, a_.cols);
    if (a_.count == 0) return;
    with_reader([&]<class Reader>() {
      using K = ClustersScatter<T, Reader>;
      launch(config(stream, a_.count, K::shared_bytes(view_)), K{view_, alpha, x, y});
    });
  }

 private:
  template <class Act>
  void with_reader(Act&& act) const {
    with_slice_reader<T>(a_.slices.code, a_.slices.different, act);
  }
  // As many as the device holds at a time, unless somebody asks for others.
  void find_blocks(const DeviceInfo& info, std::int64_t wanted) {
    with_reader([&]<class Reader>() {
      using K = ClustersMultiply<T, Reader>;
      const std::size_t shared = K::shared_bytes(view_, threads_);
      if (shared > info.shared_bytes)
        throw Refused("clusters: two tiles of " + std::to_string(a_.tile_rows) + " rows take " +
                      std::to_string(shared) + " bytes of shared memory, which has " +
                      std::to_string(info.shared_bytes));
      const std::int64_t places =
          std::int64_t{std::max(1, resident_blocks<K>(threads_, shared))} * info.processors;
      blocks_ = static_cast<int>(std::min<std::int64_t>(wanted > 0 ? wanted : places, a_.count));
    });
  }
  Launch config(CUstream_st* stream, int blocks, std::size_t shared) const {
    return {.blocks = blocks, .threads = threads_, .shared_bytes = shared, .stream = stream};
  }

  LocalSlices<T> a_;
  ClustersView<T> view_{};
  int threads_ = 32, blocks_ = 0;
};

}  // namespace

Kernel gpu_clusters_staged() {
  return {
      .family = "gpu",
      .format = "clusters",
      .strategy = "staged",
      .transposes = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "rows that share columns brought together, their x in shared memory",
      .parameters =
          {{"threads", "threads a block at least, rounded to whole warps", 256, 32, most_rows},
           {"rows", "of a tile, rounded down to whole slices; 0: by the matrix", 0, 0, most_rows},
           {"cluster",
            "rows of a cluster of a square matrix; 1: rows stay as they come; 0: a "
            "quarter of a tile",
            0, 0, 1 << 16},
           {"blocks", "of the launch; 0: as many as the device holds at a time", 0, 0, 1 << 16}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<StagedClusters>(),
      .narrowing = Narrowing::floats};
}

}  // namespace nz::NZ_HOME
