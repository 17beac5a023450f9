#include <algorithm>

#include <nonzero/formats/fill.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/padded/slice_readers.hpp"
#include "kernels/gpu/padded/slices.hpp"

// For rows about as long as their neighbours, columns anywhere: a lane a row, nothing to add up
// between lanes and nothing to look up. A warp waits for the head of its slice, unless all are
// alike, for all slots of several steps at once, and for x. All threads together ask for all of x
// with that where they are enough, so that it is nearer when they know what of it they need.
//
// Where rows are longer than a warp takes at once and slices are few, several warps deal the steps
// of a slice out (ideal, double: 17.7 us with 8 warps a slice, 113 with one); where slices are
// many, one is best (qap, float: 15.7 us, 24.0 with 4).
//
// Left alone, the compiler asks for x one element after the other, as sums need them (slots.cpp has
// the same). Barriers of the warp keep all of a round on its way (a stencil whose values vary,
// double: 11.0 us for 13.4). That takes registers: `wide` rounds are 8 floats, or 4 doubles, with
// all of x; narrow ones 4 floats, or 4 doubles whose x may come late. Rounds are wide where all
// warps still have their places at the same time: a second turn for the last few costs more
// (shells, double: 8.3 us for 6.2). With more warps than that anyway they are wide but for rows of
// a narrow round.
namespace nz::NZ_HOME {
namespace {

constexpr int sector = 32;  // bytes
constexpr int most_parts = 8, warps_a_processor = 43, usual_steps = 8;

// Where a warp works: which of `parts` it is that deal the steps of its slice out.
struct SlicePart {
  std::int64_t slice;
  int part, parts;
  NZ_DEVICE SlicePart(Thread& t, int all)
      : slice(std::int64_t{t.block()} * (t.warps() / all) + t.warp() / all),
        part(t.warp() % all),
        parts(all) {}
};

// Steps of a round.
template <class T, bool wide>
constexpr int steps_ahead = wide && sizeof(T) == 4 ? 8 : 4;

// What a thread has of a slice, `ahead` steps at a time: all of it is on its way before
// use(columns, stored values) is called, where -1 is no column.
template <int ahead, class Column, class T, class Reader, class Use>
NZ_DEVICE void take_steps(Thread& t, const SlicesView<T>& a, const Reader& reader,
                          const SlicePart& mine, Use&& use) {
  SliceHead head{static_cast<std::uint32_t>(mine.slice * a.steps), 0};
  int steps = a.steps;
  if (steps == 0) {
    head = t.load(a.heads + mine.slice);
    steps = static_cast<int>(t.load(a.heads + mine.slice + 1).step - head.step);
  } else if (sizeof(Column) < sizeof(index_t)) {
    head.lowest = t.load(a.heads + mine.slice).lowest;
  }
  const auto* columns = reinterpret_cast<const Column*>(a.columns);
  const std::int64_t begin = std::int64_t{head.step} * slice_rows + t.lane();
  NZ_ROLLED
  for (int first = mine.part * ahead; first < steps; first += mine.parts * ahead) {
    const std::int64_t at = begin + std::int64_t{first} * slice_rows;
    Column narrow[ahead];
    typename Reader::Stored stored[ahead];
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j)
      narrow[j] =
          first + j < steps ? t.load_streaming(columns + at + j * slice_rows) : no_column<Column>;
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) {
      stored[j] = {};
      if (first + j < steps) stored[j] = reader.load(t, a.values, at + j * slice_rows);
    }
    index_t column[ahead];
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j)
      column[j] =
          narrow[j] == no_column<Column> ? -1 : head.lowest + static_cast<index_t>(narrow[j]);
    use(column, stored);
  }
}

template <class T, class Column, class Reader, bool wide>
struct SlicesMultiply {
  static constexpr int ahead = steps_ahead<T, wide>;
  static constexpr const char* name = "gpu/sell/warp-per-slice";
  static constexpr int max_threads = 256;
  SlicesView<T> a;
  int parts;  // warps a slice
  const T* x;
  std::int64_t nearer;  // elements of x to ask for with the heads
  Output<T> out;

