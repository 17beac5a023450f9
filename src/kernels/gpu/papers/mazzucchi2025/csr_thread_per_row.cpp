#include "kernels/gpu/papers/mazzucchi2025/block_threads.hpp"
#include "kernels/gpu/papers/mazzucchi2025/thread_per_row.hpp"

namespace nz::NZ_HOME {
Kernel gpu_csr_thread_per_row() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "thread-per-row",
          .determinism = Determinism::always,
          .source = "mazzucchi2025 algorithm 1",
          .summary = "a thread a row",
          .parameters = with_form({threads_parameter(block_threads), swizzle_parameter(0)}),
          .runs_on = Device::Kind::cuda,
          .prepare = prepare_gpu<ThreadPerRow>()};
}

}  // namespace nz::NZ_HOME
