#include "plan/tuning/gpu_tuning.hpp"

#include <iterator>

#include "plan/tuning/h200.hpp"

namespace nz {
namespace {

#define NZ_CONSTANT(scale, name) \
  { #name, &GpuTuning::name, Scale::scale }
constexpr Constant<GpuTuning> gpu_constants[] = {
    NZ_CONSTANT(rate, megabyte),
    NZ_CONSTANT(fixed, launch),
    NZ_CONSTANT(fixed, second_launch),
    NZ_CONSTANT(in_launch, small_matrix),
    NZ_CONSTANT(in_launch, look_from),
    NZ_CONSTANT(in_launch, small_to),
    NZ_CONSTANT(in_launch, large_from),
    NZ_CONSTANT(rate, line),
    NZ_CONSTANT(rate, missed_line),
    NZ_CONSTANT(none, cache_for_x),
    NZ_CONSTANT(processors, few_rows),
    NZ_CONSTANT(rate, long_row),
    NZ_CONSTANT(none, long_row_most),
    NZ_CONSTANT(fixed, csr_launch),
    NZ_CONSTANT(rate, csr_entry),
    NZ_CONSTANT(rate, csr_double),
    NZ_CONSTANT(rate, csr_row),
    NZ_CONSTANT(rate, csr_irregular),
    NZ_CONSTANT(rate, csr_few),
    NZ_CONSTANT(fixed, csr_small_launch),
    NZ_CONSTANT(fixed, csr_small_double),
    NZ_CONSTANT(rate, csr_small_irregular),
    NZ_CONSTANT(fixed, adaptive_launch),
    NZ_CONSTANT(rate, adaptive_entry),
    NZ_CONSTANT(rate, adaptive_double),
    NZ_CONSTANT(rate, adaptive_row),
    NZ_CONSTANT(rate, adaptive_irregular),
    NZ_CONSTANT(rate, adaptive_few),
    NZ_CONSTANT(processors, adaptive_fewest_rows),
    NZ_CONSTANT(fixed, compact_launch),
    NZ_CONSTANT(rate, compact_entry),
    NZ_CONSTANT(rate, compact_double),
    NZ_CONSTANT(rate, compact_row),
    NZ_CONSTANT(rate, compact_irregular),
    NZ_CONSTANT(rate, compact_double_irregular),
    NZ_CONSTANT(rate, compact_table),
    NZ_CONSTANT(rate, compact_few),
    NZ_CONSTANT(none, hubs),
    NZ_CONSTANT(none, hubs_most),
    NZ_CONSTANT(none, large_hubs),
    NZ_CONSTANT(fixed, compact_small_launch),
    NZ_CONSTANT(fixed, compact_small_double),
    NZ_CONSTANT(rate, compact_small_irregular),
    NZ_CONSTANT(rate, compact_short_entry),
    NZ_CONSTANT(fixed, compact_short_wait),
    NZ_CONSTANT(fixed, packed_launch),
    NZ_CONSTANT(none, packed_stream),
    NZ_CONSTANT(none, packed_gathers),
    NZ_CONSTANT(rate, slice),
    NZ_CONSTANT(rate, picked_slice),
    NZ_CONSTANT(rate, double_run),
    NZ_CONSTANT(rate, picks),
    NZ_CONSTANT(fixed, next_pick),
    NZ_CONSTANT(fixed, next_run),
    NZ_CONSTANT(fixed, empty_run),
    NZ_CONSTANT(fixed, slot_launch),
    NZ_CONSTANT(rate, slot_entry),
    NZ_CONSTANT(rate, slot_double),
    NZ_CONSTANT(rate, slot_row),
    NZ_CONSTANT(rate, slot_few),
    NZ_CONSTANT(rate, slot_large_entry),
    NZ_CONSTANT(fixed, slot_small_launch),
    NZ_CONSTANT(fixed, slot_small_double),
    NZ_CONSTANT(rate, slot_small_irregular),
    NZ_CONSTANT(rate, slot_small_few),
    NZ_CONSTANT(fixed, sell_launch),
    NZ_CONSTANT(rate, sell_double),
    NZ_CONSTANT(rate, sell_row),
    NZ_CONSTANT(fixed, sell_table),
    NZ_CONSTANT(fixed, sell_round),
    NZ_CONSTANT(fixed, sell_double_round),
    NZ_CONSTANT(none, sell_most_slots),
    NZ_CONSTANT(none, sell_most_rounds),
    NZ_CONSTANT(in_launch, sell_fewest),
    NZ_CONSTANT(none, sell_small_longest),
    NZ_CONSTANT(fixed, panel_launch),
    NZ_CONSTANT(fixed, panel_double),
    NZ_CONSTANT(none, panel_stream),
    NZ_CONSTANT(rate, panel_staged),
    NZ_CONSTANT(rate, panel_entry),
    NZ_CONSTANT(rate, panel_entry_double),
    NZ_CONSTANT(rate, panel_row),
    NZ_CONSTANT(fixed, panels_launch),
    NZ_CONSTANT(fixed, panels_double),
    NZ_CONSTANT(fixed, panels_each),
    NZ_CONSTANT(rate, panels_entry),
    NZ_CONSTANT(rate, panels_entry_double),
    NZ_CONSTANT(rate, panels_value),
    NZ_CONSTANT(rate, panels_row),
    NZ_CONSTANT(rate, panels_part),
    NZ_CONSTANT(rate, panels_part_double),
    NZ_CONSTANT(fixed, cluster_launch),
    NZ_CONSTANT(fixed, cluster_double),
    NZ_CONSTANT(none, cluster_around),
    NZ_CONSTANT(rate, cluster_column),
    NZ_CONSTANT(fixed, cluster_round),
    NZ_CONSTANT(fixed, slab_launch),
    NZ_CONSTANT(rate, slab_entry),
    NZ_CONSTANT(cache, slab_sums),
    NZ_CONSTANT(none, slab_cache),
    NZ_CONSTANT(rate, float_add_in_run),
    NZ_CONSTANT(rate, double_add_in_run),
    NZ_CONSTANT(fixed, block_launch),
    NZ_CONSTANT(rate, block_value),
    NZ_CONSTANT(rate, block_double),
    NZ_CONSTANT(rate, block_row),
    NZ_CONSTANT(none, block_transposed),
    NZ_CONSTANT(rate, add),
    NZ_CONSTANT(rate, near_add),
    NZ_CONSTANT(rate, far_add),
    NZ_CONSTANT(rate, same_add),
    NZ_CONSTANT(rate, few_add),
    NZ_CONSTANT(none, few_columns),
    NZ_CONSTANT(fixed, balanced_t),
    NZ_CONSTANT(fixed, adaptive_t),
    NZ_CONSTANT(fixed, coo_t),
    NZ_CONSTANT(rate, coo_entry),
    NZ_CONSTANT(fixed, tile_launch),
    NZ_CONSTANT(none, tile_share),
    NZ_CONSTANT(rate, tile),
    NZ_CONSTANT(rate, large_tile_entry),
    NZ_CONSTANT(none, empty_tile),
    NZ_CONSTANT(fixed, csr_setup),
    NZ_CONSTANT(rate, csr_setup_step),
    NZ_CONSTANT(fixed, adaptive_setup),
    NZ_CONSTANT(rate, adaptive_setup_row),
    NZ_CONSTANT(rate, adaptive_setup_entry),
    NZ_CONSTANT(fixed, coo_setup),
    NZ_CONSTANT(rate, coo_setup_entry),
    NZ_CONSTANT(fixed, compact_setup),
    NZ_CONSTANT(rate, compact_setup_step),
    NZ_CONSTANT(fixed, packed_setup),
    NZ_CONSTANT(rate, packed_setup_entry),
    NZ_CONSTANT(fixed, packed_setup_step),
    NZ_CONSTANT(processors, packed_setup_slices),
    NZ_CONSTANT(fixed, slot_setup),
    NZ_CONSTANT(rate, slot_setup_entry),
    NZ_CONSTANT(fixed, sell_setup),
    NZ_CONSTANT(rate, sell_setup_slot),
    NZ_CONSTANT(fixed, panel_setup),
    NZ_CONSTANT(rate, panel_setup_entry),
    NZ_CONSTANT(fixed, panels_setup),
    NZ_CONSTANT(rate, panels_setup_entry),
    NZ_CONSTANT(fixed, cluster_setup),
    NZ_CONSTANT(rate, cluster_setup_entry),
    NZ_CONSTANT(fixed, slab_setup),
    NZ_CONSTANT(rate, slab_setup_entry),
    NZ_CONSTANT(fixed, block_setup),
    NZ_CONSTANT(rate, block_setup_block),
    NZ_CONSTANT(fixed, tile_setup),
    NZ_CONSTANT(rate, tile_setup_entry),
    NZ_CONSTANT(fixed, transpose_setup),
    NZ_CONSTANT(rate, transpose_entry),
};
#undef NZ_CONSTANT
static_assert(std::size(gpu_constants) * sizeof(double) == sizeof(GpuTuning));

// What is not known is taken for an H200's.
double known(double figure, double of_h200) { return figure > 0 ? figure : of_h200; }

}  // namespace

std::span<const Constant<GpuTuning>> constants(const GpuTuning&) { return gpu_constants; }

GpuTuning scaled_from_h200(const GpuFigures& device, const GpuFigures& h200) {
  const double memory = device.bytes_per_second / h200.bytes_per_second,
               launch = device.launch_seconds / h200.launch_seconds;
  const auto factor = [&](Scale scale) {
    switch (scale) {
      case Scale::rate:
        return 1 / memory;
      case Scale::fixed:
        return launch;
      case Scale::cache:
        return device.cache_bytes / h200.cache_bytes;
      case Scale::in_launch:
        return memory * launch;
      case Scale::processors:
        return device.processors / h200.processors;
      default:
        return 1.0;
    }
  };
  GpuTuning table = h200_tuning;
  for (const Constant<GpuTuning>& c : gpu_constants) table.*c.value *= factor(c.scale);
  return table;
}

// Not a part of one (MIG), nor a GH200.
bool is_h200(const DeviceInfo& device) {
  return device.description.starts_with("NVIDIA H200") && device.processors == h200_told.processors;
}

GpuTuning built_in_tuning(const DeviceInfo& device, double memory_speed) {
  if (device.device.kind == Device::Kind::emulator || is_h200(device)) return h200_tuning;
  return scaled_from_h200({known(memory_speed, h200_told.bytes_per_second),
                           h200_told.launch_seconds,  // nobody tells
                           known(static_cast<double>(device.cache_bytes), h200_told.cache_bytes),
                           known(device.processors, h200_told.processors)},
                          h200_told);
}

}  // namespace nz
