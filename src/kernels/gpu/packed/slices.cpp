#include "kernels/gpu/packed/slices.hpp"

#include <algorithm>

#include "kernels/gpu/fused_output.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/packed/several.hpp"
#include "kernels/gpu/packed/sums.hpp"
#include "kernels/padded_parameters.hpp"

// A warp a slice, a lane four of its rows: loads of x are side by side wherever rows are alike, and
// of a stencil of a few values hardly anything but x is read. For rows of about the same
// length; what has long rows among short ones is refused, or better left to others.
//
// On an H200 stencils of more than a million nonzeros take a half to a fifth of what the best of
// cuSPARSE does (results/h200/suite.json). What lost is in docs/experiments.md.
namespace nz::NZ_HOME {
namespace {

// Slices that blocks should at least have in turn, so that none stands idle at the end for long.
constexpr int waves = 6;
// Slices of a warp, one after the other: it reads where the next one starts before it needs it.
constexpr int most_per_warp = 8;

template <class T, class Out>
NZ_DEVICE void put_rows(Thread& t, const PackedSlicesView<T>& a, int slice, Out& out,
                        const T* sum) {
  const std::int64_t row = std::int64_t{slice} * slice_rows + t.lane();
  NZ_UNROLL
  for (int p = 0; p < slice_parts; ++p)
    if (row + 32 * p < a.rows) put_row(t, out, row + 32 * p, sum[p]);
}

// Where all is in runs, as in stencils and dense bands; `others`: not only in runs of one value. A
// block has `each` times as many neighbours as it has warps.
template <class T, ValueCode code, bool others, class Out>
struct MultiplyRuns {
  static constexpr const char* name = "gpu/packed/slices, runs";
  static constexpr int max_threads = 128, min_blocks = others ? 8 : sizeof(T) == 4 ? 10 : 9;
  PackedSlicesView<T> a;
  int each;
  const T* x;
  Out out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int slices = a.slices();
    int slice = t.block() * t.warps() * each + t.warp();
    if (slice >= slices) return leave_sums(t, out);
    Out mine = out;
    SliceStart start = t.load(a.starts + slice);
    NZ_ROLLED
    for (int i = 0; i < each && slice < slices; ++i) {
      const int next = slice + t.warps();
      const bool more = i + 1 < each && next < slices;
      const SliceStart its = start;
      if (more) start = t.load(a.starts + next);
      SliceSums<T> sums{x, slice * slice_rows + t.lane()};
      sums.template add_runs<code, others>(t, a, its);
      put_rows(t, a, slice, mine, sums.sum);
      slice = next;
    }
    leave_sums(t, mine);
  }
};

// Where there are picks.
template <class T, ValueCode code, class Index, class Out>
struct PackedMultiply {
  static constexpr const char* name = "gpu/packed/slices";
  static constexpr int max_threads = 128, min_blocks = 8;
  PackedSlicesView<T> a;
  const Index* picks;
  const T* x;
  Out out;

  NZ_DEVICE void operator()(Thread& t) const {
    const int slice = t.block() * t.warps() + t.warp();
    if (slice >= a.slices()) return leave_sums(t, out);
    const SliceStart start = t.load(a.starts + slice);
    SliceSums<T> sums{x, slice * slice_rows + t.lane()};
    const SlicePicks at{t.load(&a.picks[slice].start), t.load(&a.picks[slice].tail)};
    if (at.start.at[0] != at.tail.end) add_picks(t, slice, at, sums.sum);
    sums.template add_runs<code, true>(t, a, start);
    Out mine = out;
    put_rows(t, a, slice, mine, sums.sum);
    leave_sums(t, mine);
  }

