#include <utility>

#include "kernels/bsr_limit.hpp"
#include "kernels/gpu/bsr/columns.hpp"
#include "kernels/gpu/bsr/complex.hpp"
#include "kernels/gpu/bsr/large.hpp"
#include "kernels/gpu/bsr/several.hpp"
#include "kernels/gpu/bsr/several_squares.hpp"
#include "kernels/gpu/bsr/stream_launch.hpp"
#include "kernels/gpu/bsr/device_bsr.hpp"

// Equal shares of the blocks for warps that stay, values in full pieces of 16 bytes on their way to
// shared memory long before they are needed (bsr/stream.hpp). The transposed product is the same
// with the blocks listed by column: their numbers and rows are stored beside the matrix, their
// values only once. No atomics on y, and always the same bits.
namespace nz::NZ_HOME {
namespace {

// One direction: lines of blocks, and what they are multiplied with.
template <Value T>
class Direction {
 public:
  Direction() = default;
  template <Offset O>
  Direction(const BsrView<T, O>& a, const O* starts, bool transposed)
      : rows_(a.block_rows), cols_(a.block_cols), transposed_(transposed) {
    in_ = transposed ? a.rows : a.cols;
    out_ = transposed ? a.cols : a.rows;
    const int outputs = transposed ? cols_ : rows_, inputs = transposed ? rows_ : cols_;
    const auto lines = static_cast<std::size_t>(transposed ? a.grid_cols() : a.grid_rows());
    const HostOffsets<O> host(current_device(), starts, lines + 1);
    if (!stream_takes<T>(rows_, cols_, transposed)) {
      const int window = transposed ? large_window<true> : large_window<false>;
      tasks_ = LineTasks<T>(host.span(), outputs, window,
                            std::max(1, values_per_task / (window * inputs)));
      return;
    }
    facts_ = stream_facts<T>(rows_, cols_, transposed);
    const std::int64_t at_a_time = std::int64_t{simt::backend(current_device()).info().processors} *
                                   facts_.resident * facts_.warps;
    const std::int64_t needed = (std::int64_t{a.blocks} + facts_.stage - 1) / facts_.stage;
    warps_ = static_cast<int>(at_a_time);
    // Tiny blocks share sectors with blocks of the next columns, which the cache must still have
    // when those come: shares in several rounds are nearer to each other. Larger blocks lose by it
    // (docs/experiments.md).
    const int rounds = transposed && rows_ * cols_ * int(sizeof(T)) <= 32 ? 4 : 1;
    shares_ = Shares<T>(host.span(), facts_.grain, std::min(rounds * at_a_time, needed), outputs);
  }

  // A direction has shares or tasks.
  simt::ScratchSize scratch_size() const {
    return tasks_.count() > 0 ? tasks_.scratch_size() : shares_.scratch_size();
  }
  void multiply(CUstream_st* stream, const T* values, const index_t* other, const int* number,
                T alpha, const T* x, T beta, T* y, const simt::Scratch& scratch) const {
    const BsrOperands<T> m{values, other, number, in_, out_, alpha, x, beta, y};
    if (tasks_.count() > 0) {
      const auto large = [&]<class K>(K k) {
        launch({.blocks = blocks_for(tasks_.count(), 4), .threads = 128, .stream = stream}, k);
      };
      if (transposed_)
        large(BsrLarge<T, true>{tasks_.view(scratch), rows_, cols_, m});
      else
        large(BsrLarge<T, false>{tasks_.view(scratch), rows_, cols_, m});
      return;
    }
    const DeviceArray<index_t>& without = shares_.without_blocks();
    if (without.size() > 0 && beta != T(1)) {
      const int outputs = transposed_ ? cols_ : rows_;
      const auto count = static_cast<std::int64_t>(without.size());
      launch({.blocks = blocks_for(count * outputs, 256, 4096), .threads = 256, .stream = stream},
             ScaleLines<T>{without.data(), count, outputs, out_, beta, y});
    }
    launch_stream<T>(stream, rows_, cols_, transposed_, warps_, shares_.view(scratch), m);
  }

