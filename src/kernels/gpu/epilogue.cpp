#include "kernels/gpu/epilogue.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "kernels/gpu/parts/meeting.hpp"
#include "kernels/gpu/queue_epilogue.hpp"
#include "simt/launch_sizes.hpp"
#include "simt/warp.hpp"

namespace nz::NZ_HOME {
namespace {

constexpr int threads = 256;
constexpr int each = 4;  // elements a thread, where that fills the device

// Where the blocks of a sweep meet, and what they leave.
struct SumRoom {
  unsigned* counter;  // 0 before and after
  double* parts;      // two a block
  double *dot, *norm;

  // The block's sums, in its first thread. Room for two numbers a warp.
  NZ_DEVICE static void add_block(Thread& t, double& dot, double& square,
                                  const SharedArray<double>& room) {
    dot = reduce_to_first_lane(t, dot);
    square = reduce_to_first_lane(t, square);
    if (t.lane() == 0) {
      room[2 * t.warp()] = dot;
      room[2 * t.warp() + 1] = square;
    }
    t.sync();
    if (t.warp() == 0) {
      dot = reduce_to_first_lane(t, t.lane() < t.warps() ? double(room[2 * t.lane()]) : 0.0);
      square = reduce_to_first_lane(t, t.lane() < t.warps() ? double(room[2 * t.lane() + 1]) : 0.0);
    }
    t.sync();
  }

  // The last block adds up what all have, in their order.
  NZ_DEVICE void finish(Thread& t, double my_dot, double my_square) const {
    const auto room = t.shared<double>(2 * t.warps());
    const auto last = t.shared<int>(1);
    const Meeting meeting{counter, t.grid_size()};
    add_block(t, my_dot, my_square, room);
    if (t.index() == 0) {
      parts[2 * t.block()] = my_dot;
      parts[2 * t.block() + 1] = my_square;
      t.fence();
      last[0] = meeting.arrive(t);
    }
    t.sync();
    const int is_last = last[0];
    if (!is_last) return;
    Meeting::all_are_here(t);
    my_dot = my_square = 0;
    for (int i = t.index(); i < t.grid_size(); i += t.block_size()) {
      my_dot += t.load_coherent(parts + 2 * i);
      my_square += t.load_coherent(parts + 2 * i + 1);
    }
    add_block(t, my_dot, my_square, room);
    if (t.index() != 0) return;
    if (dot) *dot = my_dot;
    if (norm) *norm = sqrt(my_square);
    meeting.reset();
  }
};

// All of an epilogue, in one pass over a y that is finished.
template <class T>
struct EndSweep {
  static constexpr const char* name = "epilogue of y";
  static constexpr int max_threads = threads;
  std::int64_t n;
  T* y;
  bool changes, sums;
  FusedEnd<T> end;
  SumRoom room;
  NZ_DEVICE void operator()(Thread& t) const {
    double dot = 0, square = 0;
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size()) {
      const T v = end.value(t, i, y[i]);
      if (changes) y[i] = v;
      end.sum(t, i, v, dot, square);
    }
    if (sums) room.finish(t, dot, square);
  }
};

struct AddParts {
  static constexpr const char* name = "sums of an epilogue";
  static constexpr int max_threads = threads;
  std::int64_t n;
  const double* parts;
  SumRoom room;
  NZ_DEVICE void operator()(Thread& t) const {
    double dot = 0, square = 0;
    for (std::int64_t i = t.global_index(); i < n; i += t.global_size()) {
      dot += t.load(parts + 2 * i);
      square += t.load(parts + 2 * i + 1);
    }
    room.finish(t, dot, square);
  }
};

constexpr std::size_t shared_for_sums = 2 * threads / 32 * sizeof(double) + sizeof(double);

int blocks_on(Device device, std::int64_t n) {
  return std::max(1, blocks_for(n, threads * each, 4 * simt::backend(device).info().processors));
}

constexpr std::size_t counter_bytes = 256;
std::size_t bytes_of(std::int64_t parts, int blocks) {
  return parts == 0 ? 0 : counter_bytes + (static_cast<std::size_t>(parts + blocks)) * 16;
}

}  // namespace

FusedSums::FusedSums(Device device, CUstream_st* stream, std::int64_t parts)
    : stream_(stream),
      count_(parts),
      blocks_(blocks_on(device, parts)),
      memory_(device, bytes_of(parts, blocks_), stream) {
  if (parts == 0) return;
  counter_ = memory_.as<unsigned>();
  simt::backend(device).clear(counter_, counter_bytes, stream);
  block_parts_ = memory_.as<double>() + counter_bytes / sizeof(double);
  parts_ = block_parts_ + 2 * blocks_;
}

void FusedSums::add_up(double* dot, double* norm) const {
  if (count_ == 0) return;
  launch(
      {.blocks = blocks_, .threads = threads, .shared_bytes = shared_for_sums, .stream = stream_},
      AddParts{count_, parts_, {counter_, block_parts_, dot, norm}});
}

template <Value T>
void queue_epilogue(Device device, CUstream_st* stream, std::span<T> y, const Epilogue<T>& end) {
  const std::int64_t n = std::ssize(y);
  const bool changes = !end.add.empty() || end.clamps(), sums = end.sums();
  if (!sums && (!changes || n == 0)) return;
  const int blocks = blocks_on(device, n);
  const simt::QueuedMemory memory(device, sums ? bytes_of(1, blocks) : 0, stream);
  SumRoom room{memory.as<unsigned>(), nullptr, end.dot, end.norm};
  if (sums) {
    room.parts = memory.as<double>() + counter_bytes / sizeof(double);
    simt::backend(device).clear(room.counter, counter_bytes, stream);
  }
  launch({.blocks = blocks,
          .threads = threads,
          .shared_bytes = sums ? shared_for_sums : 0,
          .stream = stream},
         EndSweep<T>{n, y.data(), changes, sums, fused_end<T>(end, y.data(), nullptr), room});
}

#define NZ_INSTANTIATE(T) \
  template void queue_epilogue(Device, CUstream_st*, std::span<T>, const Epilogue<T>&);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz::NZ_HOME