  static std::size_t shared_bytes(int threads) {
    return static_cast<std::size_t>(threads) * 2 * sizeof(T);
  }

  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> prefetch_sink = t.shared<T>(t.block_size());
    const SharedArray<T> sums = t.shared<T>(t.block_size());
    const std::int64_t near = t.global_index() * (sector / int(sizeof(T)));
    if (near < nearer) t.template copy_async<1>(prefetch_sink, t.index(), x + near);
    t.commit_copies();
    const Reader reader(t, a.table);
    const SlicePart mine(t, parts);
    const std::int64_t row = mine.slice * slice_rows + t.lane();
    const bool finishes = mine.part == 0 && row < a.rows;
    const T old = finishes && out.beta != T(0) ? out.y[row] : T(0);
    T sum = 0;
    if (mine.slice * slice_rows < a.rows)
      take_steps<ahead, Column>(t, a, reader, mine, [&](const auto& column, const auto& stored) {
        T from_x[ahead];
        t.order_loads();
        NZ_UNROLL
        for (int j = 0; j < ahead; ++j)
          from_x[j] = column[j] >= 0 ? t.load_in_order(x + column[j]) : T(0);
        if constexpr (wide || sizeof(T) == 4) t.order_loads();
        NZ_UNROLL
        for (int j = 0; j < ahead; ++j) {
          const T value = reader.value(t, stored[j]);
          if (column[j] >= 0) sum += value * from_x[j];
        }
      });
    if (parts > 1) {
      sums[t.index()] = sum;
      t.sync();
      if (finishes)
        for (int p = 1; p < parts; ++p) sum += sums[t.index() + 32 * p];
    }
    if (finishes)
      out.y[row] = out.beta == T(0) ? out.alpha * sum : out.alpha * sum + out.beta * old;
    t.template wait_copies<0>();
  }
};

// y, scaled already, gets each entry's product by itself.
template <class T, class Column, class Reader>
struct SlicesScatter {
  static constexpr int ahead = 8;
  static constexpr const char* name = "gpu/sell/warp-per-slice, transposed";
  static constexpr int max_threads = 256;
  SlicesView<T> a;
  int parts;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const SlicePart mine(t, parts);
    const std::int64_t row = mine.slice * slice_rows + t.lane();
    if (mine.slice * slice_rows >= a.rows) return;
    const Reader reader(t, a.table);
    const T its = row < a.rows ? t.load(x + row) : T(0);
    take_steps<ahead, Column>(t, a, reader, mine, [&](const auto& column, const auto& stored) {
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const T value = reader.value(t, stored[j]);
        if (column[j] >= 0) t.atomic_add(y + column[j], alpha * (value * its));
      }
    });
  }
};

template <Value T>
class SellWarpPerSlice {
 public:
  template <Offset O>
  SellWarpPerSlice(const CsrView<T, O>& a, const Parameters& p)
      : a_(slices_on_device(DeviceCsr<T, O>(current_device(), a).view())),
        parts_(p.at("parts") > 0 ? power_below(p.at("parts")) : parts_for_rows()),
        threads_(std::max(32 * parts_, power_below(threads_of(p)))),
        nearer_(p.at("nearer") != 0 && a.cols <= std::int64_t{a.rows} * (sector / int(sizeof(T)))
                    ? a.cols
                    : 0),
        wide_(p.at("round") > 0 ? p.at("round") > 1 : wide_for_warps()) {}

