#include <algorithm>
#include <cmath>
#include <string>

#include <nonzero/error.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/panels/one_panel.hpp"
#include "kernels/gpu/panels/scatter.hpp"
#include "kernels/gpu/panels/several_panels.hpp"
#include "kernels/gpu/panels/walk.hpp"
#include "kernels/gpu/panels/width.hpp"

// For matrices with columns anywhere, but not too many of them: graphs of some ten thousand nodes,
// terms and documents, ratings, counts of genes. Where x fits into a block's shared memory, every
// block has all of it and finishes rows by itself; otherwise blocks have a panel each, and a second
// launch adds up what the panels have of a row.
namespace nz::NZ_HOME {
namespace {

// The numbers of rows are their own, or places in a list of those with entries.
template <class T>
struct WholeRows {
  static constexpr const char* name = "gpu/panels/staged";
  StagedDeal deal;
  index_t cols;
  const StagedShare* shares;
  const index_t* row_of;
  const index_t* empty;
  std::int64_t missing;
  Output<T> out;

  NZ_DEVICE StagedTask task(Thread& t) const {
    const int first = deal.first(t.block());
    return {first, deal.first(t.block() + 1) - first, 0, cols, shares[t.block()]};
  }
  NZ_DEVICE void meanwhile(Thread& t) const {
    for (std::int64_t i = t.global_index(); i < missing; i += t.global_size())
      out.put_empty(t.load(empty + i));
  }
  NZ_DEVICE index_t row(Thread& t, index_t number) const {
    return row_of ? t.load(row_of + number) : number;
  }
  // In code of its own wherever a row is finished: which of the two products is rounded must not be
  // left to the compiler.
  NZ_DEVICE void put(Thread& t, index_t number, T sum) const {
    const index_t row = this->row(t, number);
    out.y[row] =
        out.beta == T(0) ? out.alpha * sum : std::fma(out.alpha, sum, out.beta * out.y[row]);
  }
};

// The numbers are those of parts.
template <class T>
struct PartsOfRows {
  static constexpr const char* name = "gpu/panels/staged, parts of rows";
  const StagedTask* tasks;
  const index_t* row_of;
  T* sums;
  NZ_DEVICE StagedTask task(Thread& t) const { return tasks[t.block()]; }
  NZ_DEVICE void meanwhile(Thread&) const {}
  NZ_DEVICE index_t row(Thread& t, index_t number) const { return t.load(row_of + number); }
  NZ_DEVICE void put(Thread&, index_t number, T sum) const { sums[number] = sum; }
};

template <class T>
struct AddPanels {
  static constexpr const char* name = "gpu/panels/staged, sums of rows";
  std::int64_t rows;
  const index_t* starts;
  const index_t* part;
  const T* sums;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t row = t.global_index();
    if (row >= rows) return;
    const index_t end = t.load(starts + row + 1);
    T sum = 0;
    for (index_t i = t.load(starts + row); i < end; ++i) sum += t.load(sums + t.load(part + i));
    out.put(row, sum);
  }
};

template <Value T>
class StagedPanels {
 public:
  template <Offset O>
  StagedPanels(const CsrView<T, O>& a, const Parameters& p) {
    const Device device = current_device();
    const DeviceInfo& info = simt::backend(device).info();
    if (static_cast<std::int64_t>(a.nnz) > most_staged_entries)  // before it goes to the device
      throw Refused("panels: " + std::to_string(a.nnz) + " nonzeros are too many to number");
    const DeviceCsr<T, O> there(device, a);
    const std::int64_t fit = staged_columns(sizeof(T), info.shared_bytes);
    const std::int64_t wanted = p.at("columns") > 0 ? std::min(p.at("columns"), fit) : fit;
    const int blocks = p.at("blocks") > 0 ? static_cast<int>(p.at("blocks")) : info.processors;
    int tiles = 1;  // of a block
    if (a.cols <= wanted) {
      one_ = one_panel_on_device(there.view(), blocks);
      if (one_.blocks > 0) tiles = one_.tiles.tiles / one_.blocks + 1;
    } else {
      // Who asks for narrow panels gets no more than that many, unless they would not fit.
      constexpr std::int64_t many = 1024;
      const std::int64_t least = std::min(fit, (a.cols + many - 1) / many);
      const std::int64_t width = panel_width(a.cols, std::max(wanted, least));
      several_ = several_panels_on_device(there.view(), static_cast<int>(width), blocks);
      tiles = several_.most_tiles;
    }
    rows_ = a.rows;
    cols_ = a.cols;
    threads_ =
        staged_threads(several_.blocks > 0 ? several_.tiles : one_.tiles, threads_of(p), tiles);
  }

