#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"

// Equal work for every block, whatever the rows. Rows and entries of a CSR matrix lie on one path
// (a step for the row, one for each of its entries), and a tile has the whole rows that begin on
// its `size` steps: empty rows count too, and no tile gets millions of them. Rows of more than
// `most` entries are left out of the tiles and cut into pieces. So a tile has at most size + most
// entries and shares no row with another; only the pieces of one long row have to be put together.
namespace nz::NZ_HOME {

struct Tile {
  std::int64_t entry;  // the first
  index_t first;       // row
  // 14 bits of rows, 14 of entries, then whether long rows lie among them (entries are then
  // unknown).
  std::uint32_t packed;
  static constexpr std::uint32_t field = (1u << 14) - 1;
  NZ_HOST_DEVICE int rows() const { return static_cast<int>(packed & field); }
  NZ_HOST_DEVICE int entries() const { return static_cast<int>(packed >> 14 & field); }
  NZ_HOST_DEVICE bool mixed() const { return packed >> 28 != 0; }
};

struct Piece {
  std::int64_t entry;
  index_t row;
  int entries;
  int first;   // piece of the row
  int pieces;  // of the row
};

struct LongRow {
  std::int64_t entry, entries;
  index_t row;
};

// What a tile is before those without work are dropped.
struct RawTile {
  std::int64_t entry, entries;
  index_t first, rows;
};

template <class O>
struct FindLongRows {
  static constexpr const char* name = "find long rows";
  const O* offsets;
  index_t rows;
  int size;
  std::int64_t most;
  LongRow* found;
  std::int64_t room;
  unsigned* count;
  unsigned* in_tile;  // how many of them begin there
  NZ_DEVICE void operator()(Thread& t) const {
    for (std::int64_t r = t.global_index(); r < rows; r += t.global_size()) {
      const std::int64_t entry = offsets[r], entries = offsets[r + 1] - entry;
      if (entries <= most) continue;
      t.atomic_add(in_tile + (entry + r) / size, 1u);
      const unsigned at = t.atomic_add(count, 1u);
      if (at < room) found[at] = {entry, entries, static_cast<index_t>(r)};
    }
  }
};

template <class O>
struct CutTiles {
  static constexpr const char* name = "cut tiles";
  const O* offsets;
  index_t rows;
  int size;
  int tiles;
  RawTile* cut;
  // The first row that begins on this step or later.
  NZ_DEVICE index_t row_at(std::int64_t step) const {
    index_t low = 0, high = rows;
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (offsets[middle] + middle < step)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index();
    if (tile >= tiles) return;
    const index_t first = row_at(tile * size), next = row_at((tile + 1) * size);
    const std::int64_t entry = offsets[first];
    cut[tile] = {entry, offsets[next] - entry, first, next - first};
  }
};

class BalancedTiles {
 public:
  // The matrix is on the current device. `size` and `most` fit a Tile's fields together.
  template <Value T, Offset O>
  BalancedTiles(const CsrView<T, O>& a, int size, int most, int piece) {
    const Device device = current_device();
    const std::int64_t steps = static_cast<std::int64_t>(a.nnz) + a.rows;
    const int count = blocks_for(steps, size);
    if (count == 0) return;
    const std::vector<unsigned> zeros(static_cast<std::size_t>(count) + 1);
    DeviceArray<unsigned> counters(device, std::span<const unsigned>(zeros));
    const std::int64_t room = a.nnz / (std::int64_t{most} + 1) + 1;  // more do not fit
    DeviceArray<LongRow> found(device,
                               static_cast<std::size_t>(std::min<std::int64_t>(room, a.rows)));
    launch({.blocks = blocks_for(a.rows, 1024, 4096), .threads = 256},
           FindLongRows<O>{a.offsets, a.rows, size, most, found.data(),
                           static_cast<std::int64_t>(found.size()), counters.data(),
                           counters.data() + 1});
    DeviceArray<RawTile> cut(device, static_cast<std::size_t>(count));
    launch({.blocks = blocks_for(count, 128), .threads = 128},
           CutTiles<O>{a.offsets, a.rows, size, count, cut.data()});
    std::vector<unsigned> counted(zeros.size());
    counters.download(counted);
    std::vector<RawTile> raw(static_cast<std::size_t>(count));
    cut.download(raw);
    std::vector<LongRow> longs(counted[0]);
    found.download(longs);
    make_tiles(device, raw, std::span(counted).subspan(1));
    make_pieces(device, std::move(longs), piece);
  }

  int tiles() const { return static_cast<int>(tiles_.size()); }
  int pieces() const { return static_cast<int>(pieces_.size()); }
  const Tile* tile_list() const { return tiles_.data(); }
  const Piece* piece_list() const { return pieces_.data(); }
  // Rows of several pieces exist.
  bool shares() const { return shares_; }
  std::size_t bytes() const { return tiles_.bytes() + pieces_.bytes(); }

 private:
  void make_tiles(Device device, const std::vector<RawTile>& raw, std::span<const unsigned> longs) {
    std::vector<Tile> all;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const RawTile& r = raw[i];
      if (static_cast<unsigned>(r.rows) == longs[i]) continue;  // nothing, or long rows alone
      const bool mixed = longs[i] > 0;
      const auto entries = mixed ? 0u : static_cast<std::uint32_t>(r.entries);
      all.push_back({r.entry, r.first,
                     static_cast<std::uint32_t>(r.rows) | entries << 14 | (mixed ? 1u << 28 : 0u)});
    }
    tiles_ = {device, std::span<const Tile>(all)};
  }
  void make_pieces(Device device, std::vector<LongRow> longs, int piece) {
    std::sort(longs.begin(), longs.end(),
              [](const LongRow& a, const LongRow& b) { return a.row < b.row; });
    std::vector<Piece> all;
    for (const LongRow& r : longs) {
      const std::int64_t pieces = (r.entries + piece - 1) / piece;
      const int first = static_cast<int>(all.size());
      for (std::int64_t p = 0; p < pieces; ++p) {
        const std::int64_t begin = r.entries * p / pieces, end = r.entries * (p + 1) / pieces;
        all.push_back({r.entry + begin, r.row, static_cast<int>(end - begin), first,
                       static_cast<int>(pieces)});
      }
      shares_ = shares_ || pieces > 1;
    }
    pieces_ = {device, std::span<const Piece>(all)};
  }

  DeviceArray<Tile> tiles_;
  DeviceArray<Piece> pieces_;
  bool shares_ = false;
};

}  // namespace nz::NZ_HOME
