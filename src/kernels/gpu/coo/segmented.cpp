#include "kernels/gpu/coo/segmented.hpp"
#include "simt/warp.hpp"
#include "kernels/gpu/parts/packed_loads.hpp"
#include "kernels/gpu/parts/meeting.hpp"

// Ours for coordinates: a block takes a tile of consecutive entries, threads add up runs of one row
// in registers, and every row is written once, with alpha and beta, in one launch. A row that
// several blocks share is written by the last of them to finish, from what each has left, in the
// order of the blocks: the same bits every time, and no block waits for another.
namespace nz::NZ_HOME {
namespace {

constexpr int in_pack = 4;  // neighbouring entries that a thread loads at once
constexpr int packs = 2;    // under way together

// The rows in which a stretch of consecutive entries begins and ends, with the sums of its first
// and its last run: the same where it has only one row.
template <class T>
struct Stretch {
  index_t first_row, last_row;
  T first, last;
};

// A thread's own entries as a stretch. Runs between its first and its last are complete.
template <class T, class Emit>
NZ_DEVICE Stretch<T> stretch_of(const index_t (&row)[in_pack], const T (&v)[in_pack], Emit&& emit) {
  Stretch<T> s{row[0], row[in_pack - 1], v[0], v[0]};
  NZ_UNROLL
  for (int i = 1; i < in_pack; ++i) {
    if (row[i] == row[i - 1]) {
      s.last += v[i];
    } else {
      if (row[i - 1] == row[0])
        s.first = s.last;
      else
        emit(row[i - 1], s.last);
      s.last = v[i];
    }
  }
  if (s.first_row == s.last_row) s.first = s.last;
  return s;
}

// Joins the stretches of the 32 lanes, and the run (row, sum) that came before them where row >= 0.
// Complete runs go to emit(row, sum); the last run of all becomes the new (row, sum), in all lanes.
template <class T, class Emit>
NZ_DEVICE void join(Thread& t, Stretch<T> s, index_t& row, T& sum, Emit&& emit) {
  if (t.lane() == 0 && row >= 0) {
    if (s.first_row == row)
      s.first += sum;
    else
      emit(row, sum);
    if (s.last_row == row) s.last = s.first;
  }
  // Where two neighbours end in the same row, the second one has no other.
  const T last = segmented_sum(t, s.last, s.last_row);
  const T before = t.shuffle_up(last, 1);
  const index_t row_before = t.shuffle_up(s.last_row, 1);
  const index_t row_after = t.shuffle_down(s.first_row, 1);
  if (s.first_row != s.last_row)
    emit(s.first_row, t.lane() > 0 && row_before == s.first_row ? before + s.first : s.first);
  if (t.lane() < 31 && row_after != s.last_row) emit(s.last_row, last);
  row = t.shuffle(s.last_row, 31);
  sum = t.shuffle(last, 31);
}

template <class T>
struct Tiles {
  int count;
  int steps;  // of a warp in a tile
  const TileSpan* spans;
  T* parts;                  // of rows that several tiles share: of the first, then of the last row
  unsigned* arrived;         // at the tile where such a row begins: tiles whose part is there
  const unsigned* occupied;  // null where all rows have entries
};

template <class T>
struct Segments {
  static constexpr const char* name = "gpu/coo/segmented";
  CooView<T> a;
  VectorOf<T> x;
  Output<T> out;
  Tiles<T> tiles;

  static std::size_t shared_bytes() { return 32 * (2 * sizeof(T) + 2 * sizeof(index_t)); }

  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() >= tiles.count) return write_empty_rows(t);
    const auto firsts = t.template shared<T>(32);
    const auto lasts = t.template shared<T>(32);
    const auto first_rows = t.template shared<index_t>(32);
    const auto last_rows = t.template shared<index_t>(32);
    const int w = t.warp();

