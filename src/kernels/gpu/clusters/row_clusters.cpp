#include "kernels/gpu/clusters/row_clusters.hpp"

#include <algorithm>
#include <utility>

#include "base/instantiate.hpp"
#include "device/each.hpp"
#include "device/entry_keys.hpp"
#include "device/sort_scan.hpp"

// A launch a step, and a sort of the rows.
namespace nz::NZ_HOME {
namespace {

// Nearly all rows of a mesh are within so many steps of one of many seeds.
constexpr int most_steps = 8;
// Neighbours of a row that are looked at in a step: a hub would keep all others waiting.
constexpr int most_neighbours = 64;
constexpr index_t no_cluster = -1;
// Rows with more entries than this count as equally long.
constexpr int length_bits = 12;

// A hash: rows next to each other may be a line of a grid, and seeds in a line grow into plates.
NZ_HOST_DEVICE std::uint32_t scattered(std::uint32_t row) {
  std::uint32_t h = (row ^ row >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

struct SowSeeds {
  static constexpr const char* name = "sow seeds";
  std::uint32_t size;
  index_t* cluster;
  NZ_DEVICE void operator()(Thread&, std::int64_t r) const {
    const auto row = static_cast<std::uint32_t>(r);
    cluster[r] = scattered(row) % size == 0 ? static_cast<index_t>(r) : no_cluster;
  }
};

template <class O>
struct GrowClusters {
  static constexpr const char* name = "grow clusters";
  const O* offsets;
  const index_t* columns;
  const index_t* before;
  index_t* after;
  NZ_DEVICE void operator()(Thread& t, std::int64_t r) const {
    index_t its = t.load(before + r);
    if (its == no_cluster) {
      const O begin = t.load(offsets + r), all = t.load(offsets + r + 1);
      const O end = all - begin < most_neighbours ? all : begin + most_neighbours;
      NZ_ROLLED
      for (O k = begin; k < end && its == no_cluster; ++k)
        its = t.load(before + t.load(columns + k));
    }
    after[r] = its;
  }
};

struct KeysOfClusters {
  static constexpr const char* name = "keys of clusters";
  const index_t* cluster;
  std::uint32_t* keys;
  index_t* rows;
  NZ_DEVICE void operator()(Thread& t, std::int64_t r) const {
    const index_t its = t.load(cluster + r);
    keys[r] = static_cast<std::uint32_t>(its == no_cluster ? static_cast<index_t>(r) : its);
    rows[r] = static_cast<index_t>(r);
  }
};

template <class O>
struct KeysOfLengths {
  static constexpr const char* name = "keys of lengths";
  const O* offsets;
  const index_t* order;  // none: as they come
  index_t block_rows;
  std::uint64_t* keys;
  index_t* rows;
  NZ_DEVICE void operator()(Thread& t, std::int64_t i) const {
    constexpr O longest = (1 << length_bits) - 1;
    const std::int64_t row = order ? t.load(order + i) : i;
    const O length = t.load(offsets + row + 1) - t.load(offsets + row);
    const auto shorter =
        static_cast<std::uint64_t>(longest - (length < longest ? length : longest));
    keys[i] = static_cast<std::uint64_t>(i / block_rows) << length_bits | shorter;
    rows[i] = static_cast<index_t>(row);
  }
};

// `rows` by `keys`, n of each; the other arrays are room for them.
template <class Key>
DeviceArray<index_t> sort_rows(std::int64_t n, DeviceArray<Key> (&keys)[2],
                               DeviceArray<index_t> (&rows)[2], int bits) {
  const auto plain = [](DeviceArray<index_t>& v) {
    return reinterpret_cast<std::uint32_t*>(v.data());
  };
  const int sorted = sort_pairs<Key, std::uint32_t>(
      n, {{keys[0].data(), keys[1].data()}, {plain(rows[0]), plain(rows[1])}}, bits);
  return std::move(rows[sorted]);
}

}  // namespace

template <Value T, Offset O>
DeviceArray<index_t> rows_by_clusters(const CsrView<T, O>& a, int size) {
  const Device device = current_device();
  const auto n = static_cast<std::size_t>(a.rows);
  DeviceArray<index_t> cluster[2] = {{device, n}, {device, n}};
  DeviceArray<std::uint32_t> keys[2] = {{device, n}, {device, n}};
  for_each(a.rows, SowSeeds{static_cast<std::uint32_t>(size), cluster[0].data()});
  for (int step = 0; step < most_steps; ++step)
    for_each(a.rows, GrowClusters<O>{a.offsets, a.columns, cluster[step % 2].data(),
                                     cluster[1 - step % 2].data()});
  static_assert(most_steps % 2 == 0, "the last step leaves its clusters in the first array");
  DeviceArray<index_t> rows[2] = {{device, n}, std::move(cluster[1])};
  for_each(a.rows, KeysOfClusters{cluster[0].data(), keys[0].data(), rows[0].data()});
  return sort_rows(a.rows, keys, rows, bits_for(a.rows));
}

template <Value T, Offset O>
DeviceArray<index_t> longest_first(const CsrView<T, O>& a, DeviceArray<index_t> order,
                                   int block_rows) {
  const Device device = current_device();
  const auto n = static_cast<std::size_t>(a.rows);
  DeviceArray<std::uint64_t> keys[2] = {{device, n}, {device, n}};
  DeviceArray<index_t> rows[2] = {{device, n}, {device, n}};
  for_each(a.rows,
           KeysOfLengths<O>{a.offsets, order.data(), block_rows, keys[0].data(), rows[0].data()});
  const std::int64_t blocks = (std::int64_t{a.rows} + block_rows - 1) / block_rows;
  return sort_rows(a.rows, keys, rows, bits_for(blocks) + length_bits);
}

#define NZ_INSTANTIATE(T, O)                                                 \
  template DeviceArray<index_t> rows_by_clusters(const CsrView<T, O>&, int); \
  template DeviceArray<index_t> longest_first(const CsrView<T, O>&, DeviceArray<index_t>, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
