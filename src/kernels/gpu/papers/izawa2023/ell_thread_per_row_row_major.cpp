#include <vector>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/papers/izawa2023/zero_padding.hpp"
#include "kernels/gpu/printed_form.hpp"
#include "kernels/padded_parameters.hpp"

// izawa2023 figures 2.15 and 2.16: the slots of a row side by side, so that neighbouring threads
// read far from each other, and as many for every row, padding included. With by_columns=1 alone
// the order is another, which tells the two apart from what gpu/ell/thread-per-row has.
namespace nz::NZ_HOME {
namespace {

template <class T>
struct PaddedSlots {
  index_t rows, cols, width;
  std::int64_t nnz;
  const index_t* columns;  // rows * width, 0 beside padding
  const T* values;
};

template <class T, bool by_columns, class Out, class K>
struct RowMajorRows {
  static constexpr const char* name = "gpu/ell/thread-per-row-row-major";
  PaddedSlots<T> a;
  const T* x;
  Out out;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto row = index_as<K>(t);
    if (row >= a.rows) return;
    const K first = by_columns ? row : row * a.width, step = by_columns ? a.rows : 1;
    T sum = 0;
    for (K s = 0; s < a.width; ++s)
      sum += a.values[first + s * step] * t.load(x + a.columns[first + s * step]);
    out.put(row, sum);
  }
};

template <class T, bool by_columns, class Alpha, class K>
struct ScatteringRowMajorRows {
  static constexpr const char* name = "gpu/ell/thread-per-row-row-major, transposed";
  PaddedSlots<T> a;
  Alpha alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const auto row = index_as<K>(t);
    if (row >= a.rows) return;
    const K first = by_columns ? row : row * a.width, step = by_columns ? a.rows : 1;
    for (K s = 0; s < a.width; ++s)
      t.atomic_add(y + a.columns[first + s * step], alpha * (a.values[first + s * step] * x[row]));
  }
};

template <class T>
class EllRowMajor {
 public:
  template <Offset O>
  EllRowMajor(const CsrView<T, O>& a, const Parameters& p)
      : EllRowMajor(to_ell(HostCsr(current_device(), a).view(), p), p) {}

  index_t rows() const { return a_.rows; }
  index_t cols() const { return a_.cols; }
  std::size_t bytes() const { return columns_.bytes() + values_.bytes(); }
  Facts facts() const {
    return {{"width", a_.width},
            {"fill_ratio", slots_per_nonzero(std::int64_t{a_.rows} * a_.width, a_.nnz)}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    form_.write(alpha, beta, y, [&]<class K, class Out>(const Out& out) {
      if (by_columns_)
        launch(grid(stream), RowMajorRows<T, true, Out, K>{a_, x, out});
      else
        launch(grid(stream), RowMajorRows<T, false, Out, K>{a_, x, out});
    });
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, a_.cols);
    form_.add(alpha, [&]<class K, class Alpha>(Alpha factor) {
      if (by_columns_)
        launch(grid(stream), ScatteringRowMajorRows<T, true, Alpha, K>{a_, factor, x, y});
      else
        launch(grid(stream), ScatteringRowMajorRows<T, false, Alpha, K>{a_, factor, x, y});
    });
  }

 private:
  EllRowMajor(const Ell<T>& a, const Parameters& p)
      : threads_(threads_for(a.rows, threads_of(p))),
        by_columns_(p.at("by_columns") != 0),
        form_(p, std::int64_t{a.rows} * (std::int64_t{a.width} + 1)) {
    Array<index_t> columns(a.columns.size());
    Array<T> values(a.values.size());
    const EllView<T> from = a.view();
    for (index_t i = 0; i < a.rows; ++i)
      for (index_t s = 0; s < a.width; ++s) {
        const auto to = static_cast<std::size_t>(by_columns_ ? std::int64_t{s} * a.rows + i
                                                             : std::int64_t{i} * a.width + s);
        columns[to] = std::max<index_t>(from.columns[from.slot(i, s)], 0);
        values[to] = from.values[from.slot(i, s)];
      }
    columns_ = {current_device(), std::span<const index_t>(columns)};
    values_ = {current_device(), std::span<const T>(values)};
    a_ = {a.rows, a.cols, a.width, a.nnz(), columns_.data(), values_.data()};
  }
  Launch grid(CUstream_st* stream) const {
    return {.blocks = blocks_for(a_.rows, threads_), .threads = threads_, .stream = stream};
  }

  PaddedSlots<T> a_{};
  DeviceArray<index_t> columns_;
  DeviceArray<T> values_;
  int threads_;
  bool by_columns_;
  Form form_;
};

// Rows that are shorter than the longest have zeros in their first column.
Csr<double, std::int64_t> with_ell_fill(const CsrView<double, std::int64_t>& a, const Parameters&) {
  std::int64_t width = 0;
  for (index_t i = 0; i < a.rows; ++i) width = std::max(width, a.offsets[i + 1] - a.offsets[i]);
  std::vector<CellOfPadding> zeros;
  for (index_t i = 0; i < a.rows; ++i)
    if (a.offsets[i + 1] - a.offsets[i] < width) zeros.push_back({i, 0});
  return with_zeros(a, zeros);
}

}  // namespace

Kernel gpu_ell_thread_per_row_row_major() {
  auto parameters = with_threads(ell_parameters());
  parameters.push_back({"by_columns", "1: slots column by column, padding as ever", 0, 0, 1});
  parameters = with_form(parameters);
  return {.family = "gpu",
          .format = "ell",
          .strategy = "thread-per-row-row-major",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "izawa2023 §2.5.3 figures 2.15 and 2.16",
          .summary = "a thread a row, slots row by row, padding multiplied; transposed by atomics",
          .parameters = parameters,
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<EllRowMajor>(),
          .with_fill = with_ell_fill};
}

}  // namespace nz::NZ_HOME
