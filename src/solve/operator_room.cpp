#include "solve/operator_room.hpp"

#include <algorithm>

#include "base/instantiate.hpp"
#include "solve/workspace.hpp"

namespace nz {
namespace {

// Words that begin as zeros: the scalars of a sweep, none of which stops it, and its two counters,
// which are apart from each other.
constexpr std::size_t scalar_words = 2 * fixed_scalars, counter_place = 32, arrived_place = 64,
                      words = 96;
static_assert(scalar_words <= counter_place);

template <class T>
void run(Device device, CUstream_st* stream, const Sweep<T>& s, const SweepRoom& room) {
  const simt::DeviceScope scope(device);
  (void)stream, (void)s, (void)room;
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) cuda::queue_sweep(stream, s, room);
#endif
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator) emulated::queue_sweep(stream, s, room);
#endif
}

}  // namespace

template <Value T>
OperatorRoom<T>::OperatorRoom(Device device, int threads, std::size_t temporary)
    : device_(device), threads_(threads), temporary_(temporary) {
  if (device == cpu_device) return;
  const simt::DeviceScope scope(device);
  const DeviceInfo& info = simt::backend(device).info();
  room_.size = fixed_scalars;
  room_.blocks = std::max(4, 4 * info.processors);  // as a solver's own sweeps
  room_.cache_bytes = info.cache_bytes;
  parts_ = static_cast<std::size_t>(room_.blocks) * Sweep<T>::most_sums * sizeof(double);
  parts_ = (parts_ + 255) / 256 * 256;  // the vector begins where a line of memory does
  const simt::ScratchSize size{words, (parts_ + temporary * sizeof(T) + 15) / 16 * 16};
  scratch_ = std::make_unique<simt::StreamScratch>(device, size);
}

template <Value T>
void OperatorRoom<T>::Vectors::update(std::size_t n, T a, const T* x, T b, T* y) const {
  if (n == 0 || (a == T(0) && b == T(1))) return;
  Sweep<T> s;
  s.n = static_cast<std::int64_t>(n);
  s.updates = 1;
  s.update[0] = {.y = y,
                 .x = a == T(0) ? nullptr : x,
                 .d = nullptr,
                 .a = {static_cast<double>(a), -1},
                 .b = {static_cast<double>(b), -1}};
  sweep(s);
}

template <Value T>
void OperatorRoom<T>::Vectors::sweep(const Sweep<T>& s) const {
  if (s.n == 0) return;
  if (device_ != cpu_device) return run(device_, stream_, s, room_);
  double scalars[fixed_scalars] = {};
  solve::run_sweep(s, SweepRoom{.scalars = scalars, .size = fixed_scalars, .blocks = threads_},
                   threads_);
}

template <Value T>
cpu::ScratchPool<T>& OperatorRoom<T>::pool() const {
  std::call_once(made_, [&] { pool_ = std::make_unique<cpu::ScratchPool<T>>(temporary_); });
  return *pool_;
}

template <Value T>
typename OperatorRoom<T>::Vectors OperatorRoom<T>::vectors(T* temporary) const {
  Vectors v;
  v.threads_ = threads_;
  v.temporary_ = temporary;
  return v;
}

template <Value T>
typename OperatorRoom<T>::Vectors OperatorRoom<T>::vectors(CUstream_st* stream,
                                                           const simt::Scratch& scratch) const {
  Vectors v;
  v.device_ = device_;
  v.stream_ = stream;
  v.room_ = room_;
  v.room_.scalars = reinterpret_cast<double*>(scratch.counters);
  v.room_.counter = scratch.counters + counter_place;
  v.room_.arrived = scratch.counters + arrived_place;
  v.room_.parts = scratch.values<double>();
  v.temporary_ = reinterpret_cast<T*>(scratch.rest + parts_);
  return v;
}

#define NZ_INSTANTIATE(T) template class OperatorRoom<T>;
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)

}  // namespace nz
