#include "plan/turns.hpp"

#include <atomic>
#include <memory>

#include "base/instantiate.hpp"
#include "device/read_memory.hpp"
#include "plan/timing.hpp"
#include "simt/backend.hpp"
#include "simt/queued_times.hpp"

namespace nz {
namespace {

// Of the cache that is read over: as good as all of it, for half of the time.
constexpr double flushed = 0.5;
constexpr double flush_seconds = 10e-6;  // on an H200

std::atomic<bool> on_emulator{false};

// Reads half as much as the cache holds.
class Flush {
 public:
  explicit Flush(Device device)
      : device_(device),
        blocks_(8 * simt::backend(device).info().processors),
        buffer_(device, elements(simt::backend(device).info().cache_bytes)),
        sums_(device, static_cast<std::size_t>(blocks_) * reading_block / 32) {
    if (buffer_.size() > 0)
      simt::backend(device).clear(buffer_.data(), buffer_.size() * sizeof(double), nullptr);
  }
  void queue() {
    const auto n = static_cast<std::int64_t>(buffer_.size());
    if (n == 0) return;
#ifdef NZ_HAVE_EMULATOR
    if (device_.kind == Device::Kind::emulator)
      return emulated::queue_sum(nullptr, buffer_.data(), n, sums_.data(), blocks_, true);
#endif
#ifdef NZ_HAVE_CUDA
    if (device_.kind == Device::Kind::cuda)
      return cuda::queue_sum(nullptr, buffer_.data(), n, sums_.data(), blocks_, true);
#endif
  }

 private:
  // An even number.
  static std::size_t elements(std::size_t cache) {
    return static_cast<std::size_t>(flushed * static_cast<double>(cache)) / sizeof(double) / 2 * 2;
  }
  Device device_;
  int blocks_;
  DeviceArray<double> buffer_, sums_;
};

std::vector<double> queued_times(Device device, std::span<const simt::Work> works,
                                 const simt::Work& before) {
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda) return simt::cuda_queued_times(works, before);
#endif
  std::vector<double> seconds(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) {
    before();
    const Stopwatch watch(seconds[i]);
    works[i]();
    wait_for(device);
  }
  return seconds;
}

}  // namespace

bool takes_turns(Device device) {
  return device.kind == Device::Kind::cuda ||
         (device.kind == Device::Kind::emulator && on_emulator.load());
}
void take_turns_on_emulator(bool on) { on_emulator.store(on); }

double seconds_of_turn(double product) { return 2 * product + flush_seconds; }

template <Value T>
std::vector<double> time_in_turns(std::span<const Rival<T>> all, index_t in, index_t out,
                                  int vectors, Layout layout) {
  if (all.empty()) return {};
  const Device device = all.front().product->device();
  const simt::DeviceScope scope(device);
  const auto k = static_cast<std::size_t>(vectors);
  DeviceArray<T> x(device, static_cast<std::size_t>(in) * k),
      y(device, static_cast<std::size_t>(out) * k);
  simt::backend(device).clear(x.data(), x.size() * sizeof(T), nullptr);
  Flush flush(device);
  std::vector<std::unique_ptr<BoundProduct<T>>> bound;
  std::vector<simt::Work> works;
  for (const Rival<T>& r : all) {
    if (vectors > 1) {
      works.push_back([&, &r = r] {
        r.product->multiply_several({}, r.op, T(1),
                                    DenseView<const T>(x.data(), in, vectors, layout), T(0),
                                    DenseView<T>(y.data(), out, vectors, layout));
      });
      works.back()();
      continue;
    }
    bound.push_back(r.product->bind({}, r.op, x.size(), y.size()));
    works.push_back([&x, &y, product = bound.back().get()] {
      product->enqueue(T(1), x.data(), T(0), y.data());
    });
    works.back()();  // the device has its code then
  }
  return queued_times(device, works, [&] { flush.queue(); });
}

#define NZ_INSTANTIATE(T)                                                                      \
  template std::vector<double> time_in_turns(std::span<const Rival<T>>, index_t, index_t, int, \
                                             Layout);
NZ_FOR_EACH_VALUE(NZ_INSTANTIATE)
NZ_FOR_EACH_COMPLEX(NZ_INSTANTIATE)

}  // namespace nz