 private:
  // What the ranks sum up to comes to their rows through shared memory.
  NZ_DEVICE void add_picks(Thread& t, int slice, const SlicePicks& at, T* sum) const {
    const auto* ranks = a.ranks + (std::int64_t{slice} * slice_rows + t.lane());
    const SharedArray<T> by_rank = t.shared<T>(t.warps() * slice_rows);
    PickSums<code, T, Index> mine(t, a, picks, at, x);
    mine.add(t);
    const int mine_at = t.warp() * slice_rows;
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) by_rank[mine_at + 32 * p + t.lane()] = mine.sum[p];
    t.sync_warp();
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) sum[p] = by_rank[mine_at + t.load(ranks + 32 * p)];
  }
};

// y, scaled already, gets each entry's product by itself; those of a run lie side by side.
template <class T, ValueCode code, class Index>
struct PackedScatter {
  static constexpr const char* name = "gpu/packed/slices, transposed";
  static constexpr int max_threads = 128;
  using Reader = ValueReader<T, code>;
  PackedSlicesView<T> a;
  const Index* picks;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const int slice = t.block() * t.warps() + t.warp();
    if (slice >= a.slices()) return;
    const SliceStart start = t.load(a.starts + slice);
    const std::int64_t row = std::int64_t{slice} * slice_rows + t.lane();
    T from_x[slice_parts];
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      from_x[p] = row + 32 * p < a.rows ? t.load(x + row + 32 * p) : T(0);
    const auto scatter = [&](const Run<T>* run, index_t diagonal, auto&& value) {
      const unsigned rows = rows_of_lane<T>(t, lane_byte(t, run), 0);
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (rows & 1u << p)
          t.atomic_add(y + (row + diagonal + 32 * p), alpha * (value(p) * from_x[p]));
    };
    const Run<T>* list = a.runs + start.list;
    for (std::uint32_t k = 0; k < start.equal; ++k) {
      const auto head = t.load(&list[k].head);
      scatter(list + k, head.diagonal, [&](int) { return head.value; });
    }
    const Reader reader(t, a.table);
    list += start.equal;
    for (std::uint32_t k = 0; k < start.others(); ++k) {
      const std::int64_t i = (std::int64_t{start.values} + k) * slice_rows + t.lane();
      scatter(list + k, t.load(&list[k].head.diagonal),
              [&](int p) { return reader.value(t, reader.load(t, a.run_values, i + 32 * p)); });
    }
    if (a.picks) scatter_picks(t, slice, reader, from_x);
  }

 private:
  NZ_DEVICE void scatter_picks(Thread& t, int slice, const Reader& reader, const T* from_x) const {
    const SlicePicks s{t.load(&a.picks[slice].start), t.load(&a.picks[slice].tail)};
    if (s.start.at[0] == s.tail.end) return;
    const auto* ranks = a.ranks + (std::int64_t{slice} * slice_rows + t.lane());
    const SharedArray<T> by_rank = t.shared<T>(t.warps() * slice_rows);
    const int at = t.warp() * slice_rows;
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) by_rank[at + t.load(ranks + 32 * p)] = from_x[p];
    t.sync_warp();
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const T its = by_rank[at + 32 * p + t.lane()];
      const std::uint32_t end =
          p + 1 < slice_parts ? s.start.at[(p + 1) % slice_parts] : s.tail.end;
      for (std::uint32_t k = s.start.at[p]; k < end; ++k) {
        const std::int64_t i = std::int64_t{k} * 32 + t.lane();
        const std::uint32_t pick = t.load_streaming(picks + i);
        if (pick == a.no_pick) break;
        const T value = reader.value(t, reader.load(t, a.pick_values, i));
        t.atomic_add(y + s.tail.base + std::int64_t{pick}, alpha * (value * its));
      }
    }
  }
};

template <class T>
class Slices {
 public:
  template <Offset O>
  Slices(const CsrView<T, O>& a, const Parameters& p)
      : s_(packed_slices(DeviceCsr<T, O>(current_device(), a).view(),
                         static_cast<double>(p.at("max_ratio")))),
        threads_(threads_for((a.rows + 3) / 4, threads_of(p))),
        each_(slices_per_warp(s_.view)) {}

