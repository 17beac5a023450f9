#pragma once
#include <nonzero/formats/bsr.hpp>

#include "kernels/cpu/vector/several_columns.hpp"

#include "kernels/cpu/vector/isa_begin.hpp"

// A line of R x C blocks and some columns of X by rows, n of them as one vector: a row of X that is
// loaded serves all rows of a block.
template <int n, int R, int C, class T, class O>
NZ_INLINE void line_of_several(const BsrView<T, O>& a, index_t i, const cpu::Several<T>& s,
                               index_t first) {
  using P = Pack<T, n>;
  typename P::Vector sums[R] = {};
  const T* const x = s.x + first;
  const T* block = a.values + static_cast<std::size_t>(a.offsets[i]) * (R * C);
  for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k, block += R * C) {
    const index_t j = a.columns[k];
    const T* from = x + std::int64_t{j} * C * s.x_leading;
    const auto add = [&](int c) NZ_INLINE_LAMBDA {
      const auto row = P::load(from + c * s.x_leading);
      for (int r = 0; r < R; ++r) sums[r] += block[r * C + c] * row;
    };
    if (const index_t width = a.width(j); width == C)
      for (int c = 0; c < C; ++c) add(c);
    else
      for (int c = 0; c < width; ++c) add(c);
  }
  const DenseView<T>& y = s.y;
  const index_t height = a.height(i);
  T* const to = y.data() + first * y.column_stride() + std::int64_t{i} * R * y.row_stride();
  for (int r = 0; r < R && r < height; ++r)
    P::put(to + r * y.row_stride(), y.column_stride(), s.columns - first, s.alpha, sums[r], s.beta);
}

// Adds the transposed line's products to rows of sums, `leading` apart.
template <int n, int R, int C, class T, class O>
NZ_INLINE void scatter_line_of_several(const BsrView<T, O>& a, index_t i, const cpu::Several<T>& s,
                                       index_t first, T* sums, std::int64_t leading) {
  using P = Pack<T, n>;
  const index_t height = a.height(i);
  typename P::Vector factors[R] = {};
  for (int r = 0; r < R && r < height; ++r)
    factors[r] = P::load(s.x + first + (std::int64_t{i} * R + r) * s.x_leading);
  const T* block = a.values + static_cast<std::size_t>(a.offsets[i]) * (R * C);
  for (O k = a.offsets[i]; k < a.offsets[i + 1]; ++k, block += R * C) {
    const index_t j = a.columns[k];
    T* const to = sums + first + std::int64_t{j} * C * leading;
    const auto add = [&](int c) NZ_INLINE_LAMBDA {
      auto sum = P::load(to + c * leading);
      for (int r = 0; r < R; ++r) sum += block[r * C + c] * factors[r];
      P::store(to + c * leading, sum);
    };
    if (const index_t width = a.width(j); width == C)
      for (int c = 0; c < C; ++c) add(c);
    else
      for (int c = 0; c < width; ++c) add(c);
  }
}

#include "kernels/cpu/vector/isa_end.hpp"
