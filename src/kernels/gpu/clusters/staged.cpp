#include <algorithm>
#include <string>
#include <utility>

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
// A block has as many slices as its warps can take at once, a lane a row; where rows are long,
// several warps deal the steps of a slice out. The first steps of each warp are on their way while
// x comes. Edge elements of 10 million nonzeros, numbered anyhow, in float: 38.6 us, in slices as
// they come 73.6.
namespace nz::NZ_HOME {
namespace {

constexpr int most_rows = 1024;

// The columns of the blocks.
struct Lists {
  const index_t* starts;
  const index_t* columns;
};

// Steps that a lane has under way.
template <class T>
constexpr int steps_under_way = sizeof(T) == 4 ? 8 : 4;

// Some steps of a slice, as a lane has them.
template <class Reader, int n>
struct StepsOfLane {
  std::uint16_t columns[n];
  typename Reader::Stored stored[n];

  // From slot `at` on; there are `left` more steps.
  template <class T>
  NZ_DEVICE void load(Thread& t, const SlicesView<T>& a, const Reader& reader, std::int64_t at,
                      int left) {
    const auto* from = reinterpret_cast<const std::uint16_t*>(a.columns);
    NZ_UNROLL
    for (int j = 0; j < n; ++j) {
      columns[j] = no_column<std::uint16_t>;
      if (j < left) columns[j] = t.load_streaming(from + at + j * slice_rows);
    }
    NZ_UNROLL
    for (int j = 0; j < n; ++j) {
      stored[j] = {};
      if (j < left) stored[j] = reader.load(t, a.values, at + j * slice_rows);
    }
  }
};

// The slice of a warp, and which of its steps are the warp's.
template <class T>
struct SliceOfWarp {
  std::int64_t row;  // of the lane, a place in the new order
  int part, parts;
  int lowest = 0, steps = 0;
  std::int64_t begin = 0;  // the lane's first slot

  NZ_DEVICE SliceOfWarp(Thread& t, const SlicesView<T>& a, int block_slices, int all_parts)
      : part(t.warp() % all_parts), parts(all_parts) {
    const std::int64_t slice = std::int64_t{t.block()} * block_slices + t.warp() / parts;
    row = slice * slice_rows + t.lane();
    if (slice * slice_rows >= a.rows) return;
    const SliceHead head = t.load(a.heads + slice);
    steps = a.steps > 0 ? a.steps : static_cast<int>(t.load(a.heads + slice + 1).step - head.step);
    lowest = head.lowest;
    begin = std::int64_t{head.step} * slice_rows + t.lane();
  }
};

// meet() between the first steps' loads and their use; use(columns in the list or -1, stored
// values) for all steps of the warp.
template <int n, class T, class Reader, class Meet, class Use>
NZ_DEVICE void take_slice(Thread& t, const SlicesView<T>& a, const Reader& reader,
                          const SliceOfWarp<T>& mine, Meet&& meet, Use&& use) {
  StepsOfLane<Reader, n> now;
  int first = mine.part * n;
  now.load(t, a, reader, mine.begin + std::int64_t{first} * slice_rows, mine.steps - first);
  meet();
  NZ_ROLLED
  while (first < mine.steps) {
    const StepsOfLane<Reader, n> these = now;
    first += mine.parts * n;
    if (first < mine.steps)
      now.load(t, a, reader, mine.begin + std::int64_t{first} * slice_rows, mine.steps - first);
    NZ_UNROLL
    for (int j = 0; j < n; ++j) {
      const bool there = these.columns[j] != no_column<std::uint16_t>;
      const int column = there ? mine.lowest + static_cast<int>(these.columns[j]) : -1;
      use(column, reader.value(t, these.stored[j]));
    }
  }
}

template <class T, class Reader>
struct ClustersMultiply {
  static constexpr const char* name = "gpu/clusters/staged";
  static constexpr int max_threads = most_rows;
  SlicesView<T> a;
  Lists lists;
  const index_t* row_of;
  int block_slices, parts, room;
  const T* x;
  Output<T> out;

