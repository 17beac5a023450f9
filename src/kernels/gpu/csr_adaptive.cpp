#include "kernels/gpu/row_lengths.hpp"
#include "kernels/gpu/row_sums.hpp"
#include "simt/warp.hpp"

// Rows are added up in registers, by a group of lanes each; how many lanes follows from the
// distribution of row lengths. Rows much longer than that suits get a block of their own, in the
// same launch and ahead of the others. Best where rows are alike: it neither stages products nor
// looks rows up.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct Layout {
  CsrView<T, O> a;
  const index_t* long_rows;
  int longs;          // blocks 0 to longs - 1 take one each
  int lanes;          // a row of the others
  std::int64_t most;  // entries of a row that is not long
};

template <class T, class O>
struct Multiply {
  static constexpr const char* name = "gpu/csr/adaptive";
  Layout<T, O> m;
  T alpha;
  const T* x;
  T beta;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> warp_sum = t.shared<T>(32);
    if (t.block() < m.longs) {
      const index_t row = m.long_rows[t.block()];
      T sum = add_row(t, m.a.offsets[row], m.a.offsets[row + 1], t.index(), t.block_size());
      sum = sum_down(t, sum);
      if (t.lane() == 0) warp_sum[t.warp()] = sum;
      t.sync();
      if (t.warp() != 0) return;
      sum = sum_down(t, t.lane() < t.warps() ? T(warp_sum[t.lane()]) : T(0));
      if (t.lane() == 0) y[row] = combine(alpha, sum, beta, y + row);
      return;
    }
    const int groups = t.block_size() / m.lanes;
    const std::int64_t row =
        static_cast<std::int64_t>(t.block() - m.longs) * groups + t.index() / m.lanes;
    T sum = 0;
    bool mine = row < m.a.rows;
    if (mine) {
      const O begin = m.a.offsets[row], end = m.a.offsets[row + 1];
      mine = end - begin <= m.most;
      if (mine) sum = add_row(t, begin, end, t.index() % m.lanes, m.lanes);
    }
    for (int by = m.lanes / 2; by > 0; by /= 2) sum += t.shuffle_down(sum, by, m.lanes);
    if (mine && t.index() % m.lanes == 0) y[row] = combine(alpha, sum, beta, y + row);
  }
  NZ_DEVICE T add_row(Thread& t, O begin, O end, int from, int step) const {
    // A row has at most as many entries as there are columns: 32 bits.
    return add_entries<4>(t, m.a.columns + begin, m.a.values + begin, x, from,
                          static_cast<int>(end - begin), step);
  }
};

// The same walk; y, scaled already, gets each entry's product by itself.
template <class T, class O>
struct Scatter {
  static constexpr const char* name = "gpu/csr/adaptive T";
  Layout<T, O> m;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    const bool is_long = t.block() < m.longs;
    const int lanes = is_long ? t.block_size() : m.lanes;
    const std::int64_t row =
        is_long ? m.long_rows[t.block()]
                : static_cast<std::int64_t>(t.block() - m.longs) * (t.block_size() / lanes) +
                      t.index() / lanes;
    if (row >= m.a.rows) return;
    const O begin = m.a.offsets[row], end = m.a.offsets[row + 1];
    if (begin == end || (!is_long && end - begin > m.most)) return;
    const T factor = alpha * t.load(x + row);
    for (O k = static_cast<O>(begin + t.index() % lanes); k < end; k += lanes)
      t.atomic_add(y + t.load(m.a.columns + k), t.load(m.a.values + k) * factor);
  }
};

template <class O>
struct FindLong {
  static constexpr const char* name = "find long rows";
  const O* offsets;
  index_t rows;
  std::int64_t most;
  index_t* found;
  unsigned* count;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size())
      if (offsets[r + 1] - offsets[r] > most)
        found[t.atomic_add(count, 1u)] = static_cast<index_t>(r);
  }
};

