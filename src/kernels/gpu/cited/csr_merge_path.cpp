#include "kernels/gpu/cited/carries.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/search.hpp"

// Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC 2016, for GPUs.
// The ends of rows and the numbers of entries are two sorted lists; to multiply is to merge them,
// a step for each row and each entry. Every thread takes `items` steps, whatever the rows are: a
// search along a diagonal finds where it begins. The products of a tile, the steps of a block, wait
// in shared memory; what threads leave of a row that goes on is reduced by key over the block, what
// blocks leave is added in another launch. Nothing is prepared: the first launch looks for the
// tiles during every product.
//
// Steps a thread and threads a block are those of the authors' library: 7 and 128 for float, 5 and
// 64 for double.
namespace nz::NZ_HOME {
namespace {

template <class T>
constexpr int items = sizeof(T) > 4 ? 5 : 7;

// The row at which the merge path crosses a diagonal, rows from `low` to `high`: `end(r)` is where
// the entries of row r end.
template <class I, class End>
NZ_DEVICE I cross(I diagonal, I low, I high, End&& end) {
  return partition_point(low, high, [&](I r) { return end(r) <= diagonal - r - 1; });
}

template <class T, class O>
struct MergeTileSearch {
  static constexpr const char* name = "gpu/csr/merge-path, search";
  CsrView<T, O> a;
  int tiles;
  std::int64_t tile_steps;
  index_t* first_rows;  // of each tile, and the end
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    if (i > tiles) return;
    const std::int64_t nnz = a.nnz, steps = nnz + a.rows;
    const std::int64_t d = i * tile_steps < steps ? i * tile_steps : steps;
    const std::int64_t low = d > nnz ? d - nnz : 0, high = d < a.rows ? d : a.rows;
    first_rows[i] = static_cast<index_t>(cross(
        d, low, high, [&](std::int64_t r) -> std::int64_t { return t.load(a.offsets + r + 1); }));
  }
};

template <class T, class O>
struct MergeTiles {
  static constexpr const char* name = "gpu/csr/merge-path";
  CsrView<T, O> a;
  const T* x;
  Output<T> out;
  const index_t* first_rows;
  T* left;  // by each tile, of the row in which it ends

  static std::size_t shared_bytes(int threads) {
    const auto steps = static_cast<std::size_t>(threads * items<T>);
    return (sizeof(T) + sizeof(int)) * (steps + 1 + static_cast<std::size_t>(threads / 32));
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const int room = t.block_size() * items<T>;
    const SharedArray<T> product = t.shared<T>(room);
    const SharedArray<T> warp_sums = t.shared<T>(t.warps());
    const SharedArray<int> end = t.shared<int>(room + 1);  // of rows, from the tile's first entry
    const SharedArray<index_t> warp_rows = t.shared<index_t>(t.warps());

    const index_t first = t.load(first_rows + t.block());
    const int rows = t.load(first_rows + t.block() + 1) - first;
    const std::int64_t begin = std::int64_t{t.block()} * room;
    const std::int64_t all = static_cast<std::int64_t>(a.nnz) + a.rows - begin;
    const int steps = all < room ? static_cast<int>(all) : room;
    const int entries = steps - rows;
    const std::int64_t entry = begin - first;
    NZ_UNROLL
    for (int j = 0; j < items<T>; ++j) {
      const int k = j * t.block_size() + t.index();
      if (k < entries)
        product[k] = t.load(a.values + entry + k) * t.load(x + t.load(a.columns + entry + k));
    }
    NZ_ROLLED
    for (int r = t.index(); r <= rows; r += t.block_size())
      end[r] = r < rows ? static_cast<int>(t.load(a.offsets + first + r + 1) - entry) : entries;
    t.sync();

    const int from = t.index() * items<T> < steps ? t.index() * items<T> : steps;
    int row = cross(from, from > entries ? from - entries : 0, from < rows ? from : rows,
                    [&](int r) -> int { return end[r]; });
    int k = from - row;
    T sum = 0, head = 0;
    int head_row = -1;  // the first row that ends here: threads before have entries of it too
    for (int j = 0; j < items<T> && from + j < steps; ++j) {
      if (k < int(end[row])) {
        sum += T(product[k++]);
        continue;
      }
      if (head_row < 0) {
        head = sum;
        head_row = row;
      } else {
        out.put(std::int64_t{first} + row, sum);
      }
      sum = 0;
      ++row;
    }
    Carry<T> last;
    const T in = carried_in(t, {first + row, sum}, warp_rows, warp_sums, &last);
    if (head_row >= 0) out.put(std::int64_t{first} + head_row, in + head);
    if (t.index() == 0) left[t.block()] = last.sum;
  }
};

template <class T>
struct MergeCarries {
  static constexpr const char* name = "gpu/csr/merge-path, carries";
  int tiles;
  index_t rows;
  const index_t* first_rows;
  const T* left;
  T alpha;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    Carry<T> mine{-1, T(0)};
    if (i < tiles) mine = {first_rows[i + 1], left[i]};
    add_carries(t, mine, rows, alpha, y);
  }
};

template <class T, class O>
class MergePath : public OnCsr<T, O> {
 public:
  MergePath(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(p.at("threads") == 0 ? (sizeof(T) > 4 ? 64 : 128) : threads_of(p)) {
    tiles_ = blocks_for(static_cast<std::int64_t>(a.nnz) + a.rows, tile_steps());
  }

  simt::ScratchSize scratch_size() const {
    return {0, sums_bytes() + (static_cast<std::size_t>(tiles_) + 4) / 4 * 16};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    T* const left = scratch.values<T>();
    auto* const first_rows = reinterpret_cast<index_t*>(scratch.rest + sums_bytes());
    Launch config = one_thread_each(std::int64_t{tiles_} + 1);
    config.stream = stream;
    launch(config, MergeTileSearch<T, O>{this->a(), tiles_, tile_steps(), first_rows});
    using Tiles = MergeTiles<T, O>;
    launch({.blocks = tiles_,
            .threads = threads_,
            .shared_bytes = Tiles::shared_bytes(threads_),
            .stream = stream},
           Tiles{this->a(), x, {alpha, beta, y}, first_rows, left});
    if (tiles_ == 1) return;
    launch(config, MergeCarries<T>{tiles_, this->rows(), first_rows, left, alpha, y});
  }

 private:
  int tile_steps() const { return threads_ * items<T>; }
  std::size_t sums_bytes() const {
    return (static_cast<std::size_t>(tiles_) * sizeof(T) + 15) / 16 * 16;
  }

  int threads_;
  int tiles_;
};

}  // namespace

Kernel gpu_csr_merge_path() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "merge-path",
          .source = "merge-path: Merrill and Garland 2016",
          .summary = "equal steps a thread on the merge path of rows and entries",
          .parameters = {{"threads", "threads a block, whole warps; 0: by the type", 0, 0, 512}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<MergePath>()};
}

}  // namespace nz::NZ_HOME
