#include <algorithm>
#include <vector>

#include <nonzero/formats/sell.hpp>

#include "base/parallel.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/vector/run_writer.hpp"
#include "kernels/cpu/vector/slot.hpp"
#include "kernels/cpu/vector/streams.hpp"
#include "kernels/cpu/windows.hpp"
#include "kernels/cpu_several_rules.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

namespace {

// SELL-C-sigma: a vector lane goes down a row, x is gathered. Padding (column -1) is masked.
template <Value T, Offset O>
class SellGather final : public cpu::SeveralProduct<T> {
  using L = Lanes<T>;

 public:
  SellGather(const CsrView<T, O>& a, const Parameters& p)
      : stored_(sell_from_csr(a, static_cast<index_t>(p.at("chunk")),
                              static_cast<index_t>(p.at("sigma")),
                              static_cast<double>(p.at("max_ratio")))),
        a_(stored_.view()) {
    const int team =
        cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"));
    // Slices, as many slots to each part; a slice costs something, too.
    cuts_ = cpu::split_lines(a_.slices(), team, [&](index_t q) {
      return static_cast<std::int64_t>(a_.offsets[q]) + std::int64_t{q} * a_.chunk;
    });
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team));
    parallel_parts(team, [&](int part) {
      index_t low = a_.cols, high = 0;
      for (O k = a_.offsets[cuts_[part]]; k < a_.offsets[cuts_[part + 1]]; ++k)
        if (a_.columns[k] >= 0) {
          low = std::min(low, a_.columns[k]);
          high = std::max(high, a_.columns[k] + 1);
        }
      if (low < high) ranges[part] = {low, high};
    });
    windows_ = {a_.cols, std::move(ranges)};
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    if (op == Op::none) {
      parallel_parts(team(), [&](int part) {
        for (index_t q = cuts_[part]; q < cuts_[part + 1]; ++q)
          row_sums(q, alpha, x.data(), beta, y.data());
      });
    } else {
      typename cpu::Windows<T>::Sums buffers(windows_);
      parallel_parts(team(), [&](int part) {
        T* sums = buffers.clear(part);
        for (index_t q = cuts_[part]; q < cuts_[part + 1]; ++q) scatter(q, x.data(), sums);
      });
      buffers.reduce(team(), alpha, beta, y.data());
    }
  }

  std::size_t bytes() const override {
    return stored_.bytes() + windows_.bytes() + cuts_.size() * sizeof(index_t);
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return cpu::traffic_of(a_, a_.bytes(), op, reads_y);
  }

 private:
  int team() const { return static_cast<int>(cuts_.size()) - 1; }

  cpu::SeveralShape several_shape() const override {
    cpu::SeveralShape shape = several_shape_of<T>(a_.nnz, team(), true);
    shape.streams = cpu::few_gathers;
    shape.streams_of_rows = cpu::few_gathers_of_rows;
    shape.streams_gather = true;
    return shape;
  }
  void streams(const cpu::Several<T>& s) const override {
    parallel_parts(team(), [&](int part) {
      for (index_t q = cuts_[part]; q < cuts_[part + 1]; ++q) stream_sums(q, s);
    });
  }

  // row_sums() of some columns of X, one behind the other.
  void stream_sums(index_t q, const cpu::Several<T>& s) const {
    constexpr index_t many = Slot<T>::steps * L::width;
    const index_t lanes = a_.lanes(q), width = a_.width(q);
    const index_t* rows = a_.permutation + static_cast<std::ptrdiff_t>(q) * a_.chunk;
    alignas(64) T results[cpu::few_gathers * many];
    index_t l = 0;
    for (; l + many <= lanes; l += many) {
      for_groups<1, most_streams>(
          s.columns, true, [&]<int n>(Count<n>, const ColumnGroup& g) NZ_INLINE_LAMBDA {
            StreamsByColumns<T, n> sums(s.x_stride);
            const T* const x = s.x + g.first * s.x_stride;
            O k = a_.offsets[q] + l;
            for (index_t e = 0; e < width; ++e, k += lanes)
              for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
                const O at = k + h * L::width;
                sums.gather(h, L::load(a_.values + at), a_.columns + at, x);
              });
            for_vectors<n>([&](int j) NZ_INLINE_LAMBDA {
              for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
                L::store(results + (g.first + j) * many + h * L::width, sums[j].at[h]);
              });
            });
          });
      put(rows + l, results, s);
    }
    for (; l < lanes; ++l)
      for (index_t j = 0; j < s.columns; ++j) {
        T sum = 0;
        O k = a_.offsets[q] + l;
        for (index_t e = 0; e < width && a_.columns[k] >= 0; ++e, k += lanes)
          sum += a_.values[k] * s.x[j * s.x_stride + a_.columns[k]];
        cpu::store(s.y(rows[l], j), s.alpha, sum, s.beta);
      }
  }

  // Sums of rows, those of a column side by side, to rows of Y that lie anywhere: all columns of
  // one together.
  static NZ_INLINE void put(const index_t* rows, const T* sums, const cpu::Several<T>& s) {
    constexpr index_t many = Slot<T>::steps * L::width;
    T* const y = s.y.data();
    const std::int64_t row = s.y.row_stride(), column = s.y.column_stride();
    const index_t columns = s.columns;
    const T alpha = s.alpha, beta = s.beta;
    for (index_t i = 0; i < many; ++i) {
      T* const to = y + rows[i] * row;
      for (index_t j = 0; j < columns; ++j)
        cpu::store(to[j * column], alpha, sums[j * many + i], beta);
    }
  }
  void several(Op op, const cpu::Several<T>& s) const override {
    several_by_writing(op, s, windows_, [&](int part, RunWriter<T>& to) {
      for (index_t q = cuts_[part]; q < cuts_[part + 1]; ++q) {
        const index_t lanes = a_.lanes(q), width = a_.width(q);
        for (index_t l = 0; l < lanes; ++l) {
          to.begin_row(a_.permutation[static_cast<std::ptrdiff_t>(q) * a_.chunk + l]);
          const std::ptrdiff_t top = static_cast<std::ptrdiff_t>(a_.offsets[q]) + l;
          for (index_t e = 0; e < width;) {
            const index_t n = std::min<index_t>(width - e, RunWriter<T>::room);
            const auto at = to.place(n);
            const index_t* const columns = a_.columns + top + std::ptrdiff_t{e} * lanes;
            const T* const values = a_.values + top + std::ptrdiff_t{e} * lanes;
            index_t count = 0;
            for (; count < n && columns[std::ptrdiff_t{count} * lanes] >= 0; ++count) {
              at.values[count] = values[std::ptrdiff_t{count} * lanes];
              at.columns[count] = columns[std::ptrdiff_t{count} * lanes];
            }
            to.taken(count);
            e = count < n ? width : e + n;
          }
          to.end_row();
        }
      }
    });
  }

  NZ_INLINE void row_sums(index_t q, T alpha, const T* x, T beta, T* y) const {
    const index_t lanes = a_.lanes(q), width = a_.width(q);
    const index_t* rows = a_.permutation + static_cast<std::ptrdiff_t>(q) * a_.chunk;
    index_t l = 0;
    // Several vectors side by side, then one by one.
    constexpr index_t many = Slot<T>::steps * L::width;
    for (; l + many <= lanes; l += many) {
      Slot<T> sums;
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA { sums.at[h] = L::zero(); });
      O k = a_.offsets[q] + l;
      for (index_t s = 0; s < width; ++s, k += lanes)
        for_steps<T>([&](int h) NZ_INLINE_LAMBDA { add(k + h * L::width, x, sums.at[h]); });
      for_steps<T>([&](int h) NZ_INLINE_LAMBDA {
        store(rows + l + h * L::width, sums.at[h], alpha, beta, y);
      });
    }
    if constexpr (many > L::width)
      for (; l + L::width <= lanes; l += L::width) {
        auto sum = L::zero();
        O k = a_.offsets[q] + l;
        for (index_t s = 0; s < width; ++s, k += lanes) add(k, x, sum);
        store(rows + l, sum, alpha, beta, y);
      }
    for (; l < lanes; ++l) {
      T sum = 0;
      O k = a_.offsets[q] + l;
      for (index_t s = 0; s < width && a_.columns[k] >= 0; ++s, k += lanes)
        sum += a_.values[k] * x[a_.columns[k]];
      cpu::store(y[rows[l]], alpha, sum, beta);
    }
  }

  // Adds the products of the places from k on.
  NZ_INLINE void add(O k, const T* x, typename L::Vector& sum) const {
    const index_t* columns = a_.columns + k;
    if constexpr (requires { L::gather_taken(x, columns); }) {
      sum = L::fma(L::load(a_.values + k), L::gather_taken(x, columns), sum);
    } else {
      const auto i = L::indices(columns);
      sum = L::fma(L::load(a_.values + k), L::gather_some(L::not_negative(i), x, i), sum);
    }
  }

  static NZ_INLINE void store(const index_t* rows, typename L::Vector sum, T alpha, T beta, T* y) {
    alignas(64) T result[L::width];
    L::store(result, sum);
    for (int i = 0; i < L::width; ++i) cpu::store(y[rows[i]], alpha, result[i], beta);
  }

  NZ_INLINE void scatter(index_t q, const T* x, T* sums) const {
    const index_t lanes = a_.lanes(q), width = a_.width(q);
    const index_t* rows = a_.permutation + static_cast<std::ptrdiff_t>(q) * a_.chunk;
    O k = a_.offsets[q];
    for (index_t s = 0; s < width; ++s)
      for (index_t l = 0; l < lanes; ++l, ++k)
        if (a_.columns[k] >= 0) sums[a_.columns[k]] += a_.values[k] * x[rows[l]];
  }

  Sell<T, O> stored_;
  SellView<T, O> a_;
  std::vector<index_t> cuts_;
  cpu::Windows<T> windows_;
};

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  return std::make_unique<SellGather<T, O>>(a, p);
}

}  // namespace

Kernel cpu_sell_gather() {
  return {.family = "cpu",
          .format = "sell",
          .strategy = "gather",
          .transposes = true,
          .several = true,
          .determinism = Determinism::always,
          .threaded = true,
          .source = "own",
          .summary = "vector lanes down the rows, x gathered",
          .parameters = {{"chunk", "rows of a slice", 32, 1, 1024},
                         {"sigma", "rows sorted together", 1024, 1, 1 << 30},
                         {"max_ratio", "most slots a nonzero", 3, 1, 1'000'000'000},
                         {"grain", "fewest rows and nonzeros a thread", 8192, 1, 1 << 30}},
          .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                      prepare<double, std::int32_t>, prepare<double, std::int64_t>},
          .rows_end_together = true};
}

#include "kernels/cpu/vector/isa_end.hpp"
