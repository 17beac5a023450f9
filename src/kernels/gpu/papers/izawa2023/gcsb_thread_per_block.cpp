#include <algorithm>

#include "kernels/gpu/papers/izawa2023/device_gcsb.hpp"
#include "kernels/gpu/papers/izawa2023/gcsb_several.hpp"
#include "kernels/gpu/papers/izawa2023/zero_padding.hpp"
#include "kernels/gpu/printed_form.hpp"

// Figures 3.8 and 3.9: every thread of a group goes through as many slots as its fullest block has
// entries, and multiplies the padding. With `leave` it stops at the first slot of padding instead,
// which is ours: fewer slots are read, but a thread knows that there is one more only when the
// place of the last has arrived.
namespace nz::NZ_HOME {
namespace {

// What is multiplied lies in the block's first cell, and is 0.
struct ZeroPlaces {
  static constexpr const char* name = "zero GCSB padding";
  std::int64_t slots;
  std::uint32_t* places;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t k = t.global_index(); k < slots; k += t.global_size())
      if (places[k] == padding_place) places[k] = 0;
  }
};

template <bool Transposed, bool leaves, class T, class O, class Alpha, class K>
struct GroupedBlocks : AddedEntries<Transposed, T, Alpha, K> {
  static constexpr const char* name = "gpu/gcsb/thread-per-block";
  GcsbView<T, O> a;
  NZ_DEVICE void operator()(Thread& t) const {
    if (t.global_index() >= a.blocks()) return;
    const auto i = static_cast<index_t>(t.global_index());  // there are fewer than 2^31
    const index_t number = a.numbers[i], wide = a.block_cols();
    const K top = K{number / wide} << a.digits, left = K{number % wide} << a.digits;
    const index_t group = i / a.group_size;
    const auto end = static_cast<K>(a.offsets[group + 1]);
    for (auto k = static_cast<K>(a.offsets[group]) + K{i % a.group_size}; k < end;
         k += a.group_size) {
      const std::uint32_t place = a.places[k];
      if constexpr (leaves)
        if (place == padding_place) break;  // nothing but padding follows
      this->add(t, top, left, a.digits, place, a.values[k]);
    }
  }
};

// Slots as above, by teams.
template <bool Transposed, bool leaves, class T, class O>
struct GroupedBlocksSeveral {
  static constexpr const char* name = "gpu/gcsb/thread-per-block, several vectors";
  BlockTimesSeveral<Transposed, T> by;
  GcsbView<T, O> a;
  NZ_DEVICE void operator()(Thread& t) const {
    const SharedArray<T> tile = by.tile(t);
    typename BlockTimesSeveral<Transposed, T>::Place mine;
    for (std::int64_t round = 0; by.place(t, a.blocks(), round, mine); ++round) {
      if (mine.block >= a.blocks() || mine.column >= by.y.columns) continue;
      auto sums = by.begin(t, t.load(a.numbers + mine.block), mine.column);
      const std::int64_t group = mine.block / a.group_size, end = t.load(a.offsets + group + 1);
      for (std::int64_t k = std::int64_t{t.load(a.offsets + group)} + mine.block % a.group_size;
           k < end; k += a.group_size) {
        const std::uint32_t place = t.load(a.places + k);
        if constexpr (leaves)
          if (place == padding_place) break;
        by.add(t, sums, tile, place, t.load(a.values + k));
      }
      by.end(t, sums, tile);
    }
  }
};

template <class T, class O>
class GcsbThreadPerBlock {
 public:
  GcsbThreadPerBlock(const CsrView<T, O>& a, const Parameters& p)
      : a_(gcsb_for(a, p)),
        threads_(threads_for(a_.view.blocks(), threads_of(p))),
        leaves_(p.at("leave") != 0),
        form_(p, a_.view.slots + a_.view.blocks()) {
    if (leaves_ || a_.view.slots == 0) return;
    launch(one_thread_each(a_.view.slots, 1 << 16), ZeroPlaces{a_.view.slots, a_.places.data()});
    wait_for(current_device());  // products may run on other streams
  }