  std::size_t bytes() const { return shares_.bytes() + tasks_.bytes(); }
  void tell(Facts& facts) const {
    if (shares_.count() == 0) return;
    facts["registers"] = facts_.registers;
    facts["resident_blocks"] = facts_.resident;
    facts["shares"] = shares_.count();
    facts["stage_blocks"] = facts_.stage;
  }

 private:
  static constexpr int values_per_task = 1 << 15;

  int rows_ = 1, cols_ = 1;
  bool transposed_ = false;
  std::int64_t in_ = 0, out_ = 0;
  StreamFacts facts_{};
  int warps_ = 1;
  Shares<T> shares_;
  LineTasks<T> tasks_;
};

template <class T, class O>
class BsrBalanced : public OnBsr<T, O> {
 public:
  BsrBalanced(const CsrView<T, O>& a, const Parameters& p)
      : OnBsr<T, O>(a, p), along_rows_(checked(this->a()), this->a().offsets, false) {
    DeviceBlockColumns<O> columns = columns_on_device(this->a());
    along_columns_ = Direction<T>(this->a(), columns.starts.data(), true);
    number_ = std::move(columns.block);
    row_ = std::move(columns.row);
  }

  std::size_t bytes() const {
    return OnBsr<T, O>::bytes() + along_rows_.bytes() + along_columns_.bytes() + number_.bytes() +
           row_.bytes();
  }
  simt::ScratchSize scratch_size() const {
    return along_rows_.scratch_size() + along_columns_.scratch_size();
  }
  // Transposed, numbers and rows of the blocks instead of their columns.
  std::size_t matrix_bytes(Op op) const {
    const std::size_t n = this->a().bytes();
    return is_transposed(op) ? n + number_.bytes() : n;
  }
  Facts facts() const {
    Facts all = OnBsr<T, O>::facts();
    along_rows_.tell(all);
    return all;
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                const simt::Scratch& scratch) const {
    along_rows_.multiply(stream, this->a().values, this->a().columns, nullptr, alpha, x, beta, y,
                         scratch);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y,
                           const simt::Scratch& scratch) const {
    along_columns_.multiply(stream, this->a().values, row_.data(), number_.data(), alpha, x, beta,
                            y, scratch.behind(along_rows_.scratch_size()));
  }

  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y) const {
    if (takes_squares(this->a(), x))
      bsr_several_squares<T, O>(stream, this->a(), x, {alpha, beta, y});
    else
      bsr_several<T, O>(stream, this->a(), x, {alpha, beta, y});
  }

 private:
  static const BsrView<T, O>& checked(const BsrView<T, O>& a) {
    require_31_bits(a.blocks);
    return a;
  }

  Direction<T> along_rows_, along_columns_;
  DeviceArray<int> number_;
  DeviceArray<index_t> row_;
};

PrepareTable prepare() {
  PrepareTable all = prepare_gpu<BsrBalanced>();
  add_complex(all, []<class T, Offset O>(const CsrView<T, O>& a, const Parameters& p) {
    return prepare_gpu_one<BsrComplex<T, O>>(a, p);
  });
  return all;
}

}  // namespace

Kernel gpu_bsr_balanced() {
  return {
      .family = "gpu",
      .format = "bsr",
      .strategy = "balanced",
      .transposes = true,
      .several = true,
      .determinism = Determinism::always,
      .source = "own",
      .summary = "equal blocks a warp, in pieces of 16 bytes, copied ahead; N and T from one copy",
      .parameters = bsr_parameters(),
      .runs_on = Device::Kind::cuda,
      .prepare = prepare(),
      .with_fill = with_bsr_fill,
      .fit = fit_blocks};
}

}  // namespace nz::NZ_HOME
