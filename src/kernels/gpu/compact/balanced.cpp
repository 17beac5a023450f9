#include "kernels/gpu/compact/several.hpp"
#include "kernels/gpu/compact/units.hpp"
#include "kernels/gpu/compact/work.hpp"
#include "kernels/gpu/gpu_product.hpp"

// The scheme of csr/balanced.cpp on fewer bytes: blocks take tiles of equal work, warps take pieces
// of long rows, in one launch; products wait in shared memory until rows are added up. For matrices
// whose columns stay within 65 536 of each other (bands, or no more columns than that) or whose
// values repeat: a graph of ones takes 2 bytes an entry there, a table of values 3, doubles that
// are floats 6, others 10, floats of 16 bits 4, and row starts 2 bytes instead of 4 or 8.
//
// A byte less a load is a load more to keep the memory busy, so a thread takes octets: 16 bytes of
// narrow columns at once, and two octets where values are narrow too. Octets are dealt so that a
// warp's j-th entries are neighbours (compact/units.hpp): a gather of x is a gather of CSR's, and
// products go to shared memory at n j + g, 32 neighbours at once, each in a bank of its own but for
// the one place skipped after every 32, which keeps rows of 8, 16 or 32 entries from meeting in one
// bank when they are added. Pieces have no second loop for what is left over: every round loads all
// octets of a lane at once where they are there, and long rows of graphs are mostly one round.
namespace nz::NZ_HOME {
namespace {

template <class T, ValueCode code, int octets>
struct CompactMultiply {
  static constexpr const char* name = "gpu/compact/balanced";
  static constexpr int max_threads = 256;
  // As many as leave all loads in registers.
  static constexpr int min_blocks = code == ValueCode::constant
                                        ? 6 - (octets - 1) * int(sizeof(T)) / 4
                                        : 6 - octets - int(sizeof(Coded<T, code>)) / 8;
  using V = Coded<T, code>;
  CompactWork<T> w;
  VectorOf<T> x;
  Output<T> out;

  static std::size_t shared_bytes(int threads) {
    const std::size_t table = code == ValueCode::table ? 256 * sizeof(T) : 0;
    const int room = threads * octets * 8;
    return table + sizeof(T) * static_cast<std::size_t>(padded(room)) +
           sizeof(std::uint16_t) * static_cast<std::size_t>(room + 1);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    // The unit is on its way while the table is.
    const bool in_pieces = t.block() < w.piece_blocks;
    const int which = in_pieces ? w.pieces.mine(t) : w.tile(t);
    const CompactUnit unit = w.a.units[which < 0 ? 0 : which];
    const Decode<T, code> decode(t, w.a);
    if (in_pieces) {
      if (which < 0) return;
      const Piece piece = w.pieces.list[which];
      const T sum = add_piece(t, decode, unit);
      w.pieces.finish(t, which, piece, sum, [&](index_t row, T all) { out.put(row, all); });
      return;
    }
    const int room = t.block_size() * octets * 8;
    const SharedArray<T> product = t.shared<T>(padded(room));
    const SharedArray<std::uint16_t> start = t.shared<std::uint16_t>(room + 1);
    read(t, decode, unit, product, start);
    t.sync();
    add_tile_rows<start_elsewhere>(t, unit.rows, product, start,
                                   [&](int i, T sum) { out.put(unit.first + i, sum); });
  }

