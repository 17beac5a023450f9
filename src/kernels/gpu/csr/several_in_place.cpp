#include "kernels/gpu/csr/several_in_place.hpp"

#include <algorithm>
#include <cstdint>

#include "base/instantiate.hpp"
#include "kernels/gpu/several/pieces.hpp"

// No tile, no barrier: lanes side by side stand for a row of X, 16 bytes each. What an entry brings
// is then so much that all that counts is how many rows of X are on their way: every batch loads
// several of them before it uses the first, without a condition, because the compiler would put
// products between loads that have some. Places behind the last entry load once more what that
// one has, and drop it. The number of lanes is known when this is compiled: registers that say it
// would be spilled.
namespace nz::NZ_HOME {
namespace {

// Y, a pack of a row at a time.
template <class T, int pack>
NZ_DEVICE void put_pack(const SeveralOutput<T>& out, Pack<T, pack>* to, const T (&sum)[pack]) {
  Pack<T, pack> all;
  NZ_UNROLL
  for (int q = 0; q < pack; ++q) all.at[q] = out.alpha * sum[q];
  if (out.beta != T(0)) {
    const Pack<T, pack> before = *to;
    NZ_UNROLL
    for (int q = 0; q < pack; ++q) all.at[q] += out.beta * before.at[q];
  }
  *to = all;
}

// Rows that are too long for both: the first blocks take their pieces.
template <class T, class O, int pack>
struct PiecesInPlace {
  const Piece* list;
  int count;
  SeveralPieces<T> all;
  int most;  // entries of the longest row that is not in pieces
  int room;  // for entries of a piece

  std::size_t shared_bytes(int threads) const {
    if (count == 0) return 0;
    return static_cast<std::size_t>(room + meeting_room<pack>(threads)) * sizeof(T) +
           static_cast<std::size_t>(room) * sizeof(index_t);
  }
  NZ_HOST_DEVICE int blocks() const { return all.blocks; }

  NZ_DEVICE void add(Thread& t, const CsrView<T, O>& a, const RowsOfX<T, pack>& x,
                     const SeveralOutput<T>& out) const {
    const SharedArray<T> value = t.shared<T>(room);
    const SharedArray<T> meeting = t.shared<T>(meeting_room<pack>(t.block_size()));
    const SharedArray<index_t> column = t.shared<index_t>(room);
    const int which = all.mine(t, count);
    if (which < 0) return;
    const Piece piece = list[which];
    all.add(t, piece, which, room, x, column, value, meeting, out, [&](int e, index_t& c, T& v) {
      c = t.load_streaming(a.columns + piece.entry + e);
      v = t.load_streaming(a.values + piece.entry + e);
    });
  }
};

// A group of lanes takes a run of rows, one after the other, and reads their entries together.
template <class T, class O, int lanes, bool some_in_pieces>
struct CsrSeveralRuns {
  static constexpr const char* name = "gpu/csr/balanced, several vectors, runs of rows";
  static constexpr int max_threads = 128, min_blocks = some_in_pieces ? 6 : 7;
  static constexpr int pack = wide_pack<T>, ahead = 8;
  // Entries that a lane holds of those that a group has at hand, so that they make a batch.
  static constexpr int per = lanes < ahead ? ahead / lanes : 1, at_hand = lanes * per;
  CsrView<T, O> a;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  int each;  // rows of a run
  PiecesInPlace<T, O, pack> pieces;

  NZ_DEVICE void operator()(Thread& t) const {
    if constexpr (some_in_pieces)
      if (t.block() < pieces.blocks()) return pieces.add(t, a, x, out);
    const int lane = t.lane() % lanes, group = t.lane() - lane;
    const std::int64_t block = some_in_pieces ? t.block() - pieces.blocks() : t.block();
    const std::int64_t first = (block * t.block_size() + t.index()) / lanes * each;
    const int rows = first >= a.rows ? 0 : a.rows - first < each ? int(a.rows - first) : each;
    if constexpr (some_in_pieces)
      add_between(t, group, lane, first, rows);
    else
      add_run(t, group, lane, first, rows);
  }

