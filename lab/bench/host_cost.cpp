#include "lab/bench/host_cost.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>

#include "lab/bench/device_bandwidth.hpp"
#include "simt/backend.hpp"

namespace nz::lab {
namespace {

// What the queue of a GPU takes without making the host wait, and enough for the clock.
struct Batches {
  int count, calls;
};
Batches batches_on(Device device) {
  return device.kind == Device::Kind::emulator ? Batches{3, 2} : Batches{300, 100};
}

// `call` is a template's so that nothing of ours stands between the clock and the call.
template <class Call>
Timing sample(Device device, StreamView stream, Call&& call) {
  using Clock = std::chrono::steady_clock;
  const auto [count, calls] = batches_on(device);
  const auto batch = [&] {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double> spent = Clock::now() - start;
    wait_for(device, stream);
    return spent.count() / calls;
  };
  batch();  // loads kernels, and wakes the device
  Timing t{.runs_per_sample = calls};
  for (int i = 0; i < count; ++i) t.samples.push_back(batch());
  return t;
}

Timing bare_launch([[maybe_unused]] Device device, [[maybe_unused]] StreamView stream) {
#ifdef NZ_HAVE_CUDA
  if (device.kind == Device::Kind::cuda)
    return sample(device, stream, [&] { cuda::queue_nothing(stream.handle); });
#endif
#ifdef NZ_HAVE_EMULATOR
  if (device.kind == Device::Kind::emulator)
    return sample(device, stream, [&] { emulated::queue_nothing(stream.handle); });
#endif
  return {};
}

// Vectors where the products are, and a stream.
struct Place {
  std::vector<double> host_x, host_y;
  DeviceArray<double> far_x, far_y;
  std::optional<Stream> stream;
  std::span<const double> x;
  std::span<double> y;

  Place(Device device, index_t in, index_t out)
      : host_x(static_cast<std::size_t>(in), 1.0), host_y(static_cast<std::size_t>(out)) {
    x = host_x;
    y = host_y;
    if (device == cpu_device) return;
    far_x = {device, std::span<const double>(host_x)};
    far_y = {device, host_y.size()};
    x = far_x.span();
    y = far_y.span();
    stream.emplace(device);
  }
  StreamView where() const { return stream ? stream->view() : StreamView{}; }
};

}  // namespace

HostCosts host_costs(Device device, const CsrView<double, std::int32_t>& a,
                     std::span<const Kernel* const> kernels, std::span<const Op> ops) {
  const simt::DeviceScope scope(device);  // what enqueue() asks of its caller
  HostCosts costs;
  if (device != cpu_device) {
    const Stream stream(device);
    costs.launch = bare_launch(device, stream);
  }
  for (const Kernel* kernel : kernels) {
    Plan<double> plan;
    try {
      plan = nz::plan(a, {.kernel = kernel->id(), .device = device});
    } catch (const Refused&) {
      continue;
    }
    for (const Op op : ops) {
      if (!kernel->supports(op)) continue;
      Place p(device, op == Op::none ? a.cols : a.rows, op == Op::none ? a.rows : a.cols);
      const auto bound = plan.bind(op, p.where());
      const double* const x = p.x.data();
      double* const y = p.y.data();
      costs.products.push_back(
          {kernel, op,
           sample(device, p.where(), [&] { plan.multiply(1.0, p.x, 0.0, p.y, op, p.where()); }),
           sample(device, p.where(), [&] { bound->enqueue(1.0, x, 0.0, y); })});
    }
  }
  return costs;
}

nlohmann::ordered_json to_json(const HostCosts& costs) {
  using Json = nlohmann::ordered_json;
  const auto put = [](Json& to, const std::string& key, const Timing& t) {
    if (t.samples.empty()) return;
    to[key + "_ns"] = t.median() * 1e9;
    to[key + "_least_ns"] = t.best() * 1e9;
  };
  Json all;
  put(all, "launch", costs.launch);
  all["products"] = Json::array();
  for (const HostCost& c : costs.products) {
    Json one{{"kernel", c.kernel->id()}, {"op", name(c.op)}};
    put(one, "multiply", c.multiply);
    put(one, "enqueue", c.enqueue);
    all["products"].push_back(one);
  }
  return all;
}

}  // namespace nz::lab