  std::size_t bytes() const { return s_.bytes(); }
  Facts facts() const {
    const auto n = static_cast<double>(s_.view.nnz > 0 ? s_.view.nnz : 1);
    return {{"equal_runs", static_cast<double>(s_.equal_runs)},
            {"far_picks", s_.view.far ? 1.0 : 0.0},
            {"runs", static_cast<double>(s_.other_runs)},
            {"stored_runs", static_cast<double>(s_.runs.size())},
            {"fill_ratio", s_.places()},
            {"bytes_a_nonzero", static_cast<double>(s_.bytes()) / n},
            {"value_code", static_cast<double>(s_.view.code)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run(stream, x, Output<T>{alpha, beta, y});
  }
  bool fuses() const { return true; }
  std::int64_t fused_parts() const {
    return parts_of(launch_config(nullptr, s_.view.picks ? 1 : each_));
  }
  void multiply_fused(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                      const FusedEnd<T>& end) const {
    run(stream, x, FusedOutput<T>{{alpha, beta, y}, end});
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, s_.view.cols);
    with_code([&]<ValueCode code, class Index>(const Index* picks) {
      launch(launch_config(stream), PackedScatter<T, code, Index>{s_.view, picks, alpha, x, y});
    });
  }

  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y) const {
    with_code([&]<ValueCode code, class Index>(const Index* picks) {
      with_pack(x, [&](auto pack) {
        launch({.blocks = s_.view.slices(), .threads = 128, .stream = stream},
               PackedSeveral<T, code, Index, pack()>{
                   s_.view, picks, rows_of<pack()>(x),
                   wide_output<pack()>(SeveralOutput<T>{alpha, beta, y})});
      });
    });
  }

 private:
  template <class Out>
  void run(CUstream_st* stream, const T* x, const Out& out) const {
    if (!s_.view.picks && s_.other_runs == 0) {
      launch(launch_config(stream, each_),
             MultiplyRuns<T, ValueCode::constant, false, Out>{s_.view, each_, x, out});
      return;
    }
    if (!s_.view.picks) {
      for_code<T>(s_.view.code, [&]<ValueCode code>() {
        launch(launch_config(stream, each_),
               MultiplyRuns<T, code, true, Out>{s_.view, each_, x, out});
      });
      return;
    }
    with_code([&]<ValueCode code, class Index>(const Index* picks) {
      launch(launch_config(stream), PackedMultiply<T, code, Index, Out>{s_.view, picks, x, out});
    });
  }

  template <class Body>
  void with_code(Body&& body) const {
    for_code<T>(s_.view.code, [&]<ValueCode code>() {
      if (s_.view.far)
        body.template operator()<code>(s_.view.far_picks);
      else
        body.template operator()<code>(s_.view.near_picks);
    });
  }
  Launch launch_config(CUstream_st* stream, int each = 1) const {
    const int warps = threads_ / 32;
    return {.blocks = blocks_for(s_.view.slices(), warps * each),
            .threads = threads_,
            .shared_bytes = s_.view.picks ? warps * slice_rows * sizeof(T) : 0,
            .stream = stream};
  }
  static int slices_per_warp(const PackedSlicesView<T>& a) {
    const int warps = 32 * simt::backend(current_device()).info().processors;
    return std::clamp(a.slices() / (waves * warps), 1, most_per_warp);
  }

  PackedSlices<T> s_;
  int threads_, each_;
};

}  // namespace

Kernel gpu_packed_slices() {
  return {.family = "gpu",
          .format = "packed",
          .strategy = "slices",
          .transposes = true,
          .several = true,
          .determinism = Determinism::n_only,
          .source = "own",
          .summary = "a warp 128 rows, runs of columns and of values stored once",
          .parameters = {max_ratio_parameter(), threads_parameter(128, 128)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Slices>(),
          .narrowing = Narrowing::floats};
}

}  // namespace nz::NZ_HOME
