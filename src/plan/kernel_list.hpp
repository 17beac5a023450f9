#pragma once

// The one list of kernels. A line names the function, defined in the kernel's own file under
// src/kernels/, that returns its registry entry: `line` for an ordinary file, `vector` for one
// that is compiled once for each instruction set (src/kernels/cpu/vector).
#define NZ_KERNELS(line, vector) \
  line(cpu_coo_serial)           \
  line(cpu_csr_serial)           \
  line(cpu_csc_serial)           \
  line(cpu_ell_serial)           \
  line(cpu_sell_serial)          \
  line(cpu_hyb_serial)           \
  line(cpu_bsr_serial)           \
  line(cpu_dia_serial)           \
  vector(cpu_csr_balanced)       \
  vector(cpu_packed_slices)
