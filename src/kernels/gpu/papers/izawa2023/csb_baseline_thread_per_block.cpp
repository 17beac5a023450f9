#include <utility>
#include <vector>

#include <nonzero/formats/csb_baseline.hpp>

#include "kernels/gpu/papers/izawa2023/block_entries.hpp"
#include "kernels/gpu/papers/izawa2023/block_order.hpp"
#include "kernels/gpu/printed_form.hpp"

// Figures 3.2 and 3.3, with the blocks row by row or, as §3.2.1 allows, in another order, which
// takes block_indices to tell where a block was. The order here is that of GCSB, the fullest first.

namespace nz::NZ_HOME {
namespace {

template <bool Transposed, class T, class O, class Alpha, class K>
struct BaselineBlocks : AddedEntries<Transposed, T, Alpha, K> {
  static constexpr const char* name = "gpu/csb-baseline/thread-per-block";
  CsbBaselineView<T, O> a;
  const index_t* numbers;  // block_indices; null: row by row
  NZ_DEVICE void operator()(Thread& t) const {
    const auto i = index_as<K>(t);
    if (i >= a.blocks()) return;
    const K number = numbers ? K{numbers[i]} : i, wide = a.block_cols();
    const K top = number / wide << a.digits, left = number % wide << a.digits;
    const auto end = static_cast<K>(a.offsets[i + 1]);
    for (auto k = static_cast<K>(a.offsets[i]); k < end; ++k)
      this->add(t, top, left, a.digits, a.places[k], a.values[k]);
  }
};

template <class T, class O>
class BaselineThreadPerBlock {
 public:
  BaselineThreadPerBlock(const CsrView<T, O>& a, const Parameters& p)
      : BaselineThreadPerBlock(
            ordered(csb_baseline_from_csr(HostCsr<T, O>(current_device(), a).view(), beta_of(p),
                                          static_cast<double>(p.at("max_ratio"))),
                    p.at("order") != 0),
            p) {}

  index_t rows() const { return a_.rows; }
  index_t cols() const { return a_.cols; }
  std::size_t bytes() const {
    return offsets_.bytes() + numbers_.bytes() + places_.bytes() + values_.bytes();
  }
  std::size_t matrix_bytes() const { return a_.bytes() + numbers_.bytes(); }
  Facts facts() const {
    return {{"beta", a_.beta()}, {"blocks", static_cast<double>(a_.blocks())}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<false>(stream, alpha, x, beta, y);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<true>(stream, alpha, x, beta, y);
  }

 private:
  struct Ordered {
    CsbBaseline<T, O> blocks;
    std::vector<index_t> numbers;
  };
  static Ordered ordered(CsbBaseline<T, O>&& a, bool by_entries) {
    if (!by_entries) return {std::move(a), {}};
    Ordered b{{static_cast<const BlockGrid&>(a), Array<O>(a.offsets.size()),
               Array<std::uint32_t>(a.places.size()), Array<T>(a.values.size())},
              fullest_first(a.offsets)};
    O to = b.blocks.offsets[0] = 0;
    for (std::size_t i = 0; i < b.numbers.size(); ++i) {
      const index_t number = b.numbers[i];
      for (O k = a.offsets[number]; k < a.offsets[number + 1]; ++k, ++to) {
        b.blocks.places[to] = a.places[k];
        b.blocks.values[to] = a.values[k];
      }
      b.blocks.offsets[i + 1] = to;
    }
    return b;
  }

  BaselineThreadPerBlock(const Ordered& b, const Parameters& p)
      : a_(b.blocks.view()),
        offsets_(current_device(), std::span<const O>(b.blocks.offsets)),
        numbers_(current_device(), std::span<const index_t>(b.numbers)),
        places_(current_device(), std::span<const std::uint32_t>(b.blocks.places)),
        values_(current_device(), std::span<const T>(b.blocks.values)),
        threads_(threads_for(a_.blocks(), threads_of(p))),
        form_(p, a_.nnz + a_.blocks()) {
    a_.offsets = offsets_.data();
    a_.places = places_.data();
    a_.values = values_.data();
  }

  template <bool Transposed>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, Transposed ? a_.cols : a_.rows);
    form_.add(alpha, [&]<class K, class Alpha>(Alpha factor) {
      launch({.blocks = blocks_for(a_.blocks(), threads_), .threads = threads_, .stream = stream},
             BaselineBlocks<Transposed, T, O, Alpha, K>{
                 {factor, x, y}, a_, numbers_.size() == 0 ? nullptr : numbers_.data()});
    });
  }

  CsbBaselineView<T, O> a_;
  DeviceArray<O> offsets_;
  DeviceArray<index_t> numbers_;
  DeviceArray<std::uint32_t> places_;
  DeviceArray<T> values_;
  int threads_;
  Form form_;
};

}  // namespace

Kernel gpu_csb_baseline_thread_per_block() {
  return {.family = "gpu",
          .format = "csb-baseline",
          .strategy = "thread-per-block",
          .transposes = true,
          .source = "izawa2023 figures 3.2, 3.3",
          .summary = "a thread a block, an atomic an entry, both ways",
          .parameters = with_adding_form(
              {beta_parameter(),
               blocks_parameter("most blocks a nonzero, row and column"),
               threads_parameter(),
               {"order", "of the blocks: 0 row by row, 1 the fullest first", 0, 0, 1}}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<BaselineThreadPerBlock>(),
          .declines = declines_beta,
          .fit = fit_beta};
}

}  // namespace nz::NZ_HOME
