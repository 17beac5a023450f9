#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <nonzero/array.hpp>
#include <nonzero/formats/csr.hpp>

// CSR5 as the host makes it: csr5_tiles.cpp says what it is.
namespace nz::csr5 {

inline constexpr int omega = 32;
// Of a lane: y_offset, seg_offset, and from here on its bit_flag.
inline constexpr int y_bits = 10, seg_bits = 5, head_bits = y_bits + seg_bits;
inline constexpr std::uint32_t dirty = 0x80000000u;  // of tile_ptr: the tile has empty rows

inline int packets_for(int sigma) { return (head_bits + sigma + 31) / 32; }

template <class T>
struct HostTiles {
  int sigma = 0, tiles = 0;              // all full; what is left over is the tail
  std::vector<std::uint32_t> tile_ptr;   // the row of each tile's first entry, and of the tail's
  std::vector<std::uint32_t> tile_desc;  // packets of omega words a tile
  std::vector<std::int64_t> empty_ptr;   // of each dirty tile, its place in:
  std::vector<index_t> empty_offset;     // of each segment, how far below the first its row is
  std::vector<index_t> unwritten;        // rows that no segment writes whole
  Array<index_t> columns;                // transposed within tiles
  Array<T> values;
};

// The flags of a tile's lanes become its words.
inline void describe(const std::vector<std::uint32_t>& flags, int packets,
                     std::vector<std::uint32_t>& words) {
  const std::size_t at = words.size();
  words.insert(words.end(), static_cast<std::size_t>(omega * packets), 0);
  std::uint64_t begun = 0;  // segments, by the lanes before
  for (std::size_t l = 0; l < omega; ++l) {
    std::uint64_t alone = 0;  // lanes behind this one in which no segment begins
    while (l + 1 + alone < omega && flags[l + 1 + alone] == 0) ++alone;
    const std::uint64_t all =
        begun | alone << y_bits | static_cast<std::uint64_t>(flags[l]) << head_bits;
    for (std::size_t p = 0; p < static_cast<std::size_t>(packets); ++p)
      words[at + p * omega + l] = static_cast<std::uint32_t>(all >> (32 * p));
    for (std::uint32_t f = flags[l]; f != 0; f &= f - 1) ++begun;
  }
}

template <class T, class O>
HostTiles<T> convert(const CsrView<T, O>& a, int sigma) {
  HostTiles<T> m;
  const std::int64_t size = std::int64_t{omega} * sigma;
  m.sigma = sigma;
  m.tiles = static_cast<int>(a.nnz / size);
  m.columns = Array<index_t>(static_cast<std::size_t>(a.nnz));
  m.values = Array<T>(static_cast<std::size_t>(a.nnz));
  std::vector<std::uint32_t> flags(omega);
  index_t row = -1;            // of the entry at hand
  std::int64_t row_end = 0;    // where its entries end
  const auto next_row = [&] {  // the next one with entries; empty ones are for others to write
    while (a.offsets[++row + 1] == row_end) m.unwritten.push_back(row);
    row_end = a.offsets[row + 1];
  };
  for (std::int64_t tile = 0; tile < m.tiles; ++tile) {
    const std::int64_t first = tile * size;
    if (first == row_end) {
      next_row();
      m.unwritten.push_back(row);  // its sum goes to the calibrator
    }
    const index_t top = row;
    std::fill(flags.begin(), flags.end(), 0u);
    std::vector<index_t> below{0};
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t lane = k / sigma, step = k % sigma;
      bool begins = k == 0;
      if (first + k == row_end) {
        next_row();
        begins = true;
        below.push_back(row - top);
      }
      if (begins) flags[static_cast<std::size_t>(lane)] |= 1u << step;
      const auto to = static_cast<std::size_t>(first + step * omega + lane);
      m.columns[to] = a.columns[first + k];
      m.values[to] = a.values[first + k];
    }
    const bool has_empty = static_cast<std::size_t>(row - top) + 1 != below.size();
    m.tile_ptr.push_back(static_cast<std::uint32_t>(top) | (has_empty ? dirty : 0));
    m.empty_ptr.push_back(static_cast<std::int64_t>(m.empty_offset.size()));
    if (has_empty) m.empty_offset.insert(m.empty_offset.end(), below.begin(), below.end());
    describe(flags, packets_for(sigma), m.tile_desc);
  }
  const std::int64_t tail = m.tiles * size;
  std::copy(a.columns + tail, a.columns + a.nnz, m.columns.data() + tail);
  std::copy(a.values + tail, a.values + a.nnz, m.values.data() + tail);
  if (tail < a.nnz && tail == row_end) next_row();
  m.tile_ptr.push_back(static_cast<std::uint32_t>(tail < a.nnz ? row : a.rows));
  for (index_t r = row + 1; r < a.rows; ++r)
    if (a.offsets[r] == a.offsets[r + 1]) m.unwritten.push_back(r);
  return m;
}

}  // namespace nz::csr5
