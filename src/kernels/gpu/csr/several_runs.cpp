#include "base/instantiate.hpp"
#include "kernels/gpu/csr/entries_of_warp.hpp"

// A group of lanes takes a run of rows, one after the other, and reads their entries together.
namespace nz::NZ_HOME {
namespace {

constexpr int threads = 128;

template <class T, class O, int lanes, bool some_in_pieces>
struct CsrSeveralRuns {
  static constexpr const char* name = "gpu/csr/balanced, several vectors, runs of rows";
  static constexpr int max_threads = threads, min_blocks = some_in_pieces ? 6 : 7;
  static constexpr int pack = wide_pack<T>, ahead = 8;
  // Entries that a lane holds of those that a group has at hand, so that they make a batch.
  static constexpr int per = lanes < ahead ? ahead / lanes : 1, at_hand = lanes * per;
  CsrView<T, O> a;
  RowsOfX<T, pack> x;
  SeveralOutput<T> out;
  int each;  // rows of a run
  PiecesInPlace<T, O, lanes> pieces;

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
      if (mine) put_pack(out, row_of_y + row * out.y.row, p, sum);
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

}  // namespace

template <class T, class O>
void csr_several_runs(CUstream_st* stream, const CsrView<T, O>& a, const LongRows<T>& long_rows,
                      int most, const Several<const T>& x, const SeveralOutput<T>& out,
                      const simt::Scratch& scratch) {
  const RowsOfX<T, wide_pack<T>> rows = rows_of<wide_pack<T>>(x);
  const double entries = 32, mean = static_cast<double>(a.nnz) / std::max(1, a.rows);
  with_lanes<4>(rows.lanes, [&](auto lanes) {
    const auto pieces = pieces_in_place<T, O, lanes()>(long_rows, most, threads, scratch);
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

#define NZ_INSTANTIATE(T, O)                                                                  \
  template void csr_several_runs(CUstream_st*, const CsrView<T, O>&, const LongRows<T>&, int, \
                                 const Several<const T>&, const SeveralOutput<T>&,            \
                                 const simt::Scratch&);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
