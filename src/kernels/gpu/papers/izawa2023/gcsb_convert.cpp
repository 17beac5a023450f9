#include "kernels/gpu/papers/izawa2023/gcsb_convert.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/instantiate.hpp"
#include "formats/block_places.hpp"
#include "device/entry_keys.hpp"
#include "device/sort_scan.hpp"
#include "simt/backend.hpp"
#include "kernels/gpu/parts/search.hpp"

// Entries are sorted by block and, within a block, by Morton's order, both in one key. Where the
// blocks begin is then searched for, the blocks are sorted by how many entries they have, and each
// writes its slots.
namespace nz::NZ_HOME {
namespace {

// Block by block, within a block in Morton's order.
struct BlockKey {
  BlockGrid g;
  NZ_DEVICE std::uint64_t operator()(index_t row, index_t column) const {
    const index_t mask = g.beta() - 1;
    const std::int64_t block =
        std::int64_t{row >> g.digits} * g.block_cols() + (column >> g.digits);
    const auto place =
        static_cast<std::uint32_t>(row & mask) << 16 | static_cast<std::uint32_t>(column & mask);
    return static_cast<std::uint64_t>(block) << (2 * g.digits) | morton_of_place(place);
  }
};

// starts[b] = the first entry of block b or of a later one.
struct FindBlocks {
  static constexpr const char* name = "find GCSB blocks";
  std::int64_t blocks, nnz;
  int shift;
  const std::uint64_t* keys;
  std::int64_t* starts;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t b = t.global_index(); b <= blocks; b += t.global_size()) {
      starts[b] = partition_point(std::int64_t{0}, nnz, [&](std::int64_t k) {
        return static_cast<std::int64_t>(t.load(keys + k) >> shift) < b;
      });
    }
  }
};

// The fullest blocks get the smallest keys.
struct RankBlocks {
  static constexpr const char* name = "rank GCSB blocks";
  std::int64_t blocks;
  std::uint32_t most;
  const std::int64_t* starts;
  std::uint32_t* keys;
  std::uint32_t* numbers;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t b = t.global_index(); b < blocks; b += t.global_size()) {
      keys[b] = most - static_cast<std::uint32_t>(t.load(starts + b + 1) - t.load(starts + b));
      numbers[b] = static_cast<std::uint32_t>(b);
    }
  }
};

// A group is as deep as its first block.
struct FindDepths {
  static constexpr const char* name = "find depths of GCSB groups";
  std::int64_t groups;
  index_t group_size;
  std::uint32_t most;
  const std::uint32_t* keys;  // in order
  std::int64_t* depths;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t g = t.global_index(); g <= groups; g += t.global_size())
      depths[g] = g < groups ? most - t.load(keys + g * group_size) : 0;
  }
};

template <class O>
struct WriteGcsbOffsets {
  static constexpr const char* name = "write GCSB offsets";
  std::int64_t groups;
  index_t group_size;
  const std::int64_t* depths;  // summed
  O* offsets;
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t g = t.global_index(); g <= groups; g += t.global_size())
      offsets[g] = static_cast<O>(t.load(depths + g) * group_size);
  }
};

// A thread a block, as the products do; those of the last group that are none write padding.
template <class T, class O>
struct WriteSlots {
  static constexpr const char* name = "write GCSB slots";
  GcsbView<T, O> a;
  const std::int64_t* starts;
  const std::uint64_t* keys;
  const Bits<T>* from;
  std::uint32_t* places;
  Bits<T>* values;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t i = t.global_index(), group = i / a.group_size;
    if (group >= a.groups()) return;
    std::int64_t k = 0, end = 0;
    if (i < a.blocks()) {
      const index_t number = t.load(a.numbers + i);
      k = t.load(starts + number);
      end = t.load(starts + number + 1);
    }
    const std::int64_t last = a.offsets[group + 1];
    const std::uint64_t mask = (std::uint64_t{1} << (2 * a.digits)) - 1;
    for (std::int64_t to = a.offsets[group] + i % a.group_size; to < last;
         to += a.group_size, ++k) {
      std::uint32_t place = padding_place;
      Bits<T> value = 0;
      if (k < end) {
        place = grid_place(a, place_of_morton(static_cast<std::uint32_t>(keys[k] & mask)));
        value = from[k];
      }
      places[to] = place;
      values[to] = value;
    }
  }
};

}  // namespace

