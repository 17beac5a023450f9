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
// All entries of a block come to shared memory too, without a register: all of them are on their
// way before the block waits for the first time. (In registers, a few steps at a time, edge
// elements of 10 million nonzeros took 38.6 us in float, a third of the bandwidth.)
//
// Then a lane has a row of a slice; where rows are long, several warps deal its steps out.
namespace nz::NZ_HOME {
namespace {

constexpr int most_rows = 1024;

// What the blocks have.
template <class T>
struct ClustersView {
  SlicesView<T> a;
  const index_t* starts;  // of the lists
  const index_t* list;
  const index_t* row_of;
  int block_slices, parts;  // slices of a block, warps of a slice
  int room, slots;          // columns and slots that a block has at most
};

// A block's entries, and where they are in shared memory.
template <class T, class Reader>
class BlockEntries {
 public:
  using Stored = typename Reader::Stored;
  static constexpr bool has_values = !std::is_same_v<Reader, ValueReader<T, ValueCode::constant>>;
  static constexpr std::size_t slot_bytes =
      sizeof(std::uint16_t) + (has_values ? sizeof(Stored) : 0);

  // The first that a block asks shared memory for: whole slices keep the words of copies aligned.
  // The copies are only begun.
  NZ_DEVICE BlockEntries(Thread& t, const ClustersView<T>& v)
      : values_(t.shared<Stored>(has_values ? v.slots : 0)),
        columns_(t.shared<std::uint16_t>(v.slots)) {
    const std::int64_t first = std::int64_t{t.block()} * v.block_slices;
    const std::int64_t slices = (std::int64_t{v.a.rows} + slice_rows - 1) / slice_rows;
    const std::int64_t last = first + v.block_slices < slices ? first + v.block_slices : slices;
    mine_ = first + t.warp() / v.parts;
    const std::uint32_t begin = step(t, v.a, first), end = step(t, v.a, last);
    if (mine_ < last) {
      lowest_ = t.load(v.a.heads + mine_).lowest;
      first_ = static_cast<int>(step(t, v.a, mine_) - begin);
      end_ = static_cast<int>(step(t, v.a, mine_ + 1) - begin);
    }
    const std::int64_t from = std::int64_t{begin} * slice_rows;
    const int slots = static_cast<int>(end - begin) * slice_rows;
    copy(t, columns_, reinterpret_cast<const std::uint16_t*>(v.a.columns) + from, slots);
    if constexpr (has_values)
      copy(t, values_, reinterpret_cast<const Stored*>(v.a.values) + from, slots);
  }

  // The lane's row, a place in the new order.
  NZ_DEVICE std::int64_t row(Thread& t) const { return mine_ * slice_rows + t.lane(); }

  // use(column in the list, value) for the lane's entries, those steps that are the warp's.
  template <class Use>
  NZ_DEVICE void for_each(Thread& t, const Reader& reader, int part, int parts, Use&& use) const {
    NZ_UNROLL_BY(4)
    for (int s = first_ + part; s < end_; s += parts) {
      const int slot = s * slice_rows + t.lane();
      const std::uint16_t column = columns_[slot];
      Stored stored{};
      if constexpr (has_values) stored = values_[slot];
      const T value = reader.value(t, stored);
      if (column != no_column<std::uint16_t>) use(lowest_ + static_cast<int>(column), value);
    }
  }

 private:
  NZ_DEVICE static std::uint32_t step(Thread& t, const SlicesView<T>& a, std::int64_t slice) {
    if (a.steps > 0) return static_cast<std::uint32_t>(slice * a.steps);
    return t.load(a.heads + slice).step;
  }
  template <class V>
  NZ_DEVICE static void copy(Thread& t, const SharedArray<V>& to, const V* from, int n) {
    constexpr int word = 16 / int(sizeof(V));
    for (int i = t.index() * word; i < n; i += t.block_size() * word)
      t.template copy_async<word>(to, i, from + i);
  }

  SharedArray<Stored> values_;
  SharedArray<std::uint16_t> columns_;
  std::int64_t mine_;  // the warp's slice
  int lowest_ = 0, first_ = 0, end_ = 0;
};

// Bytes of shared memory, beside x and what warps leave for each other.
template <class T, class Reader>
std::size_t entry_bytes(const ClustersView<T>& v) {
  return static_cast<std::size_t>(v.slots) * BlockEntries<T, Reader>::slot_bytes;
}

template <class T, class Reader>
struct ClustersMultiply {
  static constexpr const char* name = "gpu/clusters/staged";
  static constexpr int max_threads = most_rows;
  ClustersView<T> v;
  const T* x;
  Output<T> out;

