#include <algorithm>
#include <vector>

#include <nonzero/formats/packed.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/vector/lanes.hpp"
#include "kernels/cpu/vector/value_readers.hpp"
#include "kernels/cpu/windows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// One slice: `steps` vectors side by side make its lanes.
template <class T>
struct Slice {
  using L = Lanes<T>;
  using View = PackedView<T>;
  static constexpr int steps = View::lanes / L::width;
  typename L::Vector at[steps];

  static NZ_INLINE typename L::Mask part(unsigned mask, int step) {
    return static_cast<typename L::Mask>(mask >> (step * L::width) & ((1u << L::width) - 1u));
  }
  NZ_INLINE void clear() {
    for (auto& v : at) v = L::zero();
  }
  NZ_INLINE void load(const T* p, index_t height) {
    if (height == View::lanes)
      for (int h = 0; h < steps; ++h) at[h] = L::load(p + h * L::width);
    else
      for (int h = 0; h < steps; ++h)
        at[h] = L::load_some(part((1u << height) - 1u, h), p + h * L::width);
  }
  NZ_INLINE void store(T* p, index_t height) const {
    if (height == View::lanes)
      for (int h = 0; h < steps; ++h) L::store(p + h * L::width, at[h]);
    else
      for (int h = 0; h < steps; ++h)
        L::store_some(part((1u << height) - 1u, h), p + h * L::width, at[h]);
  }
};

// Adds a slice's picks to the sums of its rows. Where there is none, the code of a value may stand
// for an infinite one: neither it nor x counts.
template <class Index, class T, class Values>
NZ_INLINE void add_picks(const PackedView<T>& a, const PackedSlice& head, std::int64_t slot,
                         const Index* indices, const Values& values, const T* x, Slice<T>& sums) {
  using S = Slice<T>;
  using L = Lanes<T>;
  const T* origin = x + head.base;
  for (int k = 0; k < head.picks; ++k, ++slot, indices += PackedView<T>::lanes) {
    const unsigned mask = a.masks[slot];
    const std::int64_t place = slot * PackedView<T>::lanes;
    for (int h = 0; h < S::steps; ++h) {
      const auto i = L::indices(indices + h * L::width);
      const auto v = values.load(place + h * L::width);
      if (!L::can_mask && mask == PackedView<T>::full_mask)
        sums.at[h] = L::fma(v, L::gather(origin, i), sums.at[h]);
      else
        sums.at[h] = L::fma_some(S::part(mask, h), v, L::gather_some(S::part(mask, h), origin, i),
                                 sums.at[h]);
    }
  }
}

// Adds value * factor of a slice's picks to where their columns say.
template <class Index, class T, class Values>
NZ_INLINE void scatter_picks(const PackedView<T>& a, const PackedSlice& head, std::int64_t slot,
                             const Index* indices, const Values& values, const Slice<T>& factors,
                             T* to) {
  constexpr int lanes = PackedView<T>::lanes;
  T* origin = to + head.base;
  for (int k = 0; k < head.picks; ++k, ++slot, indices += lanes) {
    const unsigned mask = a.masks[slot];
    alignas(64) T products[lanes];
    for (int h = 0; h < Slice<T>::steps; ++h)
      Lanes<T>::store(
          products + h * Lanes<T>::width,
          Lanes<T>::mul(values.load(slot * lanes + h * Lanes<T>::width), factors.at[h]));
    if (mask == PackedView<T>::full_mask)
      for (int l = 0; l < lanes; ++l) origin[indices[l]] += products[l];
    else
      for (int l = 0; l < lanes; ++l)
        if (mask >> l & 1u) origin[indices[l]] += products[l];
  }
}

template <Value T>
class PackedSlices final : public Product<T> {
  using View = PackedView<T>;
  using L = Lanes<T>;
  using S = Slice<T>;

