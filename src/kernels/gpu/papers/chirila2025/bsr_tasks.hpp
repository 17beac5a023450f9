#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/bsr_chunks.hpp"
#include "kernels/gpu/bsr/device_bsr.hpp"
#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/printed_form.hpp"
#include "simt/warp.hpp"

// What the kernels of chirila2025 §8.3 share: the tasks cut beforehand, who takes which, how their
// sums reach y, and how they are launched. A kernel is only what it does with one line of blocks.
namespace nz::NZ_HOME {

// What a kernel is given: the matrix, its tasks, the vectors. One type for offsets of both widths,
// which are read once a line, so that there are half as many kernels to compile.
template <class T>
struct BsrTasks {
  index_t rows, cols;
  int block_rows, block_cols;
  bool wide, fused;
  const void* offsets;
  const index_t* columns;
  const T* values;
  std::int64_t chunks;
  const std::int64_t* index;  // as in BsrChunks
  const index_t* row;
  T alpha = 0;
  const T* x = nullptr;
  T beta = 0;
  T* y = nullptr;

  NZ_DEVICE int block_size() const { return block_rows * block_cols; }
  NZ_DEVICE std::int64_t offset(Thread& t, index_t line) const {
    return wide ? t.load(static_cast<const std::int64_t*>(offsets) + line)
                : t.load(static_cast<const std::int32_t*>(offsets) + line);
  }
};

// A task's part of one line: from value `skip` of block `first` up to value `more` of block `last`.
struct LinePart {
  index_t line;
  std::int64_t first, last;
  int skip, more;
  bool alone;  // the whole line, and fused
};

// Listing 12: a block takes one task after the other, and of each one line after the other.
// one_row_of_blocks(part) is called by all threads of the block: with `calls` = 4 as in the
// listing, for a task in one line alone, for its first line, for those in between and for its last;
// with 1 from one place, which compiles large kernels once.
template <int calls = 1, class T, class Row>
NZ_DEVICE void over_tasks(Thread& t, const BsrTasks<T>& a, Row&& one_row_of_blocks) {
  const int size = a.block_size();
  NZ_ROLLED for (std::int64_t chunk = t.block(); chunk < a.chunks; chunk += t.grid_size()) {
    const std::int64_t start = t.load(a.index + chunk), stop = t.load(a.index + chunk + 1);
    const index_t start_row = t.load(a.row + chunk), stop_row = t.load(a.row + chunk + 1);
    const std::int64_t start_block = start / size, stop_block = stop / size;
    std::int64_t begin = a.offset(t, start_row);
    const auto next = [&](index_t line) {
      const std::int64_t end = a.offset(t, line + 1);
      LinePart part{line, begin, end, 0, 0, false};
      if (line == start_row) {
        part.first = start_block;
        part.skip = static_cast<int>(start - start_block * size);
      }
      if (line == stop_row) {
        part.last = stop_block;
        part.more = static_cast<int>(stop - stop_block * size);
      }
      part.alone = a.fused && part.first == begin && part.last == end && part.skip + part.more == 0;
      begin = end;
      return part;
    };
    const auto some = [](const LinePart& part) {
      return part.first < part.last || (part.first == part.last && part.skip < part.more);
    };
    if constexpr (calls == 4) {
      if (start_row == stop_row) {
        if (const LinePart part = next(start_row); some(part)) one_row_of_blocks(part);
        continue;
      }
      if (const LinePart part = next(start_row); some(part)) one_row_of_blocks(part);
      NZ_ROLLED for (index_t line = start_row + 1; line < stop_row;
                     ++line) if (const LinePart part = next(line); some(part))
          one_row_of_blocks(part);
      if (const LinePart part = next(stop_row); some(part)) one_row_of_blocks(part);
    } else {
      NZ_ROLLED for (index_t line = start_row; line <= stop_row;
                     ++line) if (const LinePart part = next(line); some(part))
          one_row_of_blocks(part);
    }
  }
}

// The values of a part by all threads in turn: visit(k, row, j) for stored value k in that row of
// its block and column j. Columns beyond the matrix are left out. Places are found by division as
// in listing 14. Of 64 bits are the places among all values, as there; of 32 bits those in a
// `window` of values, of whole blocks.
template <int bits, class T, class Visit>
NZ_DEVICE void over_values(Thread& t, const BsrTasks<T>& a, const LinePart& part, Visit&& visit) {
  using Index = std::conditional_t<bits == 64, std::int64_t, unsigned>;
  const auto size = static_cast<Index>(a.block_size()), width = static_cast<Index>(a.block_cols);
  // The values from `from` to `stop`, counted from block `base`.
  const auto some_of = [&](std::int64_t base, Index from, Index stop) {
    Index index = from;
    for (; index < stop; index += static_cast<Index>(t.block_size())) {
      const Index block = index / size, inside = index % size;
      const Index row = inside / width, col = inside % width;
      const std::int64_t j = std::int64_t{a.block_cols} * t.load(a.columns + base + block) + col;
      if (j < a.cols) visit(base * size + index, static_cast<int>(row), j);
    }
    return index;
  };
  if constexpr (bits == 64) {
    some_of(0, part.first * size + part.skip + t.index(), part.last * size + part.more);
  } else {
    const unsigned blocks = (1u << 30) / size, window = blocks * size;
    auto index = static_cast<unsigned>(part.skip + t.index());
    NZ_ROLLED for (std::int64_t base = part.first; base <= part.last; base += blocks) {
      const std::int64_t left = (part.last - base) * size + part.more;
      index = some_of(base, index, left < window ? static_cast<unsigned>(left) : window) - window;
    }
  }
}

// The sum of row `row` of the part's line goes to y: added to what is there, as other tasks add
// to it too, or fused, where the task has the whole line.
template <class T>
NZ_DEVICE void add_to_y(Thread& t, const BsrTasks<T>& a, const LinePart& part, int row, T sum) {
  const std::int64_t i = std::int64_t{a.block_rows} * part.line + row;
  if (i >= a.rows) return;
  if (part.alone)
    a.y[i] = combine(a.alpha, sum, a.beta, a.y + i);
  else
    t.atomic_add(a.y + i, a.alpha * sum);
}

// Listings 14, 17 and 18 keep the sums of a line in shared memory.
template <class T>
NZ_DEVICE void clear_sums(Thread& t, const BsrTasks<T>& a, const SharedArray<T>& sums) {
  t.sync();
  for (int i = t.index(); i < a.block_rows; i += t.block_size()) sums[i] = T(0);
  t.sync();
}
template <class T>
NZ_DEVICE void add_sums_to_y(Thread& t, const BsrTasks<T>& a, const LinePart& part,
                             const SharedArray<T>& sums) {
  t.sync();
  for (int i = t.index(); i < a.block_rows; i += t.block_size())
    add_to_y<T>(t, a, part, i, sums[i]);
}

// Registers are limited by launch bounds, which are compiled in: f<threads, blocks>() with those
// that the parameters ask for. 1024 threads twice a multiprocessor leave 32 registers a thread,
// once 64. The compiler's choice is free up to the 128 that 512 threads can have. The emulator has
// no registers: one kernel does there.
template <class F>
void with_bounds([[maybe_unused]] const Parameters& p, F&& f) {
#ifndef __CUDACC__
  f.template operator()<1024, 1>();
#else
  const std::int64_t most = p.at("registers");
  if (most == 0 && threads_of(p) <= 512)
    f.template operator()<512, 1>();
  else if (most == 0 || most > 32)
    f.template operator()<1024, 1>();
  else
    f.template operator()<1024, 2>();
#endif
}

inline Parameter place_bits_parameter() {
  return index_bits_parameter("of the numbers by whose division places are found: 64, or 32", 64);
}
inline Parameter calls_parameter(
    std::string_view text = "places that a line of blocks is multiplied from: 4 as listed, or 1") {
  return {"calls", text, 4, 1, 4};
}

// A product by tasks. `Kernels` has
// - choose<T>(p, f): f<K>() with the kernel for the parameters, made of BsrTasks<T>
// - shared_values(p): elements of T that it wants in shared memory
template <class T, class O, class Kernels>
class OnBsrTasks : public OnBsr<T, O> {
 public:
  OnBsrTasks(const CsrView<T, O>& a, const Parameters& p)
      : OnBsr<T, O>(a, p),
        threads_(threads_of(p)),
        shared_bytes_(static_cast<std::size_t>(Kernels::shared_values(p)) * sizeof(T)) {
    Kernels::template choose<T>(p, [&]<class K>() {
      registers_ = NZ_HOME::registers<K>();
      resident_ = resident_blocks<K>(threads_, shared_bytes_);
      run_ = run<K>;
    });
    per_sm_ = p.at("blocks_per_sm") > 0 ? p.at("blocks_per_sm") : resident_;
    cut(p.at("oversubscription"), p.at("fused") != 0);
  }

