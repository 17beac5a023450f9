#include "lab/bench/complex_bench.hpp"

#include <algorithm>
#include <chrono>
#include <complex>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>
#include <nonzero/error.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>
#include <nonzero/truth.hpp>

#include "lab/bench/gpu_timing.hpp"
#include "lab/bench/vectors.hpp"
#include "lab/peers/cusparse_complex.hpp"
#include "simt/backend.hpp"

namespace nz::lab {
namespace {

using Clock = std::chrono::steady_clock;

template <class R>
std::vector<std::complex<R>> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<R> parts(2 * n);
  fill_random<R>(parts, seed);
  std::vector<std::complex<R>> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {parts[2 * i], parts[2 * i + 1]};
  return all;
}

// An array where the products are.
template <class E>
class There {
 public:
  There(Device device, std::vector<E> from) : host(std::move(from)) {
    if (device != cpu_device) far_ = {device, std::span<const E>(host)};
  }
  E* data() { return far_.size() > 0 ? far_.data() : host.data(); }
  std::span<E> span() { return {data(), host.size()}; }
  void fetch() {
    if (far_.size() > 0) far_.download(host);
  }
  void fill(E value) {
    std::fill(host.begin(), host.end(), value);
    if (far_.size() > 0) far_.upload(host);
  }
  std::vector<E> host;

 private:
  DeviceArray<E> far_;
};

template <class R>
class Comparison {
  using T = std::complex<R>;

 public:
  Comparison(Device device, const CsrView<double, std::int64_t>& a, Op op, const Budget& budget)
      : device_(device),
        op_(op),
        budget_(budget),
        rows_(a.rows),
        cols_(a.cols),
        nnz_(static_cast<std::int32_t>(a.nnz)),
        offsets_(device, {a.offsets, a.offsets + a.rows + 1}),
        columns_(device, {a.columns, a.columns + a.nnz}),
        values_(device, random_numbers<R>(static_cast<std::size_t>(a.nnz), 1)),
        x_(device,
           random_numbers<R>(static_cast<std::size_t>(op == Op::none ? a.cols : a.rows), 2)),
        y_(device, std::vector<T>(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols))),
        exact_(exact_product<T, std::int32_t>(
            {rows_, cols_, nnz_, offsets_.host.data(), columns_.host.data(), values_.host.data()},
            op, T(1), x_.host, T(0), y_.host)) {
    if (device.kind == Device::Kind::cuda) timer_.emplace(device);
  }

  ComplexTimes run() {
    const simt::DeviceScope scope(device_);
    ComplexTimes times{.op = op_, .type = std::string(name(value_type_of<T>))};
    const char* const whole = op_ == Op::none ? "plan/balanced/n" : "plan/balanced/t";
    times.ways.push_back(measured(whole, {}, true));
    for (const Kernel& k : kernels())
      if (k.family != "peer" && k.runs_on_device(device_.kind) && k.supports(op_) &&
          k.prepare_for<T, std::int32_t>(device_.kind))
        times.ways.push_back(measured(k.id(), k.id(), false));
    if (device_.kind == Device::Kind::cuda)
      for (const std::string& peer : peers::cusparse_complex_names())
        times.ways.push_back(timed(peer, [&](ComplexWay&) {
          const std::shared_ptr<peers::ComplexPeer> p = peers::cusparse_complex<T>(
              peer, device_, view(), offsets_.host, op_, x_.data(), y_.data());
          return [p](StreamView stream) { p->multiply(stream); };
        }));
    return times;
  }

 private:
  CsrView<T, std::int32_t> view() {
    return {rows_, cols_, nnz_, offsets_.data(), columns_.data(), values_.data()};
  }

  ComplexWay measured(const std::string& as, const std::string& kernel, bool says) {
    return timed(as, [&](ComplexWay& way) {
      const auto p = std::make_shared<Plan<T>>(
          nz::plan(view(), {.kernel = kernel, .device = device_, .op = Use(op_)}));
      way.bytes = p->product(op_).traffic(op_, false);
      if (says) way.plan = p->kernel().id() + ": " + p->reason();
      return [this, p](StreamView stream) {
        p->multiply(T(1), x_.span(), T(0), y_.span(), op_, stream);
      };
    });
  }

  // make() returns what queues a product.
  template <class Make>
  ComplexWay timed(const std::string& as, Make&& make) {
    ComplexWay way{.kernel = as};
    try {
      const auto start = Clock::now();
      const auto queue = make(way);
      way.make_seconds = std::chrono::duration<double>(Clock::now() - start).count();
      y_.fill(std::numeric_limits<R>::quiet_NaN());
      queue(StreamView{});
      wait_for(device_);
      y_.fetch();
      const Verdict v = exact_.judge(y_.host);
      way.worst_error = v.worst;
      if (!v.right()) {
        way.status = "wrong";
        way.reason = v.message();
      } else if (timer_) {
        way.timing = timer_->measure(queue, budget_);
      } else if (device_ == cpu_device) {
        way.timing.hot = measure([&] { queue(StreamView{}); }, budget_);
      }
    } catch (const Refused& e) {
      way.status = "refused";
      way.reason = e.what();
    } catch (const Error& e) {
      way.status = "failed";
      way.reason = e.what();
    }
    return way;
  }

  Device device_;
  Op op_;
  Budget budget_;
  index_t rows_, cols_;
  std::int32_t nnz_;
  There<std::int32_t> offsets_;
  There<index_t> columns_;
  There<T> values_, x_, y_;
  Reference<T> exact_;
  std::optional<GpuTimer> timer_;
};

void put(nlohmann::ordered_json& to, const char* median, const char* samples, const Timing& t) {
  if (t.samples.empty()) return;
  to[median] = t.median();
  to[samples] = t.samples;
}

}  // namespace

ComplexTimes complex_times(Device device, const CsrView<double, std::int64_t>& a, Op op,
                           ValueType real, const Budget& budget) {
  if (a.nnz > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument("--complex takes fewer than 2147483648 nonzeros");
  if (real == ValueType::f32) return Comparison<float>(device, a, op, budget).run();
  return Comparison<double>(device, a, op, budget).run();
}

nlohmann::ordered_json to_json(const ComplexTimes& times) {
  nlohmann::ordered_json all{
      {"op", name(times.op)}, {"type", times.type}, {"ways", nlohmann::ordered_json::array()}};
  for (const ComplexWay& w : times.ways) {
    nlohmann::ordered_json one{{"kernel", w.kernel}, {"status", w.status}};
    if (!w.reason.empty()) one["reason"] = w.reason;
    if (!w.plan.empty()) one["plan"] = w.plan;
    one["make_s"] = w.make_seconds;
    if (w.bytes > 0) one["bytes"] = w.bytes;
    if (w.status == "ok") one["worst_error"] = w.worst_error;
    put(one, "median_s", "samples_s", w.timing.cold);
    put(one, "hot_median_s", "hot_samples_s", w.timing.hot);
    all["ways"].push_back(one);
  }
  return all;
}

}  // namespace nz::lab
