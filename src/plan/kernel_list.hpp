#pragma once

// The one list of kernels. A line names the function, defined in the kernel's own file under
// src/kernels/, that returns its registry entry: `line` for an ordinary file, `vector` for one
// that is compiled once for each instruction set (src/kernels/cpu/vector), `gpu` for one in the
// device language (src/kernels/gpu). A second word says how narrow the kernel stores values that a
// narrower type holds exactly (plan/narrowing.hpp).
// clang-format off
#define NZ_KERNELS(line, vector, gpu)       \
  line(cpu_coo_serial)                      \
  line(cpu_coo_scatter)                     \
  line(cpu_csr_serial)                      \
  line(cpu_csr_omp_rows)                    \
  vector(cpu_csr_balanced)                  \
  vector(cpu_compact_balanced, shorts)      \
  vector(cpu_dcsr_balanced)                 \
  line(cpu_csc_serial)                      \
  line(cpu_csb_block_rows)                  \
  vector(cpu_csb_balanced, floats)          \
  line(cpu_ell_serial)                      \
  line(cpu_sell_serial)                     \
  vector(cpu_sell_gather)                   \
  vector(cpu_packed_slices, floats)         \
  vector(cpu_esb_slices)                    \
  line(cpu_hyb_serial)                      \
  line(cpu_bsr_serial)                      \
  line(cpu_bsr_granular_row)                \
  line(cpu_bsr_intra_row_naive)             \
  line(cpu_bsr_intra_row_improved)          \
  line(cpu_bsr_fixed_max_task)              \
  line(cpu_bsr_fixed_size_tasks)            \
  line(cpu_bsr_preprocessed_tasks)          \
  line(cpu_bsr_flat_index)                  \
  vector(cpu_bsr_unrolled)                  \
  line(cpu_dia_serial)                      \
  gpu(gpu_coo_thread_per_entry)             \
  gpu(gpu_coo_scatter)                      \
  gpu(gpu_coo_map_1)                        \
  gpu(gpu_coo_map_threads)                  \
  gpu(gpu_coo_map_warp)                     \
  gpu(gpu_coo_map_block)                    \
  gpu(gpu_coo_ps_32)                        \
  gpu(gpu_coo_ps_1024)                      \
  gpu(gpu_coo_ps_32_equals)                 \
  gpu(gpu_coo_ps_1024_equals)               \
  gpu(gpu_coo_ps_32_warp)                   \
  gpu(gpu_coo_ps_1024_warp)                 \
  gpu(gpu_coo_ps_32_warp_equals)            \
  gpu(gpu_coo_ps_1024_warp_equals)          \
  gpu(gpu_coo_ps_work_efficient)            \
  gpu(gpu_coo_ps_32_work_efficient)         \
  gpu(gpu_coo_ps_32_warp_jump_block)        \
  gpu(gpu_coo_ps_32_warp_jump_block_unroll) \
  gpu(gpu_coo_by_row_density)               \
  gpu(gpu_coo_by_row_density_counted)       \
  gpu(gpu_coo_segmented)                    \
  gpu(gpu_coo_slots)                        \
  gpu(gpu_panels_staged, floats)            \
  gpu(gpu_csr_thread_per_row)               \
  gpu(gpu_csr_warp_per_row)                 \
  gpu(gpu_csr_by_density)                   \
  gpu(gpu_csr_thread_per_row_scatter)       \
  gpu(gpu_csr_one_thread_per_row_plain)     \
  gpu(gpu_csr_one_thread_per_row)           \
  gpu(gpu_csr_one_thread_per_row_shared)    \
  gpu(gpu_csr_one_warp_per_row_plain)       \
  gpu(gpu_csr_one_warp_per_row)             \
  gpu(gpu_csr_one_warp_per_row_shared)      \
  gpu(gpu_csr_coalesced_bins_plain)         \
  gpu(gpu_csr_coalesced_bins)               \
  gpu(gpu_csr_coalesced_bins_shared)        \
  gpu(gpu_csr_hybrid_plain)                 \
  gpu(gpu_csr_hybrid_plain_shared)          \
  gpu(gpu_csr_hybrid)                       \
  gpu(gpu_csr_adaptive)                     \
  gpu(gpu_csr_balanced)                     \
  gpu(gpu_csr_merge_path)                   \
  gpu(gpu_csr_row_blocks)                   \
  gpu(gpu_csr_hola)                         \
  gpu(gpu_csr_row_swizzle)                  \
  gpu(gpu_csr5_tiles)                       \
  gpu(gpu_cmrs_warp_per_strip)              \
  gpu(gpu_vcsr_thread_per_row)              \
  gpu(gpu_compact_balanced, shorts)         \
  gpu(gpu_slabs_balanced)                   \
  gpu(gpu_ell_thread_per_row)               \
  gpu(gpu_ell_thread_per_row_row_major)     \
  gpu(gpu_sell_thread_per_row)              \
  gpu(gpu_sell_warp_per_slice, floats)      \
  gpu(gpu_hyb_thread_per_row)               \
  gpu(gpu_packed_slices, floats)            \
  gpu(gpu_csb_baseline_thread_per_block)    \
  gpu(gpu_ecsb_coo_based)                   \
  gpu(gpu_ecsb_ell_based)                   \
  gpu(gpu_ecsb_by_rule)                     \
  gpu(gpu_gcsb_thread_per_block)            \
  gpu(gpu_gcsb_jagged)                      \
  gpu(gpu_bsr_row_major)                    \
  gpu(gpu_bsr_thread_private)               \
  gpu(gpu_bsr_team)                         \
  gpu(gpu_bsr_vector)                       \
  gpu(gpu_bsr_balanced)                     \
  gpu(gpu_tile_balanced)
// clang-format on
