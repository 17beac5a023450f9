#pragma once
#include <span>

#include "kernels/cpu_several_rules.hpp"
#include "plan/tuning/constant.hpp"

namespace nz {

// What the model of CPU kernels knows of a processor. Rounded from measured times
// (docs/results-cpu.md); `nonzero tune` measures them where it runs. What is no byte of the matrix
// is counted in bytes that memory streams in the same time.
struct CpuTuning {
  // Nonzeros below which one thread has multiplied before others have woken up, and no format pays.
  double small_matrix = 20'000;
  // Bytes of an x, or of private sums, that stay in a core's own cache.
  double near_bytes = cpu::near_bytes;
  // Fetching one line from far away, beyond its use.
  double far_line = 24;

  // Work, a nonzero: narrow columns and values made wide, picks of the packed format, sums that are
  // loaded and stored for every entry.
  double decoding = 0.3, picking = 6, scattering = 4;
  // Work for every row that is begun and ended, where rows are not side by side: short rows of
  // changing length are guessed wrong by the processor.
  double row_start = 25;
  // As often as a column is stored, for each thread that has private sums for it: cleared, added
  // to, added up.
  double private_sums = 3;

  // Converting from CSR, a nonzero.
  double csr_setup = 5, compact_setup = 75, sell_setup = 90, block_setup = 140, packed_setup = 160,
         csb_setup = 285, transpose_setup = 150;

  // Bytes a second that memory gives to one thread; many share it, and at so many each has half of
  // that. Only for how long things take, not for what is best.
  double thread_rate = 18e9, half_rate_threads = 12;
  double wake_up = 3e-6;  // seconds until all threads work

  double rate(int threads) const {
    return thread_rate * threads / (1 + threads / half_rate_threads);
  }

  friend bool operator==(const CpuTuning&, const CpuTuning&) = default;
};

// Every constant, in the order of the struct.
std::span<const Constant<CpuTuning>> constants(const CpuTuning&);

}  // namespace nz
