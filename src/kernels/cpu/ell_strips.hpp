#pragma once
#include <algorithm>

#include <nonzero/formats/ell.hpp>

// The ELL loops, shared by ELL and HYB. Slots of one row are `rows` apart in memory, so rows are
// taken in strips, slot by slot: memory is read in runs and the sums stay in the first cache.
namespace nz::cpu {

inline constexpr index_t strip_rows = 256;

// body(begin, end) over all rows, at most strip_rows at a time.
template <class Body>
void for_each_strip(index_t rows, Body&& body) {
  for (index_t begin = 0; begin < rows;) {
    const index_t end = rows - begin > strip_rows ? begin + strip_rows : rows;
    body(begin, end);
    begin = end;
  }
}

// sums[i - begin] += row i times x, for the rows of a strip.
template <Value T>
void add_ell_strip(const EllView<T>& a, index_t begin, index_t end, const T* x, T* sums) {
  for (index_t s = 0; s < a.width; ++s) {
    const index_t* columns = a.columns + a.slot(begin, s);
    const T* values = a.values + a.slot(begin, s);
    for (index_t i = 0; i < end - begin; ++i)
      if (columns[i] >= 0) sums[i] += values[i] * x[columns[i]];
  }
}

// y += alpha times the transpose times x.
template <Value T>
void add_ell_transposed(const EllView<T>& a, T alpha, const T* x, T* y) {
  for_each_strip(a.rows, [&](index_t begin, index_t end) {
    const T* factors = x + begin;
    for (index_t s = 0; s < a.width; ++s) {
      const index_t* columns = a.columns + a.slot(begin, s);
      const T* values = a.values + a.slot(begin, s);
      for (index_t i = 0; i < end - begin; ++i)
        if (columns[i] >= 0) y[columns[i]] += alpha * (values[i] * factors[i]);
    }
  });
}

}  // namespace nz::cpu
