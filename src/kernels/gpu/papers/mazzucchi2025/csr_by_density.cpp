#include "kernels/gpu/papers/mazzucchi2025/block_threads.hpp"
#include "kernels/row_groups.hpp"

namespace nz::NZ_HOME {

Kernel gpu_csr_thread_per_row();
Kernel gpu_csr_warp_per_row();

namespace {

template <Value T, Offset O>
std::unique_ptr<Product<T>> prepare(const CsrView<T, O>& a, const Parameters& p) {
  const bool dense = dense_rows(a.rows, a.nnz, p.at("dense_from"));
  const Kernel taken = dense ? gpu_csr_warp_per_row() : gpu_csr_thread_per_row();
  return std::get<Prepare<T, O>>(taken.prepare)(a, taken.resolve({{"threads", p.at("threads")}}));
}

}  // namespace

// mazzucchi2025 says in words only where its kernels change places. In its table I, counting both
// halves of the symmetric matrices, threads win up to 4.3 entries a row (rajat31) and warps
// from 7.0 (helm2d03) on, without exception: the initial value lies between.
Kernel gpu_csr_by_density() {
  return {.family = "gpu",
          .format = "csr",
          .strategy = "by-density",
          .determinism = Determinism::always,
          .source = "mazzucchi2025 §VII",
          .summary = "thread-per-row or warp-per-row by mean row length",
          .parameters = {threads_parameter(block_threads),
                         {"dense_from", "mean entries a row from which warps take rows", 6, 0,
                          1 << 20}},
          .runs_on = Device::Kind::cuda,
          .prepare = {prepare<float, std::int32_t>, prepare<float, std::int64_t>,
                      prepare<double, std::int32_t>, prepare<double, std::int64_t>}};
}

}  // namespace nz::NZ_HOME
