#include "kernels/cpu/esb.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "base/instantiate.hpp"
#include "kernels/cpu/entry_split.hpp"

namespace nz::cpu {

template <Value T, Offset O>
Esb<T> esb_from_csr(const CsrView<T, O>& a, index_t blocks, index_t window) {
  constexpr int height = Esb<T>::height;
  Esb<T> m;
  m.rows = a.rows;
  m.cols = a.cols;
  m.blocks = std::clamp<index_t>(blocks, 1, std::max<index_t>(a.cols, 1));
  m.slices = a.rows / height + (a.rows % height != 0);
  const auto rows = static_cast<std::size_t>(a.rows);
  const std::size_t slices =
      static_cast<std::size_t>(m.blocks) * static_cast<std::size_t>(m.slices);
  m.steps = Array<std::int64_t>(slices + 1);
  m.entries = Array<std::int64_t>(slices + 1);
  m.permutation = Array<index_t>(rows * static_cast<std::size_t>(m.blocks));
  m.columns = Array<index_t>(static_cast<std::size_t>(a.nnz));
  m.values = Array<T>(static_cast<std::size_t>(a.nnz));

  std::vector<typename Esb<T>::Mask> masks;
  std::vector<O> begin(a.offsets, a.offsets + rows), end(rows);  // of the rows in the block
  std::int64_t entry = 0;
  std::size_t slice = 0;
  m.steps[0] = m.entries[0] = 0;
  for (index_t b = 0; b < m.blocks; ++b) {
    const std::int64_t right = std::int64_t{a.cols} * (b + 1) / m.blocks;
    for (std::size_t r = 0; r < rows; ++r) {
      end[r] = begin[r];
      while (end[r] < a.offsets[r + 1] && a.columns[end[r]] < right) ++end[r];
    }
    const auto length = [&](index_t r) {
      return end[static_cast<std::size_t>(r)] - begin[static_cast<std::size_t>(r)];
    };
    index_t* order = m.permutation.data() + static_cast<std::size_t>(b) * rows;
    std::iota(order, order + rows, index_t{0});
    for (std::size_t w = 0; w < rows; w += static_cast<std::size_t>(window))
      std::stable_sort(order + w, order + std::min(rows, w + static_cast<std::size_t>(window)),
                       [&](index_t i, index_t j) { return length(i) > length(j); });
    for (index_t s = 0; s < m.slices; ++s) {
      const index_t* lane = order + static_cast<std::ptrdiff_t>(s) * height;
      const int lanes = static_cast<int>(std::min<std::int64_t>(height, order + rows - lane));
      for (O step = 0;; ++step) {
        unsigned mask = 0;
        for (int l = 0; l < lanes; ++l)
          if (step < length(lane[l])) {
            mask |= 1u << l;
            const O from = begin[static_cast<std::size_t>(lane[l])] + step;
            m.columns[static_cast<std::size_t>(entry)] = a.columns[from];
            m.values[static_cast<std::size_t>(entry++)] = a.values[from];
          }
        if (mask == 0) break;
        masks.push_back(static_cast<typename Esb<T>::Mask>(mask));
      }
      ++slice;
      m.steps[slice] = static_cast<std::int64_t>(masks.size());
      m.entries[slice] = entry;
    }
    begin = end;
  }
  m.masks = Array<typename Esb<T>::Mask>(std::span<const typename Esb<T>::Mask>(masks));
  return m;
}

template <Value T>
std::vector<index_t> split_slices(const Esb<T>& a, index_t block, int parts) {
  const std::int64_t* entries =
      a.entries.data() + static_cast<std::size_t>(block) * static_cast<std::size_t>(a.slices);
  return split_lines(a.slices, parts, [&](index_t s) {
    return entries[s] - entries[0] + std::int64_t{s} * Esb<T>::height;
  });
}
template std::vector<index_t> split_slices(const Esb<float>&, index_t, int);
template std::vector<index_t> split_slices(const Esb<double>&, index_t, int);

#define NZ_INSTANTIATE(T, O) template Esb<T> esb_from_csr(const CsrView<T, O>&, index_t, index_t);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::cpu
