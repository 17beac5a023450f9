#include <bit>

#include "kernels/gpu/csr/balanced_work.hpp"
#include "kernels/gpu/csr/several.hpp"
#include "kernels/gpu/csr/several_columns.hpp"
#include "kernels/gpu/fused_output.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/balanced_tiles.hpp"

// Blocks take tiles of equal work, warps take pieces of long rows, in one launch. The entries of a
// tile are read side by side, all at once, whatever the rows are; the products wait in shared
// memory until the rows are added up, by as many lanes a row as the block has for it.
// In a small matrix a block takes a piece, all of it at once.
//
// Tiles have whole rows, because a block that waits for an atomic of a shared row keeps its place;
// long rows are apart, and no loop is unrolled by the compiler, so that nothing is spilled and more
// blocks fit. Lanes that read their own rows in place are in csr/adaptive.cpp.
namespace nz::NZ_HOME {
namespace {

// Entries a thread of a piece that a block takes.
constexpr int at_once = 8;

template <class T, class O, int items, class Out>
struct CsrBalancedMultiply {
  static constexpr const char* name = "gpu/csr/balanced";
  static constexpr int max_threads = 256;
  // As many as the registers of its loads allow.
  static constexpr int min_blocks = sizeof(T) > 8 ? 4 : items == 4 ? 8 : sizeof(T) == 4 ? 6 : 5;
  CsrBalancedWork<T, O> w;
  VectorOf<T> x;
  Out out;

  static std::size_t shared_bytes(int threads) {
    return (sizeof(T) + sizeof(int)) * static_cast<std::size_t>(padded(threads * items) + 1);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < w.piece_blocks) {
      // Where there are pieces nothing is fused: the last of a row's finishes it, whichever it is.
      const auto put = [&](index_t row, T sum) { plain(out).put(row, sum); };
      const int p = w.pieces.mine(t);
      if (w.by_block)
        w.pieces.template add_by_block<at_once>(t, w.a, x, t.block(), t.shared<T>(t.warps()), put);
      else if (p >= 0)
        w.pieces.template add<8>(t, w.a, x, p, put);
      return;
    }
    const Tile tile = w.tiles[t.block() - w.piece_blocks];
    const int room = padded(t.block_size() * items);
    const SharedArray<T> product = t.shared<T>(room);
    const SharedArray<int> start = t.shared<int>(room + 1);  // of each row, and the end
    if (tile.gaps == 0)
      read<false>(t, tile, product, start);
    else
      read<true>(t, tile, product, start);
    t.sync();
    Out mine = out;
    add_tile_rows<in_pieces>(t, tile.rows, product, start,
                             [&](int i, T sum) { put_row(t, mine, tile.first + i, sum); });
    leave_sums(t, mine);
  }

 private:
  // Everything is on its way before anything of it is used.
  template <bool gaps>
  NZ_DEVICE void read(Thread& t, const Tile& tile, const SharedArray<T>& product,
                      const SharedArray<int>& start) const {
    const index_t* columns = w.a.columns + tile.entry;
    const T* values = w.a.values + tile.entry;
    index_t column[items];
    T value[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      column[j] =
          i < tile.entries ? t.load_streaming(columns + w.template place<gaps>(tile, i)) : -1;
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      const int i = j * t.block_size() + t.index();
      value[j] =
          i < tile.entries ? t.load_streaming(values + w.template place<gaps>(tile, i)) : T(0);
    }
    const int first = t.index() <= tile.rows ? w.template start_of<gaps>(t, tile, t.index()) : 0;
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) value[j] *= t.load(x + column[j]);
    if (t.index() <= tile.rows) start[t.index()] = first;
    for (int i = t.index() + t.block_size(); i <= tile.rows; i += t.block_size())
      start[i] = w.template start_of<gaps>(t, tile, i);
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) product[padded(j * t.block_size() + t.index())] = value[j];
  }
};

