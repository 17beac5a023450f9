#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/coo/slots.hpp"
#include "kernels/gpu/coo/slots_few.hpp"
#include "kernels/gpu/coo/slots_several.hpp"
#include "simt/warp.hpp"
#include "kernels/gpu/parts/packed_loads.hpp"
#include "kernels/gpu/parts/row_meeting.hpp"

// For small matrices, whose products are a launch and a few waits for memory. A block waits twice:
// for its tile, all of which it asks for at once, and for x, and y where beta is not 0. All blocks
// together ask for all of x at once with their tiles, so that it is nearer when they know what of
// it they need. Sums of rows are made in registers, by shuffles, and through shared memory where a
// row crosses warps, so it does not matter how long the rows are.
//
// Left alone, the compiler asks for columns, waits for them to ask for x, and then asks for
// the rest of the tile: read-only loads may move past anything. So x is read by plain loads, and
// these stay behind a barrier of the warp, before which all of the tile is asked for.
// The parts of a row that goes through several tiles meet (parts/row_meeting.hpp).
namespace nz::NZ_HOME {
namespace {

constexpr int sector = 32;  // bytes

template <class T, int items>
struct SlotsMultiply {
  static constexpr const char* name = "gpu/coo/slots";
  static constexpr int max_threads = 256;
  static constexpr int min_blocks = items == 4 ? 6 : 4;
  SlotsView<T> a;
  const T* x;
  std::int64_t ahead;  // elements of x to ask for with the tiles
  Output<T> out;
  RowMeeting<T>* meetings;

  static std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(threads / 32) * (sizeof(T) + sizeof(int)) +
           static_cast<std::size_t>(threads) * sizeof(T);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> prefetch_sink = t.shared<T>(t.block_size());
    const SharedArray<T> tails = t.shared<T>(t.warps());
    const SharedArray<int> ends_in = t.shared<int>(t.warps());
    const int tile = t.block();
    T v[items];
    index_t column[items];
    const std::int64_t near = t.global_index() * (sector / int(sizeof(T)));
    if (near < ahead) t.template copy_async<1>(prefetch_sink, t.index(), x + near);
    t.commit_copies();
    load_packed(t, a.columns(tile) + t.index() * items, column);
    load_packed(t, a.values(tile) + t.index() * items, v);
    const unsigned packed = t.load_streaming(a.rows(tile) + t.index());
    const SlotTile about = t.load_streaming(a.about(tile));
    t.sync_warp();  // and only now x
    const index_t row = about.first + static_cast<index_t>(packed >> 16);
    const unsigned ends = packed & 0xffffu;

    T from_x[items], old[items];
    NZ_UNROLL
    for (int j = 0; j < items; ++j) from_x[j] = column[j] >= 0 ? x[column[j]] : T(0);
    // Who finishes a row that is shared reads its y then: here another block may have written it.
    read_y(row, ends, about.from < tile ? about.first : index_t(-1), old);

    // The thread's first row may have begun before it, its last one may go on: head and tail.
    T head = 0, tail = 0, old_head = 0;
    index_t r = row;
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      tail += v[j] * from_x[j];
      if (!(ends >> j & 1)) continue;
      if (r == row) {
        head = tail;
        old_head = old[j];
      } else {
        put(r, tail, old[j]);
      }
      ++r;
      tail = 0;
    }

    // Tails added up from the lane on in which their row began, or from the first.
    const unsigned with_end = t.ballot(ends != 0);
    const unsigned up_to_here = (with_end | 1u) << (31 - t.lane());
    NZ_UNROLL
    for (int by = 1; by < 32; by *= 2) {
      const T before = t.shuffle_up(tail, by);
      if (up_to_here < 1u << (32 - by)) tail += before;
    }
    const T before = t.shuffle_up(tail, 1);
    if (t.lane() > 0) head += before;
    const bool crosses = (with_end & ((1u << t.lane()) - 1)) == 0;  // warps, maybe
    if (ends != 0 && !crosses) put(row, head, old_head);
    if (t.lane() == 31) {
      tails[t.warp()] = tail;
      ends_in[t.warp()] = with_end != 0;
    }
    t.template wait_copies<0>();
    t.sync();

