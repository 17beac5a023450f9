#include "kernels/gpu/balanced_tiles.hpp"
#include "kernels/gpu/row_sums.hpp"
#include "simt/warp.hpp"

// Blocks take tiles of equal work, warps take pieces of long rows, in one launch. The entries of a
// tile are read side by side, all at once, whatever the rows are; the products wait in shared
// memory until the rows are added up, by as many lanes a row as the tile's mean row length wants.
// Where rows are so short that this would cost more than it saves, lanes read their rows
// themselves.
namespace nz::NZ_HOME {
namespace {

// Every 32nd place stays empty, so that rows of 8, 16 or 32 entries do not meet in one bank.
NZ_HOST_DEVICE int padded(int i) { return i + (i >> 5); }

// Lanes a row: each should have at least `each` entries to add.
NZ_DEVICE int lanes_for(int mean, int each) {
  int lanes = 1;
  while (lanes < 32 && lanes * 2 * each <= mean) lanes *= 2;
  return lanes;
}

template <class T, class O>
struct Work {
  CsrView<T, O> a;
  const Tile* tiles;
  const Piece* pieces;
  int piece_count;
  int piece_blocks;   // the first blocks take pieces
  int most;           // entries of a row that is not cut into pieces
  T* partial;         // one a piece, for rows of several
  unsigned* arrived;  // likewise: how many pieces of the row that begins there have come
};

template <class T, class O, int items>
struct Multiply {
  static constexpr const char* name = "gpu/csr/balanced";
  static constexpr int max_threads = 512, min_blocks = 3;
  Work<T, O> w;
  int staged_from;  // mean row length from which products are staged
  T alpha;
  const T* x;
  T beta;
  T* y;

  static std::size_t shared_bytes(int threads) {
    return (sizeof(T) + sizeof(int)) * static_cast<std::size_t>(padded(threads * items) + 1);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < w.piece_blocks) {
      const int p = t.block() * t.warps() + t.warp();
      if (p < w.piece_count) add_piece(t, p);
      return;
    }
    const Tile tile = w.tiles[t.block() - w.piece_blocks];
    if (tile.mixed() || tile.entries() < staged_from * tile.rows())
      add_direct(t, tile);
    else
      add_staged(t, tile);
  }

 private:
  NZ_DEVICE void put(index_t row, T sum) const { y[row] = combine(alpha, sum, beta, y + row); }

  NZ_DEVICE void add_piece(Thread& t, int which) const {
    const Piece p = w.pieces[which];
    T sum =
        add_entries<8>(t, w.a.columns + p.entry, w.a.values + p.entry, x, t.lane(), p.entries, 32);
    sum = sum_down(t, sum);
    if (p.pieces == 1) {
      if (t.lane() == 0) put(p.row, sum);
      return;
    }
    // The last piece to come adds all in their order, so the sum is the same whichever that is.
    unsigned came = 0;
    if (t.lane() == 0) {
      w.partial[which] = sum;
      t.fence();
      came = t.atomic_add(w.arrived + p.first, 1u);
    }
    if (t.shuffle(came, 0) + 1 != static_cast<unsigned>(p.pieces)) return;
    t.fence();
    sum = 0;
    for (int i = t.lane(); i < p.pieces; i += 32) sum += t.load_coherent(w.partial + p.first + i);
    sum = sum_down(t, sum);
    if (t.lane() != 0) return;
    w.arrived[p.first] = 0;  // for the next product
    put(p.row, sum);
  }

  NZ_DEVICE void add_direct(Thread& t, const Tile& tile) const {
    const int mean = tile.mixed() ? 32 : tile.entries() / tile.rows();
    const int lanes = lanes_for(mean, 8), lane = t.index() % lanes;
    const int groups = t.block_size() / lanes;
    // All groups of a warp go round as often as its first: they shuffle together.
    for (int base = t.warp() * (32 / lanes); base < tile.rows(); base += groups) {
      const int i = base + t.lane() / lanes;
      T sum = 0;
      bool mine = i < tile.rows();
      if (mine) {
        const O begin = w.a.offsets[tile.first + i];
        const std::int64_t entries = w.a.offsets[tile.first + i + 1] - begin;
        mine = entries <= w.most;
        if (mine)
          sum = add_entries<4>(t, w.a.columns + begin, w.a.values + begin, x, lane,
                               static_cast<int>(entries), lanes);
      }
      for (int by = lanes / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, lanes);
      if (mine && lane == 0) put(tile.first + i, sum);
    }
  }

