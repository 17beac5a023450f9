#include "lab/bench/device_stage.hpp"

#include "base/instantiate.hpp"
#include "simt/backend.hpp"

namespace nz::lab {

template <Value T, Offset O>
void DeviceStage<T, O>::queue(const Product<T>& product, Op op, StreamView stream, T alpha,
                              T beta) {
  Vectors& v = vectors_.at(op);
  product.multiply_on(stream, op, alpha, v.x.span(), beta, v.y.span());
}

template <Value T, Offset O>
void DeviceStage<T, O>::multiply(const Product<T>& product, Op op, std::span<const T> x,
                                 std::span<T> y) {
  auto at = vectors_.find(op);
  if (at == vectors_.end())
    at = vectors_
             .emplace(op,
                      Vectors{{device_, x}, {device_, y.size()}, {device_, std::span<const T>(y)}})
             .first;
  Vectors& v = at->second;
  if (v.y.size() > 0)
    simt::backend(device_).copy(v.y.data(), v.before.data(), v.y.bytes(), nullptr);
  queue(product, op, {});
  wait_for(device_);
  v.y.download(y);
}

template <Value T, Offset O>
LaunchTiming DeviceStage<T, O>::measure(const Product<T>& product, Op op, const Budget& budget,
                                        T alpha, T beta) {
  return measure([&](StreamView stream) { queue(product, op, stream, alpha, beta); }, budget);
}

template <Value T, Offset O>
LaunchTiming DeviceStage<T, O>::measure(const std::function<void(StreamView)>& queue,
                                        const Budget& budget) {
  if (!timer_) timer_.emplace(device_);
  return timer_->measure(queue, budget);
}

template <Value T, Offset O>
Timing DeviceStage<T, O>::once(const Product<T>& product, Op op) {
  const Budget one{.warm_up_seconds = 0, .seconds = 0, .min_samples = 1, .max_samples = 1};
  const auto run = [&] {
    queue(product, op, {});
    wait_for(device_);
  };
  return lab::measure(run, one);
}

#define NZ_INSTANTIATE(T, O) template class DeviceStage<T, O>;
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
