#include "kernels/gpu/packed_slices.hpp"

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/value_readers.hpp"
#include "kernels/padded_parameters.hpp"

// A warp a slice, a lane a row: loads of x are side by side wherever rows are alike, and a stencil
// is read in half a byte a nonzero. For rows of about the same length; what has a few long rows
// among short ones is refused or better left to others.
namespace nz::NZ_HOME {
namespace {

// Descriptions of runs are read that many at a time, the next ones while x of these is on its way.
constexpr int ahead = 4;

template <class T, ValueCode value_code, class Index>
struct Multiply {
  static constexpr const char* name = "gpu/packed/slices";
  static constexpr int max_threads = 256;
  using Code = ValueReader<T, value_code>;
  PackedSlicesView<T> a;
  const Index* picks;
  const T* x;
  Output<T> out;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t slice = t.global_index() / slice_rows;
    if (slice >= a.slices()) return;
    const SliceStart s = t.load(a.starts + slice), e = t.load(a.starts + slice + 1);
    const Code code(t, a.table);
    T sum = 0;
    add_equal(t, s.equal, e.equal, sum);
    add_runs(t, code, s.run, e.run, sum);
    add_picks(t, code, s.pick, e.pick, s.base, sum);
    const std::int64_t row = slice * slice_rows + t.lane();
    if (row < a.rows) out.put(row, sum);
  }

 private:
  NZ_DEVICE bool takes(Thread& t, unsigned mask) const { return mask >> t.lane() & 1; }

  NZ_DEVICE void add_equal(Thread& t, std::uint32_t k, std::uint32_t end, T& sum) const {
    if (k == end) return;
    EqualRun<T> next[ahead];
    NZ_UNROLL
    for (int j = 0; j < ahead; ++j)
      next[j] = t.load(a.equal_runs + (k + j < end ? k + j : end - 1));
    NZ_ROLLED
    for (; k < end; k += ahead) {
      T its[ahead], value[ahead];
      bool mine[ahead];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        mine[j] = k + j < end && takes(t, next[j].mask);
        value[j] = next[j].value;
        its[j] = mine[j] ? t.load(x + (next[j].first + t.lane())) : T(0);
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const std::uint32_t later = k + ahead + j;
        next[j] = t.load(a.equal_runs + (later < end ? later : end - 1));
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j)
        if (mine[j]) sum += value[j] * its[j];
    }
  }

  NZ_DEVICE void add_runs(Thread& t, const Code& code, std::uint32_t k, std::uint32_t end,
                          T& sum) const {
    NZ_ROLLED
    for (; k < end; k += ahead) {
      typename Code::Stored stored[ahead];
      T its[ahead];
      bool mine[ahead];
      Run run[ahead];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const std::uint32_t at = k + j < end ? k + j : end - 1;
        run[j] = t.load(a.runs + at);
        stored[j] = code.load(t, a.run_values, std::int64_t{at} * slice_rows + t.lane());
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        mine[j] = k + j < end && takes(t, run[j].mask);
        its[j] = mine[j] ? t.load(x + (run[j].first + t.lane())) : T(0);
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j)
        if (mine[j]) sum += code.value(t, stored[j]) * its[j];
    }
  }

  NZ_DEVICE void add_picks(Thread& t, const Code& code, std::uint32_t k, std::uint32_t end,
                           index_t base, T& sum) const {
    NZ_ROLLED
    for (; k < end; k += ahead) {
      typename Code::Stored stored[ahead];
      T its[ahead];
      Index pick[ahead];
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const std::int64_t at = std::int64_t{k + j < end ? k + j : end - 1} * slice_rows + t.lane();
        pick[j] = t.load_streaming(picks + at);
        if (k + j >= end) pick[j] = static_cast<Index>(~Index{0});
        stored[j] = code.load(t, a.pick_values, at);
      }
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j)
        its[j] = pick[j] != static_cast<Index>(~Index{0}) ? t.load(x + base + pick[j]) : T(0);
      NZ_UNROLL
      for (int j = 0; j < ahead; ++j)
        if (pick[j] != static_cast<Index>(~Index{0})) sum += code.value(t, stored[j]) * its[j];
    }
  }
};

