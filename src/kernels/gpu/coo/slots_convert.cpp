#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <nonzero/error.hpp>

#include "base/instantiate.hpp"
#include "device/fetch.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/coo/slots.hpp"
#include "simt/warp.hpp"
#include "kernels/gpu/parts/search.hpp"

// Three launches, two allocations, one copy to the host: small matrices are multiplied in a few
// microseconds, and their setup counts in multiplies.
namespace nz::NZ_HOME {
namespace {

// A warp a chunk of rows, and few chunks, so that each can add up what those before it have.
constexpr int most_chunks = 4096;

template <class O>
struct CountEmptyRows {
  static constexpr const char* name = "count empty rows";
  const O* offsets;
  std::int64_t rows;
  int chunk, chunks;
  int* empty;   // of each chunk
  int* shared;  // for PlaceRows; becomes 0
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t c = t.global_index() / 32;
    if (c >= chunks) return;
    if (t.global_index() < 2) shared[t.global_index()] = 0;
    int count = 0;
    for (std::int64_t r = c * chunk + t.lane(), left = chunk / 32; left > 0; --left, r += 32)
      count += r < rows && t.load(offsets + r) == t.load(offsets + r + 1);
    count = reduce_to_first_lane(t, count);
    if (t.lane() == 0) empty[c] = count;
  }
};

// The first slot of each row. The host chooses one of two shapes by how many slots there are; for
// both it learns in the same copy whether tiles share rows: where a row goes on behind the end of
// the tile that it begins in, by more than that one has to spare.
template <class O>
struct PlaceRows {
  static constexpr const char* name = "place rows in slots";
  const O* offsets;
  std::int64_t rows;
  int chunk, chunks;
  const int* empty;
  int* place;   // rows + 1
  int* shared;  // becomes more than 0 where tiles share rows, for each shape
  int cut[2], spare[2];
  NZ_DEVICE void operator()(Thread& t) const {
    const auto c = static_cast<int>(t.global_index() / 32);
    if (c >= chunks) return;
    int before = 0;
    bool shares[2] = {false, false};
    for (int i = t.lane(); i < c; i += 32) before += t.load(empty + i);
    before = sum_all(t, before);
    std::int64_t r = std::int64_t{c} * chunk + t.lane();
    for (int left = chunk / 32; left > 0; --left, r += 32) {
      const O begin = r <= rows ? t.load(offsets + r) : O(0);
      const O next = r < rows ? t.load(offsets + r + 1) : begin;
      const unsigned mask = t.ballot(r < rows && begin == next);
      const int first = static_cast<int>(begin) + before + bit_count(mask & ((1u << t.lane()) - 1));
      const int end = first + (begin == next ? 1 : static_cast<int>(next - begin));
      if (r <= rows) place[r] = first;
      for (int i = 0; i < 2; ++i)
        shares[i] |= r < rows && end - (first / cut[i] + 1) * std::int64_t{cut[i]} > spare[i];
      before += bit_count(mask);
    }
    for (int i = 0; i < 2; ++i)
      if (t.any(shares[i]) && t.lane() == 0) t.atomic_add(shared + i, 1);
  }
};

// A block a tile.
template <class T, class O>
struct FillTiles {
  static constexpr const char* name = "fill tiles of slots";
  static constexpr int max_threads = 256;
  CsrView<T, O> a;
  const int* place;
  std::int64_t used;
  SlotsView<T> to;

  NZ_DEVICE void operator()(Thread& t) const {
    const int tile = t.block(), items = to.shape.items;
    const std::int64_t begin = start(t, tile), end = start(t, tile + 1);
    const index_t first = row_at(t, begin < used ? begin : used - 1, 0);
    std::int64_t k = begin + t.index() * items;
    index_t row = row_at(t, k < end ? k : end - 1, first);
    unsigned rows = static_cast<unsigned>(row - first) << 16;
    if (begin == end) rows = 0;
    index_t* columns = to.columns(tile) + t.index() * items;
    T* values = to.values(tile) + t.index() * items;
    for (int j = 0; j < items; ++j, ++k) {
      index_t column = -1;
      T value = 0;
      if (k < end) {
        const O from = t.load(a.offsets + row), next = t.load(a.offsets + row + 1);
        if (from < next) {
          const std::int64_t entry = from + (k - t.load(place + row));
          column = t.load(a.columns + entry);
          value = t.load(a.values + entry);
        }
        if (k + 1 == t.load(place + row + 1)) {
          rows |= 1u << j;
          ++row;
        }
      }
      columns[j] = column;
      values[j] = value;
    }
    to.rows(tile)[t.index()] = rows;
    if (t.index() == 0) *to.about(tile) = about(t, tile, first, begin, end);
  }