  std::size_t bytes() const { return a_.bytes(); }
  Facts facts() const {
    return {{"fill_ratio", slots_per_nonzero(a_.steps * slice_rows, a_.nnz)},
            {"column_bytes", a_.narrow ? 2 : 4},
            {"value_bytes", static_cast<double>(code_bytes<T>(a_.code))},
            {"warps_a_slice", parts_},
            {"wide_rounds", wide_}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    with_types([&]<class Column, class Reader>() {
      const auto run = [&]<class K>(K k) {
        launch(launch_config(stream, K::shared_bytes(threads_)), k);
      };
      if (wide_)
        run(SlicesMultiply<T, Column, Reader, true>{a_.view, parts_, x, nearer_, {alpha, beta, y}});
      else
        run(SlicesMultiply<T, Column, Reader, false>{
            a_.view, parts_, x, nearer_, {alpha, beta, y}});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, a_.cols);
    with_types([&]<class Column, class Reader>() {
      launch(launch_config(stream, 0),
             SlicesScatter<T, Column, Reader>{a_.view, parts_, alpha, x, y});
    });
  }

 private:
  std::int64_t slices() const { return (std::int64_t{a_.view.rows} + slice_rows - 1) / slice_rows; }
  static int power_below(std::int64_t n) {
    int p = 1;
    while (2 * p <= n) p *= 2;
    return p;
  }
  // Where slices have more steps than are under way, as many as the device holds warps at a time:
  // more of them have less to hide, and wait for each other.
  int parts_for_rows() const {
    const int processors = simt::backend(current_device()).info().processors;
    int parts = 1;
    while (parts < most_parts && a_.steps > parts * usual_steps * slices() &&
           2 * parts * slices() <= warps_a_processor * std::int64_t{processors})
      parts *= 2;
    return parts;
  }
  // Not where slices have at most half a step more than a narrow round in the mean.
  bool wide_for_warps() const {
    if (2 * a_.steps <= (2 * steps_ahead<T, false> + 1) * slices()) return false;
    bool at_once[2] = {};
    with_types([&]<class Column, class Reader>() {
      at_once[0] = has_places<SlicesMultiply<T, Column, Reader, false>>();
      at_once[1] = has_places<SlicesMultiply<T, Column, Reader, true>>();
    });
    return at_once[1] || !at_once[0];
  }
  // Whether the device holds all blocks at the same time.
  template <class K>
  bool has_places() const {
    const int processors = simt::backend(current_device()).info().processors;
    const std::int64_t places =
        std::int64_t{resident_blocks<K>(threads_, K::shared_bytes(threads_))} * processors;
    return launch_config(nullptr, 0).blocks <= places;
  }
  // act<Column, Reader>() for what is stored.
  template <class Act>
  void with_types(Act&& act) const {
    with_slice_reader<T>(a_.code, a_.different, [&]<class Reader>() { with_column<Reader>(act); });
  }
  template <class Reader, class Act>
  void with_column(Act&& act) const {
    if (a_.narrow)
      act.template operator()<std::uint16_t, Reader>();
    else
      act.template operator()<index_t, Reader>();
  }
  Launch launch_config(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = blocks_for(slices(), threads_ / 32 / parts_),
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }

  Slices<T> a_;
  int parts_, threads_;
  std::int64_t nearer_;
  bool wide_;
};

}  // namespace

Kernel gpu_sell_warp_per_slice() {
  return {
      .family = "gpu",
      .format = "sell",
      .strategy = "warp-per-slice",
      .transposes = true,
      .determinism = Determinism::n_only,
      .source = "own",
      .summary = "slices of 32 rows as they come, narrow columns and values, a lane a row",
      .parameters = {threads_parameter(128, 256),
                     {"parts", "warps a slice, a power of 2; 0: by the rows", 0, 0, 8},
                     {"round",
                      "what of a slice a lane has under way: 1 less, 2 more, in more registers; "
                      "0: what leaves all warps their places",
                      0, 0, 2},
                     {"nearer", "whether x is asked for with the heads: 0 or 1", 1, 0, 1}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<SellWarpPerSlice>(),
      .narrowing = Narrowing::floats};
}

}  // namespace nz::NZ_HOME
