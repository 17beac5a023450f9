#include "kernels/bsr_chunks.hpp"
#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/threaded_product.hpp"

// The strategies of chirila2025 §6.2.2 that make OpenMP tasks during the product.
namespace nz {
namespace {

struct ChunkedStrategy {
  template <Value T, Offset O>
  static cpu::ChunkedBsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int threads) {
    return cpu::to_chunked_bsr(a, p, threads);
  }
};

// Listing 6: whoever takes a line cuts it into tasks of at most chunk_size blocks.
struct BsrFixedMaxTask : ChunkedStrategy {
  template <Value T, Offset O>
  static void multiply(const cpu::ChunkedBsrView<T, O>& a, [[maybe_unused]] int threads, T alpha,
                       const T* x, T beta, T* y) {
    const std::int64_t chunk_size = a.chunk_size();
    const index_t lines = a.grid_rows();
    NZ_OMP(parallel num_threads(threads)) {
      cpu::scale_together(a.rows, beta, y);
      NZ_OMP(for schedule(dynamic, 1))
      for (index_t line = 0; line < lines; ++line)
        for (std::int64_t start = a.offsets[line]; start < a.offsets[line + 1];
             start += chunk_size) {
          NZ_OMP(task firstprivate(line, start)) {
            const auto stop = std::min<std::int64_t>(a.offsets[line + 1], start + chunk_size);
            cpu::one_row_of_blocks<T, O>(a, line, static_cast<O>(start), static_cast<O>(stop),
                                         alpha, x, y);
          }
        }
    }
  }
};

// Listing 7: one thread cuts all blocks into equal tasks, whatever lines they lie in.
struct BsrFixedSizeTasks : ChunkedStrategy {
  template <Value T, Offset O>
  static void multiply(const cpu::ChunkedBsrView<T, O>& a, [[maybe_unused]] int threads, T alpha,
                       const T* x, T beta, T* y) {
    const std::int64_t chunks = a.blocks == 0 ? 0 : a.chunks;
    NZ_OMP(parallel num_threads(threads)) {
      cpu::scale_together(a.rows, beta, y);
      NZ_OMP(single) {
        index_t start_row = 0, stop_row = 0;
        std::int64_t start = 0;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
          const std::int64_t stop = chunk_start(a.blocks, chunk + 1, chunks);
          while (a.offsets[stop_row + 1] < stop) ++stop_row;
          NZ_OMP(task firstprivate(start_row, stop_row, start, stop))
          cpu::for_each_row_of(a.offsets, start_row, stop_row, start, stop, 1,
                               [&](index_t line, std::int64_t from, std::int64_t to) {
                                 cpu::one_row_of_blocks<T, O>(a, line, static_cast<O>(from),
                                                              static_cast<O>(to), alpha, x, y);
                               });
          start_row = stop_row;
          start = stop;
        }
      }
    }
  }
};

}  // namespace

Kernel cpu_bsr_fixed_max_task() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "fixed-max-task",
          .threaded = true,
          .source = "chirila2025 §6.2.2 listing 6",
          .summary = "lines of blocks cut into tasks of a largest size",
          .parameters = cpu::chunked_bsr_parameters(),
          .prepare = cpu::prepare_threaded<BsrFixedMaxTask>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

Kernel cpu_bsr_fixed_size_tasks() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "fixed-size-tasks",
          .threaded = true,
          .source = "chirila2025 §6.2.2 listing 7",
          .summary = "all blocks cut into equal tasks by one thread during the product",
          .parameters = cpu::chunked_bsr_parameters(),
          .prepare = cpu::prepare_threaded<BsrFixedSizeTasks>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

}  // namespace nz