 private:
  // The row that has this slot; it is not before `low`.
  NZ_DEVICE index_t row_at(Thread& t, std::int64_t slot, index_t low) const {
    return row_of(t, place, slot, low, a.rows - 1);
  }
  // The first slot of a tile.
  NZ_DEVICE std::int64_t start(Thread& t, std::int64_t tile) const {
    const std::int64_t at = tile * to.shape.cut();
    if (at >= used) return used;
    const index_t row = row_at(t, at, 0);
    const std::int64_t end = t.load(place + row + 1);
    return t.load(place + row) < at && end - at <= to.shape.spare ? end : at;
  }
  NZ_DEVICE SlotTile about(Thread& t, int tile, index_t first, std::int64_t begin,
                           std::int64_t end) const {
    if (begin == end) return {first, tile, tile, 0};
    const int cut = to.shape.cut(), row_begin = t.load(place + first);
    const int from = row_begin < begin ? row_begin / cut : tile;
    const std::int64_t row_end = t.load(place + row_at(t, end - 1, first) + 1);
    if (row_end == end) return {first, from, tile, 0};
    const auto last = static_cast<int>((row_end - 1) / cut);
    const bool before = row_end - std::int64_t{last} * cut <= to.shape.spare;
    return {first, from, before ? last - 1 : last, 0};
  }
};

// Once there are more tiles than a device holds at a time, larger ones are better; of doubles they
// take too many registers.
SlotShape shape_for(std::int64_t used, int threads, int items, int spare, std::size_t value_bytes) {
  const int processors = simt::backend(current_device()).info().processors;
  const std::int64_t at_once = std::int64_t{processors} * 1536;  // threads
  if (items == 0) items = value_bytes == 4 && used > at_once * 4 ? 8 : 4;
  const int slots = threads * items;
  return {threads, items, std::min(spare, slots / 2 - 1)};
}

}  // namespace

template <Value T, Offset O>
Slots<T> slots_on_device(const CsrView<T, O>& a, int threads, int items, int spare) {
  const std::int64_t rows = a.rows, nnz = a.nnz;
  if (rows + nnz > 0x7fff0000)
    throw Refused("slots: " + std::to_string(rows) + " rows and " + std::to_string(nnz) +
                  " nonzeros are too many to number");
  Slots<T> s{a.cols, 0, {}, {}, {}};
  if (rows == 0) return s;
  const Device device = current_device();
  const int chunk = static_cast<int>((rows + 1 + most_chunks * 32 - 1) / (most_chunks * 32)) * 32;
  const int chunks = blocks_for(rows + 1, chunk);
  DeviceArray<int> scratch(device, static_cast<std::size_t>(chunks + rows + 3));
  int* const empty = scratch.data();
  int* const place = empty + chunks;
  int* const shared = place + rows + 1;
  const auto shape_of = [&](std::int64_t used) {
    return shape_for(used, threads, items, spare, sizeof(T));
  };
  const SlotShape few = shape_of(0), many = shape_of(std::numeric_limits<std::int64_t>::max());
  const Launch warps = one_thread_each(std::int64_t{chunks} * 32);
  launch(warps, CountEmptyRows<O>{a.offsets, rows, chunk, chunks, empty, shared});
  launch(warps, PlaceRows<O>{a.offsets,
                             rows,
                             chunk,
                             chunks,
                             empty,
                             place,
                             shared,
                             {few.cut(), many.cut()},
                             {few.spare, many.spare}});
  const std::vector<int> found = fetch(place + rows, 3);
  s.used = found[0];

  const SlotShape shape = shape_of(s.used);
  s.shared = found[shape.items == few.items ? 1 : 2] > 0;
  const int tiles = blocks_for(s.used, shape.cut());
  const std::int64_t stride = SlotsView<T>::stride_of(shape);
  s.data = {device, static_cast<std::size_t>(tiles * stride)};
  s.view = {s.data.data(), stride, tiles, shape};
  launch({.blocks = tiles, .threads = threads}, FillTiles<T, O>{a, place, s.used, s.view});
  return s;
}

#define NZ_INSTANTIATE(T, O) \
  template Slots<T> slots_on_device(const CsrView<T, O>&, int threads, int items, int spare);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