 private:
  // use(g, j, product) for the j-th entries of the octets g = first, first + step, ... of a unit's
  // n. Everything is on its way before anything of it is used. The first octet is there; in place
  // of others that are not, the last is loaded again, so that no load waits for a branch.
  template <class C, class Use>
  NZ_DEVICE void take(Thread& t, const Decode<T, code>& decode, const CompactUnit& u, int n,
                      int first, int step, Use&& use) const {
    Octet<V> value[octets];
    Octet<C> column[octets];
    T from_x[octets][8];
    NZ_UNROLL
    for (int o = 0; o < octets; ++o) {
      const int g = first + o * step < n ? first + o * step : n - 1;
      if constexpr (code != ValueCode::constant)
        value[o].load(t, w.a.template values_of<V>(u), n, g);
      column[o].load(t, w.a.template columns_of<C>(u), n, g);
    }
    const VectorOf<T> from = x + u.base;
    NZ_UNROLL
    for (int o = 0; o < octets; ++o) {
      NZ_UNROLL
      for (int j = 0; j < 8; ++j) from_x[o][j] = t.load(from + column[o].at(j));
    }
    NZ_UNROLL
    for (int o = 0; o < octets; ++o)
      if (o == 0 || first + o * step < n) {
        NZ_UNROLL
        for (int j = 0; j < 8; ++j) use(first + o * step, j, decode(value[o], j) * from_x[o][j]);
      }
  }
  template <class Use>
  NZ_DEVICE void take_octets(Thread& t, const Decode<T, code>& decode, const CompactUnit& u, int n,
                             int first, int step, Use&& use) const {
    if (u.wide)
      take<index_t>(t, decode, u, n, first, step, use);
    else
      take<std::uint16_t>(t, decode, u, n, first, step, use);
  }

  NZ_DEVICE void read(Thread& t, const Decode<T, code>& decode, const CompactUnit& tile,
                      const SharedArray<T>& product,
                      const SharedArray<std::uint16_t>& start) const {
    const int n = octets_of(tile.entries), first = t.index(), step = t.block_size();
    const std::uint16_t* starts = w.a.starts + tile.start;
    const std::uint16_t mine = first <= tile.rows ? t.load(starts + first) : std::uint16_t{0};
    if (first < n)  // what a unit's last places have is not read again
      take_octets(t, decode, tile, n, first, step,
                  [&](int g, int j, T its) { product[padded(j * n + g)] = its; });
    if (first <= tile.rows) start[first] = mine;
    NZ_ROLLED
    for (int i = first + step; i <= tile.rows; i += step) start[i] = t.load(starts + i);
  }

  // For one warp.
  NZ_DEVICE T add_piece(Thread& t, const Decode<T, code>& decode, const CompactUnit& piece) const {
    const int n = octets_of(piece.entries);
    T sum = 0;
    NZ_ROLLED
    for (int first = t.lane(); first < n; first += 32 * octets)
      take_octets(t, decode, piece, n, first, 32, [&](int g, int j, T its) {
        if (j * n + g < piece.entries) sum += its;
      });
    return sum;
  }
};

// y, scaled already, gets each entry's product by itself: lanes go along the rows.
template <class T, ValueCode code>
struct CompactScatter {
  static constexpr const char* name = "gpu/compact/balanced, transposed";
  CompactWork<T> w;
  FactorOf<T> alpha;
  VectorOf<T> x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < w.piece_blocks) {
      const int p = w.pieces.mine(t);
      if (p < 0) return;
      const CompactUnit piece = w.a.units[p];
      scatter(t, piece, piece.first, t.lane(), piece.entries, 32);
      return;
    }
    const CompactUnit tile = w.a.units[w.tile(t)];
    const std::uint16_t* starts = w.a.starts + tile.start;
    const int lanes = lanes_for(tile.entries, 2 * tile.rows);
    for (int i = t.index() / lanes; i < tile.rows; i += t.block_size() / lanes) {
      const int begin = t.load(starts + i), end = t.load(starts + i + 1) & ~start_elsewhere;
      if ((begin & start_elsewhere) == 0)
        scatter(t, tile, tile.first + i, begin + t.index() % lanes, end, lanes);
    }
  }

 private:
  NZ_DEVICE void scatter(Thread& t, const CompactUnit& u, index_t row, int begin, int end,
                         int step) const {
    if (begin >= end) return;
    const int n = octets_of(u.entries);
    const T its = t.load(x + row);
    for (int k = begin; k < end; k += step) {
      const index_t column =
          u.base +
          (u.wide ? element<index_t>(t, w.a.template columns_of<index_t>(u), n, k)
                  : element<std::uint16_t>(t, w.a.template columns_of<std::uint16_t>(u), n, k));
      t.atomic_add(y + column, alpha * (value(t, u, n, k) * its));
    }
  }
  template <class V>
  NZ_DEVICE V element(Thread& t, const typename Octet<V>::Word* from, int n, int k) const {
    return t.load(reinterpret_cast<const V*>(from) + Octet<V>::place(n, k));
  }
  NZ_DEVICE T value(Thread& t, const CompactUnit& u, int n, int k) const {
    using V = Coded<T, code>;
    if constexpr (code == ValueCode::constant) {
      return w.a.constant;
    } else {
      const V its = element<V>(t, w.a.template values_of<V>(u), n, k);
      if constexpr (code == ValueCode::table)
        return t.load(w.a.table + its);
      else
        return plain_value<T, code>(its);
    }
  }
};

