#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <nonzero/formats/csr.hpp>

#include "kernels/gpu/parts/search.hpp"
#include "simt/launch_sizes.hpp"

// The entries of CSR on the device, numbered for a sort.
namespace nz::NZ_HOME {

// A value as bits, to go with a key.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// How many bits a key takes for numbers from 0 to n - 1; at least 1.
inline int bits_for(std::int64_t n) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 2) - 1));
}

// keys[k] = key(row, column) of entry k. A warp takes 1024 of them, so that their rows are looked
// for among few.
template <class O, class Key>
struct NumberEntries {
  static constexpr const char* name = "number entries";
  static constexpr int entries_per_warp = 1024;
  index_t rows;
  std::int64_t nnz;
  const O* offsets;
  const index_t* columns;
  Key key;
  std::uint64_t* keys;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t begin = t.global_index() / 32 * entries_per_warp;
    if (begin >= nnz) return;
    const std::int64_t end = begin + entries_per_warp < nnz ? begin + entries_per_warp : nnz;
    const index_t first = row_of(t, offsets, begin, 0, rows - 1);
    const index_t last = row_of(t, offsets, end - 1, first, rows - 1);
    for (std::int64_t k = begin + t.lane(); k < end; k += 32)
      keys[k] = key(row_of(t, offsets, k, first, last), t.load_streaming(columns + k));
  }
};

// `key` has NZ_DEVICE std::uint64_t operator()(index_t row, index_t column) const.
template <class T, class O, class Key>
void number_entries(const CsrView<T, O>& a, const Key& key, std::uint64_t* keys) {
  using Numbers = NumberEntries<O, Key>;
  const std::int64_t nnz = a.nnz;
  launch(one_thread_each((nnz + Numbers::entries_per_warp - 1) / Numbers::entries_per_warp * 32),
         Numbers{a.rows, nnz, a.offsets, a.columns, key, keys});
}

}  // namespace nz::NZ_HOME
