#include "kernels/gpu/csr/row_lengths.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/long_rows.hpp"

// Rows are added up in registers, by a group of lanes each; how many lanes follows from the
// distribution of row lengths. Rows much longer than that suits are cut into pieces for warps, in
// the same launch and ahead of the others. Best where rows are short or alike: it neither stages
// products nor looks rows up.
namespace nz::NZ_HOME {
namespace {

template <class T, class O>
struct Layout {
  CsrView<T, O> a;
  Pieces<T> pieces;
  int piece_blocks;   // the first blocks take pieces
  int lanes;          // a row of the others
  std::int64_t most;  // entries of a row that is not cut

  // The row of this thread's group; a.rows or more: none.
  NZ_DEVICE std::int64_t row_of(Thread& t) const {
    return static_cast<std::int64_t>(t.block() - piece_blocks) * (t.block_size() / lanes) +
           t.index() / lanes;
  }
};

template <class T, class O>
struct CsrAdaptiveMultiply {
  static constexpr const char* name = "gpu/csr/adaptive";
  static constexpr int max_threads = 1024, min_blocks = 2;
  Layout<T, O> m;
  const T* x;
  Output<T> out;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < m.piece_blocks) {
      const int p = m.pieces.mine(t);
      if (p >= 0)
        m.pieces.template add<4>(t, m.a, x, p, [&](index_t row, T sum) { out.put(row, sum); });
      return;
    }
    const std::int64_t row = m.row_of(t);
    T sum = 0;
    bool mine = row < m.a.rows;
    if (mine) {
      const O begin = m.a.offsets[row];
      const std::int64_t entries = m.a.offsets[row + 1] - begin;
      mine = entries <= m.most;
      if (mine)
        sum = add_entries<4>(t, m.a.columns + begin, m.a.values + begin, x, t.index() % m.lanes,
                             static_cast<int>(entries), m.lanes);
    }
    sum = reduce_to_first_lane(t, sum, m.lanes);
    if (mine && t.index() % m.lanes == 0) out.put(row, sum);
  }
};

// The same walk; y, scaled already, gets each entry's product by itself.
template <class T, class O>
struct CsrAdaptiveScatter {
  static constexpr const char* name = "gpu/csr/adaptive, transposed";
  Layout<T, O> m;
  T alpha;
  const T* x;
  T* y;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.block() < m.piece_blocks) {
      const int p = m.pieces.mine(t);
      if (p >= 0) m.pieces.scatter(t, m.a, alpha, x, y, p, t.lane(), 32);
      return;
    }
    const std::int64_t row = m.row_of(t);
    if (row >= m.a.rows) return;
    const std::int64_t begin = m.a.offsets[row], entries = m.a.offsets[row + 1] - begin;
    if (entries <= m.most)
      scatter_entries(t, m.a, alpha, x, y, row, begin, static_cast<int>(entries),
                      t.index() % m.lanes, m.lanes);
  }
};

template <class T, class O>
class Adaptive : public OnCsr<T, O> {
 public:
  Adaptive(const CsrView<T, O>& a, const Parameters& p)
      : OnCsr<T, O>(a),
        threads_(threads_of(p)),
        lanes_(p.at("lanes") > 0 ? power_below(p.at("lanes")) : lanes_for(row_lengths(this->a()))),
        most_(lanes_ * p.at("long_factor")),
        long_rows_(this->a(), most_, static_cast<int>(p.at("piece"))) {}

  std::size_t bytes() const { return OnCsr<T, O>::bytes() + long_rows_.bytes(); }
  simt::ScratchSize scratch_size() const { return long_rows_.scratch_size(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    launch(launch_config(stream), CsrAdaptiveMultiply<T, O>{layout(scratch), x, {alpha, beta, y}});
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    scale(stream, beta, y, this->cols());
    launch(launch_config(stream), CsrAdaptiveScatter<T, O>{layout(scratch), alpha, x, y});
  }

 private:
  static int power_below(std::int64_t n) {
    int p = 1;
    while (2 * p <= n) p *= 2;
    return p;
  }
  // By the mean row length; where there are too few rows to fill the device, more lanes a row do.
  int lanes_for(const RowLengths& lengths) const {
    const double mean = usual_length(lengths);
    int lanes = lanes_by_mean<T>(mean);
    const double device = 2048.0 * simt::backend(current_device()).info().processors;
    while (lanes < 32 && lanes * 2 <= mean && lanes * static_cast<double>(this->rows()) < device)
      lanes *= 2;
    return lanes;
  }
  int piece_blocks() const { return blocks_for(long_rows_.pieces(), threads_ / 32); }
  Launch launch_config(CUstream_st* stream) const {
    return {.blocks = piece_blocks() + blocks_for(this->rows(), threads_ / lanes_),
            .threads = threads_,
            .stream = stream};
  }
  Layout<T, O> layout(const simt::Scratch& scratch) const {
    return {this->a(), long_rows_.view(scratch), piece_blocks(), lanes_, most_};
  }

  int threads_;
  int lanes_;
  std::int64_t most_;
  LongRows<T> long_rows_;
};

}  // namespace

Kernel gpu_csr_adaptive() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "adaptive",
          .transposes = true,
          .determinism = Determinism::n_only,
          .source = "own",
          .summary = "lanes a row by the distribution of row lengths, long rows in pieces",
          .parameters = {threads_parameter(256),
                         {"lanes", "lanes a row, a power of 2; 0: by the row lengths", 0, 0, 32},
                         {"long_factor", "a row of more than so many times `lanes` entries is long",
                          256, 4, 1 << 20},
                         {"piece", "entries of a long row that a warp takes; 0: by their number", 0,
                          0, 1 << 20}},
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<Adaptive>()};
}

}  // namespace nz::NZ_HOME