 public:
  template <Offset O>
  PackedSlices(const CsrView<T, O>& a, const Parameters& p)
      : stored_(packed_from_csr(a, static_cast<double>(p.at("max_ratio")))), a_(stored_.view()) {
    const int team = std::min(
        cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain")),
        std::max(1, a_.groups()));
    // Groups of slices, as many slots to each part; a slice costs something, too.
    cuts_ = cpu::split_lines(a_.groups(), team, [&](index_t g) {
      return a_.mark[g].slot + std::int64_t{g} * View::group;
    });
    windows_ = {a.cols, column_ranges(a)};
    // Bands are multiplied without their masks, and with one column.
    for (const PackedSlice& s : stored_.slice)
      if (s.band)
        unread_ += s.runs * (sizeof(typename View::Mask) + sizeof(index_t)) - sizeof(index_t);
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    with_values<T>(a_.code, a_.values, a_.table, stored_.different,
                   [&](const auto& values) { run(op, values, alpha, x.data(), beta, y.data()); });
  }

  std::size_t bytes() const override {
    return stored_.bytes() + windows_.bytes() + cuts_.size() * sizeof(index_t);
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return cpu::traffic_of(a_, a_.bytes() - unread_, op, reads_y);
  }

 private:
  int team() const { return static_cast<int>(cuts_.size()) - 1; }

  template <class Values>
  void run(Op op, const Values& values, T alpha, const T* x, T beta, T* y) const {
    if (op == Op::none) {
      parallel_parts(team(), [&](int part) {
        for_each_slice(part, [&](index_t s, const PackedMark& at) {
          row_sums(s, at, values, alpha, x, beta, y);
        });
      });
    } else {
      typename cpu::Windows<T>::Sums buffers(windows_);
      parallel_parts(team(), [&](int part) {
        T* sums = buffers.clear(part);
        for_each_slice(part,
                       [&](index_t s, const PackedMark& at) { scatter(s, at, values, x, sums); });
      });
      buffers.reduce(team(), alpha, beta, y);
    }
  }

  template <class Body>
  NZ_INLINE void for_each_slice(int part, Body&& body) const {
    PackedMark at = a_.mark[cuts_[part]];
    const index_t end = std::min(a_.slices(), cuts_[part + 1] * View::group);
    for (index_t s = cuts_[part] * View::group; s < end; ++s) {
      body(s, at);
      at.pass(a_.slice[s], View::lanes);
    }
  }

  template <class Values>
  NZ_INLINE void row_sums(index_t s, const PackedMark& at, const Values& values, T alpha,
                          const T* x, T beta, T* y) const {
    const PackedSlice head = a_.slice[s];
    S sums;
    sums.clear();
    if (head.band) {
      // Neither masks nor columns are read.
      const T* from = x + a_.run_columns[at.run];
      std::int64_t place = at.slot * View::lanes;
      for (int k = 0; k < head.runs; ++k, ++from, place += View::lanes)
        for (int h = 0; h < S::steps; ++h)
          sums.at[h] =
              L::fma(values.load(place + h * L::width), L::load(from + h * L::width), sums.at[h]);
    } else {
      add_runs(head, at, values, x, sums);
    }
    with_indices(a_.indices + at.index, head.width, [&](const auto* indices) {
      add_picks(a_, head, at.slot + head.runs, indices, values, x, sums);
    });
    const index_t first = s * View::lanes, height = a_.height(s);
    S result;
    if (beta == T(0)) {
      for (int h = 0; h < S::steps; ++h) result.at[h] = L::mul(L::all(alpha), sums.at[h]);
    } else {
      result.load(y + first, height);
      for (int h = 0; h < S::steps; ++h)
        result.at[h] = L::fma(L::all(alpha), sums.at[h], L::mul(L::all(beta), result.at[h]));
    }
    result.store(y + first, height);
  }

  template <class Values>
  NZ_INLINE void add_runs(const PackedSlice& head, const PackedMark& at, const Values& values,
                          const T* x, S& sums) const {
    for (int k = 0; k < head.runs; ++k) {
      const std::int64_t slot = at.slot + k, place = slot * View::lanes;
      const unsigned mask = a_.masks[slot];
      const T* from = x + a_.run_columns[at.run + k];
      for (int h = 0; h < S::steps; ++h) {
        const auto v = values.load(place + h * L::width);
        if (!L::can_mask && mask == View::full_mask)
          sums.at[h] = L::fma(v, L::load(from + h * L::width), sums.at[h]);
        else
          sums.at[h] = L::fma_some(S::part(mask, h), v,
                                   L::load_some(S::part(mask, h), from + h * L::width), sums.at[h]);
      }
    }
  }