  static std::size_t shared_bytes(int room, int threads, int parts) {
    return (static_cast<std::size_t>(room) + (parts > 1 ? threads : 0)) * sizeof(T);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> near = t.shared<T>(room);
    const SharedArray<T> sums = t.shared<T>(parts > 1 ? t.block_size() : 0);
    const index_t begin = t.load(lists.starts + t.block());
    const int count = t.load(lists.starts + t.block() + 1) - begin;
    NZ_UNROLL_BY(4)
    for (int i = t.index(); i < count; i += t.block_size())
      t.template copy_async<1>(near, i, x + t.load_streaming(lists.columns + begin + i));
    t.commit_copies();
    const Reader reader(t, a.table);
    const SliceOfWarp<T> mine(t, a, block_slices, parts);
    const bool finishes = mine.part == 0 && mine.row < a.rows;
    const index_t row = finishes ? t.load(row_of + mine.row) : 0;
    T sum = 0;
    take_slice<steps_under_way<T>>(
        t, a, reader, mine,
        [&] {
          t.template wait_copies<0>();
          t.sync();
        },
        [&](int column, T value) {
          if (column >= 0) sum += value * near[column];
        });
    if (parts > 1) {
      sums[t.index()] = sum;
      t.sync();
      if (finishes)
        for (int p = 1; p < parts; ++p) sum += sums[t.index() + 32 * p];
    }
    if (finishes) out.put(row, sum);
  }
};

// A block adds up what its rows have of a column before y, scaled already, gets it.
template <class T, class Reader>
struct ClustersScatter {
  static constexpr const char* name = "gpu/clusters/staged, transposed";
  static constexpr int max_threads = most_rows;
  SlicesView<T> a;
  Lists lists;
  const index_t* row_of;
  int block_slices, parts, room;
  T alpha;
  const T* x;
  T* y;

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> sums = t.shared<T>(room);
    const index_t begin = t.load(lists.starts + t.block());
    const int count = t.load(lists.starts + t.block() + 1) - begin;
    for (int i = t.index(); i < count; i += t.block_size()) sums[i] = T(0);
    const Reader reader(t, a.table);
    const SliceOfWarp<T> mine(t, a, block_slices, parts);
    const T its = mine.row < a.rows ? t.load(x + t.load(row_of + mine.row)) : T(0);
    take_slice<steps_under_way<T>>(
        t, a, reader, mine, [&] { t.sync(); },
        [&](int column, T value) {
          if (column >= 0) t.atomic_add(sums, column, value * its);
        });
    t.sync();
    for (int i = t.index(); i < count; i += t.block_size())
      t.atomic_add(y + t.load_streaming(lists.columns + begin + i), alpha * sums[i]);
  }
};

template <Value T>
class StagedClusters {
 public:
  template <Offset O>
  StagedClusters(const CsrView<T, O>& a, const Parameters& p) {
    const Device device = current_device();
    const DeviceInfo& info = simt::backend(device).info();
    const int rows =
        p.at("rows") > 0
            ? static_cast<int>(std::max<std::int64_t>(p.at("rows") / 32 * 32, 32))
            : rows_of_cluster_block(a.rows, static_cast<double>(a.nnz), sizeof(T), info.processors);
    const int cluster = p.at("cluster") > 0 ? static_cast<int>(p.at("cluster")) : rows / 4;
    a_ = local_slices_on_device(DeviceCsr<T, O>(device, a).view(), rows, cluster,
                                most_local_columns(sizeof(T), info.shared_bytes));
    const int slices = a_.block_rows / slice_rows;
    const int warps = std::max(slices, threads_of(p) / 32);
    parts_ = warps / slices;
    threads_ = 32 * slices * parts_;
  }

  std::size_t bytes() const { return a_.bytes(); }
  Facts facts() const {
    const auto nnz = static_cast<double>(std::max<std::int64_t>(a_.slices.nnz, 1));
    return {{"blocks", a_.blocks},
            {"block_rows", a_.block_rows},
            {"columns_a_nonzero", static_cast<double>(a_.list.size()) / nnz},
            {"most_columns", a_.most_columns},
            {"fill_ratio", slots_per_nonzero(a_.slices.steps * slice_rows, a_.slices.nnz)},
            {"value_bytes", static_cast<double>(code_bytes<T>(a_.slices.code))},
            {"warps_a_slice", parts_}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (a_.blocks == 0) return scale(stream, beta, y, a_.rows);
    with_slice_reader<T>(a_.slices.code, a_.slices.different, [&]<class Reader>() {
      using K = ClustersMultiply<T, Reader>;
      launch(config(stream, K::shared_bytes(a_.most_columns, threads_, parts_)),
             K{a_.slices.view,
               lists(),
               a_.row_of.data(),
               slices(),
               parts_,
               a_.most_columns,
               x,
               {alpha, beta, y}});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, a_.cols);
    if (a_.blocks == 0) return;
    with_slice_reader<T>(a_.slices.code, a_.slices.different, [&]<class Reader>() {
      launch(config(stream, static_cast<std::size_t>(a_.most_columns) * sizeof(T)),
             ClustersScatter<T, Reader>{a_.slices.view, lists(), a_.row_of.data(), slices(), parts_,
                                        a_.most_columns, alpha, x, y});
    });
  }

 private:
  int slices() const { return a_.block_rows / slice_rows; }
  Lists lists() const { return {a_.starts.data(), a_.list.data()}; }
  Launch config(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = a_.blocks, .threads = threads_, .shared_bytes = shared, .stream = stream};
  }

  LocalSlices<T> a_;
  int parts_ = 1, threads_ = 32;
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