    const std::int64_t begin = (std::int64_t{t.block()} * t.warps() + w) * tiles.steps * a_step;
    const index_t warp_first = t.load(a.row + (begin < a.nnz ? begin : a.nnz - 1));
    const auto emit = [&](index_t r, T v) {
      if (r == warp_first)
        firsts[w] = v;
      else
        out.put(r, v);
    };
    index_t row = -1;
    T sum = 0;
    for (int step = 0; step < tiles.steps; ++step) {
      const std::int64_t k = begin + std::int64_t{step} * a_step;
      if (step > 0 && k >= a.nnz) break;
      index_t rows[packs][in_pack];
      T v[packs][in_pack];
      load(t, k, rows, v);
      NZ_UNROLL
      for (int p = 0; p < packs; ++p) join(t, stretch_of(rows[p], v[p], emit), row, sum, emit);
    }
    if (t.lane() == 0) {
      first_rows[w] = warp_first;
      last_rows[w] = row;
      lasts[w] = sum;
      if (row == warp_first) firsts[w] = sum;
    }
    t.sync();
    if (w > 0) return;

    // The first warp joins the stretches of all: runs that end within the tile, but for its first.
    const index_t tile_first = warp_first;
    const bool used = t.lane() < t.warps();
    const int from = used ? t.lane() : t.warps() - 1;
    Stretch<T> s{first_rows[from], last_rows[from], firsts[from], lasts[from]};
    if (!used) s = {s.last_row, s.last_row, T(0), T(0)};
    T first = 0;  // in one lane
    row = -1;
    join(t, s, row, sum, [&](index_t r, T v) {
      if (r == tile_first)
        first = v;
      else
        out.put(r, v);
    });
    const TileSpan span = t.load(tiles.spans + t.block());
    const bool whole = row == tile_first;
    if (!whole) settle(t, tile_first, sum_all(t, first), span.from, t.block());
    settle(t, row, sum, whole ? span.from : t.block(), span.to);
  }

 private:
  static constexpr int a_step = 32 * in_pack * packs;  // entries

  // The thread's share of a step from entry k on: rows and products. All loads are under way before
  // the first one is needed. Behind the last entry its row goes on, with zeros.
  NZ_DEVICE void load(Thread& t, std::int64_t k, index_t (&row)[packs][in_pack],
                      T (&v)[packs][in_pack]) const {
    if (k + a_step <= a.nnz) {
      index_t column[packs][in_pack];
      NZ_UNROLL
      for (int p = 0; p < packs; ++p) {
        const std::int64_t at = k + (p * 32 + t.lane()) * in_pack;
        load_packed(t, a.column + at, column[p]);
        load_packed(t, a.values + at, v[p]);
        load_packed(t, a.row + at, row[p]);
      }
      NZ_UNROLL
      for (int i = 0; i < packs * in_pack; ++i)
        v[i / in_pack][i % in_pack] *= t.load(x + column[i / in_pack][i % in_pack]);
    } else {
      NZ_UNROLL
      for (int i = 0; i < packs * in_pack; ++i) {
        const std::int64_t at = k + (i / in_pack * 32 + t.lane()) * in_pack + i % in_pack;
        const bool there = at < a.nnz;
        row[i / in_pack][i % in_pack] = a.row[there ? at : a.nnz - 1];
        v[i / in_pack][i % in_pack] = there ? a.values[at] * x[a.column[at]] : T(0);
      }
    }
  }

  // The tiles `from` to `to` share the row, and this one's part is `sum`. All lanes of a warp.
  NZ_DEVICE void settle(Thread& t, index_t row, T sum, int from, int to) const {
    if (from == to) {
      if (t.lane() == 0) out.put(row, sum);
      return;
    }
    // Of its first row and of its last one a tile has parts in different places.
    const auto part = [&](int i) { return tiles.parts + ((i == 0 ? tiles.count : 0) + from + i); };
    meet_and_sum(t, {tiles.arrived + from, to - from + 1}, t.block() - from, sum, part,
                 [&](T total) { out.put(row, total); });
  }

  // The blocks behind the tiles.
  NZ_DEVICE void write_empty_rows(Thread& t) const {
    const std::int64_t blocks = t.grid_size() - tiles.count;
    std::int64_t i = std::int64_t{t.block() - tiles.count} * t.block_size() + t.index();
    for (; i < a.rows; i += blocks * t.block_size())
      if (!(t.load(tiles.occupied + i / 32) >> (i % 32) & 1)) out.put_empty(i);
  }
};

