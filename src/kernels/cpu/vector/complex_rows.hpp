#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include <nonzero/formats/compact.hpp>

#include "base/complex.hpp"
#include "base/parallel.hpp"
#include "kernels/complex_product.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/windows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// balanced_rows.hpp for complex values: the same parts of equal work, the same private sums. Of a
// row four sums of real products are kept, which are four chains of additions; the conjugate only
// changes how they are put together.

// Values in their code, one reader a code: at(p) is that of one place.
template <class T, class Stored>
struct ComplexValues {
  const Stored* values;
  NZ_INLINE T at(std::int64_t p) const { return T(values[p]); }
};
template <class T>
struct ComplexTable {
  const std::uint8_t* codes;
  const T* table;
  NZ_INLINE T at(std::int64_t p) const { return table[codes[p]]; }
};
template <class T>
struct ComplexConstant {
  T value;
  NZ_INLINE T at(std::int64_t) const { return value; }
};

// The CSR arrays where they are.
template <class T, class O>
class ComplexInPlace {
 public:
  explicit ComplexInPlace(const CsrView<T, O>& a) : a_(a) {}
  const CsrView<T, O>& view() const { return a_; }
  std::size_t bytes() const { return 0; }
  bool borrows() const { return true; }
  template <class Use>
  NZ_INLINE void at(index_t, Use&& use) const {
    use(ComplexValues<T, T>{a_.values}, a_.columns, std::int64_t{0}, index_t{0}, a_.rows);
  }

 private:
  CsrView<T, O> a_;
};

// The compact format.
template <class T, class O>
class ComplexCompact {
  using R = real_of<T>;
  using Stored = std::complex<R>;

 public:
  explicit ComplexCompact(const CsrView<T, O>& a)
      : stored_(compact_from_csr(CsrView<Stored, O>{a.rows, a.cols, a.nnz, a.offsets, a.columns,
                                                    reinterpret_cast<const Stored*>(a.values)})),
        a_(stored_.view()) {}
  const CompactView<Stored, O>& view() const { return a_; }
  std::size_t bytes() const { return stored_.bytes(); }
  bool borrows() const { return false; }

  template <class Use>
  NZ_INLINE void at(index_t row, Use&& use) const {
    constexpr index_t group_rows = CompactView<Stored, O>::group_rows;
    const index_t g = row / group_rows, top = g * group_rows;
    const index_t end = a_.rows - top < group_rows ? a_.rows : top + group_rows;
    const CompactGroup group = a_.groups[g];
    const auto first = static_cast<std::int64_t>(a_.offsets[top]);
    const std::uint8_t* const bytes = a_.indices + group.index;
    const auto with_values = [&](const auto* columns) {
      with_code([&](const auto& values) { use(values, columns, first, group.base, end); });
    };
    if (group.width == 1)
      with_values(bytes);
    else if (group.width == 2)
      with_values(reinterpret_cast<const std::uint16_t*>(bytes));
    else
      with_values(reinterpret_cast<const std::int32_t*>(bytes));
  }

 private:
  template <class Use>
  NZ_INLINE void with_code(Use&& use) const {
    const auto* table = as_kernel(a_.table);
    switch (a_.code) {
      case ValueCode::full:
        return use(ComplexValues<T, T>{reinterpret_cast<const T*>(a_.values)});
      case ValueCode::single:
        return use(ComplexValues<T, KernelComplex<float>>{
            reinterpret_cast<const KernelComplex<float>*>(a_.values)});
      case ValueCode::table:
        return use(ComplexTable<T>{reinterpret_cast<const std::uint8_t*>(a_.values), table});
      case ValueCode::constant:
        return use(ComplexConstant<T>{table[0]});
      case ValueCode::half:
      case ValueCode::bfloat:
        break;  // of floats alone
    }
  }

  Compact<Stored, O> stored_;
  CompactView<Stored, O> a_;
};

template <Value T, Offset O, class Source>
class ComplexRows final : public Product<T> {
  using R = real_of<T>;

