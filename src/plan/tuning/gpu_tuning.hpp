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
  // Nonzeros below which blocks are not looked for and SELL is for short rows alone, and below
  // which what samples tell saves less than looking takes.
  double small_matrix, look_from;
  // Nonzeros up to which a product is a launch and two waits for memory, and from which on it is
  // what it moves. Between them it becomes the one from the other, with the logarithm.
  double small_to, large_from;

  // Lines of x beyond those that all rows together need: in the cache; what a miss adds; the share
  // of the cache that x has for itself.
  double line, missed_line, cache_for_x;
  // What irregular rows add to an entry of kernels that give blocks equal work, for each doubling
  // of the slots that slices of 32 rows have; how few rows are few, as far as an entry takes longer
  // because the device is not full.
  double few_rows;
  // An entry of the longest row, for kernels whose blocks leave parts of rows for each other; those
  // of it beyond so many add nothing.
  double long_row, long_row_most;

  // gpu/csr/balanced: an entry, what is more of a double, a row; irregular rows; few rows. Of small
  // matrices: the launch, what is more of doubles, irregular rows.
  double csr_launch, csr_entry, csr_double, csr_row, csr_irregular, csr_few;
  double csr_small_launch, csr_small_double, csr_small_irregular;

  // gpu/csr/adaptive, for rows that are alike: likewise. Fewer long rows leave most of the device
  // idle.
  double adaptive_launch, adaptive_entry, adaptive_double, adaptive_row, adaptive_irregular,
      adaptive_few, adaptive_fewest_rows;

  // gpu/compact/balanced: likewise; an entry whose value is in a table; a factor where rows are
  // irregular and nonzeros fewer than that; from there on one of large graphs with hubs, of CSR
  // too. Of small matrices: the launch, what is more of doubles,
  // irregular rows, an entry of a row of one, and what the wait of such rows is.
  double compact_launch, compact_entry, compact_double, compact_row, compact_irregular,
      compact_double_irregular, compact_table, compact_few, hubs, hubs_most, large_hubs;
  double compact_small_launch, compact_small_double, compact_small_irregular, compact_short_entry,
      compact_short_wait;

  // gpu/packed/slices: bytes as a share of what streaming them takes, gathers that hit likewise; a
  // slice, what is more of one with picks, a run of doubles, 32 picks; a pick and a run that wait
  // for the one before, what is more of a run that no row has.
  double packed_launch, packed_stream, packed_gathers, slice, picked_slice, double_run, picks;
  double next_pick, next_run, empty_run;

  // gpu/coo/slots: an entry, what is more of a double, a row, few rows; what is more of an entry
  // from `hubs_most` on. Of small matrices: the
  // launch, what is more of doubles, irregular rows, few rows.
  double slot_launch, slot_entry, slot_double, slot_row, slot_few, slot_large_entry;
  double slot_small_launch, slot_small_double, slot_small_irregular, slot_small_few;

  // gpu/sell/warp-per-slice: what is more of a double, a row; the wait for a table of values; a
  // round of 8 steps that waits for the one before, of floats, and more of doubles. Slots a
  // nonzero, and rounds, beyond which others are better. Small matrices: from so many nonzeros on,
  // and with rows no longer than that.
  double sell_launch, sell_double, sell_row, sell_table, sell_round, sell_double_round;
  double sell_most_slots, sell_most_rounds, sell_fewest, sell_small_longest;

  // gpu/panels/staged: what is more of doubles; bytes as a share of what streaming them takes; a
  // byte of x that a block has; an entry, what is more of a double, a row. Of several panels: the
  // launches, what is more of doubles, a panel, an entry, what is more of a double, a byte of a
  // value, a row; a part of a row, what is more of one of doubles.
  double panel_launch, panel_double, panel_stream, panel_staged, panel_entry, panel_entry_double,
      panel_row;
  double panels_launch, panels_double, panels_each, panels_entry, panels_entry_double, panels_value,
      panels_row, panels_part, panels_part_double;

  // gpu/clusters/staged: what is more of doubles; how many times as many columns clusters have
  // around them as patches; a column of a block; a round of 8 steps of the longest row.
  double cluster_launch, cluster_double, cluster_around, cluster_column, cluster_round;

  // gpu/slabs/balanced: an entry; x comes once for every so many bytes of y. For an x that takes
  // this share of the cache or more.
  double slab_launch, slab_entry, slab_sums, slab_cache;

  // gpu/packed/slices, transposed: atomics in runs, side by side, of floats and of doubles.
  double float_add_in_run, double_add_in_run;

  // gpu/bsr/balanced: a value, what is more of a double, a row; transposed, as a factor.
  double block_launch, block_value, block_double, block_row, block_transposed;

  // Atomics in y: each; each that goes to a line of its own, in the cache and beyond; at the same
  // column one after the other; where there are few columns, and how many are few.
  double add, near_add, far_add, same_add, few_add, few_columns;

  // Starting T of gpu/csr/balanced, gpu/csr/adaptive and gpu/coo/segmented; the latter's entry.
  double balanced_t, adaptive_t, coo_t, coo_entry;

  // gpu/tile/balanced: streaming as a share of CSR's bytes; a tile; an entry of large tiles, which
  // are made where small ones would have fewer entries than that.
  double tile_launch, tile_share, tile, large_tile_entry, empty_tile;

  // Preparing from CSR on the device: at least; a nonzero, row or block; a diagonal of a slice, of
  // so many slices that are walked at once.
  double csr_setup, csr_setup_step;
  double adaptive_setup, adaptive_setup_row, adaptive_setup_entry;
  double coo_setup, coo_setup_entry;
  double compact_setup, compact_setup_step;
  double packed_setup, packed_setup_entry, packed_setup_step, packed_setup_slices;
  double slot_setup, slot_setup_entry;
  double sell_setup, sell_setup_slot;
  double panel_setup, panel_setup_entry, panels_setup, panels_setup_entry;
  double cluster_setup, cluster_setup_entry;
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