template <class T, class O>
class Adaptive : public OnCsr<T, O> {
 public:
  Adaptive(const CsrView<T, O>& a, const Parameters& p) : OnCsr<T, O>(a), threads_(threads_of(p)) {
    const RowLengths lengths = row_lengths(this->a());
    lanes_ = p.at("lanes") > 0 ? power_below(p.at("lanes")) : lanes_for(lengths);
    // Whole buckets are long: a row of the last that is not has at most so many entries.
    int bucket = 1;
    while ((std::int64_t{1} << bucket) <= lanes_ * p.at("long_factor")) ++bucket;
    most_ = (std::int64_t{1} << (bucket - 1)) - 1;
    for (int b = bucket; b < length_buckets; ++b) longs_ += static_cast<int>(lengths.rows[b]);
    if (longs_ == 0) return;
    long_rows_ = {current_device(), static_cast<std::size_t>(longs_)};
    const unsigned none = 0;
    DeviceArray<unsigned> count(current_device(), std::span(&none, 1));
    launch({.blocks = blocks_for(this->rows(), 1024, 1024), .threads = 256},
           FindLong<O>{this->a().offsets, this->rows(), most_, long_rows_.data(), count.data()});
    wait_for(current_device());
  }

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + long_rows_.bytes(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    launch(how(stream, 32 * sizeof(T)), Multiply<T, O>{layout(), alpha, x, beta, y});
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, this->cols());
    launch(how(stream, 0), Scatter<T, O>{layout(), alpha, x, y});
  }

 private:
  static int power_below(std::int64_t n) {
    int p = 1;
    while (2 * p <= n) p *= 2;
    return p;
  }
  // About eight entries a lane keep the loads of a group near each other and the sums short; where
  // there are too few rows to fill the device, more lanes a row do.
  int lanes_for(const RowLengths& lengths) const {
    // Long rows would pull the mean up: what lies beyond 64 times the median is left out.
    unsigned long long before = 0, rows = 0, entries = 0;
    int median = 0;
    while (median < length_buckets - 1 &&
           2 * (before + lengths.rows[median]) < static_cast<unsigned long long>(this->rows()))
      before += lengths.rows[median++];
    for (int b = 0; b < length_buckets && b <= median + 6; ++b)
      rows += lengths.rows[b], entries += lengths.entries[b];
    if (rows == 0) return 1;
    const double mean = static_cast<double>(entries) / static_cast<double>(rows);
    int lanes = 1;
    while (lanes < 32 && lanes * 11.3 <= mean) lanes *= 2;  // nearest power of 2 to mean / 8
    const double device = 2048.0 * simt::backend(current_device()).info().processors;
    while (lanes < 32 && lanes * 2 <= mean && lanes * static_cast<double>(this->rows()) < device)
      lanes *= 2;
    return lanes;
  }
  Launch how(CUstream_st* stream, std::size_t shared) const {
    return {.blocks = longs_ + blocks_for(this->rows(), threads_ / lanes_),
            .threads = threads_,
            .shared_bytes = shared,
            .stream = stream};
  }
  Layout<T, O> layout() const { return {this->a(), long_rows_.data(), longs_, lanes_, most_}; }

  int threads_;
  int lanes_ = 1;
  std::int64_t most_ = 0;
  int longs_ = 0;
  DeviceArray<index_t> long_rows_;
};

}  // namespace

Kernel gpu_csr_adaptive() {
  return {.device = "gpu",
          .format = "csr",
          .strategy = "adaptive",
          .transposes = true,
          .deterministic = true,
          .atomic_transpose = true,
          .source = "own",
          .summary = "lanes a row by the distribution of row lengths, a block for a long row",
          .parameters = {threads_parameter(256),
                         {"lanes", "lanes a row, a power of 2; 0: by the row lengths", 0, 0, 32},
                         {"long_factor", "a row of more than so many times `lanes` entries is long",
                          256, 4, 1 << 20}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Adaptive>()};
}

}  // namespace nz::NZ_HOME