 private:
  // Rows that are in pieces cut a run in two.
  NZ_DEVICE void add_between(Thread& t, int group, int lane, std::int64_t first, int rows) const {
    const auto elsewhere = [&](int i) {
      const O* const at = a.offsets + first + i;
      return t.load(at + 1) - t.load(at) > pieces.most;
    };
    NZ_ROLLED
    for (int begin = 0; t.any(begin < rows);) {
      int end = begin;
      while (end < rows && !elsewhere(end)) ++end;
      add_run(t, group, lane, first + begin, end - begin);
      begin = end + 1;
    }
  }

  NZ_DEVICE void add_run(Thread& t, int group, int lane, std::int64_t first, int rows) const {
    const O* const offsets = a.offsets + first;
    const O start = rows > 0 ? t.load(offsets) : 0;
    const int n = rows > 0 ? static_cast<int>(t.load(offsets + rows) - start) : 0;
    const int most = max_all(t, n);
    NZ_ROLLED
    for (int p = lane; p - lane < x.packs; p += lanes)
      add_run_of_pack(t, group, lane, p, rows, n, most, offsets, start, out.y.at(first, 0));
  }

  NZ_DEVICE void add_run_of_pack(Thread& t, int group, int lane, int p, int rows, int n, int most,
                                 const O* offsets, O start, T* row_of_y) const {
    const bool mine = p < x.packs;
    const int column_pack = mine ? p : 0;
    T sum[pack] = {};
    int row = 0;
    const auto end_of = [&](int i) {
      return i < rows ? static_cast<int>(t.load(offsets + i + 1) - start) : -1;
    };
    int end = end_of(0), next_end = end_of(1);
    const auto finish_row = [&] {
      if (mine)
        put_pack(out, reinterpret_cast<Pack<T, pack>*>(row_of_y + row * out.y.row) + p, sum);
      NZ_UNROLL
      for (int q = 0; q < pack; ++q) sum[q] = 0;
      end = next_end;
      next_end = end_of(++row + 1);
    };
    index_t column[per], next_column[per];
    T value[per], next_value[per];
    read(t, start, n, lane, column, value);
    NZ_ROLLED
    for (int base = 0; base < most; base += at_hand) {
      read(t, start, n, base + at_hand + lane, next_column, next_value);
      NZ_ROLLED
      for (int k = 0; k < at_hand && base + k < most; k += ahead) {
        Pack<T, pack> its[ahead];
        NZ_UNROLL
        for (int j = 0; j < ahead; ++j)
          its[j] =
              x.load(t, t.shuffle(column[j / at_hand_of], group + k + j % at_hand_of), column_pack);
        NZ_UNROLL
        for (int j = 0; j < ahead; ++j) {
          const T v = t.shuffle(value[j / at_hand_of], group + k + j % at_hand_of);
          const int e = base + k + j;
          while (e == end) finish_row();
          if (e < n) {
            NZ_UNROLL
            for (int q = 0; q < pack; ++q) sum[q] += v * its[j].at[q];
          }
        }
      }
      NZ_UNROLL
      for (int j = 0; j < per; ++j) {
        column[j] = next_column[j];
        value[j] = next_value[j];
      }
    }
    while (row < rows) finish_row();
  }

  // Of a batch, those that come from the same element of column[].
  static constexpr int at_hand_of = lanes < ahead ? lanes : ahead;

