#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "simt/warp.hpp"

// Blocks too large for bsr_stream.hpp. A warp takes a window of the outputs of a line and a piece
// of its blocks, and reads them where they are. The pieces of a window put their sums together as
// those of long rows do: the last to come adds all, in their order.
namespace nz::NZ_HOME {

struct alignas(16) LargeTask {
  std::int64_t first;  // block
  int blocks;
  index_t line;
  int output;  // the first of the window
  int piece;   // the first one of the window
  int pieces;
};

// Outputs of a window: rows that share the elements of x that a lane has, or columns side by side.
template <bool transposed>
inline constexpr int large_window = transposed ? 32 : 8;

template <class T, bool transposed>
struct BsrLarge {
  static constexpr const char* name =
      transposed ? "gpu/bsr/balanced, large blocks, transposed" : "gpu/bsr/balanced, large blocks";
  static constexpr int window = large_window<transposed>;
  const LargeTask* tasks;
  int count;
  T* partial;         // a window each
  unsigned* arrived;  // for the first piece of a window
  int rows, cols;     // of a block
  const T* values;
  const index_t* other;
  const int* number;
  std::int64_t in, out;
  T alpha;
  const T* x;
  T beta;
  T* y;

  NZ_DEVICE void operator()(Thread& t) const {
    const int w = t.block() * t.warps() + t.warp();
    if (w >= count) return;
    const LargeTask task = tasks[w];
    T sum[transposed ? 1 : window] = {};
    if constexpr (transposed)
      sum[0] = columns(t, task);
    else
      add_rows(t, task, sum);
    finish(t, task, w, sum);
  }

 private:
  // Lanes go along the columns, of several blocks where those are narrow. In the end lane 0 has the
  // sums of the window's rows.
  NZ_DEVICE void add_rows(Thread& t, const LargeTask& task, T* sum) const {
    const int at_once = cols < 32 ? 32 / cols : 1, block = cols < 32 ? t.lane() / cols : 0;
    const int height = rows - task.output < window ? rows - task.output : window;
    if (block < at_once)
      for (int b = block; b < task.blocks; b += at_once) {
        const std::int64_t k = task.first + b;
        const T* row = values + (k * rows + task.output) * cols;
        for (int c = cols < 32 ? t.lane() % cols : t.lane(); c < cols; c += 32) {
          const std::int64_t j = std::int64_t{t.load(other + k)} * cols + c;
          if (j >= in) break;
          const T with = t.load(x + j);
          NZ_UNROLL
          for (int r = 0; r < window; ++r)
            if (r < height) sum[r] += t.load(row + std::int64_t{r} * cols + c) * with;
        }
      }
    NZ_UNROLL
    for (int r = 0; r < window; ++r) sum[r] = sum_down(t, sum[r]);
  }

  // A lane a column, for several rows at once where there are few columns. In the end every lane
  // of the first rows has the sum of its column.
  NZ_DEVICE T columns(Thread& t, const LargeTask& task) const {
    const int left = cols - task.output, width = left < window ? left : window;
    const int at_once = 32 / width, mine = t.lane() / width, c = t.lane() - mine * width;
    T sum = 0;
    if (mine < at_once)
      for (int b = 0; b < task.blocks; ++b) {
        const std::int64_t k = t.load(number + task.first + b);
        const std::int64_t i = std::int64_t{t.load(other + task.first + b)} * rows;
        const T* column = values + k * rows * cols + task.output + c;
        for (int r = mine; r < rows && i + r < in; r += at_once)
          sum += t.load(column + std::int64_t{r} * cols) * t.load(x + i + r);
      }
    T all = sum;
    for (int m = 1; m < at_once; ++m) {
      const T other_rows = t.shuffle_down(sum, m * width);
      if (t.lane() < width) all += other_rows;
    }
    return all;
  }

  // Where the sums of a window are: lane 0 has all, or each lane one.
  NZ_DEVICE int outputs(const LargeTask& task) const {
    const int left = (transposed ? cols : rows) - task.output;
    return left < window ? left : window;
  }
  template <class Each>
  NZ_DEVICE void each(Thread& t, const LargeTask& task, const T* sum, Each&& each) const {
    if constexpr (transposed) {
      if (t.lane() < outputs(task)) each(t.lane(), sum[0]);
    } else if (t.lane() == 0) {
      NZ_UNROLL
      for (int r = 0; r < window; ++r)
        if (r < outputs(task)) each(r, sum[r]);
    }
  }
  NZ_DEVICE void put(const LargeTask& task, int output, T sum) const {
    const std::int64_t i =
        std::int64_t{task.line} * (transposed ? cols : rows) + task.output + output;
    if (i < out) y[i] = combine(alpha, sum, beta, y + i);
  }

  NZ_DEVICE void finish(Thread& t, const LargeTask& task, int w, const T* sum) const {
    if (task.pieces == 1) {
      each(t, task, sum, [&](int output, T s) { put(task, output, s); });
      return;
    }
    each(t, task, sum, [&](int output, T s) { partial[std::int64_t{w} * window + output] = s; });
    t.fence();
    t.sync_warp();
    unsigned came = 0;
    if (t.lane() == 0) came = t.atomic_add(arrived + task.piece, 1u);
    if (t.shuffle(came, 0) + 1 != static_cast<unsigned>(task.pieces)) return;
    t.sync_warp();
    t.fence();
    if (t.lane() < outputs(task)) {
      T all = 0;
      for (int p = 0; p < task.pieces; ++p)
        all += t.load_coherent(partial + std::int64_t{task.piece + p} * window + t.lane());
      put(task, t.lane(), all);
    }
    if (t.lane() == 0) arrived[task.piece] = 0;
  }
};

// The tasks of a matrix in one direction.
template <Value T>
class LargeTasks {
 public:
  LargeTasks() = default;

  // `starts` of the lines and the end, in host memory.
  template <Offset O>
  LargeTasks(std::span<const O> starts, int outputs, int inputs, int window) {
    const Device device = current_device();
    constexpr int values = 1 << 15;  // about as many a task
    const std::int64_t piece = std::max(1, values / (window * inputs));
    std::vector<LargeTask> all;
    for (std::size_t line = 0; line + 1 < starts.size(); ++line) {
      const std::int64_t blocks = starts[line + 1] - starts[line];
      const std::int64_t pieces = std::max<std::int64_t>(1, (blocks + piece - 1) / piece);
      for (int output = 0; output < outputs; output += window) {
        const int first = static_cast<int>(all.size());
        for (std::int64_t p = 0; p < pieces; ++p) {
          const std::int64_t begin = blocks * p / pieces, end = blocks * (p + 1) / pieces;
          all.push_back({starts[line] + begin, static_cast<int>(end - begin),
                         static_cast<index_t>(line), output, first, static_cast<int>(pieces)});
        }
      }
    }
    tasks_ = {device, std::span<const LargeTask>(all)};
    const std::vector<unsigned> zeros(all.size());
    arrived_ = {device, std::span<const unsigned>(zeros)};
    partial_ = {device, all.size() * static_cast<std::size_t>(window)};
  }

  int count() const { return static_cast<int>(tasks_.size()); }
  const LargeTask* list() const { return tasks_.data(); }
  T* partial() const { return partial_.data(); }
  unsigned* arrived() const { return arrived_.data(); }
  std::size_t bytes() const { return tasks_.bytes() + partial_.bytes() + arrived_.bytes(); }

 private:
  DeviceArray<LargeTask> tasks_;
  mutable DeviceArray<T> partial_;
  mutable DeviceArray<unsigned> arrived_;
};

}  // namespace nz::NZ_HOME