  std::size_t bytes() const { return OnBsr<T, O>::bytes() + task_bytes(); }
  std::size_t matrix_bytes() const { return this->a().bytes() + task_bytes(); }

  void multiply(CUstream_st* stream, T alpha, const T* x, T beta, T* y) const {
    if (!tasks_.fused) {
      scale(stream, beta, y, this->rows());
    } else if (beta != T(1)) {
      const auto n = static_cast<std::int64_t>(lines_.size());
      launch({.blocks = blocks_for(n * tasks_.block_rows, 256, 1 << 16),
              .threads = 256,
              .stream = stream},
             ScaleLines<T>{lines_.data(), n, tasks_.block_rows, tasks_.rows, beta, y});
    }
    BsrTasks<T> tasks = tasks_;
    tasks.alpha = alpha;
    tasks.x = x;
    tasks.beta = beta;
    tasks.y = y;
    run_({.blocks = static_cast<int>(tasks.chunks),
          .threads = threads_,
          .shared_bytes = shared_bytes_,
          .stream = stream},
         tasks);
  }

  Facts facts() const {
    Facts all = OnBsr<T, O>::facts();
    all["registers"] = registers_;
    all["resident_blocks"] = resident_;
    all["blocks_per_sm"] = static_cast<double>(per_sm_);
    all["grid"] = all["chunks"] = static_cast<double>(tasks_.chunks);
    all["threads"] = threads_;
    return all;
  }

