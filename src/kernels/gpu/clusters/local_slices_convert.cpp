#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/fetch.hpp"
#include "device/sort_scan.hpp"
#include "kernels/gpu/clusters/local_slices.hpp"
#include "kernels/gpu/clusters/row_clusters.hpp"
#include "kernels/gpu/clusters/width.hpp"

// Entries in the order of the blocks are sorted by column, in each block; where a new column
// begins a prefix sum counts on, which numbers the lists and says each entry its place in one.
namespace nz::NZ_HOME {
namespace {

template <class O>
struct LengthsInOrder {
  static constexpr const char* name = "lengths of rows in a new order";
  const O* offsets;
  const index_t* row_of;
  std::int64_t rows;
  std::int64_t* lengths;
  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    const std::int64_t row = i < rows ? t.load(row_of + i) : 0;
    lengths[i] = i < rows ? t.load(offsets + row + 1) - t.load(offsets + row) : 0;
  }
};

template <class T, class O, class Key>
struct MoveEntries {
  static constexpr const char* name = "move entries to their blocks";
  CsrView<T, O> a;
  const std::int64_t* offsets;  // in the new order
  const index_t* row_of;
  index_t block_rows;
  int column_bits;
  Key* keys;
  std::uint32_t* places;
  T* values;

  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t nnz = a.nnz;
    for_entries(t, a.rows, offsets, nnz, [&](std::int64_t k, index_t i) {
      const std::int64_t from = t.load(a.offsets + t.load(row_of + i)) + (k - t.load(offsets + i));
      keys[k] = static_cast<Key>(i / block_rows) << column_bits |
                static_cast<Key>(t.load_streaming(a.columns + from));
      places[k] = static_cast<std::uint32_t>(k);
      values[k] = t.load_streaming(a.values + from);
    });
  }
};

// Of sorted keys.
template <class Key>
struct MarkColumns {
  static constexpr const char* name = "mark columns of blocks";
  std::int64_t nnz;
  const Key* keys;
  std::int64_t* begins;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    begins[k] = k < nnz && (k == 0 || t.load(keys + k - 1) != t.load(keys + k));
  }
};

struct FindLists {
  static constexpr const char* name = "find lists of blocks";
  const std::int64_t* offsets;
  const std::int64_t* number;  // columns that begin before each entry
  std::int64_t rows;
  index_t block_rows;
  index_t* starts;
  NZ_DEVICE void operator()(Thread& t, std::int64_t b) const {
    const std::int64_t row = b * block_rows;
    starts[b] = static_cast<index_t>(t.load(number + t.load(offsets + (row < rows ? row : rows))));
  }
};

template <class Key>
struct ListColumns {
  static constexpr const char* name = "list columns of blocks";
  const Key* keys;
  const std::uint32_t* places;
  const std::int64_t* number;
  const index_t* starts;
  int column_bits;
  index_t* list;
  index_t* local;
  NZ_DEVICE void operator()(Thread& t, std::int64_t k) const {
    const Key key = t.load(keys + k);
    const std::int64_t mine = t.load(number + k + 1) - 1;
    if (t.load(number + k) == mine)
      list[mine] = static_cast<index_t>(key & ((Key{1} << column_bits) - 1));
    local[t.load(places + k)] =
        static_cast<index_t>(mine - t.load(starts + static_cast<std::int64_t>(key >> column_bits)));
  }
};

// The rest of a conversion, once rows have their order.
template <class Key, class T, class O>
void fill(LocalSlices<T>& s, const CsrView<T, O>& a, const DeviceArray<std::int64_t>& offsets,
          int column_bits, int bits, std::int64_t most) {
  const Device device = current_device();
  const auto n = static_cast<std::size_t>(a.nnz);
  DeviceArray<T> values(device, n);
  DeviceArray<index_t> local(device, n);
  {
    DeviceArray<Key> keys[2] = {{device, n}, {device, n}};
    DeviceArray<std::uint32_t> places[2] = {{device, n}, {device, n}};
    launch(warps_for_entries(a.nnz),
           MoveEntries<T, O, Key>{a, offsets.data(), s.row_of.data(), s.block_rows, column_bits,
                                  keys[0].data(), places[0].data(), values.data()});
    const int sorted = sort_pairs<Key, std::uint32_t>(
        a.nnz, {{keys[0].data(), keys[1].data()}, {places[0].data(), places[1].data()}}, bits);
    DeviceArray<std::int64_t> number(device, n + 1);
    for_each(std::int64_t{a.nnz} + 1, MarkColumns<Key>{a.nnz, keys[sorted].data(), number.data()});
    exclusive_sum(std::int64_t{a.nnz} + 1, number.data(), number.data());
    s.starts = {device, static_cast<std::size_t>(s.blocks) + 1};
    for_each(std::int64_t{s.blocks} + 1,
             FindLists{offsets.data(), number.data(), a.rows, s.block_rows, s.starts.data()});
    const std::vector<index_t> starts = fetch(s.starts.data(), s.starts.size());
    for (int b = 0; b < s.blocks; ++b)
      s.most_columns = std::max(s.most_columns, starts[b + 1] - starts[b]);
    if (s.most_columns > most)
      throw Refused("clusters: " + std::to_string(s.most_columns) +
                    " columns of a block are more than shared memory has room for, " +
                    std::to_string(most));
    s.list = {device, static_cast<std::size_t>(starts.back())};
    for_each(a.nnz, ListColumns<Key>{keys[sorted].data(), places[sorted].data(), number.data(),
                                     s.starts.data(), column_bits, s.list.data(), local.data()});
  }
  const CsrView<T, std::int64_t> in_order{a.rows,         s.most_columns, a.nnz,
                                          offsets.data(), local.data(),   values.data()};
  s.slices = slices_on_device(in_order);
}

}  // namespace

template <Value T, Offset O>
LocalSlices<T> local_slices_on_device(const CsrView<T, O>& a, int block_rows, int cluster,
                                      std::int64_t most) {
  if (static_cast<std::int64_t>(a.nnz) > most_clustered_entries)
    throw Refused("clusters: " + std::to_string(a.nnz) + " nonzeros are too many to number");
  LocalSlices<T> s{.rows = a.rows, .cols = a.cols, .block_rows = block_rows};
  if (a.nnz == 0) return s;
  const Device device = current_device();
  s.blocks = static_cast<int>((std::int64_t{a.rows} + block_rows - 1) / block_rows);
  DeviceArray<index_t> order;
  if (cluster > 1 && a.rows == a.cols) order = rows_by_clusters(a, cluster);
  s.row_of = longest_first(a, std::move(order), block_rows);
  const std::int64_t ends = std::int64_t{a.rows} + 1;
  DeviceArray<std::int64_t> offsets(device, static_cast<std::size_t>(ends));
  for_each(ends, LengthsInOrder<O>{a.offsets, s.row_of.data(), a.rows, offsets.data()});
  exclusive_sum(ends, offsets.data(), offsets.data());
  const int column_bits = bits_for(a.cols), bits = column_bits + bits_for(s.blocks);
  if (bits <= 32)
    fill<std::uint32_t>(s, a, offsets, column_bits, bits, most);
  else
    fill<std::uint64_t>(s, a, offsets, column_bits, bits, most);
  return s;
}

#define NZ_INSTANTIATE(T, O) \
  template LocalSlices<T> local_slices_on_device(const CsrView<T, O>&, int, int, std::int64_t);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
