#include "kernels/gpu/balanced_tiles.hpp"

// Blocks take tiles of equal work, warps take pieces of long rows, in one launch. The entries of a
// tile are read side by side, all at once, whatever the rows are; the products wait in shared
// memory until the rows are added up, by as many lanes a row as the block has for it. As many
// blocks as fit stay, and go from tile to tile: the next tile is on its way while the rows of this
// one are added.
namespace nz::NZ_HOME {
namespace {

// Every 32nd place stays empty, so that rows of 8, 16 or 32 entries do not meet in one bank.
NZ_HOST_DEVICE int padded(int i) { return i + (i >> 5); }

// Lanes a row when so many threads have so many rows.
NZ_DEVICE int lanes_for(int threads, int rows) {
  int lanes = 1;
  while (lanes < 32 && lanes * 2 * rows <= threads) lanes *= 2;
  return lanes;
}

template <class T, class O>
struct Work {
  CsrView<T, O> a;
  const Tile* tiles;
  const Hole* holes;
  int tile_count;
  Pieces<T> pieces;
  int piece_turns;  // turns of blocks that take pieces, before those that take tiles
};

template <class T, class O, int items>
struct Multiply {
  static constexpr const char* name = "gpu/csr/balanced";
  static constexpr int max_threads = 512, min_blocks = 2;
  Work<T, O> w;
  T alpha;
  const T* x;
  T beta;
  T* y;

  static std::size_t shared_bytes(int threads) {
    return (sizeof(T) + sizeof(int)) * static_cast<std::size_t>(padded(threads * items) + 1);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    int turn = t.block();
    for (; turn < w.piece_turns; turn += t.grid_size()) {
      const int p = turn * t.warps() + t.warp();
      if (p < w.pieces.count)
        w.pieces.add(t, w.a, x, p, [&](index_t row, T sum) { put(row, sum); });
    }
    add_tiles(t, turn - w.piece_turns);
  }

 private:
  NZ_DEVICE void put(index_t row, T sum) const { y[row] = combine(alpha, sum, beta, y + row); }

  // What a thread has read of a tile.
  struct Part {
    index_t column[items];
    T value[items];
    int start;  // of the row with the thread's number
  };
  // A row whose entries are in pieces.
  static constexpr int elsewhere = 1 << 30;

  NZ_DEVICE void add_tiles(Thread& t, int which) const {
    const int room = padded(t.block_size() * items);
    const SharedArray<T> product = t.shared<T>(room);
    const SharedArray<int> start = t.shared<int>(room + 1);  // of each row, and the end
    if (which >= w.tile_count) return;
    Tile now = w.tiles[which];
    Part part = read(t, now);
    while (true) {
      NZ_UNROLL
      for (int j = 0; j < items; ++j)
        if (part.column[j] >= 0) part.value[j] *= t.load(x + part.column[j]);
      NZ_UNROLL
      for (int j = 0; j < items; ++j)
        if (part.column[j] >= 0) product[padded(j * t.block_size() + t.index())] = part.value[j];
      if (t.index() <= now.rows) start[t.index()] = part.start;
      for (int i = t.index() + t.block_size(); i <= now.rows; i += t.block_size())
        start[i] = start_of(t, now, i);
      t.sync();
      which += t.grid_size();
      const Tile tile = now;
      const bool more = which < w.tile_count;
      if (more) {
        now = w.tiles[which];
        part = read(t, now);
      }
      add_rows(t, tile, product, start);
      if (!more) return;
      t.sync();
    }
  }