 private:
  template <class K>
  static void run(const Launch& how, const BsrTasks<T>& tasks) {
    launch(how, K{tasks});
  }

  // As many tasks as blocks are launched: for each processor as many as it holds at a time, times
  // `oversubscription`, but none with less than a value a thread.
  void cut(std::int64_t oversubscription, bool fused) {
    const Device device = current_device();
    const BsrView<T, O>& m = this->a();
    const auto size = static_cast<std::int64_t>(m.block_size());
    const std::int64_t wanted =
        simt::backend(device).info().processors * per_sm_ * oversubscription;
    const HostOffsets<O> offsets(device, m.offsets, static_cast<std::size_t>(m.grid_rows()) + 1);
    const BsrChunks cut =
        cut_into_chunks(offsets.span(), size, blocks_for(m.blocks * size, threads_, wanted));
    index_ = {device, std::span<const std::int64_t>(cut.index)};
    row_ = {device, std::span<const index_t>(cut.row)};
    if (fused)
      lines_ = {device,
                std::span<const index_t>(lines_not_in_one_chunk(offsets.span(), size, cut))};
    tasks_ = {.rows = m.rows,
              .cols = m.cols,
              .block_rows = m.block_rows,
              .block_cols = m.block_cols,
              .wide = sizeof(O) == 8,
              .fused = fused,
              .offsets = m.offsets,
              .columns = m.columns,
              .values = m.values,
              .chunks = cut.count(),
              .index = index_.data(),
              .row = row_.data()};
  }
  std::size_t task_bytes() const { return index_.bytes() + row_.bytes() + lines_.bytes(); }

  int threads_;
  std::size_t shared_bytes_;
  int registers_ = 0, resident_ = 1;
  std::int64_t per_sm_ = 1;
  void (*run_)(const Launch&, const BsrTasks<T>&) = nullptr;
  DeviceArray<std::int64_t> index_;
  DeviceArray<index_t> row_, lines_;
  BsrTasks<T> tasks_{};
};

// What a kernel of the paper is launched and compiled with unless somebody says otherwise.
struct BsrDefaults {
  int threads;
  int oversubscription;  // of the best launch with as many threads that fills the device
  int registers = 32;    // --maxrregcount=32 (§8.2.1)
};

// An entry of them. The launch comes first among the parameters, for sweeps.
inline Kernel bsr_task_kernel(std::string_view strategy, std::string_view source,
                              std::string_view summary, const BsrDefaults& defaults,
                              const PrepareTable& prepare) {
  Kernel k{
      .family = "gpu",
      .format = "bsr",
      .strategy = strategy,
      .source = source,
      .summary = summary,
      .parameters = {threads_parameter(defaults.threads),
                     {"oversubscription",
                      "blocks launched for each that the device holds at a time",
                      defaults.oversubscription, 1, 64},
                     {"blocks_per_sm",
                      "blocks a multiprocessor before oversubscription; 0: as many as it holds", 0,
                      0, 64},
                     {"registers", "most a thread may have: 32 or 64; 0: the compiler's choice",
                      defaults.registers, 0, 64},
                     {"fused", "1: whole rows are scaled by beta where they are written", 0, 0, 1}},
      .runs_on = Device::Kind::cuda,
      .prepare = prepare,
      .with_fill = with_bsr_fill,
      .fit = fit_blocks};
  for (const Parameter& p : bsr_parameters()) k.parameters.push_back(p);
  return k;
}

}  // namespace nz::NZ_HOME
