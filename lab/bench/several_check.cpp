#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nonzero/array.hpp>
#include <nonzero/device.hpp>

#include "base/instantiate.hpp"
#include "lab/bench/several.hpp"
#include "lab/bench/several_judge.hpp"

namespace nz::lab {
namespace {

// One product with vectors where the kernel runs.
template <class T, class O>
Finding look_at(const Product<T>& product, const Case& c, SeveralJudge<T, O>& judge, Device device,
                const VectorSet& set, int shared_rounding) {
  index_t in = judge.matrix().cols, out = judge.matrix().rows;
  if (c.op == Op::transpose) std::swap(in, out);
  const auto k = static_cast<std::size_t>(set.count);
  Array<T> x(static_cast<std::size_t>(in) * k), y(static_cast<std::size_t>(out) * k);
  const DenseView<T> y_view(y.data(), out, set.count, set.layout);
  judge.fill_x({x.data(), in, set.count, set.layout});
  judge.fill_before(y_view, c.beta);
  const auto multiply = [&](const T* from, T* to) {
    product.multiply_several({}, c.op, static_cast<T>(c.alpha),
                             DenseView<const T>(from, in, set.count, set.layout),
                             static_cast<T>(c.beta), DenseView<T>(to, out, set.count, set.layout));
  };
  if (device == cpu_device) {
    multiply(x.data(), y.data());
  } else {
    const DeviceArray<T> far_x(device, std::span<const T>(x.data(), x.size()));
    DeviceArray<T> far_y(device, std::span<const T>(y.data(), y.size()));
    multiply(far_x.data(), far_y.data());
    wait_for(device);
    far_y.download({y.data(), y.size()});
  }
  Finding f = judge.judge(c, y_view, c.op == Op::none ? shared_rounding : 0,
                          std::numeric_limits<std::int64_t>::max());
  if (!f.right) f.message = fmt::format("by {}, {}", name(set.layout), f.message);
  return f;
}

}  // namespace

template <Value T, Offset O>
std::vector<Conformance> conformance(const Kernel& kernel, SeveralJudge<T, O>& judge, Device device,
                                     int vectors) {
  std::vector<Conformance> all;
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    const VectorSet set{vectors, layout};
    const auto part =
        conformance<T, O>(kernel, judge.matrix(), for_vectors(kernel, {}, set), device,
                          [&](const Product<T>& product, const Case& c) {
                            return look_at(product, c, judge, device, set, kernel.shared_rounding);
                          });
    if (all.empty()) {
      all = part;
      continue;
    }
    // What is wrong or refused in one layout is so of the kernel.
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].outcome == Conformance::Outcome::right) {
        all[i].outcome = part[i].outcome;
        all[i].reason = part[i].reason;
        all[i].first_wrong = part[i].first_wrong;
      }
      all[i].products += part[i].products;
      all[i].worst = std::max(all[i].worst, part[i].worst);
      all[i].unjudged = std::max(all[i].unjudged, part[i].unjudged);
    }
  }
  return all;
}

#define NZ_INSTANTIATE(T, O) \
  template std::vector<Conformance> conformance(const Kernel&, SeveralJudge<T, O>&, Device, int);
NZ_FOR_EACH_VALUE_OFFSET(NZ_INSTANTIATE)

}  // namespace nz::lab
