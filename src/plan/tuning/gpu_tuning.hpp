#pragma once
#include <span>

#include <nonzero/device.hpp>

#include "plan/tuning/constant.hpp"

namespace nz {

// What the model of GPU kernels knows of a device. Picoseconds, unless something else is said; a
// thing's constant is what one of them adds to a product. h200.hpp has the figures.
struct GpuTuning {
  double megabyte;               // that is streamed
  double launch, second_launch;  // of a product with its waits for memory; of a kernel behind it
  // Nonzeros below which a product is a launch and two waits for memory: what samples tell saves
  // less than looking takes.
  double small_matrix;

  // Lines of x beyond those that all rows together need: in the cache; what a miss adds.
  double line, missed_line;
  double hubs;  // a factor: graphs with hubs take longer, many warps having little to do

  // gpu/csr/balanced: an entry, a row of floats and of doubles; what products of a small matrix
  // wait for whose rows have so many entries or more.
  double csr_entry, csr_float_row, csr_double_row;
  double csr_float_wait, csr_double_wait, dozens;

  // gpu/csr/adaptive, as a share of that: short rows of floats, rows of hundreds, of thousands,
  // matrices of fewer nonzeros than that, others. Fewer long rows leave most of the device idle.
  double adaptive_short_rows, adaptive_hundreds, adaptive_thousands, adaptive_few, adaptive_others;
  double adaptive_few_entries, adaptive_fewest_rows;

  // gpu/compact/balanced: an entry of short and of long rows, a row; what small matrices of short
  // rows wait for. Entries of a row of a small matrix that was not looked at from which it is best;
  // dozens are enough from so many nonzeros on.
  double compact_entry, compact_long_entry, compact_row, compact_wait;
  double compact_long_row, compact_dozens_from;

  // gpu/packed/slices: a slice, a run of it of floats and of doubles, 32 picks; a pick and a run
  // that wait for the one before.
  double slice, float_run, double_run, picks;
  double next_pick, next_run;

  // gpu/coo/slots: an entry of a small and of a large matrix, a row; what gathers take, as a share,
  // below so many nonzeros.
  double slot_launch, slot_entry, large_slot_entry, slot_row;
  double slot_gathers, slot_most;

  // gpu/slabs/balanced: an entry; x comes once for every so many bytes of y. For an x that takes
  // this share of the cache or more.
  double slab_launch, slab_entry, slab_sums, slab_cache;

  // gpu/packed/slices, transposed: atomics in runs, side by side, of floats and of doubles.
  double float_add_in_run, double_add_in_run;

  // gpu/bsr/balanced: a row; transposed, as a factor.
  double block_launch, block_row, block_transposed;

  // Atomics in y: each; each that goes to a line of its own, in the cache and beyond; at the same
  // column one after the other; where there are few columns, and how many are few.
  double add, near_add, far_add, same_add, few_add, few_columns;

  // Starting T of gpu/csr/balanced, gpu/csr/adaptive and gpu/coo/segmented; the latter's entry.
  double balanced_t, adaptive_t, coo_t, coo_entry;

  // gpu/tile/balanced: streaming as a share of CSR's bytes; a tile; an entry of large tiles, which
  // are made where small ones would have fewer entries than that.
  double tile_launch, tile_share, tile, large_tile_entry, empty_tile;

  // Preparing from CSR on the device: at least; a nonzero, row, pick or block.
  double csr_setup, csr_setup_step;
  double adaptive_setup, adaptive_setup_row, adaptive_setup_entry;
  double coo_setup, coo_setup_entry;
  double compact_setup, compact_setup_step;
  double packed_setup, packed_setup_entry, packed_setup_pick;
  double slot_setup, slot_setup_entry;
  double slab_setup, slab_setup_entry;
  double block_setup, block_setup_block;
  double tile_setup, tile_setup_entry;
  double transpose_setup, transpose_entry;

  friend bool operator==(const GpuTuning&, const GpuTuning&) = default;
};

// Every constant, in the order of the struct.
std::span<const Constant<GpuTuning>> constants(const GpuTuning&);

// What a device is known by.
struct GpuFigures {
  double bytes_per_second;  // of its memory
  double launch_seconds;    // of a product that has next to nothing to do
  double cache_bytes;       // L2
  double processors;
};

// The H200's table for another device, by what it has more or less of than an H200. Both figures
// must have been found in the same way.
GpuTuning scaled_from_h200(const GpuFigures& device, const GpuFigures& h200);

bool is_h200(const DeviceInfo& device);

// The table without a file: the H200's own for it and for the emulator, which stands for one;
// scaled for others, by the bytes a second that their memory is built for (0: not known) and by
// what the device has.
GpuTuning built_in_tuning(const DeviceInfo& device, double memory_speed);

}  // namespace nz