  // Everything is on its way before anything of it is used.
  NZ_DEVICE Part read(Thread& t, const Tile& tile) const {
    Part part;
    std::int64_t place[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      place[j] = i < tile.entries ? tile.entry + i : -1;
      for (int h = 0; h < tile.holes; ++h)
        if (i < tile.entries && i >= w.holes[tile.hole + h].at)
          place[j] = tile.entry + i + w.holes[tile.hole + h].skip;
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      part.column[j] = place[j] >= 0 ? t.load_streaming(w.a.columns + place[j]) : -1;
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      part.value[j] = place[j] >= 0 ? t.load_streaming(w.a.values + place[j]) : T(0);
    part.start = t.index() <= tile.rows ? start_of(t, tile, t.index()) : 0;
    return part;
  }

  NZ_DEVICE int start_of(Thread& t, const Tile& tile, int row) const {
    std::int64_t start = t.load_streaming(w.a.offsets + tile.first + row) - tile.entry;
    std::int64_t skip = 0;
    int mark = 0;
    for (int h = 0; h < tile.holes; ++h) {
      const Hole hole = w.holes[tile.hole + h];
      if (row > hole.row) skip = hole.skip;
      if (row == hole.row) mark = elsewhere;
    }
    return static_cast<int>(start - skip) | mark;
  }

  NZ_DEVICE void add_rows(Thread& t, const Tile& tile, const SharedArray<T>& product,
                          const SharedArray<int>& start) const {
    const int lanes = lanes_for(t.block_size(), tile.rows), lane = t.index() % lanes;
    const int groups = t.block_size() / lanes;
    // All groups of a warp go round as often as its first: they shuffle together.
    for (int base = t.warp() * (32 / lanes); base < tile.rows; base += groups) {
      const int i = base + t.lane() / lanes;
      bool mine = i < tile.rows;
      T sum = 0;
      if (mine) {
        const int begin = start[i];
        mine = (begin & elsewhere) == 0;
        const int end = mine ? int(start[i + 1]) & ~elsewhere : 0;
        for (int k = begin + lane; k < end; k += lanes) sum += product[padded(k)];
      }
      for (int by = lanes / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, lanes);
      if (mine && lane == 0) put(tile.first + i, sum);
    }
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
    int turn = t.block();
    for (; turn < w.piece_turns; turn += t.grid_size()) {
      const int p = turn * t.warps() + t.warp();
      if (p >= w.pieces.count) continue;
      const Piece& piece = w.pieces.list[p];
      scatter_entries(t, w.a, alpha, x, y, piece.row, piece.entry, piece.entries, t.lane(), 32);
    }
    for (turn -= w.piece_turns; turn < w.tile_count; turn += t.grid_size()) {
      const Tile tile = w.tiles[turn];
      const int lanes = lanes_for(tile.entries, 2 * tile.rows);
      for (int i = t.index() / lanes; i < tile.rows; i += t.block_size() / lanes) {
        bool long_row = false;
        for (int h = 0; h < tile.holes; ++h) long_row = long_row || w.holes[tile.hole + h].row == i;
        const O begin = w.a.offsets[tile.first + i], end = w.a.offsets[tile.first + i + 1];
        if (!long_row)
          scatter_entries(t, w.a, alpha, x, y, tile.first + i, begin, static_cast<int>(end - begin),
                          t.index() % lanes, lanes);
      }
    }
  }
};

template <class T, class O>
class Balanced : public OnCsr<T, O> {
 public:
  Balanced(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        items_(p.at("items") < 6 ? 4 : 8),
        long_rows_(this->a(), threads_ * items_ / 8, static_cast<int>(p.at("piece"))),
        tiles_(this->a(), threads_ * items_ * 7 / 8, long_rows_.rows()) {
    const int resident = items_ == 4 ? resident_of<4>() : resident_of<8>();
    turns_ = blocks_for(long_rows_.pieces(), threads_ / 32) + tiles_.tiles();
    blocks_ = static_cast<int>(std::min<std::int64_t>(
        turns_,
        resident * p.at("oversubscription") * simt::backend(current_device()).info().processors));
  }

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + tiles_.bytes() + long_rows_.bytes(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (items_ == 4)
      run<4>(stream, alpha, x, beta, y);
    else
      run<8>(stream, alpha, x, beta, y);
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->cols());
    launch({.blocks = turns_, .threads = threads_, .stream = stream},
           Scatter<T, O>{work(), alpha, x, y});
  }

 private:
  template <int items>
  int resident_of() const {
    using K = Multiply<T, O, items>;
    return resident_blocks<K>(threads_, K::shared_bytes(threads_));
  }
  template <int items>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    using K = Multiply<T, O, items>;
    launch({.blocks = blocks_,
            .threads = threads_,
            .shared_bytes = K::shared_bytes(threads_),
            .stream = stream},
           K{work(), alpha, x, beta, y});
  }
  Work<T, O> work() const {
    return {this->a(),      tiles_.tile_list(), tiles_.hole_list(),
            tiles_.tiles(), long_rows_.view(),  turns_ - tiles_.tiles()};
  }

  int threads_;
  int items_;
  LongRows<T> long_rows_;
  BalancedTiles tiles_;
  int turns_ = 0;   // of blocks, when each took one tile, or a piece for each of its warps
  int blocks_ = 0;  // that take them
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
          .summary = "equal rows and entries a block, long rows in pieces, one launch",
          .parameters = {{"threads", "threads a block, rounded to whole warps", 256, 32, 512},
                         {"items", "entries a thread at a time: 4 or 8, the nearest", 8, 4, 8},
                         {"oversubscription", "blocks for each that fits at a time", 1, 1, 16},
                         {"piece", "entries of a long row that a warp takes", 2048, 64, 1 << 20}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Balanced>()};
}

}  // namespace nz::NZ_HOME
