#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <nonzero/error.hpp>
#include <nonzero/wide.hpp>

#include "plan/wide_parts.hpp"
#include "plan/wide_steps.hpp"

namespace nz {

// What a plan of a wide matrix consists of.
template <RealValue T>
struct WidePlan<T>::State {
  std::int64_t rows = 0, cols = 0;
  Device device{};
  int threads = 1;
  std::vector<WidePart<T>> parts;
  Plan<T> none{};  // of nothing, where there are no parts

  bool supports(Op op) const {
    return std::all_of(parts.begin(), parts.end(),
                       [&](const WidePart<T>& part) { return part.plan.supports(op); });
  }
  // Throws InvalidArgument where a part has no such product.
  void check_op(Op op) const {
    for (const WidePart<T>& part : parts)
      if (!part.plan.supports(op))
        throw InvalidArgument(fmt::format("{} has no product for op = {}, or none that repeats",
                                          part.plan.kernel().id(), name(op)));
  }
  // Throws InvalidArgument for a stream of another device.
  wide::Queue queue(StreamView stream) const {
    if (device != cpu_device) {
      if (!stream.any_device() && stream.device != device)
        throw InvalidArgument("the stream is not one of " + device.name());
      if (stream.handle) simt::backend(device).check_stream(stream.handle);
    }
    return {device, stream.handle};
  }
  // Any product on the device.
  const Product<T>& some_product() const {
    return parts.empty() ? none.product() : parts.front().plan.product();
  }
};

}  // namespace nz