  // Entries e, e + lanes, ... of a run of n.
  NZ_DEVICE void read(Thread& t, O start, int n, int e, index_t (&column)[per],
                      T (&value)[per]) const {
    NZ_UNROLL
    for (int j = 0; j < per; ++j) {
      column[j] = 0;
      value[j] = 0;
      if (n == 0) continue;
      const int i = e + j * lanes < n ? e + j * lanes : n - 1;
      column[j] = t.load(a.columns + start + i);
      value[j] = t.load(a.values + start + i);
    }
  }
};

// A warp takes rows one by one, its groups of lanes every so many entries each.
template <class T, class O, int lanes>
struct CsrSeveralWarps {
  static constexpr const char* name = "gpu/csr/balanced, several vectors, a warp a row";
  static constexpr int max_threads = 128, min_blocks = sizeof(T) == 4 ? 6 : 5;
  static constexpr int pack = wide_pack<T>, parts = 32 / lanes, ahead = lanes < 8 ? lanes : 8;
  CsrView<T, O> a;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  int each;  // rows of a warp, one after the other: fewer than lanes
  PiecesInPlace<T, O, pack> pieces;

  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < pieces.blocks()) return pieces.add(t, a, x, out);
    const int most = pieces.most;
    const std::int64_t first =
        (std::int64_t{t.block() - pieces.blocks()} * t.warps() + t.warp()) * each;
    if (first >= a.rows) return;
    const int rows = a.rows - first < each ? static_cast<int>(a.rows - first) : each;
    const int lane = t.lane() % lanes, part = t.lane() / lanes;
    const O starts = t.load(a.offsets + first + (t.lane() < rows ? t.lane() : rows));
    O start = t.shuffle(starts, 0);
    int n = length(t.shuffle(starts, 1) - start);
    index_t column, next_column;
    T value, next_value;
    read(t, start, n, 0, column, value);
    NZ_ROLLED
    for (int i = 0; i < rows; ++i) {
      const O next_start = t.shuffle(starts, i + 1);
      const int next_n = length(t.shuffle(starts, i + 2) - next_start);
      read(t, next_start, next_n, 0, next_column, next_value);
      NZ_ROLLED
      for (int p = lane; n <= most && p - lane < x.packs; p += lanes) {
        const bool mine = p < x.packs;
        T sum[pack] = {};
        NZ_ROLLED
        for (int base = 0; base < n; base += 32) {
          if (base > 0 || p > lane) read(t, start, n, base, column, value);
          add_entries_of_warp(t, n - base < 32 ? n - base : 32, part, mine ? p : 0, column, value,
                              sum);
        }
        add_groups(t, lanes, parts, sum);
        if (mine && part == 0)
          put_pack(out, reinterpret_cast<Pack<T, pack>*>(out.y.at(first + i, 0)) + p, sum);
      }
      start = next_start;
      n = next_n;
      column = next_column;
      value = next_value;
    }
  }

 private:
  // Rows in pieces may have more entries than an int can count.
  NZ_DEVICE int length(O n) const {
    return n <= pieces.most ? static_cast<int>(n) : pieces.most + 1;
  }

  // Entry base + lane of a row of n that begins at `start`.
  NZ_DEVICE void read(Thread& t, O start, int n, int base, index_t& column, T& value) const {
    column = 0;
    value = 0;
    if (n == 0 || n > pieces.most) return;
    const int e = base + t.lane() < n ? base + t.lane() : n - 1;
    column = t.load(a.columns + start + e);
    value = t.load(a.values + start + e);
  }

  // The n entries that the lanes hold.
  NZ_DEVICE void add_entries_of_warp(Thread& t, int n, int part, int p, index_t column, T value,
                                     T (&sum)[pack]) const {
    const int steps = (n + parts - 1) / parts;
    int k = 0;
    NZ_ROLLED
    for (; steps - k > ahead / 2; k += ahead)
      add_batch_of_warp<ahead>(t, n, part, p, k, column, value, sum);
    if (k < steps) add_batch_of_warp<ahead / 2>(t, n, part, p, k, column, value, sum);
  }

  template <int batch>
  NZ_DEVICE void add_batch_of_warp(Thread& t, int n, int part, int p, int k, index_t column,
                                   T value, T (&sum)[pack]) const {
    Pack<T, pack> its[batch];
    NZ_UNROLL
    for (int j = 0; j < batch; ++j)
      its[j] = x.load(t, t.shuffle(column, (k + j) * parts + part), p);
    NZ_UNROLL
    for (int j = 0; j < batch; ++j) {
      const T v = t.shuffle(value, (k + j) * parts + part);
      if ((k + j) * parts + part < n) {
        NZ_UNROLL
        for (int q = 0; q < pack; ++q) sum[q] += v * its[j].at[q];
      }
    }
  }
};

