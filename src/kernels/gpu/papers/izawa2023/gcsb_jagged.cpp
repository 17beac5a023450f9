#include <vector>

#include <nonzero/formats/csb_baseline.hpp>

#include "kernels/gpu/papers/izawa2023/block_entries.hpp"
#include "kernels/gpu/papers/izawa2023/block_order.hpp"
#include "kernels/gpu/papers/izawa2023/gcsb_several.hpp"

// GCSB with less padding, which izawa2023 §5.2 leaves to future work: none. Blocks of a group are
// sorted by their entries, so those that still have one when others are through are its first. A
// warp has a group of 32, votes who has one more, and reads that many neighbours; nothing lies
// between them. It needs the number of entries of each block, and blocks without any are not
// stored.
namespace nz::NZ_HOME {
namespace {

constexpr int group_size = 32;

template <class T, class O>
struct JaggedBlocks {
  BlockGrid grid;
  index_t blocks;                // with entries
  const O* offsets;              // where a group begins
  const index_t* numbers;        // of the blocks, the fullest first
  const std::uint32_t* lengths;  // their entries
  const std::uint32_t* places;
  const T* values;
};

template <bool Transposed, class T, class O>
struct JaggedGroups : AddedEntries<Transposed, T> {
  static constexpr const char* name = "gpu/gcsb/jagged";
  JaggedBlocks<T, O> a;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index();
    if (i - t.lane() >= a.blocks) return;
    std::uint32_t left = 0;
    std::int64_t top = 0, side = 0;
    if (i < a.blocks) {
      const index_t number = t.load(a.numbers + i), wide = a.grid.block_cols();
      top = std::int64_t{number / wide} << a.grid.digits;
      side = std::int64_t{number % wide} << a.grid.digits;
      left = t.load(a.lengths + i);
    }
    std::int64_t k = std::int64_t{t.load(a.offsets + i / group_size)} + t.lane();
    while (const int taken = bit_count(t.ballot(left > 0))) {
      if (left > 0) {
        this->add(t, top, side, a.grid.digits, t.load(a.places + k), t.load(a.values + k));
        --left;
      }
      k += taken;
    }
  }
};

// By teams: every warp has the lengths of its blocks' group, a lane each, and so votes as above;
// the blocks of its teams lie in one group.
template <bool Transposed, class T, class O>
struct JaggedGroupsSeveral {
  static constexpr const char* name = "gpu/gcsb/jagged, several vectors";
  BlockTimesSeveral<Transposed, T> by;
  JaggedBlocks<T, O> a;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> tile = by.tile(t);
    typename BlockTimesSeveral<Transposed, T>::Place mine;
    for (std::int64_t round = 0; by.place(t, a.blocks, round, mine); ++round) {
      const std::int64_t group = mine.block / group_size, other = group * group_size + t.lane();
      const std::uint32_t length = other < a.blocks ? t.load(a.lengths + other) : 0;
      std::uint32_t left = 0;
      typename BlockTimesSeveral<Transposed, T>::Sums sums;
      if (mine.block < a.blocks && mine.column < by.y.columns) {
        sums = by.begin(t, t.load(a.numbers + mine.block), mine.column);
        left = t.load(a.lengths + mine.block);
      }
      std::int64_t k = std::int64_t{t.load(a.offsets + group)} + mine.block % group_size;
      for (std::uint32_t step = 0; t.any(step < left); ++step) {
        const int taken = bit_count(t.ballot(step < length));
        if (step < left) by.add(t, sums, tile, t.load(a.places + k), t.load(a.values + k));
        k += taken;
      }
      by.end(t, sums, tile);
    }
  }
};

template <class T, class O>
class GcsbJagged {
 public:
  GcsbJagged(const CsrView<T, O>& a, const Parameters& p)
      : GcsbJagged(csb_baseline_from_csr(HostCsr<T, O>(current_device(), a).view(), beta_of(p),
                                         static_cast<double>(p.at("max_ratio"))),
                   threads_of(p)) {}

