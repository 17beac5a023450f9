#pragma once
#include <cstdint>

#include "kernels/gpu/bsr/line_tasks.hpp"
#include "kernels/gpu/bsr/stream_launch.hpp"
#include "simt/warp.hpp"

// Blocks too large for bsr/stream.hpp: a warp reads the part of its task where it is.
namespace nz::NZ_HOME {

// Outputs of a window: rows that share the elements of x that a lane has, or columns side by side.
template <bool transposed>
inline constexpr int large_window = transposed ? 32 : 8;

template <class T, bool transposed>
struct BsrLarge {
  static constexpr const char* name =
      transposed ? "gpu/bsr/balanced, large blocks, transposed" : "gpu/bsr/balanced, large blocks";
  static constexpr int window = large_window<transposed>;
  LineTaskView<T> tasks;
  int rows, cols;  // of a block
  BsrOperands<T> m;

  NZ_DEVICE void operator()(Thread& t) const {
    const int w = t.block() * t.warps() + t.warp();
    if (w >= tasks.count) return;
    const LineTask task = tasks.list[w];
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
  NZ_DEVICE void add_rows(Thread& t, const LineTask& task, T* sum) const {
    const int at_once = cols < 32 ? 32 / cols : 1, block = cols < 32 ? t.lane() / cols : 0;
    const int height = rows - task.output < window ? rows - task.output : window;
    if (block < at_once)
      for (int b = block; b < task.blocks; b += at_once) {
        const std::int64_t k = task.first + b;
        const T* row = m.values + (k * rows + task.output) * cols;
        for (int c = cols < 32 ? t.lane() % cols : t.lane(); c < cols; c += 32) {
          const std::int64_t j = std::int64_t{t.load(m.other + k)} * cols + c;
          if (j >= m.in) break;
          const T with = t.load(m.x + j);
          NZ_UNROLL
          for (int r = 0; r < window; ++r)
            if (r < height) sum[r] += t.load(row + std::int64_t{r} * cols + c) * with;
        }
      }
    NZ_UNROLL
    for (int r = 0; r < window; ++r) sum[r] = reduce_to_first_lane(t, sum[r]);
  }

  // A lane a column, for several rows at once where there are few columns. In the end every lane
  // of the first rows has the sum of its column.
  NZ_DEVICE T columns(Thread& t, const LineTask& task) const {
    const int left = cols - task.output, width = left < window ? left : window;
    const int at_once = 32 / width, mine = t.lane() / width, c = t.lane() - mine * width;
    T sum = 0;
    if (mine < at_once)
      for (int b = 0; b < task.blocks; ++b) {
        const std::int64_t k = t.load(m.number + task.first + b);
        const std::int64_t i = std::int64_t{t.load(m.other + task.first + b)} * rows;
        const T* column = m.values + k * rows * cols + task.output + c;
        for (int r = mine; r < rows && i + r < m.in; r += at_once)
          sum += t.load(column + std::int64_t{r} * cols) * t.load(m.x + i + r);
      }
    T all = sum;
    for (int i = 1; i < at_once; ++i) {
      const T other_rows = t.shuffle_down(sum, i * width);
      if (t.lane() < width) all += other_rows;
    }
    return all;
  }

  // Where the sums of a window are: lane 0 has all, or each lane one.
  NZ_DEVICE int outputs(const LineTask& task) const {
    const int left = (transposed ? cols : rows) - task.output;
    return left < window ? left : window;
  }
  template <class Each>
  NZ_DEVICE void each(Thread& t, const LineTask& task, const T* sum, Each&& each) const {
    if constexpr (transposed) {
      if (t.lane() < outputs(task)) each(t.lane(), sum[0]);
    } else if (t.lane() == 0) {
      NZ_UNROLL
      for (int r = 0; r < window; ++r)
        if (r < outputs(task)) each(r, sum[r]);
    }
  }
  NZ_DEVICE void put(const LineTask& task, int output, T sum) const {
    const std::int64_t i =
        std::int64_t{task.line} * (transposed ? cols : rows) + task.output + output;
    if (i < m.out) m.y[i] = combine(m.alpha, sum, m.beta, m.y + i);
  }

  NZ_DEVICE void finish(Thread& t, const LineTask& task, int w, const T* sum) const {
    tasks.finish(
        t, w, outputs(task), [&](auto&& f) { each(t, task, sum, f); },
        [&](int output, T all) { put(task, output, all); });
  }
};

}  // namespace nz::NZ_HOME