// y, scaled already, gets each entry's product by itself; those of a run lie side by side.
template <class T, ValueCode value_code, class Index>
struct Scatter {
  static constexpr const char* name = "gpu/packed/slices, transposed";
  static constexpr int max_threads = 256;
  using Code = ValueReader<T, value_code>;
  PackedSlicesView<T> a;
  const Index* picks;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t slice = t.global_index() / slice_rows;
    if (slice >= a.slices()) return;
    const SliceStart s = t.load(a.starts + slice), e = t.load(a.starts + slice + 1);
    const Code code(t, a.table);
    const std::int64_t row = slice * slice_rows + t.lane();
    if (row >= a.rows) return;
    const T factor = alpha * t.load(x + row);
    for (std::uint32_t k = s.equal; k < e.equal; ++k) {
      const EqualRun<T> run = t.load(a.equal_runs + k);
      if (run.mask >> t.lane() & 1) t.atomic_add(y + (run.first + t.lane()), run.value * factor);
    }
    for (std::uint32_t k = s.run; k < e.run; ++k) {
      const Run run = t.load(a.runs + k);
      const auto stored = code.load(t, a.run_values, std::int64_t{k} * slice_rows + t.lane());
      if (run.mask >> t.lane() & 1)
        t.atomic_add(y + (run.first + t.lane()), code.value(t, stored) * factor);
    }
    for (std::uint32_t k = s.pick; k < e.pick; ++k) {
      const std::int64_t at = std::int64_t{k} * slice_rows + t.lane();
      const Index pick = t.load_streaming(picks + at);
      const auto stored = code.load(t, a.pick_values, at);
      if (pick != static_cast<Index>(~Index{0}))
        t.atomic_add(y + (s.base + pick), code.value(t, stored) * factor);
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
        threads_(threads_for(a.rows, threads_of(p))) {}

  index_t rows() const { return s_.view.rows; }
  index_t cols() const { return s_.view.cols; }
  std::size_t bytes() const { return s_.bytes(); }
  bool borrows() const { return false; }
  std::size_t matrix_bytes() const { return s_.bytes(); }
  Facts facts() const {
    const auto n = static_cast<double>(s_.view.nnz > 0 ? s_.view.nnz : 1);
    return {{"equal_runs", static_cast<double>(s_.equal_runs.size())},
            {"runs", static_cast<double>(s_.runs.size())},
            {"fill_ratio", s_.places()},
            {"bytes_a_nonzero", static_cast<double>(s_.bytes()) / n},
            {"value_code", static_cast<double>(s_.view.code)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    with_code([&]<class Code, class Index>(Code, const Index* picks) {
      launch(how(stream), Multiply<T, Code::value, Index>{s_.view, picks, x, {alpha, beta, y}});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, cols());
    with_code([&]<class Code, class Index>(Code, const Index* picks) {
      launch(how(stream), Scatter<T, Code::value, Index>{s_.view, picks, alpha, x, y});
    });
  }

 private:
  template <class Body>
  void with_code(Body&& body) const {
    with_value_code<T>(s_.view.code, [&](auto code) {
      if (s_.view.far)
        body(code, s_.view.far_picks);
      else
        body(code, s_.view.near_picks);
    });
  }
  Launch how(CUstream_st* stream) const {
    return {.blocks = blocks_for(s_.view.slices(), threads_ / slice_rows),
            .threads = threads_,
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
          .summary = "a warp 32 rows, a lane each; runs of columns and values stored once",
          .parameters = {max_ratio_parameter(), threads_parameter(256, 256)},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Slices>()};
}

}  // namespace nz::NZ_HOME
