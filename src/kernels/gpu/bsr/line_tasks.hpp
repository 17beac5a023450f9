#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <nonzero/device.hpp>

#include "kernels/gpu/gpu_product.hpp"
#include "kernels/gpu/parts/meeting.hpp"

// Work for kernels in which a warp takes a window of the outputs of a line of blocks and a piece of
// its blocks. The pieces of a window put their sums together without waiting for each other: the
// last to come adds all, always in their order.
namespace nz::NZ_HOME {

struct alignas(16) LineTask {
  std::int64_t first;  // block
  int blocks;
  index_t line;
  int output;  // the first of the window
  int piece;   // the first one of the window
  int pieces;
};

// What a kernel needs of them.
template <class T>
struct LineTaskView {
  const LineTask* list;
  int count;
  int window;         // outputs
  T* partial;         // a window each
  unsigned* arrived;  // for the first piece of a window

  // For a warp that has sums of a task. `each(f)` calls f(output, sum) for every output of the
  // window, in any lane; `put(output, sum)` takes what the window has in all.
  template <class Each, class Put>
  NZ_DEVICE void finish(Thread& t, int which, int outputs, Each&& each, Put&& put) const {
    const LineTask& task = list[which];
    if (task.pieces == 1) {
      each([&](int output, T sum) { put(output, sum); });
      return;
    }
    each([&](int output, T sum) { partial[std::int64_t{which} * window + output] = sum; });
    const Meeting meeting{arrived + task.piece, task.pieces};
    Meeting::publish_lanes(t);
    if (!meeting.last_warp(t)) return;
    for (int i = t.lane(); i < outputs; i += 32) {
      T all = 0;
      for (int p = 0; p < task.pieces; ++p)
        all += t.load_coherent(partial + std::int64_t{task.piece + p} * window + i);
      put(i, all);
    }
    if (t.lane() == 0) meeting.reset();
  }
};

template <Value T>
class LineTasks {
 public:
  LineTasks() = default;

  // `starts` of the lines and the end, in host memory; `piece`: most blocks of a task.
  template <Offset O>
  LineTasks(std::span<const O> starts, int outputs, int window, std::int64_t piece)
      : window_(window) {
    const Device device = current_device();
    std::vector<LineTask> all;
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
    tasks_ = {device, std::span<const LineTask>(all)};
  }

  int count() const { return static_cast<int>(tasks_.size()); }
  simt::ScratchSize scratch_size() const {
    return simt::scratch_for<T>(tasks_.size(), tasks_.size() * static_cast<std::size_t>(window_));
  }
  LineTaskView<T> view(const simt::Scratch& s) const {
    return {tasks_.data(), count(), window_, s.values<T>(), s.counters};
  }
  std::size_t bytes() const { return tasks_.bytes(); }

 private:
  int window_ = 1;
  DeviceArray<LineTask> tasks_;
};

}  // namespace nz::NZ_HOME