template <Value T, Offset O>
GcsbArrays<T, O> gcsb_on_device(const CsrView<T, O>& a, std::int64_t beta, index_t group_size,
                                double max_ratio) {
  const BlockGrid g = gcsb_grid(a.rows, a.cols, a.nnz, beta, group_size, max_ratio);
  const Device device = current_device();
  GcsbArrays<T, O> b{{g, group_size, a.nnz}, {}, {}, {}, {}};
  const std::int64_t nnz = a.nnz, blocks = g.blocks(), groups = b.view.groups();
  const auto n = static_cast<std::size_t>(nnz), m = static_cast<std::size_t>(blocks);

  DeviceArray<std::uint64_t> keys[2] = {{device, n}, {device, n}};
  DeviceArray<Bits<T>> values[2] = {{device, n}, {device, n}};
  number_entries(a, BlockKey{g}, keys[0].data());
  if (n > 0) simt::backend(device).copy(values[0].data(), a.values, n * sizeof(T), nullptr);
  const int shift = 2 * g.digits;
  const int bits =
      shift + std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(blocks, 1) - 1));
  const int sorted = sort_pairs<std::uint64_t, Bits<T>>(
      nnz, {{keys[0].data(), keys[1].data()}, {values[0].data(), values[1].data()}},
      std::max(bits, 1));
  keys[1 - sorted] = {};
  values[1 - sorted] = {};

  DeviceArray<std::int64_t> starts(device, m + 1);
  launch(one_thread_each(blocks + 1, 1 << 16),
         FindBlocks{blocks, nnz, shift, keys[sorted].data(), starts.data()});
  // Numbers are the same as signed and as unsigned ones.
  DeviceArray<std::uint32_t> ranks[2] = {{device, m}, {device, m}};
  DeviceArray<index_t> numbers[2] = {{device, m}, {device, m}};
  const auto plain = [](DeviceArray<index_t>& v) {
    return reinterpret_cast<std::uint32_t*>(v.data());
  };
  const std::uint32_t most = std::uint32_t{1} << shift;
  launch(one_thread_each(blocks, 1 << 16),
         RankBlocks{blocks, most, starts.data(), ranks[0].data(), plain(numbers[0])});
  const int ranked = sort_pairs<std::uint32_t, std::uint32_t>(
      blocks, {{ranks[0].data(), ranks[1].data()}, {plain(numbers[0]), plain(numbers[1])}},
      shift + 1);

  DeviceArray<std::int64_t> depths(device, static_cast<std::size_t>(groups) + 1);
  launch(one_thread_each(groups + 1, 1 << 16),
         FindDepths{groups, group_size, most, ranks[ranked].data(), depths.data()});
  exclusive_sum(groups + 1, depths.data(), depths.data());
  std::int64_t depth = 0;
  simt::backend(device).copy(&depth, depths.data() + groups, sizeof depth, nullptr);
  const std::size_t slots = gcsb_slots<O>(depth, group_size, nnz, max_ratio);

  b.numbers = std::move(numbers[ranked]);
  b.offsets = {device, static_cast<std::size_t>(groups) + 1};
  b.places = {device, slots};
  b.values = {device, slots};
  b.view.slots = static_cast<O>(slots);
  b.connect();
  launch(one_thread_each(groups + 1, 1 << 16),
         WriteGcsbOffsets<O>{groups, group_size, depths.data(), b.offsets.data()});
  launch(one_thread_each(slots == 0 ? 0 : groups * group_size),
         WriteSlots<T, O>{b.view, starts.data(), keys[sorted].data(), values[sorted].data(),
                          b.places.data(), reinterpret_cast<Bits<T>*>(b.values.data())});
  wait_for(device);  // before what was needed for a while goes; products may run on other streams
  return b;
}

#define NZ_INSTANTIATE(T, O) \
  template GcsbArrays<T, O> gcsb_on_device(const CsrView<T, O>&, std::int64_t, index_t, double);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
