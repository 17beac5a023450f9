#pragma once
#include <nonzero/formats/ell.hpp>

namespace nz {

template <Value T, Offset O>
index_t longest_row(const CsrView<T, O>& a) {
  O most = 0;
  for (index_t i = 0; i < a.rows; ++i)
    if (a.offsets[i + 1] - a.offsets[i] > most) most = a.offsets[i + 1] - a.offsets[i];
  return static_cast<index_t>(most);
}

// The first `width` entries of every row.
template <Value T, Offset O>
Ell<T> ell_of_width(const CsrView<T, O>& a, index_t width);

}  // namespace nz
