#include "kernels/gpu/packed_slices.hpp"

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/value_readers.hpp"
#include "kernels/padded_parameters.hpp"

// A warp a slice, a lane four of its rows: loads of x are side by side wherever rows are alike, and
// a stencil of a few values is read in a quarter of a byte a nonzero. For rows of about the same
// length; what has long rows among short ones is refused, or better left to others.
//
// On an H200 stencils of more than a million nonzeros take a half to a third of what the best of
// cuSPARSE does (results/h200/suite.json). What lost is in docs/experiments.md.
namespace nz::NZ_HOME {
namespace {

// Runs, or picks of each part, that are on their way at a time.
constexpr int ahead = 2;

NZ_DEVICE bool takes(Thread& t, const SliceMask& mask, int part) {
  return mask.at[part] >> t.lane() & 1;
}

template <class Index>
inline constexpr Index no_pick = static_cast<Index>(~Index{0});

template <class T, ValueCode value_code, class Index>
struct Multiply {
  static constexpr const char* name = "gpu/packed/slices";
  static constexpr int max_threads = 128, min_blocks = 8;
  using Code = ValueReader<T, value_code>;
  using Head = typename EqualRun<T>::Head;
  PackedSlicesView<T> a;
  const Index* picks;
  const T* x;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t slice = t.global_index() / 32;
    if (slice >= a.slices()) return;
    const SliceStart s = t.load(a.starts + slice), e = t.load(a.starts + slice + 1);
    T sum[slice_parts] = {};
    add_equal(t, s.equal, e.equal, sum);
    if (s.run != e.run) add_runs(t, s.run, e.run, sum);
    const SharedArray<T> by_rank = t.shared<T>(t.warps() * slice_rows);
    add_picks(t, slice, s.base, by_rank, sum);
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      if (row < a.rows) out.put(row, sum[p]);
    }
  }

 private:
  // The next runs are read while x of these is on its way.
  NZ_DEVICE void add_equal(Thread& t, std::uint32_t k, std::uint32_t end, T* sum) const {
    if (k == end) return;
    SliceMask mask[ahead];
    Head head[ahead];
    const auto fetch = [&](int j, std::uint32_t i) {
      mask[j] = t.load(&a.equal_runs[i < end ? i : end - 1].mask);
      head[j] = t.load(&a.equal_runs[i < end ? i : end - 1].head);
      if (i >= end) mask[j] = {};
    };
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j) fetch(j, k + j);
    NZ_ROLLED
    for (; k < end; k += ahead) {
      T its[ahead][slice_parts], value[ahead];
      SliceMask mine[ahead];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const T* at = x + (head[j].first + t.lane());
        NZ_UNROLL
        for (int p = 0; p < slice_parts; ++p)
          its[j][p] = takes(t, mask[j], p) ? t.load(at + 32 * p) : T(0);
        mine[j] = mask[j];
        value[j] = head[j].value;
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) fetch(j, k + ahead + j);
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (takes(t, mine[j], p)) sum[p] += value[j] * its[j][p];
    }
  }

  NZ_DEVICE void add_runs(Thread& t, std::uint32_t k, std::uint32_t end, T* sum) const {
    const Code code(t, a.table);
    NZ_ROLLED
    for (; k < end; k += ahead) {
      typename Code::Stored stored[ahead][slice_parts];
      T its[ahead][slice_parts];
      SliceMask mask[ahead];
      index_t first[ahead];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const std::uint32_t i = k + j < end ? k + j : end - 1;
        mask[j] = t.load(&a.runs[i].mask);
        first[j] = t.load(&a.runs[i].first);
        if (k + j >= end) mask[j] = {};
        NZ_UNROLL
        for (int p = 0; p < slice_parts; ++p)
          stored[j][p] =
              code.load(t, a.run_values, std::int64_t{i} * slice_rows + 32 * p + t.lane());
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const T* at = x + (first[j] + t.lane());
        NZ_UNROLL
        for (int p = 0; p < slice_parts; ++p)
          its[j][p] = takes(t, mask[j], p) ? t.load(at + 32 * p) : T(0);
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (takes(t, mask[j], p)) sum[p] += code.value(t, stored[j][p]) * its[j][p];
    }
  }

  // A lane has the rows of four ranks; what they sum up to comes to those rows through shared
  // memory.
  NZ_DEVICE void add_picks(Thread& t, std::int64_t slice, index_t base,
                           const SharedArray<T>& by_rank, T* sum) const {
    const auto* starts = a.pick_starts + slice * slice_parts;
    const auto four = t.load(reinterpret_cast<const Pack<std::uint32_t, slice_parts>*>(starts));
    const std::uint32_t last = t.load(starts + slice_parts);
    if (four.at[0] == last) return;
    const Code code(t, a.table);
    std::uint32_t count[slice_parts];
    T mine[slice_parts] = {};
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      count[p] = (p + 1 < slice_parts ? four.at[(p + 1) % slice_parts] : last) - four.at[p];
    NZ_ROLLED
    for (std::uint32_t k = 0; k < count[0]; k += ahead) {  // none has more
      typename Code::Stored stored[ahead][slice_parts];
      T its[ahead][slice_parts];
      Index pick[ahead][slice_parts];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        const std::int64_t i = (std::int64_t{four.at[p]} + k + j) * 32 + t.lane();
        const bool there = k + j < count[p];
        pick[j][p] = there ? t.load_streaming(picks + i) : no_pick<Index>;
        stored[j][p] = there ? code.load(t, a.pick_values, i) : typename Code::Stored(0);
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        its[j][p] =
            pick[j][p] != no_pick<Index> ? t.load(x + base + std::int64_t{pick[j][p]}) : T(0);
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (pick[j][p] != no_pick<Index>) mine[p] += code.value(t, stored[j][p]) * its[j][p];
    }
    const int at = t.warp() * slice_rows;
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) by_rank[at + 32 * p + t.lane()] = mine[p];
    t.sync_warp();
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      sum[p] += by_rank[at + t.load(a.ranks + slice * slice_rows + 32 * p + t.lane())];
  }
};

