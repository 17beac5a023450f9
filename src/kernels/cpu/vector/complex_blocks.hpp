#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include <nonzero/formats/bsr.hpp>

#include "base/complex.hpp"
#include "base/parallel.hpp"
#include "kernels/bsr_parameters.hpp"
#include "kernels/complex_product.hpp"
#include "kernels/cpu/cpu_product.hpp"
#include "kernels/cpu/entry_split.hpp"
#include "kernels/cpu/windows.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// BSR of complex values, equal blocks a thread: a block's rows one after the other, each by four
// sums of real products. Small squares are straight code.
template <Value T, Offset O>
class ComplexBlocks final : public Product<T> {
  using R = real_of<T>;

 public:
  ComplexBlocks(const CsrView<T, O>& a, const Parameters& p)
      : stored_(to_bsr(a, p)), a_(stored_.view()) {
    const int team =
        cpu::team_size(threads(), a.rows + static_cast<std::int64_t>(a.nnz), p.at("grain"));
    const auto size = static_cast<std::int64_t>(a_.block_size());
    cuts_ = cpu::split_lines(a_.grid_rows(), team, [&](index_t i) {
      return static_cast<std::int64_t>(a_.offsets[i]) * size + std::int64_t{i} * a_.block_rows;
    });
    std::vector<cpu::ColumnRange> ranges(static_cast<std::size_t>(team));
    parallel_parts(team, [&](int part) {
      index_t low = a_.cols, high = 0;
      for (O k = a_.offsets[cuts_[part]]; k < a_.offsets[cuts_[part + 1]]; ++k) {
        const index_t j = a_.columns[k];
        low = std::min(low, j * a_.block_cols);
        high = std::max(high, j * a_.block_cols + a_.width(j));
      }
      if (low < high) ranges[part] = {low, high};
    });
    windows_ = {a_.cols, std::move(ranges)};
  }

  Facts facts() const override { return bsr_facts(a_); }
  std::size_t bytes() const override {
    return stored_.bytes() + windows_.bytes() + cuts_.size() * sizeof(index_t);
  }
  bool borrows() const override { return false; }
  std::size_t traffic(Op op, bool reads_y) const override {
    return cpu::traffic_of(a_, a_.bytes(), op, reads_y);
  }

  void multiply(Op op, T alpha, std::span<const T> x, T beta, std::span<T> y) const override {
    if (cpu::take_rare_alpha<T>(*this, op, alpha, x, beta, y)) return;
    const R sign = is_conjugated(op) ? R(-1) : R(1);
    if (is_transposed(op)) {
      typename cpu::Windows<T>::Sums buffers(windows_);
      each_line([&](int part) { return buffers.clear(part); },
                [&](auto cols, index_t i, T* sums) { scatter(cols, i, sign, x.data(), sums); });
      buffers.reduce(team(), alpha, beta, y.data());
    } else {
      each_line([](int) { return nullptr; },
                [&](auto cols, index_t i, std::nullptr_t) {
                  line(cols, i, sign, alpha, x.data(), beta, y.data());
                });
    }
  }

 private:
  template <index_t n>
  struct Columns {
    static constexpr index_t count(index_t) { return n; }
  };
  struct AnyColumns {
    static constexpr index_t count(index_t n) { return n; }
  };

  int team() const { return static_cast<int>(cuts_.size()) - 1; }
  const T* block(O k) const { return a_.values + static_cast<std::size_t>(k) * a_.block_size(); }

  // body(columns of a block, line, what `begin` made of the part) for all lines.
  template <class Begin, class Body>
  void each_line(Begin&& begin, Body&& body) const {
    const auto with = [&](auto cols) {
      parallel_parts(team(), [&](int part) {
        const auto its = begin(part);
        for (index_t i = cuts_[part]; i < cuts_[part + 1]; ++i) body(cols, i, its);
      });
    };
    switch (a_.block_cols) {
      case 2:
        return with(Columns<2>{});
      case 3:
        return with(Columns<3>{});
      case 4:
        return with(Columns<4>{});
      default:
        return with(AnyColumns{});
    }
  }

  template <class Columns>
  NZ_INLINE void line(Columns cols, index_t i, R sign, T alpha, const T* x, T beta, T* y) const {
    const index_t height = a_.height(i);
    for (index_t r = 0; r < height; ++r) {
      R rr = 0, ii = 0, ri = 0, ir = 0;
      for (O k = a_.offsets[i]; k < a_.offsets[i + 1]; ++k) {
        const index_t j = a_.columns[k], width = a_.width(j), all = cols.count(a_.block_cols);
        const T* from = x + static_cast<std::ptrdiff_t>(j) * all;
        const T* values = block(k) + static_cast<std::ptrdiff_t>(r) * all;
        const auto add = [&](index_t c) NZ_INLINE_LAMBDA {
          const T v = values[c], b = from[c];
          rr += v.re * b.re;
          ii += v.im * b.im;
          ri += v.re * b.im;
          ir += v.im * b.re;
        };
        if (width == all)
          for (index_t c = 0; c < all; ++c) add(c);
        else
          for (index_t c = 0; c < width; ++c) add(c);
      }
      T& to = y[static_cast<std::ptrdiff_t>(i) * a_.block_rows + r];
      const T sum{rr - sign * ii, ri + sign * ir};
      to = beta == T(0) ? alpha * sum : alpha * sum + beta * to;
    }
  }

  template <class Columns>
  NZ_INLINE void scatter(Columns cols, index_t i, R sign, const T* x, T* sums) const {
    const index_t height = a_.height(i), all = cols.count(a_.block_cols);
    for (O k = a_.offsets[i]; k < a_.offsets[i + 1]; ++k) {
      const index_t j = a_.columns[k], width = a_.width(j);
      T* to = sums + static_cast<std::ptrdiff_t>(j) * all;
      for (index_t r = 0; r < height; ++r) {
        const T* values = block(k) + static_cast<std::ptrdiff_t>(r) * all;
        const T factor = x[static_cast<std::ptrdiff_t>(i) * a_.block_rows + r];
        for (index_t c = 0; c < width; ++c) {
          const T v{values[c].re, sign * values[c].im};
          to[c] += v * factor;
        }
      }
    }
  }

  Bsr<T, O> stored_;
  BsrView<T, O> a_;
  std::vector<index_t> cuts_;
  cpu::Windows<T> windows_;
};

// Adds `prepare` for the four complex types.
inline PrepareTable with_complex_blocks(PrepareTable all) {
  add_complex(all, []<class T, Offset O>(const CsrView<T, O>& a, const Parameters& p) {
    return std::unique_ptr<Product<T>>(std::make_unique<ComplexBlocks<T, O>>(a, p));
  });
  return all;
}

#include "kernels/cpu/vector/isa_end.hpp"
