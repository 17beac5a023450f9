#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/row_sums.hpp"
#include "kernels/gpu/parts/search.hpp"

// HOLA: Steinberger, Zayer and Seidel, Globally homogeneous, locally adaptive sparse matrix-vector
// multiplication on the GPU, ICS 2017. Globally all blocks have the same number of entries, and so
// have all threads; the first launch, a thread a row, writes the row in which each block begins and
// scales y. Locally a block does what its rows ask for: one row is a reduction; otherwise rows tell
// the threads in which row they begin and, as bits, which of their entries end rows; where rows are
// empty the warps that meet them walk the offsets; where there are more rows than entries threads
// look for theirs. Sums of rows wait in shared memory; what threads leave open is added there, over
// the warp first where few rows end in it. Rows inside the block are written side by side, its
// first and its last are added to y with atomics. Nothing is prepared.
//
// The transposed product finds rows in the same way and adds every entry to y with an atomic.
//
// Entries a thread are those of the authors' program: 4 below 300 000 entries, 8 from there on. The
// publication's shortcuts for blocks whose rows all have one length are not here, nor are they
// compiled into that program; entries are handed to their threads through shared memory, there by
// shuffles.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct HolaStarts {
  static constexpr const char* name = "gpu/csr/hola, starts";
  CsrView<T, O> a;
  int tile;
  index_t* first_rows;  // of each block, and the last row
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row >= a.rows) return;
    const std::int64_t begin = t.load(a.offsets + row), end = t.load(a.offsets + row + 1);
    for (std::int64_t b = (begin + tile - 1) / tile; b * tile < end; ++b)
      first_rows[b] = static_cast<index_t>(row);
    if (row + 1 == a.rows)
      first_rows[(static_cast<std::int64_t>(a.nnz) + tile - 1) / tile] = static_cast<index_t>(row);
    if (out.beta != T(1)) out.put_empty(row);
  }
};

// What a block has: its entries, those of its rows that are in it, and what its threads are told.
template <class T, class O, int items>
struct HolaTile {
  const CsrView<T, O>& a;
  index_t first, rows;
  std::int64_t base;
  int size, entries;
  SharedArray<index_t> start;  // of a thread: the row of its first entry, counted from the first
  SharedArray<int> ends;       // of a thread: a bit for each entry that ends a row
  SharedArray<int> empty;      // of a warp: rows without entries behind its own

  NZ_DEVICE HolaTile(Thread& t, const CsrView<T, O>& m, const index_t* first_rows)
      : a(m),
        first(t.load(first_rows + t.block())),
        rows(t.load(first_rows + t.block() + 1) - first + 1),
        base(std::int64_t{t.block()} * t.block_size() * items),
        size(t.block_size() * items),
        entries(a.nnz - base < size ? static_cast<int>(a.nnz - base) : size),
        start(t.shared<index_t>(t.block_size())),
        ends(t.shared<int>(t.block_size())),
        empty(t.shared<int>(t.warps())) {}
  static std::size_t shared_bytes(int threads) {
    return sizeof(int) * static_cast<std::size_t>(2 * threads + threads / 32);
  }

  // Whether this thread has entries.
  NZ_DEVICE bool mine(Thread& t) const { return t.index() * items < entries; }
  // More rows than can be told.
  NZ_DEVICE bool mostly_empty() const { return rows > size + 1; }

  NZ_DEVICE void clear(Thread& t) const {
    ends[t.index()] = 0;
    if (t.lane() == 0) empty[t.warp()] = 0;
  }
  // Behind clear() and a barrier; another one, and the threads know.
  NZ_DEVICE void tell(Thread& t) const {
    for (index_t r = t.index(); r < rows; r += t.block_size()) {
      const std::int64_t from = t.load(a.offsets + first + r) - base;
      const std::int64_t to = t.load(a.offsets + first + r + 1) - base;
      if (from == to) {
        if (from <= entries) t.atomic_add(empty, static_cast<int>(from - 1) / (32 * items), 1);
      } else if (from < entries) {
        const int last = static_cast<int>(to < entries ? to : entries) - 1;
        int i = from > 0 ? (static_cast<int>(from) + items - 1) / items : 0;
        for (; i <= last / items; ++i) start[i] = r;
        t.atomic_add(ends, last / items, 1 << (last % items));
      }
    }
  }
  // body(j, row, ends) for the thread's entries: the row of each, and whether it ends there.
  // Returns the row that goes on behind them.
  template <class Body>
  NZ_DEVICE index_t walk(Thread& t, Body&& body) const {
    index_t row = mine(t) ? index_t(start[t.index()]) : rows;
    const int bits = ends[t.index()];
    const bool walks = int(empty[t.warp()]) != 0;
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const bool last = (bits >> j & 1) != 0;
      body(j, row, last);
      if (!last) continue;
      ++row;
      while (walks && row < rows && is_empty(t, first + row)) ++row;
    }
    return row;
  }

 private:
  NZ_DEVICE bool is_empty(Thread& t, index_t row) const {
    return t.load(a.offsets + row) == t.load(a.offsets + row + 1);
  }
};