  index_t rows() const { return a_.view.rows; }
  index_t cols() const { return a_.view.cols; }
  std::size_t bytes() const { return a_.bytes(); }
  std::size_t matrix_bytes() const { return a_.view.bytes(); }
  Facts facts() const {
    const GcsbView<T, O>& v = a_.view;
    return {{"beta", v.beta()},
            {"group_size", v.group_size},
            {"blocks", static_cast<double>(v.blocks())},
            {"fill_ratio", slots_per_nonzero(v.slots, v.nnz)}};
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
  template <bool Transposed>
  void several(CUstream_st* stream, T alpha, const Several<const T>& x, T beta,
               const Several<T>& y) const {
    const GcsbView<T, O>& v = a_.view;
    scale_several(stream, Transposed ? v.cols : v.rows, beta, y);
    const SeveralLaunch<Transposed, T> all(stream, v, v.blocks(), alpha, x, y);
    if (leaves_)
      launch(all.how, GroupedBlocksSeveral<Transposed, true, T, O>{all.parts, v});
    else
      launch(all.how, GroupedBlocksSeveral<Transposed, false, T, O>{all.parts, v});
  }

  template <bool Transposed>
  void run(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    const GcsbView<T, O>& v = a_.view;
    scale(stream, beta, y, Transposed ? v.cols : v.rows);
    const Launch how{
        .blocks = blocks_for(v.blocks(), threads_), .threads = threads_, .stream = stream};
    form_.add(alpha, [&]<class K, class Alpha>(Alpha factor) {
      if (leaves_)
        launch(how, GroupedBlocks<Transposed, true, T, O, Alpha, K>{{factor, x, y}, v});
      else
        launch(how, GroupedBlocks<Transposed, false, T, O, Alpha, K>{{factor, x, y}, v});
    });
  }

  GcsbArrays<T, O> a_;
  int threads_;
  bool leaves_;
  Form form_;
};

Csr<double, std::int64_t> with_gcsb_fill(const CsrView<double, std::int64_t>& a,
                                         const Parameters& p) {
  std::vector<CellOfPadding> zeros;
  if (p.at("leave") == 0) {
    const auto b = gcsb_from_csr(a, p.at("beta"), static_cast<index_t>(p.at("group_size")),
                                 static_cast<double>(p.at("max_ratio")));
    const auto v = b.view();
    for (std::int64_t i = 0; i < v.blocks(); ++i) {
      const std::int64_t group = i / v.group_size, end = v.offsets[group + 1];
      if (v.offsets[group] < end &&
          v.places[end - v.group_size + i % v.group_size] == padding_place)
        zeros.push_back(
            {v.numbers[i] / v.block_cols() << v.digits, v.numbers[i] % v.block_cols() << v.digits});
    }
  }
  return with_zeros(a, zeros);
}

// Groups of a cache line of values (equation 3.4), but no larger than there are blocks.
Parameters fit_groups(const Pattern& a) {
  Parameters p = fit_beta(a);
  const auto line = static_cast<std::int64_t>(128 / a.value_bytes);
  const index_t beta = static_cast<index_t>(p.at("beta"));
  const std::int64_t blocks =
      ((std::int64_t{a.rows} + beta - 1) / beta) * ((std::int64_t{a.cols} + beta - 1) / beta);
  p["group_size"] = std::clamp<std::int64_t>(blocks, 1, line);
  return p;
}

}  // namespace

Kernel gpu_gcsb_thread_per_block() {
  return {.family = "gpu",
          .format = "gcsb",
          .strategy = "thread-per-block",
          .transposes = true,
          .several = true,
          .source = "izawa2023 figures 3.8, 3.9",
          .summary =
              "a thread a block, the fullest first, entries of a group side by side, zeros between",
          .parameters = with_adding_form(
              {beta_parameter(),
               {"group_size", "blocks a group", 32, 1, 1024},
               blocks_parameter("most blocks a nonzero, row and column, and most slots a nonzero"),
               threads_parameter(),
               {"leave", "1: threads leave a block at its padding; 0: they multiply it", 0, 0, 1}}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<GcsbThreadPerBlock>(),
          .with_fill = with_gcsb_fill,
          .declines = declines_beta,
          .fit = fit_groups};
}

}  // namespace nz::NZ_HOME
