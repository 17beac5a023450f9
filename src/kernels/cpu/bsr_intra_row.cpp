#include <fmt/format.h>
#include <nonzero/error.hpp>

#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/threaded_product.hpp"

// The strategies of chirila2025 §6.2.2 that put all threads on one line of blocks after the other.
namespace nz {
namespace {

// Listing 4: a barrier after every line, and every thread adds to every row. A matrix of millions
// of lines would wait for minutes: it is declined.
struct BsrIntraRowNaive {
  template <Value T, Offset O>
  static Bsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int) {
    const BsrView<T, O> grid{.rows = a.rows,
                             .block_rows = static_cast<index_t>(p.at("block_rows"))};
    if (grid.grid_rows() > p.at("max_lines"))
      throw Refused(fmt::format("{} lines of blocks with a barrier after each, limit {}",
                                grid.grid_rows(), p.at("max_lines")));
    return to_bsr(a, p);
  }

  static std::vector<Parameter> parameters() {
    std::vector<Parameter> all = bsr_parameters();
    all.push_back({"max_lines", "most lines of blocks", 10'000, 10'000, 2'147'483'647});
    return all;
  }

  template <Value T, Offset O>
  static void multiply(const BsrView<T, O>& a, [[maybe_unused]] int threads, T alpha, const T* x,
                       T beta, T* y) {
    NZ_OMP(parallel num_threads(threads)) {
      cpu::scale_together(a.rows, beta, y);
      T sums[max_block_rows];
      for (index_t line = 0; line < a.grid_rows(); ++line) {
        const index_t height = a.height(line);
        std::fill_n(sums, height, T(0));
        const O start = a.offsets[line], stop = a.offsets[line + 1];
        NZ_OMP(for schedule(guided, 1))
        for (O k = start; k < stop; ++k) cpu::add_block(a, height, k, x, sums);
        cpu::add_sums(a, line, alpha, sums, y);
      }
    }
  }
};

// Listing 5: no barrier, pieces not below a size, and only threads that had blocks add.
struct BsrIntraRowImproved {
  template <Value T, Offset O>
  static cpu::ChunkedBsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int threads) {
    return cpu::to_chunked_bsr(a, p, threads);
  }

  template <Value T, Offset O>
  static void multiply(const cpu::ChunkedBsrView<T, O>& a, [[maybe_unused]] int threads, T alpha,
                       const T* x, T beta, T* y) {
    [[maybe_unused]] const auto chunk_size = static_cast<O>(a.chunk_size());
    NZ_OMP(parallel num_threads(threads)) {
      cpu::scale_together(a.rows, beta, y);
      T sums[max_block_rows];
      for (index_t line = 0; line < a.grid_rows(); ++line) {
        bool did_work = false;
        const index_t height = a.height(line);
        std::fill_n(sums, height, T(0));
        const O start = a.offsets[line], stop = a.offsets[line + 1];
        NZ_OMP(for schedule(guided, chunk_size) nowait)
        for (O k = start; k < stop; ++k) {
          did_work = true;
          cpu::add_block<T, O>(a, height, k, x, sums);
        }
        if (did_work) cpu::add_sums<T, O>(a, line, alpha, sums, y);
      }
    }
  }
};

}  // namespace

Kernel cpu_bsr_intra_row_naive() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "intra-row-naive",
          .threaded = true,
          .source = "chirila2025 §6.2.2 listing 4",
          .summary = "all threads share each line of blocks, with a barrier after it",
          .parameters = BsrIntraRowNaive::parameters(),
          .prepare = cpu::prepare_threaded<BsrIntraRowNaive>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

Kernel cpu_bsr_intra_row_improved() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "intra-row-improved",
          .threaded = true,
          .source = "chirila2025 §6.2.2 listing 5",
          .summary = "all threads share each line of blocks in larger pieces, without a barrier",
          .parameters = cpu::chunked_bsr_parameters(),
          .prepare = cpu::prepare_threaded<BsrIntraRowImproved>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

}  // namespace nz