// The transposed product adds each entry to y.
template <class T>
struct ScatterPacks : AddedToY<T> {
  using AddedToY<T>::a, AddedToY<T>::x;
  static constexpr const char* name = "gpu/coo/segmented, transposed";
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t k = t.global_index() * in_pack;
    if (k + in_pack <= a.nnz) {
      index_t row[in_pack], column[in_pack];
      T v[in_pack];
      load_packed(t, a.row + k, row);
      load_packed(t, a.column + k, column);
      load_packed(t, a.values + k, v);
      NZ_UNROLL
      for (int i = 0; i < in_pack; ++i) this->add(t, column[i], v[i] * t.load(x + row[i]));
    } else {
      for (std::int64_t i = k; i < a.nnz; ++i) this->add(t, a.column[i], a.values[i] * x[a.row[i]]);
    }
  }
};

constexpr int a_thread = in_pack * packs;  // entries a thread and step

// A small matrix takes fewer steps a tile, so that there are tiles for all.
int steps_per_tile(std::int64_t nnz, int threads, std::int64_t entries) {
  const std::int64_t wanted = std::int64_t{8} * simt::backend(current_device()).info().processors;
  const std::int64_t most = nnz / (std::int64_t{threads} * a_thread * wanted);
  return static_cast<int>(
      std::clamp<std::int64_t>(entries / a_thread, 1, std::max<std::int64_t>(most, 1)));
}

template <class T>
class Segmented : public OnCoo<T>, public CooSegments<T> {
 public:
  template <Offset O>
  Segmented(const CsrView<T, O>& a, const Parameters& p)
      : OnCoo<T>(a), CooSegments<T>(this->a(), threads_of(p), p.at("entries")) {}
  std::size_t bytes() const { return OnCoo<T>::bytes() + CooSegments<T>::bytes(); }
  std::size_t matrix_bytes() const { return OnCoo<T>::matrix_bytes() + CooSegments<T>::bytes(); }
};

}  // namespace

template <Value T>
CooSegments<T>::CooSegments(const CooView<T>& a, int threads, std::int64_t entries)
    : a_(a),
      threads_(threads_for((a.nnz + a_thread - 1) / a_thread, threads)),
      steps_(steps_per_tile(a.nnz, threads_, entries)),
      tiles_(cut_into_tiles(a.row, a.nnz, a.rows, std::int64_t{threads_} * a_thread * steps_)) {}

template <Value T>
void CooSegments<T>::multiply(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x, T beta, T* y,
                              const simt::Scratch& scratch) const {
  const Tiles<T> tiles{static_cast<int>(tiles_.spans.size()),
                       steps_,
                       tiles_.spans.data(),
                       scratch.values<T>(),
                       scratch.counters,
                       tiles_.occupied.data()};
  if (tiles.count == 0) return scale(stream, beta, y, a_.rows);
  constexpr int empty_rows_per_thread = 8;
  const int more =
      tiles.occupied && beta != T(1) ? blocks_for(a_.rows, threads_ * empty_rows_per_thread) : 0;
  launch({.blocks = tiles.count + more,
          .threads = threads_,
          .shared_bytes = Segments<T>::shared_bytes(),
          .stream = stream},
         Segments<T>{a_, x, {alpha, beta, y}, tiles});
}

template <Value T>
void CooSegments<T>::multiply_transposed(CUstream_st* stream, FactorOf<T> alpha, VectorOf<T> x,
                                         T beta, T* y, const simt::Scratch&) const {
  scale(stream, beta, y, a_.cols);
  launch({.blocks = blocks_for(a_.nnz, in_pack * threads_), .threads = threads_, .stream = stream},
         ScatterPacks<T>{{a_, alpha, x, y}});
}

template class CooSegments<float>;
template class CooSegments<double>;
template class CooSegments<KernelComplex<float>>;
template class CooSegments<KernelComplex<double>>;

Kernel gpu_coo_segmented() {
  return {
      .family = "gpu",
      .format = "coo",
      .strategy = "segmented",
      .transposes = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "runs of a row added up in registers, every row written once",
      .parameters = {threads_parameter(),
                     {"entries", "entries a thread, fewer where the matrix is small", 32, 8, 512}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu_and_complex<Segmented>()};
}

}  // namespace nz::NZ_HOME
