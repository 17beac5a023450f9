#include "plan/tuning/cpu_tuning.hpp"

#include <iterator>

namespace nz {
namespace {

#define NZ_CONSTANT(name) \
  { #name, &CpuTuning::name }
constexpr Constant<CpuTuning> cpu_constants[] = {
    NZ_CONSTANT(small_matrix),  NZ_CONSTANT(near_bytes),        NZ_CONSTANT(far_line),
    NZ_CONSTANT(decoding),      NZ_CONSTANT(picking),           NZ_CONSTANT(scattering),
    NZ_CONSTANT(row_start),     NZ_CONSTANT(private_sums),      NZ_CONSTANT(csr_setup),
    NZ_CONSTANT(compact_setup), NZ_CONSTANT(sell_setup),        NZ_CONSTANT(block_setup),
    NZ_CONSTANT(packed_setup),  NZ_CONSTANT(csb_setup),         NZ_CONSTANT(transpose_setup),
    NZ_CONSTANT(thread_rate),   NZ_CONSTANT(half_rate_threads), NZ_CONSTANT(wake_up),
};
#undef NZ_CONSTANT
static_assert(std::size(cpu_constants) * sizeof(double) == sizeof(CpuTuning));

}  // namespace

std::span<const Constant<CpuTuning>> constants(const CpuTuning&) { return cpu_constants; }

}  // namespace nz
