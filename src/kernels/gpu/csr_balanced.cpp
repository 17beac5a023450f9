#include "kernels/gpu/balanced_tiles.hpp"
#include "kernels/gpu/row_lengths.hpp"

// Blocks take tiles of equal work, warps take pieces of long rows, in one launch. There are two
// ways through a tile, and the matrix decides:
// - staged: the entries are read side by side, all at once, whatever the rows are; the products
// wait
//   in shared memory until the rows are added up, by as many lanes a row as the block has for it;
// - direct, where rows are alike and not tiny: a few lanes a row add in registers. It saves the way
//   through shared memory: 1.3 times as fast on a 5-point, 1.1 times on a 27-point stencil (H200).
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
  int piece_blocks;  // the first blocks take pieces, one a warp

  // Whether a row of a tile is cut into pieces.
  NZ_DEVICE bool elsewhere(const Tile& tile, int row) const {
    for (int h = 0; h < tile.holes; ++h)
      if (holes[tile.hole + h].row == row) return true;
    return false;
  }
};

template <class T, class O, int items>
struct Multiply {
  static constexpr const char* name = "gpu/csr/balanced";
  static constexpr int max_threads = 256, min_blocks = 5;
  Work<T, O> w;
  int lanes;  // a row, of direct tiles; 0: tiles are staged
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
      if (p < w.pieces.count)
        w.pieces.template add<8>(t, w.a, x, p, [&](index_t row, T sum) { put(row, sum); });
      return;
    }
    const Tile tile = w.tiles[t.block() - w.piece_blocks];
    if (lanes > 0)
      add_direct(t, tile);
    else
      add_staged(t, tile);
  }

 private:
  NZ_DEVICE void put(index_t row, T sum) const { y[row] = combine(alpha, sum, beta, y + row); }

  NZ_DEVICE void add_direct(Thread& t, const Tile& tile) const {
    const int lane = t.index() % lanes;
    // All groups of a warp go round as often as its first: they shuffle together.
    for (int base = t.warp() * (32 / lanes); base < tile.rows; base += t.block_size() / lanes) {
      const int i = base + t.lane() / lanes;
      T sum = 0;
      const bool mine = i < tile.rows && !w.elsewhere(tile, i);
      if (mine) {
        const O begin = w.a.offsets[tile.first + i];
        sum = add_entries<4>(t, w.a.columns + begin, w.a.values + begin, x, lane,
                             static_cast<int>(w.a.offsets[tile.first + i + 1] - begin), lanes);
      }
      for (int by = lanes / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, lanes);
      if (mine && lane == 0) put(tile.first + i, sum);
    }
  }

  // A row whose entries are in pieces.
  static constexpr int elsewhere = 1 << 30;

  NZ_DEVICE void add_staged(Thread& t, const Tile& tile) const {
    const int room = padded(t.block_size() * items);
    const SharedArray<T> product = t.shared<T>(room);
    const SharedArray<int> start = t.shared<int>(room + 1);  // of each row, and the end
    read(t, tile, product);
    for (int i = t.index(); i <= tile.rows; i += t.block_size()) start[i] = start_of(t, tile, i);
    t.sync();
    add_rows(t, tile, product, start);
  }

  // Everything is on its way before anything of it is used.
  NZ_DEVICE void read(Thread& t, const Tile& tile, const SharedArray<T>& product) const {
    index_t column[items];
    T value[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      std::int64_t place = tile.entry + i;
      for (int h = 0; h < tile.holes; ++h)
        if (i >= w.holes[tile.hole + h].at) place = tile.entry + i + w.holes[tile.hole + h].skip;
      const bool there = i < tile.entries;
      column[j] = there ? t.load_streaming(w.a.columns + place) : -1;
      value[j] = there ? t.load_streaming(w.a.values + place) : T(0);
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) value[j] *= t.load(x + column[j]);
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) product[padded(j * t.block_size() + t.index())] = value[j];
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
    const int width = lanes_for(t.block_size(), tile.rows), lane = t.index() % width;
    for (int base = t.warp() * (32 / width); base < tile.rows; base += t.block_size() / width) {
      const int i = base + t.lane() / width;
      bool mine = i < tile.rows;
      T sum = 0;
      if (mine) {
        const int begin = start[i];
        mine = (begin & elsewhere) == 0;
        const int end = mine ? int(start[i + 1]) & ~elsewhere : 0;
        for (int k = begin + lane; k < end; k += width) sum += product[padded(k)];
      }
      for (int by = width / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, width);
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
    if (t.block() < w.piece_blocks) {
      const int p = t.block() * t.warps() + t.warp();
      if (p >= w.pieces.count) return;
      const Piece& piece = w.pieces.list[p];
      scatter_entries(t, w.a, alpha, x, y, piece.row, piece.entry, piece.entries, t.lane(), 32);
      return;
    }
    const Tile tile = w.tiles[t.block() - w.piece_blocks];
    const int lanes = lanes_for(tile.entries, 2 * tile.rows);
    for (int i = t.index() / lanes; i < tile.rows; i += t.block_size() / lanes) {
      if (w.elsewhere(tile, i)) continue;
      const O begin = w.a.offsets[tile.first + i], end = w.a.offsets[tile.first + i + 1];
      scatter_entries(t, w.a, alpha, x, y, tile.first + i, begin, static_cast<int>(end - begin),
                      t.index() % lanes, lanes);
    }
  }
};

