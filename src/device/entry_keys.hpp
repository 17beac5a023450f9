#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <nonzero/device.hpp>
#include <nonzero/formats/csr.hpp>

#include "device/sort_scan.hpp"
#include "kernels/gpu/parts/search.hpp"
#include "simt/backend.hpp"
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

// use(k, row) for the entries of this warp, lane by lane: 1024 of them, so that their rows are
// looked for among few.
inline constexpr std::int64_t entries_per_warp = 1024;
template <class O, class Use>
NZ_DEVICE void for_entries(Thread& t, index_t rows, const O* offsets, std::int64_t nnz, Use&& use) {
  const std::int64_t begin = t.global_index() / 32 * entries_per_warp;
  if (begin >= nnz) return;
  const std::int64_t end = begin + entries_per_warp < nnz ? begin + entries_per_warp : nnz;
  const index_t first = row_of(t, offsets, begin, 0, rows - 1);
  const index_t last = row_of(t, offsets, end - 1, first, rows - 1);
  for (std::int64_t k = begin + t.lane(); k < end; k += 32)
    use(k, row_of(t, offsets, k, first, last));
}
inline Launch warps_for_entries(std::int64_t nnz) {
  return one_thread_each((nnz + entries_per_warp - 1) / entries_per_warp * 32);
}

// keys[k] = key(row, column) of entry k.
template <class O, class Key>
struct NumberEntries {
  static constexpr const char* name = "number entries";
  index_t rows;
  std::int64_t nnz;
  const O* offsets;
  const index_t* columns;
  Key key;
  std::uint64_t* keys;

  NZ_DEVICE void operator()(Thread& t) const {
    for_entries(t, rows, offsets, nnz, [&](std::int64_t k, index_t row) {
      keys[k] = key(row, t.load_streaming(columns + k));
    });
  }
};

// `key` has NZ_DEVICE std::uint64_t operator()(index_t row, index_t column) const.
template <class T, class O, class Key>
void number_entries(const CsrView<T, O>& a, const Key& key, std::uint64_t* keys) {
  const std::int64_t nnz = a.nnz;
  launch(warps_for_entries(nnz),
         NumberEntries<O, Key>{a.rows, nnz, a.offsets, a.columns, key, keys});
}

// Entries in the order of these bits of their keys, as sort_pairs has it, values with them.
template <Value T>
struct SortedEntries {
  DeviceArray<std::uint64_t> keys, spare;  // one more than entries; `spare` has anything
  DeviceArray<T> values;
};
template <class T, class O, class Key>
SortedEntries<T> sort_entries(const CsrView<T, O>& a, const Key& key, int end_bit,
                              int begin_bit = 0) {
  const Device device = current_device();
  const auto n = static_cast<std::size_t>(a.nnz);
  DeviceArray<std::uint64_t> keys[2] = {{device, n + 1}, {device, n + 1}};
  DeviceArray<T> values[2] = {{device, n}, {device, n}};
  const auto plain = [](DeviceArray<T>& v) { return reinterpret_cast<Bits<T>*>(v.data()); };
  number_entries(a, key, keys[0].data());
  if (n > 0) simt::backend(device).copy(values[0].data(), a.values, n * sizeof(T), nullptr);
  const int sorted = sort_pairs<std::uint64_t, Bits<T>>(
      a.nnz, {{keys[0].data(), keys[1].data()}, {plain(values[0]), plain(values[1])}}, end_bit,
      begin_bit);
  return {std::move(keys[sorted]), std::move(keys[1 - sorted]), std::move(values[sorted])};
}

}  // namespace nz::NZ_HOME
