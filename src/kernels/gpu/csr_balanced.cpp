#include "kernels/gpu/merge_tiles.hpp"

// Every block takes the same share of rows and entries. Its entries are read side by side, all at
// once, whatever the rows are; the products wait in shared memory until the rows are added up, by
// as many lanes a row as the block's mean row length wants.
namespace nz::NZ_HOME {
namespace {

// Every 32nd place stays empty, so that rows of 8, 16 or 32 entries do not meet in one bank.
NZ_HOST_DEVICE int padded(int i) { return i + (i >> 5); }

// Lanes a row: each should have a few entries to add.
NZ_DEVICE int lanes_for(int mean) {
  int lanes = 1;
  while (lanes < 32 && lanes * 8 <= mean) lanes *= 2;
  return lanes;
}

template <class T, class O, int items>
struct Multiply {
  static constexpr const char* name = "gpu/csr/balanced";
  MergeTiles<T, O> m;
  T alpha;
  const T* x;
  T beta;
  T* y;

  static std::size_t shared_bytes(int threads) {
    return sizeof(T) * static_cast<std::size_t>(padded(threads * items) + 2 + threads / 32 * few) +
           sizeof(unsigned);
  }
  // At most so many rows are added up by all warps together.
  static constexpr int few = 4;

  NZ_DEVICE void operator()(Thread& t) const {
    const Tile<T, O> tile(m, t.block());
    const SharedArray<T> product = t.shared<T>(padded(t.block_size() * items));
    const SharedArray<T> open = t.shared<T>(2);  // sums of the rows shared with other tiles
    const SharedArray<T> warp_sum = t.shared<T>(t.warps() * few);
    const SharedArray<unsigned> long_rows = t.shared<unsigned>(1);
    if (t.index() == 0) long_rows[0] = 0;
    read(t, tile, product);
    t.sync();
    if (tile.rows <= few) {
      add_few(t, tile, product, open, warp_sum);
    } else {
      const int lanes = lanes_for(tile.entries / tile.rows);
      add_rows(t, tile, product, open, long_rows, lanes);
      t.sync();
      if (long_rows[0] != 0) add_long(t, tile, product, open, lanes);
    }
    if (!tile.goes_on && !tile.leaves) return;
    t.sync();
    if (t.warp() != 0) return;
    const bool both = tile.rows > 1;
    if (tile.goes_on) share_row(t, m, tile.first, false, T(open[0]), alpha, beta, y);
    if (tile.leaves && (both || !tile.goes_on))
      share_row(t, m, tile.first + tile.rows - 1, true, T(open[1]), alpha, beta, y);
  }

 private:
  // Loads of all items are under way before the first is used.
  NZ_DEVICE void read(Thread& t, const Tile<T, O>& tile, const SharedArray<T>& product) const {
    const index_t* columns = m.a.columns + tile.entry;
    const T* values = m.a.values + tile.entry;
    index_t column[items];
    T value[items];
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      column[j] = i < tile.entries ? t.load_streaming(columns + i) : -1;
    }
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      value[j] = i < tile.entries ? t.load_streaming(values + i) : T(0);
    }
#pragma unroll
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) value[j] *= t.load(x + column[j]);
#pragma unroll
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) product[padded(j * t.block_size() + t.index())] = value[j];
  }

  // The sum of a row is known: it goes to y, or waits for its other parts.
  NZ_DEVICE void finish(const Tile<T, O>& tile, int i, T sum, const SharedArray<T>& open) const {
    if (i == 0 && tile.goes_on)
      open[0] = sum;
    else if (i == tile.rows - 1 && tile.leaves)
      open[1] = sum;
    else
      y[tile.first + i] = combine(alpha, sum, beta, y + tile.first + i);
  }

  NZ_DEVICE void add_rows(Thread& t, const Tile<T, O>& tile, const SharedArray<T>& product,
                          const SharedArray<T>& open, const SharedArray<unsigned>& long_rows,
                          int lanes) const {
    const int groups = t.block_size() / lanes, mine = t.index() / lanes, lane = t.index() % lanes;
    // All groups of a warp go round as often as its first: they shuffle together.
    for (int base = t.warp() * (32 / lanes); base < tile.rows; base += groups) {
      const int i = base + mine % (32 / lanes);
      T sum = 0;
      bool whole = i < tile.rows;
      if (whole) {
        const O* o = m.a.offsets + tile.first + i;
        const int begin = tile.begin_in(o[0]), end = tile.end_in(o[1]);
        if (end - begin > long_factor * lanes) {
          whole = false;
          if (lane == 0) t.atomic_add(long_rows, 0, 1u);
        } else {
          for (int k = begin + lane; k < end; k += lanes) sum += product[padded(k)];
        }
      }
      for (int by = lanes / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, lanes);
      if (whole && lane == 0) finish(tile, i, sum, open);
    }
  }

  // Rows much longer than their block's mean: a warp each.
  static constexpr int long_factor = 32;
  NZ_DEVICE void add_long(Thread& t, const Tile<T, O>& tile, const SharedArray<T>& product,
                          const SharedArray<T>& open, int lanes) const {
    for (int base = t.warp() * 32; base < tile.rows; base += t.block_size()) {
      int begin = 0, end = 0;
      if (base + t.lane() < tile.rows) {
        const O* o = m.a.offsets + tile.first + base + t.lane();
        begin = tile.begin_in(o[0]), end = tile.end_in(o[1]);
      }
      unsigned left = t.ballot(end - begin > long_factor * lanes);
      for (int which = 0; left != 0; ++which, left >>= 1) {
        if ((left & 1u) == 0) continue;
        const int from = t.shuffle(begin, which), to = t.shuffle(end, which);
        T sum = 0;
        for (int k = from + t.lane(); k < to; k += 32) sum += product[padded(k)];
        sum = sum_down(t, sum);
        if (t.lane() == 0) finish(tile, base + which, sum, open);
      }
    }
  }

  NZ_DEVICE void add_few(Thread& t, const Tile<T, O>& tile, const SharedArray<T>& product,
                         const SharedArray<T>& open, const SharedArray<T>& warp_sum) const {
    for (int i = 0; i < tile.rows; ++i) {
      const O* o = m.a.offsets + tile.first + i;
      const int begin = tile.begin_in(o[0]), end = tile.end_in(o[1]);
      T sum = 0;
      for (int k = begin + t.index(); k < end; k += t.block_size()) sum += product[padded(k)];
      sum = sum_down(t, sum);
      if (t.lane() == 0) warp_sum[i * t.warps() + t.warp()] = sum;
    }
    t.sync();
    for (int i = t.warp(); i < tile.rows; i += t.warps()) {
      T sum = t.lane() < t.warps() ? T(warp_sum[i * t.warps() + t.lane()]) : T(0);
      sum = sum_down(t, sum);
      if (t.lane() == 0) finish(tile, i, sum, open);
    }
  }
};