 public:
  ComplexRows(const CsrView<T, O>& a, const Parameters& p)
      : source_(a),
        team_(cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"))),
        cuts_(cpu::split_entries(a, team_)),
        windows_(a.cols, column_ranges(a)),
        carried_(static_cast<std::size_t>(team_)) {}

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    const R sign = is_conjugated(op) ? R(-1) : R(1);
    if (is_transposed(op))
      columns(sign, alpha, x.data(), beta, y.data());
    else
      rows(sign, alpha, x.data(), beta, y.data());
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
  static NZ_INLINE void store(T& y, T alpha, T sum, T beta) {
    y = beta == T(0) ? alpha * sum : alpha * sum + beta * y;
  }

  // The sum over n entries from place p on, whose imaginary parts count `sign` times.
  template <class Values, class Index>
  static NZ_INLINE T dot(const Values& values, std::int64_t p, const Index* columns, std::int64_t n,
                         const T* x, R sign) {
    R rr = 0, ii = 0, ri = 0, ir = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const T a = values.at(p + k), b = x[columns[k]];
      rr += a.re * b.re;
      ii += a.im * b.im;
      ri += a.re * b.im;
      ir += a.im * b.re;
    }
    return {rr - sign * ii, ri + sign * ir};
  }

  void rows(R sign, T alpha, const T* x, T beta, T* y) const {
    const auto a = source_.view();
    auto lease = carried_.borrow();
    T* const carried = lease.data();
    parallel_parts(team_, [&](int part) {
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      std::int64_t k = from.entry;
      for (index_t i = from.row; i < to.row;)
        source_.at(i, [&](const auto& values, const auto* columns, std::int64_t first, index_t base,
                          index_t end) {
          const index_t last = std::min(end, to.row);
          row_sums(values, columns - first, a.offsets, i, last, k, sign, alpha, x + base, beta, y);
          i = last;
          k = static_cast<std::int64_t>(a.offsets[last]);
        });
      T rest = 0;
      if (k < to.entry)
        source_.at(to.row, [&](const auto& values, const auto* columns, std::int64_t first,
                               index_t base, index_t) {
          rest = dot(values, k, columns + (k - first), to.entry - k, x + base, sign);
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

  // By value, so that nothing of it is loaded again after every store to y.
  template <class Values, class Index>
  static void row_sums(Values values, const Index* columns, const O* offsets, index_t first,
                       index_t last, std::int64_t k, R sign, T alpha, const T* x, T beta, T* y) {
    for (index_t i = first; i < last; ++i) {
      const auto next = static_cast<std::int64_t>(offsets[i + 1]);
      store(y[i], alpha, dot(values, k, columns + k, next - k, x, sign), beta);
      k = next;
    }
  }

  void columns(R sign, T alpha, const T* x, T beta, T* y) const {
    const auto a = source_.view();
    typename cpu::Windows<T>::Sums buffers(windows_);
    parallel_parts(team_, [&](int part) {
      T* sums = buffers.clear(part);
      const cpu::Cut from = cuts_[part], to = cuts_[part + 1];
      index_t i = from.row;
      std::int64_t k = from.entry;
      while (k < to.entry)
        source_.at(i, [&](const auto& values, const auto* columns, std::int64_t first, index_t base,
                          index_t end) {
          T* near = sums + base;
          for (; i < end && k < to.entry; ++i) {
            const auto next = std::min(to.entry, static_cast<std::int64_t>(a.offsets[i + 1]));
            const T factor = x[i], turned{-sign * factor.im, sign * factor.re};  // sign * i * x
            for (; k < next; ++k) {
              const T v = values.at(k);
              T& sum = near[columns[k - first]];
              sum = {sum.re + (v.re * factor.re + v.im * turned.re),
                     sum.im + (v.re * factor.im + v.im * turned.im)};
            }
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

// Adds `prepare` for the four complex types.
template <template <class, class> class Source>
PrepareTable with_complex_rows(PrepareTable all) {
  add_complex(all, []<class T, Offset O>(const CsrView<T, O>& a, const Parameters& p) {
    return std::unique_ptr<Product<T>>(std::make_unique<ComplexRows<T, O, Source<T, O>>>(a, p));
  });
  return all;
}

#include "kernels/cpu/vector/isa_end.hpp"