// body(std::integral_constant<int, lanes>) for a row of X.
template <class Body>
void with_lanes(int lanes, Body&& body) {
  if (lanes <= 4) return body(std::integral_constant<int, 4>());
  if (lanes == 8) return body(std::integral_constant<int, 8>());
  if (lanes == 16) return body(std::integral_constant<int, 16>());
  body(std::integral_constant<int, 32>());
}

// How many rows go to the same lanes one after the other: no more than `wanted`, and not so many
// that lanes go without.
int rows_each(std::int64_t rows, double wanted, int lanes) {
  const double threads = simt::backend(current_device()).info().processors * 4096.0;
  const double enough = static_cast<double>(rows) * lanes / threads;
  return static_cast<int>(std::clamp(std::min(wanted, enough), 1.0, 30.0));
}

constexpr int threads = 128;

template <class T, class O>
PiecesInPlace<T, O, wide_pack<T>> pieces_in_place(const LongRows<T>& rows, int most,
                                                  const simt::Scratch& scratch) {
  return {rows.list(), rows.pieces(), several_pieces(rows, threads, scratch), most, 2 * threads};
}

}  // namespace

template <class T, class O>
void csr_several_runs(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                      int most, const Several<const T>& x, const SeveralOutput<T>& out,
                      const simt::Scratch& scratch) {
  const RowsOfX<T, wide_pack<T>> rows = rows_of<wide_pack<T>>(x);
  const auto pieces = pieces_in_place<T, O>(long_rows, most, scratch);
  const double entries = 32, mean = static_cast<double>(a.nnz) / std::max(1, a.rows);
  with_lanes(rows.lanes, [&](auto lanes) {
    const int each = rows_each(a.rows, entries / std::max(mean, 1.0), lanes());
    const std::int64_t runs = (std::int64_t{a.rows} + each - 1) / each;
    const auto with = [&](auto some) {
      launch({.blocks = pieces.blocks() + blocks_for(runs * lanes(), threads),
              .threads = threads,
              .shared_bytes = pieces.shared_bytes(threads),
              .stream = stream},
             CsrSeveralRuns<T, O, lanes(), some()>{a, rows, wide_output<wide_pack<T>>(out), each,
                                                   pieces});
    };
    if (pieces.count == 0)
      with(std::false_type());
    else
      with(std::true_type());
  });
}

template <class T, class O>
void csr_several_warps(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                       int most, const Several<const T>& x, const SeveralOutput<T>& out,
                       const simt::Scratch& scratch) {
  const RowsOfX<T, wide_pack<T>> rows = rows_of<wide_pack<T>>(x);
  const auto pieces = pieces_in_place<T, O>(long_rows, most, scratch);
  const int each = rows_each(a.rows, 2, 32);
  const std::int64_t warps = (std::int64_t{a.rows} + each - 1) / each;
  with_lanes(rows.lanes, [&](auto lanes) {
    launch({.blocks = pieces.blocks() + blocks_for(warps, threads / 32),
            .threads = threads,
            .shared_bytes = pieces.shared_bytes(threads),
            .stream = stream},
           CsrSeveralWarps<T, O, lanes()>{a, rows, wide_output<wide_pack<T>>(out), each, pieces});
  });
}

#define NZ_INSTANTIATE(T, O)                                                                   \
  template void csr_several_runs(CUstream_st*, const CsrView<T, O>&, const LongRows<T>&, int,  \
                                 const Several<const T>&, const SeveralOutput<T>&,             \
                                 const simt::Scratch&);                                        \
  template void csr_several_warps(CUstream_st*, const CsrView<T, O>&, const LongRows<T>&, int, \
                                  const Several<const T>&, const SeveralOutput<T>&,            \
                                  const simt::Scratch&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