  static std::size_t shared_bytes(const ClustersView<T>& v, int threads) {
    return (static_cast<std::size_t>(v.room) + (v.parts > 1 ? threads : 0)) * sizeof(T) +
           entry_bytes<T, Reader>(v);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const index_t begin = t.load(v.starts + t.block());
    const int count = t.load(v.starts + t.block() + 1) - begin;
    const BlockEntries<T, Reader> entries(t, v);
    const SharedArray<T> near = t.shared<T>(v.room);
    const SharedArray<T> sums = t.shared<T>(v.parts > 1 ? t.block_size() : 0);
    NZ_UNROLL_BY(4)
    for (int i = t.index(); i < count; i += t.block_size())
      t.template copy_async<1>(near, i, x + t.load_streaming(v.list + begin + i));
    t.commit_copies();
    const Reader reader(t, v.a.table);
    const int part = t.warp() % v.parts;
    const bool finishes = part == 0 && entries.row(t) < v.a.rows;
    const index_t row = finishes ? t.load(v.row_of + entries.row(t)) : 0;
    t.template wait_copies<0>();
    t.sync();
    T sum = 0;
    entries.for_each(t, reader, part, v.parts,
                     [&](int column, T value) { sum += value * near[column]; });
    if (v.parts > 1) {
      sums[t.index()] = sum;
      t.sync();
      if (finishes)
        for (int p = 1; p < v.parts; ++p) sum += sums[t.index() + 32 * p];
    }
    if (finishes) out.put(row, sum);
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
    return static_cast<std::size_t>(v.room) * sizeof(T) + entry_bytes<T, Reader>(v);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const index_t begin = t.load(v.starts + t.block());
    const int count = t.load(v.starts + t.block() + 1) - begin;
    const BlockEntries<T, Reader> entries(t, v);
    const SharedArray<T> sums = t.shared<T>(v.room);
    t.commit_copies();
    for (int i = t.index(); i < count; i += t.block_size()) sums[i] = T(0);
    const Reader reader(t, v.a.table);
    const std::int64_t row = entries.row(t);
    const T its = row < v.a.rows ? t.load(x + t.load(v.row_of + row)) : T(0);
    t.template wait_copies<0>();
    t.sync();
    entries.for_each(t, reader, t.warp() % v.parts, v.parts,
                     [&](int column, T value) { t.atomic_add(sums, column, value * its); });
    t.sync();
    for (int i = t.index(); i < count; i += t.block_size())
      t.atomic_add(y + t.load_streaming(v.list + begin + i), alpha * sums[i]);
  }
};

template <Value T>
class StagedClusters {
 public:
  template <Offset O>
  StagedClusters(const CsrView<T, O>& a, const Parameters& p) {
    const Device device = current_device();
    const DeviceInfo& info = simt::backend(device).info();
    const int usual = rows_of_cluster_block(a.rows, static_cast<double>(a.nnz), info.processors);
    const int rows = p.at("rows") > 0
                         ? static_cast<int>(std::max<std::int64_t>(p.at("rows") / 32 * 32, 32))
                         : usual;
    const int cluster = p.at("cluster") > 0 ? static_cast<int>(p.at("cluster")) : rows / 4;
    a_ = local_slices_on_device(DeviceCsr<T, O>(device, a).view(), rows, cluster);
    const int slices = a_.block_rows / slice_rows;
    const int parts = std::max(1, threads_of(p) / 32 / slices);
    threads_ = 32 * slices * parts;
    view_ = {a_.slices.view, a_.starts.data(), a_.list.data(), a_.row_of.data(), slices,
             parts,          a_.most_columns,  a_.most_slots};
    if (a_.blocks > 0) require_room(info.shared_bytes);
  }

  std::size_t bytes() const { return a_.bytes(); }
  Facts facts() const {
    const auto nnz = static_cast<double>(std::max<std::int64_t>(a_.slices.nnz, 1));
    return {{"blocks", a_.blocks},
            {"block_rows", a_.block_rows},
            {"columns_a_nonzero", static_cast<double>(a_.list.size()) / nnz},
            {"most_columns", a_.most_columns},
            {"most_slots", a_.most_slots},
            {"fill_ratio", slots_per_nonzero(a_.slices.steps * slice_rows, a_.slices.nnz)},
            {"value_bytes", static_cast<double>(code_bytes<T>(a_.slices.code))},
            {"warps_a_slice", view_.parts}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (a_.blocks == 0) return scale(stream, beta, y, a_.rows);
    with_reader([&]<class Reader>() {
      using K = ClustersMultiply<T, Reader>;
      launch(config(stream, K::shared_bytes(view_, threads_)), K{view_, x, {alpha, beta, y}});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, a_.cols);
    if (a_.blocks == 0) return;
    with_reader([&]<class Reader>() {
      using K = ClustersScatter<T, Reader>;
      launch(config(stream, K::shared_bytes(view_)), K{view_, alpha, x, y});
    });
  }

 private:
  template <class Act>
  void with_reader(Act&& act) const {
    with_slice_reader<T>(a_.slices.code, a_.slices.different, act);
  }
  void require_room(std::size_t shared) const {
    with_reader([&]<class Reader>() {
      const std::size_t needed = ClustersMultiply<T, Reader>::shared_bytes(view_, threads_);
      if (needed > shared || !a_.slices.narrow)
        throw Refused("clusters: a block of " + std::to_string(a_.block_rows) + " rows takes " +
                      std::to_string(needed) + " bytes of shared memory, which has " +
                      std::to_string(shared));
    });
  }
  Launch config(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = a_.blocks, .threads = threads_, .shared_bytes = shared, .stream = stream};
  }

  LocalSlices<T> a_;
  ClustersView<T> view_{};
  int threads_ = 32;
};

}  // namespace

Kernel gpu_clusters_staged() {
  return {.family = "gpu",
          .format = "clusters",
          .strategy = "staged",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "own",
          .summary = "rows that share columns brought together, their x in shared memory",
          .parameters = {{"threads", "threads a block at least, rounded to whole warps", 256, 32,
                          most_rows},
                         {"rows", "of a block, rounded down to whole slices; 0: by the matrix", 0,
                          0, most_rows},
                         {"cluster",
                          "rows of a cluster of a square matrix; 1: rows stay as they come; 0: a "
                          "quarter of a block",
                          0, 0, 1 << 16}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<StagedClusters>(),
          .narrowing = Narrowing::floats};
}

}  // namespace nz::NZ_HOME