// y, scaled already, gets each entry's product by itself; those of a run lie side by side.
template <class T, ValueCode value_code, class Index>
struct Scatter {
  static constexpr const char* name = "gpu/packed/slices, transposed";
  static constexpr int max_threads = 128;
  using Code = ValueReader<T, value_code>;
  PackedSlicesView<T> a;
  const Index* picks;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t slice = t.global_index() / 32;
    if (slice >= a.slices()) return;
    const SliceStart s = t.load(a.starts + slice), e = t.load(a.starts + slice + 1);
    const Code code(t, a.table);
    T factor[slice_parts];
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const std::int64_t row = slice * slice_rows + 32 * p + t.lane();
      factor[p] = row < a.rows ? alpha * t.load(x + row) : T(0);
    }
    for (std::uint32_t k = s.equal; k < e.equal; ++k) {
      const SliceMask mask = t.load(&a.equal_runs[k].mask);
      const auto head = t.load(&a.equal_runs[k].head);
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p)
        if (takes(t, mask, p))
          t.atomic_add(y + (head.first + 32 * p + t.lane()), head.value * factor[p]);
    }
    for (std::uint32_t k = s.run; k < e.run; ++k) {
      const SliceMask mask = t.load(&a.runs[k].mask);
      const index_t first = t.load(&a.runs[k].first);
      NZ_UNROLL
      for (int p = 0; p < slice_parts; ++p) {
        if (!takes(t, mask, p)) continue;
        const std::int64_t i = std::int64_t{k} * slice_rows + 32 * p + t.lane();
        t.atomic_add(y + (first + 32 * p + t.lane()),
                     code.value(t, code.load(t, a.run_values, i)) * factor[p]);
      }
    }
    const auto* starts = a.pick_starts + slice * slice_parts;
    if (t.load(starts) == t.load(starts + slice_parts)) return;
    const SharedArray<T> by_rank = t.shared<T>(t.warps() * slice_rows);
    const int at = t.warp() * slice_rows;
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p)
      by_rank[at + t.load(a.ranks + slice * slice_rows + 32 * p + t.lane())] = factor[p];
    t.sync_warp();
    NZ_UNROLL
    for (int p = 0; p < slice_parts; ++p) {
      const T its = by_rank[at + 32 * p + t.lane()];
      const auto* start = starts + p;
      for (std::uint32_t k = t.load(start); k < t.load(start + 1); ++k) {
        const std::int64_t i = std::int64_t{k} * 32 + t.lane();
        const Index pick = t.load_streaming(picks + i);
        if (pick == no_pick<Index>) break;
        t.atomic_add(y + s.base + std::int64_t{pick},
                     code.value(t, code.load(t, a.pick_values, i)) * its);
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
        threads_(threads_for((a.rows + 3) / 4, threads_of(p))) {}

  index_t rows() const { return s_.view.rows; }
  index_t cols() const { return s_.view.cols; }
  std::size_t bytes() const { return s_.bytes(); }
  bool borrows() const { return false; }
  std::size_t matrix_bytes() const { return s_.bytes(); }
  Facts facts() const {
    const auto n = static_cast<double>(s_.view.nnz > 0 ? s_.view.nnz : 1);
    return {{"equal_runs", static_cast<double>(s_.equal_runs.size())},
            {"far_picks", s_.view.far ? 1.0 : 0.0},
            {"runs", static_cast<double>(s_.runs.size())},
            {"fill_ratio", s_.places()},
            {"bytes_a_nonzero", static_cast<double>(s_.bytes()) / n},
            {"value_code", static_cast<double>(s_.view.code)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    with_code([&]<ValueCode code, class Index>(const Index* picks) {
      launch(how(stream), Multiply<T, code, Index>{s_.view, picks, x, {alpha, beta, y}});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    with_code([&]<ValueCode code, class Index>(const Index* picks) {
      launch(how(stream), Scatter<T, code, Index>{s_.view, picks, alpha, x, y});
    });
  }

 private:
  template <class Body>
  void with_code(Body&& body) const {
    for_code<T>(s_.view.code, [&]<ValueCode code>() {
      if (s_.view.far)
        body.template operator()<code>(s_.view.far_picks);
      else
        body.template operator()<code>(s_.view.near_picks);
    });
  }
  Launch how(CUstream_st* stream) const {
    return {.blocks = blocks_for(s_.view.slices(), threads_ / 32),
            .threads = threads_,
            .shared_bytes = static_cast<std::size_t>(threads_ / 32) * slice_rows * sizeof(T),
            .stream = stream};
  }

  PackedSlices<T> s_;
  int threads_;
};

}  // namespace

Kernel gpu_packed_slices() {
  return {.device = "gpu",
          .format = "packed",
          .strategy = "slices",
          .transposes = true,
          .deterministic = true,
          .atomic_transpose = true,
          .source = "own",
          .summary = "a warp 128 rows, runs of columns and of values stored once",
          .parameters = {max_ratio_parameter(), threads_parameter(128, 128)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Slices>()};
}

}  // namespace nz::NZ_HOME
