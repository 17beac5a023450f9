#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/fused.hpp"
#include "kernels/cpu/vector/dot.hpp"
#include "kernels/cpu/vector/several_rows.hpp"
#include "kernels/cpu/windows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// Row by row over entries in the order of CSR, as many entries to each thread. A row that several
// parts share is finished by the last of them, and what the others have of it is added afterwards.
// The transposed product adds to private sums.
//
// Source is the stored matrix, made from (CsrView, Parameters), with
//   view()               rows, cols, nnz, offsets, bytes()
//   bytes(), borrows()   as in Product
//   at(row, use)         calls use(values, columns, first, base, end): from `row` to row `end` the
//                        column of entry k is base + columns[k - first], its value values.at(k)
//   plain                the view's own values and columns are those of CSR
template <Value T, Offset O, class Source>
class BalancedRows final : public cpu::SeveralProduct<T> {
 public:
  BalancedRows(const CsrView<T, O>& a, const Parameters& p)
      : source_(a, p),
        team_(cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"))),
        cuts_(cpu::split_entries(a, team_)),
        windows_(a.cols, column_ranges(a)),
        carried_(static_cast<std::size_t>(team_)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    if (op == Op::none)
      rows(alpha, x.data(), beta, y.data(), whole, [](int, index_t, index_t) {});
    else
      columns(alpha, x.data(), beta, y.data());
  }

  bool fuses(Op op) const override { return op == Op::none && team_ <= cpu::most_fused; }

  // Each thread ends its rows while the nearest cache has them; rows that others have a part in
  // come last.
  void multiply_fused(StreamView stream, Op op, T alpha, std::span<const T> x, T beta,
                      std::span<T> y, const Epilogue<T>& end) const override {
    if (!fuses(op) || !cpu::takes_fused(stream, alpha))
      return Product<T>::multiply_fused(stream, op, alpha, x, beta, y, end);
    EndSums sums[cpu::most_fused];
    rows(alpha, x.data(), beta, y.data(), at_hand, [&](int part, index_t first, index_t last) {
      if (first == cuts_[part].row && shared_begin(part)) ++first;
      sums[part] += end_elements(end, y.data(), first, last);
    });
    for (int part = 1; part < team_; ++part) {
      const index_t row = cuts_[part].row;
      if (shared_begin(part) && row < cuts_[part + 1].row)
        sums[part] += end_elements(end, y.data(), row, row + 1);
    }
    for (int part = 1; part < team_; ++part) sums[0] += sums[part];
    put_sums(end, sums[0]);
  }

  std::size_t bytes() const override {
    return source_.bytes() + windows_.bytes() + cuts_.size() * sizeof(cpu::Cut) + carried_.bytes();
  }
  bool borrows() const override { return source_.borrows(); }
  std::size_t traffic(Op op, bool reads_y) const override {
    const auto a = source_.view();
    return cpu::traffic_of(a, a.bytes(), op, reads_y);
  }

 private:
  static constexpr index_t whole = std::numeric_limits<index_t>::max();
  static constexpr index_t at_hand = 128;  // rows that are ended together

  // Whether a part begins within a row.
  bool shared_begin(int part) const {
    const cpu::Cut from = cuts_[part];
    const auto a = source_.view();
    return from.row < a.rows && from.entry > static_cast<std::int64_t>(a.offsets[from.row]);
  }

  cpu::SeveralShape several_shape() const override {
    return several_shape_of<T>(static_cast<std::int64_t>(source_.view().nnz), team_);
  }
  void several(Op op, const cpu::Several<T>& s) const override {
    const auto feed = [&](int part, const TakeRun<T, O>& take) { feed_part(part, take); };
    if (op == Op::none)
      several_by_rows<T, O>(s, team_, feed);
    else
      several_by_columns<T, O>(s, windows_, feed);
  }

  // Hands over a part's entries as those of CSR: some at a time, where they must be decoded.
  void feed_part(int part, const TakeRun<T, O>& take) const {
    const auto a = source_.view();
    const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
    if constexpr (Source::plain) {
      take({a.values, a.columns, a.offsets, nullptr, from.row, to.row, from.entry, to.entry});
    } else {
      constexpr std::int64_t room = 1024;
      T decoded_room[room];
      index_t places_room[room];
      T* const decoded = decoded_room;
      index_t* const places = places_room;
      index_t i = from.row;
      std::int64_t k = from.entry;
      while (i < to.row || k < to.entry)
        source_.at(i, [&](const auto& values, const auto* columns, std::int64_t first, index_t base,
                          index_t end) {
          const index_t last = std::min(end, to.row);
          const auto stop = end <= to.row ? static_cast<std::int64_t>(a.offsets[last]) : to.entry;
          do {
            const std::int64_t next = std::min(stop, k + room);
            for (std::int64_t e = k; e < next; ++e)
              places[e - k] = base + static_cast<index_t>(columns[e - first]);
            const T* its_values = decoded - k;
            if constexpr (std::is_same_v<decltype(values), const PlainValues<T, T>&>)
              its_values = values.values;
            else
              for (std::int64_t e = k; e < next; ++e) decoded[e - k] = values.at(e);
            const index_t top = i;
            while (i < last && static_cast<std::int64_t>(a.offsets[i + 1]) <= next) ++i;
            take({its_values, places - k, a.offsets, nullptr, top, i, k, next});
            k = next;
          } while (k < stop);
        });
    }
  }

  // done(part, first, last) after some rows of a part, at most `most` of them.
  template <class Done>
  void rows(T alpha, const T* x, T beta, T* y, index_t most, Done&& done) const {
    const auto a = source_.view();
    auto lease = carried_.borrow();
    T* const carried = lease.data();
    parallel_parts(team_, [&](int part) {
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      std::int64_t k = from.entry;
      for (index_t i = from.row; i < to.row;)
        source_.at(i, [&](const auto& values, const auto* columns, std::int64_t first, index_t base,
                          index_t end) {
          const index_t last = std::min({end, to.row, most < to.row - i ? i + most : to.row});
          const O* const offsets = a.offsets;
          row_sums(values, columns - first, offsets, i, last, k, alpha, x + base, beta, y);
          done(part, i, last);
          i = last;
          k = static_cast<std::int64_t>(offsets[last]);
        });
      T rest = 0;
      if (k < to.entry)
        source_.at(to.row, [&](const auto& values, const auto* columns, std::int64_t first,
                               index_t base, index_t) {
          rest = dot<T>(values, k, columns + (k - first), to.entry - k, x + base);
        });
      carried[part] = rest;
    });
    for (int part = 0; part + 1 < team_; ++part) {
      const cpu::Cut end = cuts_[part + 1];
      // Whether the part has a share of that row, not all of which is its own.
      if (end.row < a.rows && end.entry > static_cast<std::int64_t>(a.offsets[end.row]))
        y[end.row] += alpha * carried[part];
    }
  }

  // Rows `first` to `last`, the first of them from entry k on. All by value, so that nothing of it
  // is loaded again after every store to y.
  template <class Values, class Index>
  static void row_sums(Values values, const Index* columns, const O* offsets, index_t first,
                       index_t last, std::int64_t k, T alpha, const T* x, T beta, T* y) {
    for (index_t i = first; i < last; ++i) {
      const auto next = static_cast<std::int64_t>(offsets[i + 1]);
      cpu::store(y[i], alpha, dot<T>(values, k, columns + k, next - k, x), beta);
      k = next;
    }
  }

  void columns(T alpha, const T* x, T beta, T* y) const {
    const auto a = source_.view();
    typename cpu::Windows<T>::Sums buffers(windows_);
    parallel_parts(team_, [&](int part) {
      T* sums = buffers.clear(part);
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      std::int64_t k = from.entry;
      for (index_t i = from.row; i <= to.row && k < to.entry;)
        source_.at(i, [&](const auto& values, const auto* columns, std::int64_t first, index_t base,
                          index_t end) {
          T* near = sums + base;
          for (; i < end && k < to.entry; ++i) {
            const auto next = std::min(to.entry, static_cast<std::int64_t>(a.offsets[i + 1]));
            const T factor = x[i];
            for (; k < next; ++k) near[columns[k - first]] += values.at(k) * factor;
          }
        });
    });
    buffers.reduce(team_, alpha, beta, y);
  }

  // The columns that each part touches.
  std::vector<cpu::ColumnRange> column_ranges(const CsrView<T, O>& a) const {
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team_));
    parallel_parts(team_, [&](int part) {
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      // A last row that is shared counts whole.
      ranges[part] = cpu::columns_touched(a, from.row, std::min(a.rows, to.row + 1));
    });
    return ranges;
  }

  Source source_;
  int team_;
  std::vector<cpu::Cut> cuts_;
  cpu::Windows<T> windows_;
  mutable cpu::ScratchPool<T> carried_;
};

template <template <class, class> class Source, Value T, Offset O>
std::unique_ptr<Product<T>> prepare_balanced_one(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<BalancedRows<T, O, Source<T, O>>>(a, p);
}

// `prepare` for all four types.
template <template <class, class> class Source>
PrepareTable prepare_balanced() {
  return {prepare_balanced_one<Source, float, std::int32_t>,
          prepare_balanced_one<Source, float, std::int64_t>,
          prepare_balanced_one<Source, double, std::int32_t>,
          prepare_balanced_one<Source, double, std::int64_t>};
}

#include "kernels/cpu/vector/isa_end.hpp"