template <Value T>
class CompactBalanced {
 public:
  template <Offset O>
  CompactBalanced(const CsrView<T, O>& a, const Parameters& p) : threads_(threads_of(p)) {
    const DeviceCsr<T, O> there(current_device(), a);
    ValueCodes<T> codes;  // complex values stay as they are
    if constexpr (!ComplexValue<T>)
      codes = find_value_codes(there.view().values, std::int64_t{a.nnz}, true);
    octets_ = ComplexValue<T> ? 1 : octets_per_thread(p.at("items"), code_bytes<T>(codes.code));
    const int room = threads_ * octets_ * 8;
    mean_ = static_cast<double>(a.nnz) / std::max(1, a.rows);
    a_ = compact_on_device(there.view(), std::move(codes), room * 7 / 8, room / 8,
                           static_cast<int>(p.at("piece")));
  }

  std::size_t bytes() const { return a_.bytes(); }
  simt::ScratchSize scratch_size() const { return a_.long_rows.scratch_size(); }
  std::size_t matrix_bytes() const { return a_.matrix_bytes(); }
  Facts facts() const {
    return {{"value_bytes", static_cast<double>(code_bytes<T>(a_.codes.code))},
            {"different_values", a_.codes.different},
            {"tiles", a_.tiles},
            {"pieces", a_.long_rows.pieces()},
            {"wide_units", a_.wide}};
  }

  void multiply(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                const simt::Scratch& scratch) const {
    for_code<T, true>(a_.codes.code, [&]<ValueCode code>() {
      const auto run = [&]<class K>(K k) {
        launch(launch_config(stream, K::shared_bytes(threads_)), k);
      };
      if (octets_ == 1)
        run(CompactMultiply<T, code, 1>{work(scratch), x, {alpha, beta, y}});
      else
        run(CompactMultiply<T, code, 2>{work(scratch), x, {alpha, beta, y}});
    });
  }

  void multiply_transposed(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    scale(stream, beta, y, a_.cols);
    for_code<T, true>(a_.codes.code, [&]<ValueCode code>() {
      launch(launch_config(stream, 0), CompactScatter<T, code>{work(scratch), alpha, x, y});
    });
  }

  simt::ScratchSize several_scratch_size(int columns) const {
    return several_pieces_scratch(a_.long_rows, columns);
  }
  static constexpr bool several_through_shared = true;
  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y, const simt::Scratch& scratch) const {
    compact_several<T>(stream, a_, threads_, octets_, mean_, x, {alpha, beta, y}, scratch);
  }

 private:
  static int octets_per_thread(std::int64_t items, std::size_t value_bytes) {
    if (items == 0) return value_bytes < 4 ? 2 : 1;
    return items < 12 ? 1 : 2;
  }
  int piece_blocks() const { return blocks_for(a_.long_rows.pieces(), threads_ / 32); }
  Launch launch_config(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = piece_blocks() + a_.tiles,
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  CompactWork<T> work(const simt::Scratch& scratch) const {
    return {a_.view(), a_.long_rows.view(scratch), piece_blocks()};
  }

  int threads_;
  int octets_ = 1;
  double mean_ = 0;  // entries a row
  CompactUnits<T> a_;
};

}  // namespace

Kernel gpu_compact_balanced() {
  return {
      .family = "gpu",
      .format = "compact",
      .strategy = "balanced",
      .transposes = true,
      .several = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "CSR with narrow columns and values, equal rows and entries a block, one launch",
      .parameters = {threads_parameter(128, 256),
                     {"items", "entries a thread: 8 or 16, the nearest; 0: by the values", 0, 0,
                      16},
                     {"piece", "entries of a long row that a warp takes; 0: by their number", 0, 0,
                      1 << 20}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu_and_complex<CompactBalanced>(),
      .narrowing = Narrowing::shorts};
}

}  // namespace nz::NZ_HOME
