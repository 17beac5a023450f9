#pragma once
#include <cstdint>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// Equal work for every block, whatever the rows: row ends and entries of a CSR matrix lie on one
// path (the entries of a row, then its end, then the next row), and each block takes `size` steps
// of it. Row r is begun at step offsets[r] + r and ended at step offsets[r + 1] + r, so empty rows
// count too and no block gets millions of them.
namespace nz::NZ_HOME {

template <class T>
struct Carry {
  T* partial;         // two a tile: of the row it goes on with, of the row it leaves unfinished
  unsigned* arrived;  // one a tile: how many sharers of the row begun there have come; 0 between
                      // products
};

template <class T, class O>
struct MergeTiles {
  CsrView<T, O> a;
  const index_t* first_row;  // one a tile, and the end
  int size;
  Carry<T> carry;

  NZ_DEVICE std::int64_t begin_of(std::int64_t row) const { return a.offsets[row] + row; }
  NZ_DEVICE std::int64_t end_of(std::int64_t row) const { return a.offsets[row + 1] + row; }
};

// What one block has of the matrix.
template <class T, class O>
struct Tile {
  index_t first;       // its first row
  index_t rows;        // rows it touches, the unfinished one included
  std::int64_t entry;  // its first entry
  int entries;
  bool goes_on;  // the first row was begun by an earlier tile
  bool leaves;   // the last row is ended by a later tile

  NZ_DEVICE Tile(const MergeTiles<T, O>& m, int block) {
    const std::int64_t step = static_cast<std::int64_t>(block) * m.size;
    first = m.first_row[block];
    const index_t next = m.first_row[block + 1];
    entry = step - first;
    std::int64_t stop = step + m.size - next;
    if (stop > m.a.nnz) stop = m.a.nnz;
    entries = static_cast<int>(stop - entry);
    goes_on = first < m.a.rows && m.begin_of(first) < step;
    leaves = next < m.a.rows && m.begin_of(next) < step + m.size;
    rows = next - first + (leaves ? 1 : 0);
  }
  // The part of a row's entries that lies here, counted from `entry`.
  NZ_DEVICE int begin_in(O offset) const {
    return offset > entry ? static_cast<int>(offset - entry) : 0;
  }
  NZ_DEVICE int end_in(O offset) const {
    return offset - entry < entries ? static_cast<int>(offset - entry) : entries;
  }
};

// For one warp: tells the other sharers of a row this tile's part of its sum. The last to come adds
// the parts in the order of the tiles, so the sum is the same whoever that is, and writes y.
template <class T, class O>
NZ_DEVICE void share_row(Thread& t, const MergeTiles<T, O>& m, index_t row, bool begun_here, T sum,
                         T alpha, T beta, T* y) {
  const int first = static_cast<int>(m.begin_of(row) / m.size);
  const int last = static_cast<int>(m.end_of(row) / m.size);
  unsigned came = 0;
  if (t.lane() == 0) {
    m.carry.partial[2 * std::int64_t{t.block()} + (begun_here ? 1 : 0)] = sum;
    t.fence();
    came = t.atomic_add(m.carry.arrived + first, 1u);
  }
  if (t.shuffle(came, 0) != static_cast<unsigned>(last - first)) return;
  t.fence();
  T rest = 0;
  for (int tile = first + 1 + t.lane(); tile <= last; tile += 32)
    rest += t.load_coherent(m.carry.partial + 2 * std::int64_t{tile});
  rest = sum_down(t, rest);
  if (t.lane() != 0) return;
  m.carry.arrived[first] = 0;
  const T total = t.load_coherent(m.carry.partial + 2 * std::int64_t{first} + 1) + rest;
  y[row] = combine(alpha, total, beta, y + row);
}

template <class O>
struct FindRows {
  static constexpr const char* name = "find the first row of each tile";
  const O* offsets;
  index_t rows;
  int size;
  int tiles;
  index_t* first_row;
  unsigned* arrived;
  NZ_DEVICE void operator()(Thread& t) const {
    const std::int64_t tile = t.global_index();
    if (tile > tiles) return;
    const std::int64_t step = tile * size;
    index_t low = 0, high = rows;  // the first row that ends at this step or later
    while (low < high) {
      const index_t middle = low + (high - low) / 2;
      if (offsets[middle + 1] + middle < step)
        low = middle + 1;
      else
        high = middle;
    }
    first_row[tile] = tile == tiles ? rows : low;
    if (tile < tiles) arrived[tile] = 0;
  }
};

// Owns what MergeTiles points to.
template <Value T, Offset O>
class MergePartition {
 public:
  MergePartition(const CsrView<T, O>& a, int size) : size_(size) {
    const std::int64_t steps = static_cast<std::int64_t>(a.nnz) + a.rows;
    tiles_ = blocks_for(steps, size);
    if (tiles_ == 0) return;
    const auto n = static_cast<std::size_t>(tiles_);
    first_row_ = {current_device(), n + 1};
    arrived_ = {current_device(), n};
    partial_ = {current_device(), 2 * n};
    launch({.blocks = blocks_for(tiles_ + 1, 128), .threads = 128},
           FindRows<O>{a.offsets, a.rows, size, tiles_, first_row_.data(), arrived_.data()});
    wait_for(current_device());
  }
  int tiles() const { return tiles_; }
  std::size_t bytes() const { return first_row_.bytes() + arrived_.bytes() + partial_.bytes(); }
  MergeTiles<T, O> view(const CsrView<T, O>& a) const {
    return {a, first_row_.data(), size_, {partial_.data(), arrived_.data()}};
  }

 private:
  int size_;
  int tiles_ = 0;
  DeviceArray<index_t> first_row_;
  mutable DeviceArray<unsigned> arrived_;
  mutable DeviceArray<T> partial_;
};

}  // namespace nz::NZ_HOME