// `bounded`: by the launch bounds of the authors' program, blocks of 256 threads.
template <class T, class O, int items, bool bounded>
struct HolaBlocks {
  static constexpr const char* name = "gpu/csr/hola";
  static constexpr int max_threads = bounded ? 256 : 1024;
  static constexpr int min_blocks = !bounded ? 1 : sizeof(T) == 8 && items == 8 ? 6 : 8;
  CsrView<T, O> a;
  const T* x;
  T alpha;
  T* y;  // scaled
  const index_t* first_rows;

  using Tile = HolaTile<T, O, items>;
  static std::size_t shared_bytes(int threads) {
    return sizeof(T) * static_cast<std::size_t>(padded(threads * items) + 1) +
           Tile::shared_bytes(threads);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> room =  // of products, then of sums of rows
        t.shared<T>(padded(t.block_size() * items) + 1);
    const Tile tile(t, a, first_rows);
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int k = j * t.block_size() + t.index();
      const std::int64_t at = tile.base + k;
      room[padded(k)] =
          k < tile.entries ? t.load(a.values + at) * t.load(x + t.load(a.columns + at)) : T(0);
    }
    tile.clear(t);
    t.sync();
    T v[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) v[j] = room[padded(t.index() * items + j)];
    if (tile.rows == 1) return one_row(t, v, tile.first, room);
    if (tile.mostly_empty()) {
      if (tile.mine(t)) look_for_rows(t, v, tile);
      return;
    }
    tile.tell(t);
    t.sync();  // products are in registers now, too
    for (int r = t.index(); r < tile.rows; r += t.block_size()) room[r] = 0;
    t.sync();
    T sum = 0;
    bool ended = false;
    const index_t row = tile.walk(t, [&](int j, index_t of, bool last) {
      sum += v[j];
      if (!last) return;
      room[of] = sum;
      sum = 0;
      ended = true;
    });
    t.sync();
    leave(t, row, sum, ended, room);
    t.sync();
    for (int r = t.index(); r < tile.rows; r += t.block_size()) {
      const T s = room[r];
      if (s == T(0)) continue;
      if (r == 0 || r == tile.rows - 1)
        t.atomic_add(y + tile.first + r, alpha * s);
      else
        y[tile.first + r] += alpha * s;
    }
  }

 private:
  // What a thread has of the row that goes on in the next one, or 0.
  NZ_DEVICE static void leave(Thread& t, index_t row, T sum, bool ended,
                              const SharedArray<T>& sums) {
    if (bit_count(t.ballot(ended)) < 16) {
      sum = segmented_sum(t, sum, row);
      const index_t after = t.shuffle_down(row, 1);
      if (t.lane() < 31 && after == row) return;
    }
    if (sum != T(0)) t.atomic_add(sums, row, sum);
  }

  NZ_DEVICE void one_row(Thread& t, const T (&v)[items], index_t row,
                         const SharedArray<T>& room) const {
    T sum = 0;
    NZ_UNROLL
    for (int j = 0; j < items; ++j) sum += v[j];
    sum = reduce_to_first_lane(t, sum);
    t.sync();
    if (t.lane() == 0) room[t.warp()] = sum;
    t.sync();
    if (t.warp() > 0) return;
    sum = t.lane() < t.warps() ? T(room[t.lane()]) : T(0);
    sum = reduce_to_first_lane(t, sum);
    if (t.lane() == 0) t.atomic_add(y + row, alpha * sum);
  }

  NZ_DEVICE void look_for_rows(Thread& t, const T (&v)[items], const Tile& tile) const {
    std::int64_t k = tile.base + t.index() * items;
    const std::int64_t stop = tile.base + tile.entries;
    const index_t last = tile.first + tile.rows - 1;
    T sum = 0;
    index_t row = row_of(t, a.offsets, k, tile.first, last);
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      if (k >= stop) continue;
      sum += v[j];
      ++k;
      if (k < t.load(a.offsets + row + 1) && k < stop && j + 1 < items) continue;
      t.atomic_add(y + row, alpha * sum);
      sum = 0;
      if (k < stop && j + 1 < items) row = row_of(t, a.offsets, k, row, last);
    }
  }
};