    bool shares = false;  // the tile's first row with tiles before
    if (ends != 0 && crosses) {
      shares = add_before(t, tails, ends_in, head) && about.from < tile;
      if (!shares) put(row, head, old_head);
    }
    if (about.from < tile && t.any(shares))
      meet(t, about.first, sum_all(t, shares ? head : T(0)), about.from, tile);
    if (about.to > tile && t.warp() == t.warps() - 1) {
      tail = t.shuffle(tail, 31);
      const bool all = with_end == 0 && add_before(t, tails, ends_in, tail);
      meet(t, t.shuffle(r, 31), tail, all ? about.from : tile, about.to);
    }
  }

 private:
  NZ_DEVICE void read_y(index_t row, unsigned ends, index_t shared, T (&old)[items]) const {
    NZ_UNROLL
    for (int j = 0; j < items; ++j) old[j] = 0;
    if (out.beta == T(0)) return;
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (ends >> j & 1) {
        if (row != shared) old[j] = out.y[row];
        ++row;
      }
  }
  // Either part of a row may be the one to finish it, in code of its own: which of the two products
  // is rounded must not be left to the compiler.
  NZ_DEVICE void put(index_t row, T sum, T old) const {
    out.y[row] = out.beta == T(0) ? out.alpha * sum : std::fma(out.alpha, sum, out.beta * old);
  }
  NZ_DEVICE void put(index_t row, T sum) const {
    put(row, sum, out.beta == T(0) ? T(0) : out.y[row]);
  }

  // Adds what the warps before this one have of the row. Whether it is the tile's first row.
  NZ_DEVICE bool add_before(Thread& t, const SharedArray<T>& tails, const SharedArray<int>& ends_in,
                            T& sum) const {
    for (int w = t.warp() - 1; w >= 0; --w) {
      sum += tails[w];
      if (ends_in[w]) return false;
    }
    return true;
  }

  // The row goes through the tiles `from` to `to`, and this one's part is `sum`. For one warp.
  NZ_DEVICE void meet(Thread& t, index_t row, T sum, int from, int to) const {
    meet_row(t, meetings, t.block(), sum, from, to, [&](T all) { put(row, all); });
  }
};

// y, scaled already, gets each entry's product by itself.
template <class T, int items>
struct SlotsScatter {
  static constexpr const char* name = "gpu/coo/slots, transposed";
  static constexpr int max_threads = 256;
  SlotsView<T> a;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    T v[items];
    index_t column[items];
    load_packed(t, a.columns(t.block()) + t.index() * items, column);
    load_packed(t, a.values(t.block()) + t.index() * items, v);
    const unsigned packed = t.load_streaming(a.rows(t.block()) + t.index());
    const SlotTile about = t.load_streaming(a.about(t.block()));
    t.sync_warp();  // and only now x
    index_t row = about.first + static_cast<index_t>(packed >> 16);
    NZ_UNROLL
    for (int j = 0; j < items; ++j) {
      if (column[j] >= 0) v[j] = alpha * (v[j] * x[row]);
      row += static_cast<index_t>(packed >> j & 1);
    }
    NZ_UNROLL
    for (int j = 0; j < items; ++j)
      if (column[j] >= 0) t.atomic_add(y + column[j], v[j]);
  }
};

template <Value T>
class SlotsStrategy {
 public:
  template <Offset O>
  SlotsStrategy(const CsrView<T, O>& a, const Parameters& p)
      : a_(slots_on_device(DeviceCsr<T, O>(current_device(), a).view(), threads_of(p),
                           items_of(p.at("items")), static_cast<int>(p.at("spare")))),
        few_(static_cast<int>(p.at("few"))),
        columns_(p.at("columns") != 0),
        asks_ahead_(p.at("ahead") != 0),
        ahead_(asks_ahead_ && cols() <= near() * threads() * a_.view.tiles ? cols() : 0) {}