  std::size_t bytes() const { return one_.bytes() + several_.bytes(); }
  std::size_t matrix_bytes() const {
    return bytes() - several_.row_of.bytes() +
           2 * static_cast<std::size_t>(several_.parts) * sizeof(T);
  }
  Facts facts() const {
    const StagedTiles<T>& its = several_.blocks > 0 ? several_.tiles : one_.tiles;
    return {{"panels", std::max(1, several_.panels)},
            {"tiles", its.tiles},
            {"blocks", std::max(one_.blocks, several_.blocks)},
            {"threads", threads_},
            {"parts", static_cast<double>(several_.parts)},
            {"value_bytes", static_cast<double>(code_bytes<T>(its.code))}};
  }
  simt::ScratchSize scratch_size() const {
    const auto blocks = static_cast<std::size_t>(std::max(one_.blocks, several_.blocks));
    return simt::scratch_for<T>(blocks * sizeof(RowMeeting<T>) / sizeof(unsigned),
                                static_cast<std::size_t>(several_.parts));
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    auto* const meetings = reinterpret_cast<RowMeeting<T>*>(scratch.counters);
    const Output<T> out{alpha, beta, y};
    if (one_.blocks > 0) {
      launch_staged(stream, one_.tiles, one_.blocks, threads_, one_.cols, x, whole(out), meetings);
    } else if (several_.blocks > 0) {
      T* const sums = scratch.values<T>();
      launch_staged(stream, several_.tiles, several_.blocks, threads_, several_.width, x,
                    parts(sums), meetings);
      Launch each = one_thread_each(rows_);
      each.stream = stream;
      launch(each, AddPanels<T>{rows_, several_.starts.data(), several_.part.data(), sums, out});
    } else {
      scale(stream, beta, y, rows_);
    }
  }

  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch&) const {
    scale(stream, beta, y, cols_);
    if (one_.blocks > 0)
      launch_staged_scatter(stream, one_.tiles, one_.blocks, threads_, alpha, x, y, whole({}));
    else if (several_.blocks > 0)
      launch_staged_scatter(stream, several_.tiles, several_.blocks, threads_, alpha, x, y,
                            parts(nullptr));
  }

 private:
  WholeRows<T> whole(const Output<T>& out) const {
    return {{one_.tiles.tiles, one_.blocks},
            one_.cols,
            one_.shares.data(),
            one_.row_of.data(),
            one_.empty.data(),
            static_cast<std::int64_t>(one_.empty.size()),
            out};
  }
  PartsOfRows<T> parts(T* sums) const {
    return {several_.tasks.data(), several_.row_of.data(), sums};
  }

  OnePanel<T> one_;
  SeveralPanels<T> several_;
  index_t rows_ = 0, cols_ = 0;
  int threads_ = 512;
};

}  // namespace

Kernel gpu_panels_staged() {
  return {.family = "gpu",
          .format = "panels",
          .strategy = "staged",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "own",
          .summary = "panels of columns whose x is in shared memory, entries in the order of rows",
          .parameters = {threads_parameter(1024, 1024),
                         {"columns", "of a panel, at most what shared memory holds; 0: that", 0, 0,
                          1 << 16},
                         {"blocks", "of the launch, at least one a panel; 0: one a processor", 0, 0,
                          1 << 16}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<StagedPanels>(),
          .narrowing = Narrowing::floats};
}

}  // namespace nz::NZ_HOME