// y, scaled already, gets each entry's product by itself: lanes go along the rows of a tile.
template <class T, class O>
struct Scatter {
  static constexpr const char* name = "gpu/csr/balanced T";
  MergeTiles<T, O> m;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const Tile<T, O> tile(m, t.block());
    if (tile.rows == 0) return;
    const int mean = tile.entries / tile.rows;
    int lanes = 1;
    while (lanes * 2 <= mean && t.block_size() % (lanes * 2) == 0) lanes *= 2;
    const index_t* columns = m.a.columns + tile.entry;
    const T* values = m.a.values + tile.entry;
    for (int i = t.index() / lanes; i < tile.rows; i += t.block_size() / lanes) {
      const O* o = m.a.offsets + tile.first + i;
      const int end = tile.end_in(o[1]);
      int k = tile.begin_in(o[0]) + t.index() % lanes;
      if (k >= end) continue;
      const T factor = alpha * t.load(x + tile.first + i);
      for (; k < end; k += lanes)
        t.atomic_add(y + t.load_streaming(columns + k), t.load_streaming(values + k) * factor);
    }
  }
};

template <class T, class O>
class Balanced : public OnCsr<T, O> {
 public:
  Balanced(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        items_(p.at("items") < 6    ? 4
               : p.at("items") < 12 ? 8
                                    : 16),
        tiles_(this->a(), threads_ * items_) {}

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + tiles_.bytes(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    switch (items_) {
      case 4:
        return run<4>(stream, alpha, x, beta, y);
      case 8:
        return run<8>(stream, alpha, x, beta, y);
      default:
        return run<16>(stream, alpha, x, beta, y);
    }
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->cols());
    launch({.blocks = tiles_.tiles(), .threads = threads_, .stream = stream},
           Scatter<T, O>{tiles_.view(this->a()), alpha, x, y});
  }

 private:
  template <int items>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    using K = Multiply<T, O, items>;
    launch({.blocks = tiles_.tiles(),
            .threads = threads_,
            .shared_bytes = K::shared_bytes(threads_),
            .stream = stream},
           K{tiles_.view(this->a()), alpha, x, beta, y});
  }

  int threads_;
  int items_;
  MergePartition<T, O> tiles_;
};

}  // namespace

Kernel gpu_csr_balanced() {
  return {.device = "gpu",
          .format = "csr",
          .strategy = "balanced",
          .transposes = true,
          .deterministic = true,
          .atomic_transpose = true,
          .source = "own",
          .summary = "equal rows and entries a block, products through shared memory, one launch",
          .parameters = {threads_parameter(256),
                         {"items", "entries a thread: 4, 8 or 16, the nearest", 8, 4, 16}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Balanced>()};
}

}  // namespace nz::NZ_HOME