  index_t cols() const { return a_.cols; }
  std::size_t bytes() const { return a_.data.bytes(); }
  Facts facts() const {
    return {{"tiles", a_.view.tiles},
            {"slots_a_tile", a_.view.shape.slots()},
            {"used_slots", static_cast<double>(a_.used)}};
  }

  simt::ScratchSize scratch_size() const {
    if (!a_.shared) return {};
    return {static_cast<std::size_t>(a_.view.tiles) * sizeof(RowMeeting<T>) / sizeof(unsigned), 0};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    auto* const meetings = reinterpret_cast<RowMeeting<T>*>(scratch.counters);
    const auto run = [&]<class K>(K k) {
      launch(launch_config(stream, K::shared_bytes(threads())), k);
    };
    if (a_.view.shape.items == 4)
      run(SlotsMultiply<T, 4>{a_.view, x, ahead_, {alpha, beta, y}, meetings});
    else
      run(SlotsMultiply<T, 8>{a_.view, x, ahead_, {alpha, beta, y}, meetings});
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch&) const {
    scale(stream, beta, y, cols());
    if (a_.view.shape.items == 4)
      launch(launch_config(stream, 0), SlotsScatter<T, 4>{a_.view, alpha, x, y});
    else
      launch(launch_config(stream, 0), SlotsScatter<T, 8>{a_.view, alpha, x, y});
  }

  simt::ScratchSize several_scratch_size(int columns) const {
    const simt::ScratchSize parts = slot_parts_scratch(a_, columns);
    return in_registers(2) && columns <= most_few_vectors ? parts + slots_few_scratch(a_) : parts;
  }
  static constexpr bool several_through_shared = true;
  bool in_registers(int columns) const { return columns > 1 && columns <= few_; }
  bool takes_columns(int columns) const { return columns_ && in_registers(columns); }
  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y, const simt::Scratch& scratch) const {
    if (in_registers(y.columns))
      return slots_few<T>(stream, a_, asks_ahead_, x, {alpha, beta, y}, scratch);
    slots_several<T>(stream, a_, x, {alpha, beta, y}, scratch);
  }

 private:
  static int items_of(std::int64_t wanted) { return wanted == 0 ? 0 : wanted < 6 ? 4 : 8; }
  static std::int64_t near() { return sector / sizeof(T); }
  int threads() const { return a_.view.shape.threads; }
  Launch launch_config(CUstream_st* stream, std::size_t shared) const {
    return {
        .blocks = a_.view.tiles, .threads = threads(), .shared_bytes = shared, .stream = stream};
  }

  Slots<T> a_;
  int few_;       // vectors that are added up in registers
  bool columns_;  // those by columns are read as they lie
  bool asks_ahead_;
  std::int64_t ahead_;
};

}  // namespace

Kernel gpu_coo_slots() {
  return {
      .family = "gpu",
      .format = "coo",
      .strategy = "slots",
      .transposes = true,
      .several = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "for small matrices: tiles of equally many slots, rows added up in registers",
      .parameters = {threads_parameter(256, 256),
                     {"items", "slots a thread: 4 or 8, the nearest; 0: by the size", 0, 0, 8},
                     {"spare", "slots of a tile for the rest of its last row", 32, 0, 1024},
                     {"ahead", "whether x is asked for with the tiles: 0 or 1", 1, 0, 1},
                     {"few",
                      "up to so many vectors are added up in registers, as one is; more go "
                      "through shared memory",
                      most_few_vectors, 1, most_few_vectors},
                     {"columns",
                      "those by columns, and three floats by rows: 1 as they lie, 0 through rows "
                      "of whole packs where the matrix is not small",
                      0, 0, 1}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<SlotsStrategy>()};
}

}  // namespace nz::NZ_HOME