// y, scaled already, gets each entry's product by itself: lanes go along the rows.
template <class T, class O>
struct CsrBalancedScatter {
  static constexpr const char* name = "gpu/csr/balanced, transposed";
  CsrBalancedWork<T, O> w;
  FactorOf<T> alpha;
  VectorOf<T> x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < w.piece_blocks) {
      const int p = w.pieces.mine(t);
      if (w.by_block)
        w.pieces.scatter(t, w.a, alpha, x, y, t.block(), t.index(), t.block_size());
      else if (p >= 0)
        w.pieces.scatter(t, w.a, alpha, x, y, p, t.lane(), 32);
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

template <class T, class O>
class CsrBalanced : public OnCsr<T, O> {
 public:
  CsrBalanced(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        small_(has_small_tiles(a.nnz)),
        by_block_(small_ && p.at("piece") == 0),
        threads_(threads_of(p)),
        items_(items_of(p.at("items"))),
        several_(static_cast<SeveralBy>(p.at("several"))),
        columns_(p.at("columns") != 0),
        column_lanes_(lanes_of(p.at("column_lanes"))),
        tiles_(this->a(), threads_ * items_ - most(), most(), piece_of(p.at("piece")), long_rows_) {
  }

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + tiles_.bytes() + long_rows_.bytes(); }
  simt::ScratchSize scratch_size() const { return long_rows_.scratch_size(); }

  void multiply(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                const simt::Scratch& scratch) const {
    run(stream, x, Output<T>{alpha, beta, y}, scratch);
  }

  // Complex products are not fused.
  bool fuses() const { return long_rows_.pieces() == 0; }
  std::int64_t fused_parts() const { return parts_of(launch_config(nullptr, 0)); }
  void multiply_fused(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                      const simt::Scratch& scratch, const FusedEnd<T>& end) const {
    run(stream, x, FusedOutput<T>{{alpha, beta, y}, end}, scratch);
  }

  void multiply_transposed(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    scale(stream, beta, y, this->cols());
    launch(launch_config(stream, 0), CsrBalancedScatter<T, O>{work(scratch), alpha, x, y});
  }

  simt::ScratchSize several_scratch_size(int columns) const {
    return several_pieces_scratch(long_rows_, columns);
  }
  static constexpr bool several_through_shared = true;
  bool takes_columns(int) const { return columns_; }
  bool wants_rows_of_y(int columns) const {
    return static_cast<double>(this->a().nnz) >= least_for_rows_of_y * this->rows() &&
           csr_several_way(this->a(), long_rows_, several_, columns) != SeveralBy::tiles;
  }
  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y, const simt::Scratch& scratch) const {
    if constexpr (RealValue<T>)
      if (columns_ && x.columns > 1 && x.row == 1 && y.row == 1)
        return csr_several_columns(stream, work({}), long_rows_, tiles_.tiles(), threads_, items_,
                                   column_lanes_, x, {alpha, beta, y}, scratch);
    csr_several(stream, work({}), long_rows_, most(), tiles_.tiles(), threads_, items_, several_, x,
                {alpha, beta, y}, scratch);
  }
  void multiply_several_transposed(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                                   const Several<T>& y) const {
    scale_several(stream, this->cols(), beta, y);
    csr_several_scatter(stream, this->a(), alpha, x, y);
  }

 private:
  int items_of(std::int64_t wanted) const {
    if (wanted != 0) return wanted < 6 ? 4 : 8;
    const double mean = static_cast<double>(this->a().nnz) / std::max(1, this->rows());
    return items_of_tile(this->a().nnz, sizeof(T), mean);
  }
  int most() const { return longest_in_tile(this->a().nnz, threads_, items_); }
  int piece_of(std::int64_t wanted) const {
    if (by_block_) return threads_ * at_once;
    return wanted == 0 ? 0 : static_cast<int>(std::max<std::int64_t>(wanted, 32));
  }
  // The power of 2 that is not larger; 0 stays.
  static int lanes_of(std::int64_t wanted) {
    return static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(wanted)));
  }
  template <class Out>
  void run(CUstream_st* stream, VectorOf<T> x, const Out& out, const simt::Scratch& scratch) const {
    const auto with = [&]<int items>() {
      using K = CsrBalancedMultiply<T, O, items, Out>;
      launch(launch_config(stream, K::shared_bytes(threads_)), K{work(scratch), x, out});
    };
    if (items_ == 4)
      with.template operator()<4>();
    else
      with.template operator()<8>();
  }
  int piece_blocks() const {
    return by_block_ ? long_rows_.pieces() : blocks_for(long_rows_.pieces(), threads_ / 32);
  }
  Launch launch_config(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = piece_blocks() + tiles_.tiles(),
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  CsrBalancedWork<T, O> work(const simt::Scratch& scratch) const {
    return {this->a(),      tiles_.tile_list(), tiles_.gap_list(), long_rows_.view(scratch),
            piece_blocks(), by_block_};
  }

  bool small_;
  bool by_block_;  // takes a piece
  int threads_;
  int items_;
  SeveralBy several_;
  bool columns_;  // several vectors by columns are read as they lie
  int column_lanes_;
  LongRows<T> long_rows_;
  BalancedTiles tiles_;
};

}  // namespace

Kernel gpu_csr_balanced() {
  return {
      .family = "gpu",
      .format = "csr",
      .strategy = "balanced",
      .transposes = true,
      .several = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "equal rows and entries a block, long rows in pieces, one launch",
      .parameters = {threads_parameter(usual_tile_threads, 256),
                     {"items", "entries a thread: 4 or 8, the nearest; 0: by the type", 0, 0, 8},
                     {"piece",
                      "entries of a long row that a warp takes, at least 32; 0: by their number, "
                      "and in a small matrix a block takes them",
                      0, 0, 1 << 20},
                     {"several",
                      "several vectors, where their rows are long: 1 through tiles, 2 runs of "
                      "rows, 3 a warp a row; 0: by the matrix",
                      0, 0, 3},
                     {"columns",
                      "several vectors by columns: 1 as they lie, for matrices whose neighbouring "
                      "rows have neighbouring columns; 0 through rows",
                      0, 0, 1},
                     {"column_lanes",
                      "then, lanes a row, rounded to a power of 2; 0: by the matrix", 0, 0, 32}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu_and_complex<CsrBalanced>()};
}

}  // namespace nz::NZ_HOME