  template <class Values>
  NZ_INLINE void scatter(index_t s, const PackedMark& at, const Values& values, const T* x,
                         T* sums) const {
    const PackedSlice head = a_.slice[s];
    S factors;
    factors.load(x + s * View::lanes, a_.height(s));
    if constexpr (L::can_mask)
      scatter_runs_shifting(head, at, values, factors, sums);
    else
      scatter_runs(head, at, values, factors, sums);
    with_indices(a_.indices + at.index, head.width, [&](const auto* indices) {
      scatter_picks(a_, head, at.slot + head.runs, indices, values, factors, sums);
    });
  }

  template <class Values>
  NZ_INLINE void scatter_runs(const PackedSlice& head, const PackedMark& at, const Values& values,
                              const S& factors, T* sums) const {
    // Neighbouring runs mostly overlap, and a load that overlaps a recent store must wait for it:
    // take every third.
    for (int third = 0; third < 3; ++third)
      for (int k = third; k < head.runs; k += 3) {
        const std::int64_t slot = at.slot + k, place = slot * View::lanes;
        const unsigned mask = a_.masks[slot];
        T* to = sums + a_.run_columns[at.run + k];
        for (int h = 0; h < S::steps; ++h) {
          const auto v = values.load(place + h * L::width);
          T* here = to + h * L::width;
          if (mask == View::full_mask)
            L::store(here, L::fma(v, factors.at[h], L::load(here)));
          else
            L::store_some(S::part(mask, h), here,
                          L::fma(v, factors.at[h], L::load_some(S::part(mask, h), here)));
        }
      }
  }

  // Runs in neighbouring columns are added up in a register that moves along: its lowest lane is
  // done with when the next run begins one column further.
  template <class Values>
  NZ_INLINE void scatter_runs_shifting(const PackedSlice& head, const PackedMark& at,
                                       const Values& values, const S& factors, T* sums) const {
    const index_t* columns = a_.run_columns + at.run;
    if (head.band) {
      T* to = sums + columns[0];
      auto moving = L::zero();
      for (int k = 0;; ++k) {
        moving = L::fma(values.load((at.slot + k) * View::lanes), factors.at[0], moving);
        if (k + 1 == head.runs) {
          L::store(to + k, L::add(moving, L::load(to + k)));
          return;
        }
        to[k] += L::lowest(moving);
        moving = L::shift_down(moving);
      }
    }
    for (int k = 0; k < head.runs;) {
      auto moving = L::zero();
      unsigned touched = 0;
      for (;; ++k) {
        const std::int64_t slot = at.slot + k;
        const auto mask = static_cast<typename L::Mask>(a_.masks[slot]);
        moving = L::fma_some(mask, values.load(slot * View::lanes), factors.at[0], moving);
        touched |= mask;
        if (k + 1 == head.runs || columns[k + 1] != columns[k] + 1) break;
        if (touched & 1u) sums[columns[k]] += L::lowest(moving);
        moving = L::shift_down(moving);
        touched >>= 1;
      }
      T* to = sums + columns[k];
      const auto mask = static_cast<typename L::Mask>(touched);
      L::store_some(mask, to, L::add(moving, L::load_some(mask, to)));
      ++k;
    }
  }

  template <Offset O>
  std::vector<cpu::ColumnRange> column_ranges(const CsrView<T, O>& a) const {
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team()));
    constexpr index_t tall = View::group * View::lanes;
    parallel_parts(team(), [&](int part) {
      // Without overflow: the last cut may lie beyond the last row.
      const auto row = [&](index_t cut) { return cut >= a_.groups() ? a.rows : cut * tall; };
      ranges[part] = cpu::columns_touched(a, row(cuts_[part]), row(cuts_[part + 1]));
    });
    return ranges;
  }

  Packed<T> stored_;
  View a_;
  std::vector<index_t> cuts_;
  std::size_t unread_ = 0;
  cpu::Windows<T> windows_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<PackedSlices<T>>(a, p);
}

}  // namespace

Kernel cpu_packed_slices() {
  return {.family = "cpu",
          .format = "packed",
          .strategy = "slices",
          .transposes = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "narrow columns and values without loss, vector lanes down the rows",
          .parameters = {{"max_ratio", "most stored places a nonzero", 3, 1, 1'000'000'000},
                         {"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                      prepare<double, std::int32_t>, prepare<double, std::int64_t>}};
}

#include "kernels/cpu/vector/isa_end.hpp"