template <class T, class O, int items>
struct HolaScatter {
  static constexpr const char* name = "gpu/csr/hola, transposed";
  CsrView<T, O> a;
  const T* x;
  T alpha;
  T* y;  // scaled
  const index_t* first_rows;

  using Tile = HolaTile<T, O, items>;
  static std::size_t shared_bytes(int threads) {
    return sizeof(index_t) * static_cast<std::size_t>(padded(threads * items)) +
           Tile::shared_bytes(threads);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<index_t> row = t.shared<index_t>(padded(t.block_size() * items));
    const Tile tile(t, a, first_rows);
    const bool told = tile.rows > 1 && !tile.mostly_empty();
    if (told) {
      tile.clear(t);
      t.sync();
      tile.tell(t);
      t.sync();
      tile.walk(t, [&](int j, index_t of, bool) { row[padded(t.index() * items + j)] = of; });
      t.sync();
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int k = j * t.block_size() + t.index();
      if (k >= tile.entries) continue;
      const std::int64_t at = tile.base + k;
      const index_t from = told ? tile.first + index_t(row[padded(k)])
                           : tile.rows == 1
                               ? tile.first
                               : row_of(t, a.offsets, at, tile.first, tile.first + tile.rows - 1);
      t.atomic_add(y + t.load(a.columns + at), alpha * (t.load(a.values + at) * t.load(x + from)));
    }
  }
};

template <class T, class O>
class Hola : public OnCsr<T, O> {
 public:
  Hola(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        items_(p.at("items") == 0 ? (a.nnz < 300'000 ? 4 : 8) : (p.at("items") < 6 ? 4 : 8)),
        blocks_(blocks_for(a.nnz, threads_ * items_)),
        bounded_(p.at("bounds") != 0 && threads_ <= 256) {}

  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<index_t>(0, static_cast<std::size_t>(blocks_) + 1);
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    look_for_starts(stream, scratch, {alpha, beta, y});
    if (items_ == 4 && bounded_)
      run<HolaBlocks<T, O, 4, true>>(stream, alpha, x, y, scratch);
    else if (items_ == 4)
      run<HolaBlocks<T, O, 4, false>>(stream, alpha, x, y, scratch);
    else if (bounded_)
      run<HolaBlocks<T, O, 8, true>>(stream, alpha, x, y, scratch);
    else
      run<HolaBlocks<T, O, 8, false>>(stream, alpha, x, y, scratch);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    scale(stream, beta, y, this->cols());
    look_for_starts(stream, scratch, {alpha, T(1), nullptr});
    if (items_ == 4)
      run<HolaScatter<T, O, 4>>(stream, alpha, x, y, scratch);
    else
      run<HolaScatter<T, O, 8>>(stream, alpha, x, y, scratch);
  }

 private:
  void look_for_starts(CUstream_st* stream, const simt::Scratch& scratch,
                       const Output<T>& out) const {
    Launch config = one_thread_each(this->rows());
    config.stream = stream;
    launch(config, HolaStarts<T, O>{this->a(), threads_ * items_, scratch.values<index_t>(), out});
  }
  template <class K>
  void run(CUstream_st* stream, T alpha, const T* x, T* y, const simt::Scratch& scratch) const {
    launch({.blocks = blocks_,
            .threads = threads_,
            .shared_bytes = K::shared_bytes(threads_),
            .stream = stream},
           K{this->a(), x, alpha, y, scratch.values<index_t>()});
  }

  int threads_, items_, blocks_;
  bool bounded_;
};

}  // namespace

Kernel gpu_csr_hola() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "hola",
          .transposes = true,
          .source = "HOLA: Steinberger, Zayer and Seidel 2017",
          .summary = "equal entries a thread; row ends as bits, found during the product",
          .parameters = {{"items", "entries a thread: 4 or 8, the nearest; 0: by their number", 0,
                          0, 8},
                         threads_parameter(256, 512),
                         {"bounds", "1: launch bounds of the authors' program, up to 256 threads",
                          1, 0, 1}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Hola>()};
}

}  // namespace nz::NZ_HOME