  index_t rows() const { return a_.grid.rows; }
  index_t cols() const { return a_.grid.cols; }
  std::size_t bytes() const {
    return offsets_.bytes() + numbers_.bytes() + lengths_.bytes() + places_.bytes() +
           values_.bytes();
  }
  Facts facts() const {
    return {{"beta", a_.grid.beta()},
            {"blocks", static_cast<double>(a_.grid.blocks())},
            {"stored_blocks", a_.blocks},
            {"fill_ratio", 1}};
  }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<false>(stream, alpha, x, beta, y);
  }
  void multiply_transposed(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    run<true>(stream, alpha, x, beta, y);
  }
  void multiply_several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                        const Several<T>& y) const {
    several<false>(stream, alpha, x, beta, y);
  }
  void multiply_several_transposed(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
                                   const Several<T>& y) const {
    several<true>(stream, alpha, x, beta, y);
  }

 private:
  GcsbJagged(const CsbBaseline<T, O>& a, int threads) {
    std::vector<index_t> numbers = fullest_first(a.offsets);
    const auto entries = [&](index_t b) { return a.offsets[b + 1] - a.offsets[b]; };
    while (!numbers.empty() && entries(numbers.back()) == 0) numbers.pop_back();
    std::vector<std::uint32_t> lengths;
    for (const index_t b : numbers) lengths.push_back(static_cast<std::uint32_t>(entries(b)));
    std::vector<O> offsets;
    Array<std::uint32_t> places(a.places.size());
    Array<T> values(a.values.size());
    std::int64_t to = 0;
    for (std::size_t first = 0; first < numbers.size(); first += group_size) {
      offsets.push_back(static_cast<O>(to));
      std::size_t last = std::min(numbers.size(), first + group_size);
      for (std::uint32_t s = 0; last > first; ++s) {
        while (last > first && lengths[last - 1] <= s) --last;
        for (std::size_t i = first; i < last; ++i, ++to) {
          places[to] = a.places[a.offsets[numbers[i]] + static_cast<O>(s)];
          values[to] = a.values[a.offsets[numbers[i]] + static_cast<O>(s)];
        }
      }
    }
    const Device device = current_device();
    offsets_ = {device, std::span<const O>(offsets)};
    numbers_ = {device, std::span<const index_t>(numbers)};
    lengths_ = {device, std::span<const std::uint32_t>(lengths)};
    places_ = {device, std::span<const std::uint32_t>(places)};
    values_ = {device, std::span<const T>(values)};
    a_ = {a,
          static_cast<index_t>(numbers.size()),
          offsets_.data(),
          numbers_.data(),
          lengths_.data(),
          places_.data(),
          values_.data()};
    threads_ = threads_for(a_.blocks, threads);
  }

  template <bool Transposed>
  void several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
               const Several<T>& y) const {
    scale_several(stream, Transposed ? a_.grid.cols : a_.grid.rows, beta, y);
    const SeveralLaunch<Transposed, T> all(stream, a_.grid, a_.blocks, alpha, x, y);
    launch(all.how, JaggedGroupsSeveral<Transposed, T, O>{all.parts, a_});
  }

  template <bool Transposed>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    scale(stream, beta, y, Transposed ? a_.grid.cols : a_.grid.rows);
    launch({.blocks = blocks_for(a_.blocks, threads_), .threads = threads_, .stream = stream},
           JaggedGroups<Transposed, T, O>{{alpha, x, y}, a_});
  }

  JaggedBlocks<T, O> a_{};
  DeviceArray<O> offsets_;
  DeviceArray<index_t> numbers_;
  DeviceArray<std::uint32_t> lengths_, places_;
  DeviceArray<T> values_;
  int threads_ = group_size;
};

}  // namespace

Kernel gpu_gcsb_jagged() {
  return {
      .family = "gpu",
      .format = "gcsb",
      .strategy = "jagged",
      .transposes = true,
      .several = true,
      .source = "own",
      .summary = "groups of a warp without padding: who has entries left is voted on",
      .parameters = {beta_parameter(), blocks_parameter("most blocks a nonzero, row and column"),
                     threads_parameter()},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare_gpu<GcsbJagged>(),
      .declines = declines_beta,
      .fit = fit_beta};
}

}  // namespace nz::NZ_HOME