// How tiles are cut, and how they are gone through.
struct Way {
  int lanes = 0;  // 0: staged
  int size = 0;   // steps of a tile
  int most = 0;   // entries of a row that is not cut
};

template <class T, class O>
class Balanced : public OnCsr<T, O> {
 public:
  Balanced(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        items_(p.at("items") < 6 ? 4 : 8),
        way_(way(static_cast<int>(p.at("lanes")))),
        long_rows_(this->a(), way_.most, static_cast<int>(p.at("piece"))),
        tiles_(this->a(), way_.size, long_rows_.rows()) {}

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + tiles_.bytes() + long_rows_.bytes(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (items_ == 4)
      run<4>(stream, alpha, x, beta, y);
    else
      run<8>(stream, alpha, x, beta, y);
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->cols());
    launch(how(stream, 0), Scatter<T, O>{work(), alpha, x, y});
  }

 private:
  Way way(int wanted) const {
    const int room = threads_ * items_;
    const Way staged{0, room * 7 / 8, room / 8};
    const RowLengths lengths = row_lengths(this->a());
    const LengthSummary s = summarise(lengths);
    if (wanted == 0 || (wanted < 0 && !(s.mean >= 4 && s.alike > 0.9))) return staged;
    int lanes = 1;
    while (lanes < 32 && 2 * lanes <= wanted) lanes *= 2;
    if (wanted < 0) lanes = lanes_by_mean<T>(s.mean);
    // A little less than one row for each group of lanes: hardly any tile needs a second round.
    const int rows = threads_ / lanes;
    const double size = 0.97 * rows * (s.mean + 1);
    return {lanes, static_cast<int>(std::clamp(size, 32.0, 1e6)), std::max(room / 8, 32 * lanes)};
  }
  template <int items>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    using K = Multiply<T, O, items>;
    launch(how(stream, way_.lanes > 0 ? 0 : K::shared_bytes(threads_)),
           K{work(), way_.lanes, alpha, x, beta, y});
  }
  int piece_blocks() const { return blocks_for(long_rows_.pieces(), threads_ / 32); }
  Launch how(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = piece_blocks() + tiles_.tiles(),
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  Work<T, O> work() const {
    return {this->a(),      tiles_.tile_list(), tiles_.hole_list(),
            tiles_.tiles(), long_rows_.view(),  piece_blocks()};
  }

  int threads_;
  int items_;
  Way way_;
  LongRows<T> long_rows_;
  BalancedTiles tiles_;
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
      .parameters = {{"threads", "threads a block, rounded to whole warps", 256, 32, 256},
                     {"items", "entries a thread of a staged tile: 4 or 8, the nearest", 8, 4, 8},
                     {"lanes", "lanes a row; 0: tiles are staged; -1: by the row lengths", -1, -1,
                      32},
                     {"piece", "entries of a long row that a warp takes", 2048, 64, 1 << 20}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<Balanced>()};
}

}  // namespace nz::NZ_HOME