  NZ_DEVICE void add_staged(Thread& t, const Tile& tile) const {
    const int room = padded(t.block_size() * items);
    const SharedArray<T> product = t.shared<T>(room);
    const SharedArray<int> start = t.shared<int>(room + 1);  // of each row, and the end
    for (int i = t.index(); i <= tile.rows(); i += t.block_size())
      start[i] = static_cast<int>(t.load_streaming(w.a.offsets + tile.first + i) - tile.entry);
    read(t, tile, product);
    t.sync();
    const int lanes = lanes_for(tile.entries() / tile.rows(), 4), lane = t.index() % lanes;
    const int groups = t.block_size() / lanes;
    for (int base = t.warp() * (32 / lanes); base < tile.rows(); base += groups) {
      const int i = base + t.lane() / lanes;
      T sum = 0;
      if (i < tile.rows()) {
        const int end = start[i + 1];
        for (int k = start[i] + lane; k < end; k += lanes) sum += product[padded(k)];
      }
      for (int by = lanes / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, lanes);
      if (i < tile.rows() && lane == 0) put(tile.first + i, sum);
    }
  }

  // Loads of all items are under way before the first is used.
  NZ_DEVICE void read(Thread& t, const Tile& tile, const SharedArray<T>& product) const {
    const index_t* columns = w.a.columns + tile.entry;
    const T* values = w.a.values + tile.entry;
    const int entries = tile.entries();
    index_t column[items];
    T value[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      column[j] = i < entries ? t.load_streaming(columns + i) : -1;
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      value[j] = i < entries ? t.load_streaming(values + i) : T(0);
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) value[j] *= t.load(x + column[j]);
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) product[padded(j * t.block_size() + t.index())] = value[j];
  }
};

// y, scaled already, gets each entry's product by itself: lanes go along the rows.
template <class T, class O>
struct Scatter {
  static constexpr const char* name = "gpu/csr/balanced T";
  Work<T, O> w;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < w.piece_blocks) {
      const int p = t.block() * t.warps() + t.warp();
      if (p >= w.piece_count) return;
      const Piece piece = w.pieces[p];
      add(t, piece.row, piece.entry, piece.entries, t.lane(), 32);
      return;
    }
    const Tile tile = w.tiles[t.block() - w.piece_blocks];
    const int mean = tile.mixed() ? 32 : tile.entries() / tile.rows();
    const int lanes = lanes_for(mean, 2);
    for (int i = t.index() / lanes; i < tile.rows(); i += t.block_size() / lanes) {
      const O begin = w.a.offsets[tile.first + i];
      const std::int64_t entries = w.a.offsets[tile.first + i + 1] - begin;
      if (entries <= w.most)
        add(t, tile.first + i, begin, static_cast<int>(entries), t.index() % lanes, lanes);
    }
  }
  NZ_DEVICE void add(Thread& t, index_t row, std::int64_t entry, int entries, int from,
                     int step) const {
    if (from >= entries) return;
    const T factor = alpha * t.load(x + row);
    for (int k = from; k < entries; k += step)
      t.atomic_add(y + t.load(w.a.columns + entry + k), t.load(w.a.values + entry + k) * factor);
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
        staged_from_(static_cast<int>(p.at("staged_from"))),
        most_(threads_ * items_ / 8),
        tiles_(this->a(), threads_ * items_ - most_, most_, static_cast<int>(p.at("piece"))) {
    if (!tiles_.shares()) return;
    const std::vector<unsigned> zeros(static_cast<std::size_t>(tiles_.pieces()));
    arrived_ = {current_device(), std::span<const unsigned>(zeros)};
    partial_ = {current_device(), zeros.size()};
  }

  std::size_t bytes() const {
    return OnCsr<T, O>::bytes() + tiles_.bytes() + arrived_.bytes() + partial_.bytes();
  }

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
    launch(how(stream, 0), Scatter<T, O>{work(), alpha, x, y});
  }

 private:
  template <int items>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    using K = Multiply<T, O, items>;
    launch(how(stream, K::shared_bytes(threads_)), K{work(), staged_from_, alpha, x, beta, y});
  }
  int piece_blocks() const { return blocks_for(tiles_.pieces(), threads_ / 32); }
  Launch how(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = piece_blocks() + tiles_.tiles(),
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  Work<T, O> work() const {
    return {this->a(), tiles_.tile_list(), tiles_.piece_list(), tiles_.pieces(), piece_blocks(),
            most_,     partial_.data(),    arrived_.data()};
  }

  int threads_;
  int items_;
  int staged_from_;
  int most_;
  BalancedTiles tiles_;
  mutable DeviceArray<unsigned> arrived_;
  mutable DeviceArray<T> partial_;
};

}  // namespace

Kernel gpu_csr_balanced() {
  return {
      .device = "gpu",
      .format = "csr",
      .strategy = "balanced",
      .transposes = true,
      .deterministic = true,
      .atomic_transpose = true,
      .source = "own",
      .summary = "equal rows and entries a block, long rows in pieces, one launch",
      .parameters = {{"threads", "threads a block, rounded to whole warps", 256, 32, 512},
                     {"items", "entries a thread: 4, 8 or 16, the nearest", 8, 4, 16},
                     {"staged_from", "mean row length from which products go through shared memory",
                      4, 0, 1024},
                     {"piece", "entries of a long row that a warp takes", 2048, 64, 1 << 20}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Balanced>()};
}

}  // namespace nz::NZ_HOME
