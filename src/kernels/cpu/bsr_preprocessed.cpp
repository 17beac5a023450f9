#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "kernels/bsr_chunks.hpp"
#include "kernels/cpu/bsr_blocks.hpp"
#include "kernels/cpu/threaded_product.hpp"

// The strategies of chirila2025 whose equal pieces are cut once, when the matrix is prepared.
namespace nz {
namespace {

template <Value T, Offset O>
struct ScheduledBsrView : BsrView<T, O> {
  std::int64_t chunks = 0;
  const std::int64_t* index = nullptr;
  const index_t* row = nullptr;

  std::size_t bytes() const {
    return BsrView<T, O>::bytes() +
           static_cast<std::size_t>(chunks + 1) * (sizeof(std::int64_t) + sizeof(index_t));
  }
};

template <Value T, Offset O>
struct ScheduledBsr {
  Bsr<T, O> matrix;
  BsrChunks cut;

  std::size_t bytes() const { return view().bytes(); }
  ScheduledBsrView<T, O> view() const {
    return {matrix.view(), cut.count(), cut.index.data(), cut.row.data()};
  }
};

template <Value T, Offset O>
ScheduledBsr<T, O> schedule(const CsrView<T, O>& a, const Parameters& p, int threads) {
  Bsr<T, O> m = to_bsr(a, p);
  BsrChunks cut = cut_into_chunks(std::span<const O>(m.offsets),
                                  static_cast<std::int64_t>(m.view().block_size()),
                                  threads * p.at("chunks_per_thread"));
  return {std::move(m), std::move(cut)};
}

// body(piece) by the threads of a parallel region, y scaled before.
template <Value T, class Body>
void over_chunks(index_t rows, std::int64_t chunks, [[maybe_unused]] int threads, T beta, T* y,
                 Body&& body) {
  NZ_OMP(parallel num_threads(threads)) {
    cpu::scale_together(rows, beta, y);
    NZ_OMP(for schedule(dynamic, 1))
    for (std::int64_t c = 0; c < chunks; ++c) body(c);
  }
}

// Listing 9, in whole blocks.
struct BsrPreprocessedTasks {
  template <Value T, Offset O>
  static ScheduledBsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int threads) {
    return schedule(a, p, threads);
  }

  template <Value T, Offset O>
  static void multiply(const ScheduledBsrView<T, O>& a, int threads, T alpha, const T* x, T beta,
                       T* y) {
    const auto block_size = static_cast<std::int64_t>(a.block_size());
    over_chunks(a.rows, a.chunks, threads, beta, y, [&](std::int64_t c) {
      cpu::for_each_row_of(a.offsets, a.row[c], a.row[c + 1], a.index[c] / block_size,
                           a.index[c + 1] / block_size, 1,
                           [&](index_t line, std::int64_t from, std::int64_t to) {
                             cpu::one_row_of_blocks<T, O>(a, line, static_cast<O>(from),
                                                          static_cast<O>(to), alpha, x, y);
                           });
    });
  }
};

// Listing 11: one loop over the stored values; where each belongs is found by division, of Index.
// Columns need looking at only where the last blocks reach beyond the matrix.
template <bool whole, class Index, Value T, Offset O>
void one_row_of_values(const BsrView<T, O>& a, index_t line, std::int64_t start, std::int64_t stop,
                       T alpha, const T* x, T* y) {
  if (start >= stop) return;
  T sums[max_block_rows];
  std::fill_n(sums, a.block_rows, T(0));
  const auto block_size = static_cast<Index>(a.block_size()),
             width = static_cast<Index>(a.block_cols);
  for (auto index = static_cast<Index>(start); index < static_cast<Index>(stop); ++index) {
    const Index block = index / block_size, inside = index % block_size;
    const Index row = inside / width, col = inside % width;
    const std::int64_t j = std::int64_t{width} * a.columns[block] + col;
    if (whole || j < a.cols) sums[row] += a.values[index] * x[j];
  }
  cpu::add_sums(a, line, alpha, sums, y);
}

template <Value T, Offset O>
struct FlatBsrView : ScheduledBsrView<T, O> {
  bool narrow = false;  // places are 32-bit numbers
};

template <Value T, Offset O>
struct FlatBsr {
  ScheduledBsr<T, O> scheduled;
  bool narrow = false;

  std::size_t bytes() const { return scheduled.bytes(); }
  FlatBsrView<T, O> view() const { return {scheduled.view(), narrow}; }
};

struct BsrFlatIndex {
  template <Value T, Offset O>
  static FlatBsr<T, O> convert(const CsrView<T, O>& a, const Parameters& p, int threads) {
    ScheduledBsr<T, O> s = schedule(a, p, threads);
    const bool fits = s.matrix.values.size() <= std::numeric_limits<std::int32_t>::max();
    return {std::move(s), p.at("index_bits") == 32 && fits};
  }

  template <Value T, Offset O>
  static void multiply(const FlatBsrView<T, O>& a, int threads, T alpha, const T* x, T beta, T* y) {
    const bool whole = a.cols % a.block_cols == 0;
    const auto row = a.narrow ? (whole ? one_row_of_values<true, std::int32_t, T, O>
                                       : one_row_of_values<false, std::int32_t, T, O>)
                              : (whole ? one_row_of_values<true, std::int64_t, T, O>
                                       : one_row_of_values<false, std::int64_t, T, O>);
    over_chunks(a.rows, a.chunks, threads, beta, y, [&](std::int64_t c) {
      cpu::for_each_row_of(a.offsets, a.row[c], a.row[c + 1], a.index[c], a.index[c + 1],
                           static_cast<std::int64_t>(a.block_size()),
                           [&](index_t line, std::int64_t from, std::int64_t to) {
                             row(a, line, from, to, alpha, x, y);
                           });
    });
  }
};

// What is divided is a place among the values. §6.2.1 has int64_t for what addresses contiguous
// memory and int32_t for indices; "8 bytes per chunk", an index and a row, would be two of these.
std::vector<Parameter> flat_parameters() {
  std::vector<Parameter> all = cpu::chunked_bsr_parameters();
  all.push_back({"index_bits", "of the numbers that are divided: 32, where places fit; more is 64",
                 64, 32, 64});
  return all;
}

}  // namespace

Kernel cpu_bsr_preprocessed_tasks() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "preprocessed-tasks",
          .threaded = true,
          .source = "chirila2025 §6.2.2 listings 9 and 10",
          .summary = "all blocks cut into equal tasks beforehand",
          .parameters = cpu::chunked_bsr_parameters(),
          .prepare = cpu::prepare_threaded<BsrPreprocessedTasks>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

Kernel cpu_bsr_flat_index() {
  return {.family = "cpu",
          .format = "bsr",
          .strategy = "flat-index",
          .threaded = true,
          .source = "chirila2025 §8.3.1 listing 11",
          .summary = "the same tasks value by value, places found by division",
          .parameters = flat_parameters(),
          .prepare = cpu::prepare_threaded<BsrFlatIndex>(),
          .with_fill = with_bsr_fill,
          .fit = fit_blocks};
}

}  // namespace nz
