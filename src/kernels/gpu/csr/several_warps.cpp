#include <limits>

#include "base/instantiate.hpp"
#include "kernels/gpu/csr/entries_of_warp.hpp"

// A warp takes a row, its groups of lanes every so many entries each, and adds up over the groups.
// While rows of X come the entries that follow are read already, of this row or of the next one.
namespace nz::NZ_HOME {
namespace {

constexpr int threads = 128;

template <class T, class O, int lanes>
struct CsrSeveralWarps {
  static constexpr const char* name = "gpu/csr/balanced, several vectors, a warp a row";
  using Entries = EntriesOfWarp<T, lanes>;
  static constexpr int pack = Entries::pack;
  static constexpr int max_threads = threads;
  static constexpr int min_blocks = lanes <= 8 ? 8 : sizeof(T) == 4 ? 6 : 5;
  CsrView<T, O> a;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  int each;  // rows of a warp, at most as many as it has lanes
  PiecesInPlace<T, O, lanes> pieces;

  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < pieces.blocks()) return pieces.add(t, a, x, out);
    // The warps of a block take rows that follow each other at the same time: those share columns
    // more often than others. A lane has the beginning and the length of one of them.
    const std::int64_t top =
        std::int64_t{t.block() - pieces.blocks()} * each * t.warps() + t.warp();
    const std::int64_t mine = top + t.lane() * t.warps();
    O start = 0;
    int n = -1;
    if (t.lane() < each && mine < a.rows) {
      start = t.load(a.offsets + mine);
      const O entries = t.load(a.offsets + mine + 1) - start;
      if (entries <= pieces.most) n = static_cast<int>(entries);
    }
    const unsigned rows = t.ballot(n >= 0);
    if (rows == 0) return;
    NZ_ROLLED
    for (int p = t.lane() % lanes; p - t.lane() % lanes < x.packs; p += lanes)
      add_rows(t, top, start, n, rows, p);
  }

 private:
  NZ_DEVICE void add_rows(Thread& t, std::int64_t top, O starts, int lengths, unsigned rows,
                          int p) const {
    const bool puts = p < x.packs && t.lane() < lanes;
    const int column_pack = p < x.packs ? p : 0;
    int row = lowest(rows), base = 0, n = t.shuffle(lengths, row);
    O start = t.shuffle(starts, row);
    Entries now, next;
    now.read(t, a.columns + start, a.values + start, 0, n);
    T sum[pack] = {};
    NZ_ROLLED
    while (true) {
      const int left = n - base;
      const bool ends = left <= Entries::count;
      const int this_row = row;
      base += Entries::count;
      if (ends) {
        base = n = 0;
        rows &= rows - 1;
        if (rows != 0) {
          row = lowest(rows);
          n = t.shuffle(lengths, row);
          start = t.shuffle(starts, row);
        }
      }
      next.read(t, a.columns + start, a.values + start, base, n);
      now.add(t, x, column_pack, ends ? left : Entries::count, sum);
      if (ends) {
        add_groups_of_warp<lanes>(t, sum);
        if (puts) put_pack(out, out.y.at(top + this_row * t.warps(), 0), p, sum);
        if (rows == 0) return;
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[q] = 0;
      }
      now = next;
    }
  }
};

// Three groups of ten lanes where two of sixteen would leave most of their lanes without work. To
// go through the rows again, for packs that fewer lanes do not reach, costs more than it brings.
template <class Body>
void with_lanes_of_warp(int packs, int lanes, Body&& body) {
  if (packs == 9 || packs == 10) return body(std::integral_constant<int, 10>());
  with_lanes<2>(lanes, body);
}

// Entries that a warp shall have to do at least, of however many rows.
constexpr double entries_of_warp = 192;

}  // namespace

template <class T, class O>
void csr_several_warps(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                       int most, const Several<const T>& x, const SeveralOutput<T>& out,
                       const simt::Scratch& scratch) {
  const RowsOfX<T, wide_pack<T>> rows = rows_of<wide_pack<T>>(x);
  const bool whole = rows_are_alike(a, long_rows);
  const double mean = static_cast<double>(a.nnz) / std::max(1, a.rows);
  const int each = rows_each(a.rows, entries_of_warp / std::max(mean, 1.0), 32);
  const std::int64_t warps = (std::int64_t{a.rows} + each - 1) / each;
  with_lanes_of_warp(rows.packs, rows.lanes, [&](auto lanes) {
    const auto pieces = whole
                            ? PiecesInPlace<T, O, lanes()>{.most = std::numeric_limits<int>::max()}
                            : pieces_in_place<T, O, lanes()>(long_rows, most, threads, scratch);
    launch({.blocks = pieces.blocks() + blocks_for(warps, threads / 32),
            .threads = threads,
            .shared_bytes = pieces.shared_bytes(threads),
            .stream = stream},
           CsrSeveralWarps<T, O, lanes()>{a, rows, wide_output<wide_pack<T>>(out), each, pieces});
  });
}

#define NZ_INSTANTIATE(T, O)                                                                   \
  template void csr_several_warps(CUstream_st*, const CsrView<T, O>&, const LongRows<T>&, int, \
                                  const Several<const T>&, const SeveralOutput<T>&,            \
                                  const simt::Scratch&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
