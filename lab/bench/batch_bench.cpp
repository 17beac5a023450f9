#include "lab/bench/batch_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>
#include <nonzero/batch.hpp>
#include <nonzero/plan.hpp>
#include <nonzero/truth.hpp>

#include "lab/bench/vectors.hpp"
#include "simt/backend.hpp"

namespace nz::lab {
namespace {

using Clock = std::chrono::steady_clock;

// An array where the products are.
template <class E>
class There {
 public:
  There(Device device, std::vector<E> from) : host_(std::move(from)) {
    if (device != cpu_device) far_ = {device, std::span<const E>(host_)};
  }
  E* data() { return far_.size() > 0 ? far_.data() : host_.data(); }
  std::span<E> span() { return {data(), host_.size()}; }
  // The host's copy, brought up to date.
  const std::vector<E>& fetched() {
    if (far_.size() > 0) far_.download(host_);
    return host_;
  }
  void fill(E value) {
    std::fill(host_.begin(), host_.end(), value);
    if (far_.size() > 0) far_.upload(host_);
  }

 private:
  std::vector<E> host_;
  DeviceArray<E> far_;
};

template <class T>
std::vector<T> random_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<T> v(n);
  fill_random<T>(v, seed);
  return v;
}

template <class T>
class Comparison {
 public:
  Comparison(Device device, const CsrView<double, std::int64_t>& a, int matrices, Op op,
             const Budget& budget)
      : device_(device),
        count_(matrices),
        op_(op),
        budget_(budget),
        structure_(csr_cast<T, std::int32_t>(a)),
        in_(static_cast<std::size_t>(op == Op::none ? a.cols : a.rows)),
        out_(static_cast<std::size_t>(op == Op::none ? a.rows : a.cols)),
        nnz_(static_cast<std::size_t>(a.nnz)),
        offsets_(device, {structure_.offsets.begin(), structure_.offsets.end()}),
        columns_(device, {structure_.columns.begin(), structure_.columns.end()}),
        values_(device, random_numbers<T>(nnz_ * number(), 1)),
        x_(device, random_numbers<T>(in_ * number(), 2)),
        y_(device, std::vector<T>(out_ * number())) {
    if (device != cpu_device) stream_.emplace(device);
  }

  BatchTimes run() {
    const simt::DeviceScope scope(device_);  // what enqueue() asks of its caller
    BatchTimes times{.op = op_, .type = value_type_of<T>};
    {
      const auto start = Clock::now();
      const auto batch =
          plan_batch(view(0), count_, values_.span(), {.device = device_, .op = op_});
      times.batch_bytes = batch.product().traffic(op_, false);
      times.ways.push_back(time("batch", seconds_since(start), [&] {
        batch.multiply_batch(T(1), x_.span(), T(0), y_.span(), op_, stream());
      }));
    }
    {
      std::vector<CsrView<T, std::int32_t>> views;
      for (std::size_t i = 0; i < number(); ++i) views.push_back(view(i));
      const auto start = Clock::now();
      const auto batch = plan_batch(views, {.device = device_, .op = op_});
      times.ways.push_back(time("batch-different", seconds_since(start), [&] {
        batch.multiply_batch(T(1), x_.span(), T(0), y_.span(), op_, stream());
      }));
    }
    {
      const auto start = Clock::now();
      std::vector<Plan<T>> plans;
      for (std::size_t i = 0; i < number(); ++i)
        plans.push_back(nz::plan(view(i), {.device = device_, .op = op_}));
      const double made = seconds_since(start);
      if (!plans.empty()) times.kernel = plans[0].kernel().id();
      times.ways.push_back(time("plans", made, [&] {
        for (std::size_t i = 0; i < number(); ++i)
          plans[i].multiply(T(1), x(i), T(0), y(i), op_, stream());
      }));
      std::vector<std::unique_ptr<BoundProduct<T>>> bound;
      for (const Plan<T>& p : plans) bound.push_back(p.bind(op_, stream()));
      times.ways.push_back(time("plans-bound", made, [&] {
        for (std::size_t i = 0; i < number(); ++i)
          bound[i]->enqueue(T(1), x(i).data(), T(0), y(i).data());
      }));
    }
    if (count_ > 0) {
      const auto start = Clock::now();
      auto plan = nz::plan(view(0), {.device = device_, .op = op_});
      times.ways.push_back(time("one-plan-updated", seconds_since(start), [&] {
        for (std::size_t i = 0; i < number(); ++i) {
          wait();  // new values come after queued work
          plan.update_values(view(i));
          plan.multiply(T(1), x(i), T(0), y(i), op_, stream());
        }
      }));
    }
    return times;
  }

 private:
  std::size_t number() const { return static_cast<std::size_t>(count_); }
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  CsrView<T, std::int32_t> view(std::size_t i) {
    return {structure_.rows, structure_.cols, structure_.nnz(),
            offsets_.data(), columns_.data(), values_.data() + i * nnz_};
  }
  std::span<const T> x(std::size_t i) { return x_.span().subspan(i * in_, in_); }
  std::span<T> y(std::size_t i) { return y_.span().subspan(i * out_, out_); }
  StreamView stream() const { return stream_ ? stream_->view() : StreamView{}; }
  void wait() const { wait_for(device_, stream()); }

  template <class Once>
  BatchWay time(const std::string& name, double make_seconds, Once&& once) {
    BatchWay way{.name = name, .make_seconds = make_seconds};
    y_.fill(std::numeric_limits<T>::quiet_NaN());
    once();
    wait();
    way.wrong = verdict();
    if (!way.wrong.empty() || device_.kind == Device::Kind::emulator) return way;
    way.timing = measure(
        [&] {
          once();
          wait();
        },
        budget_);
    return way;
  }

  // Of the first matrix that is wrong.
  std::string verdict() {
    const std::vector<T>&values = values_.fetched(), &from = x_.fetched(), &to = y_.fetched();
    for (std::size_t i = 0; i < number(); ++i) {
      CsrView<T, std::int32_t> a = structure_.view();
      a.values = values.data() + i * nnz_;
      const Verdict v = check_product<T, std::int32_t>(
          a, op_, T(1), std::span(from).subspan(i * in_, in_), T(0), std::vector<T>(out_),
          std::span(to).subspan(i * out_, out_));
      if (!v.right()) return "matrix " + std::to_string(i) + ": " + v.message();
    }
    return "";
  }

  Device device_;
  int count_;
  Op op_;
  Budget budget_;
  Csr<T, std::int32_t> structure_;
  std::size_t in_, out_, nnz_;
  There<std::int32_t> offsets_;
  There<index_t> columns_;
  There<T> values_, x_, y_;
  std::optional<Stream> stream_;
};

bool is_batch(const BatchWay& w) { return w.name.starts_with("batch"); }

}  // namespace

const BatchWay* BatchTimes::way(const std::string& name) const {
  const auto found =
      std::find_if(ways.begin(), ways.end(), [&](const BatchWay& w) { return w.name == name; });
  return found == ways.end() ? nullptr : &*found;
}

double BatchTimes::gain(const std::string& name) const {
  const BatchWay* const mine = way(name);
  double single = std::numeric_limits<double>::infinity();
  for (const BatchWay& w : ways)
    if (!is_batch(w) && !w.timing.samples.empty()) single = std::min(single, w.timing.median());
  if (!mine || mine->timing.samples.empty() || !std::isfinite(single)) return 0;
  return single / mine->timing.median();
}

BatchTimes batch_times(Device device, const CsrView<double, std::int64_t>& a, int matrices, Op op,
                       ValueType type, const Budget& budget) {
  if (type == ValueType::f32) return Comparison<float>(device, a, matrices, op, budget).run();
  return Comparison<double>(device, a, matrices, op, budget).run();
}

nlohmann::ordered_json to_json(const BatchTimes& times) {
  nlohmann::ordered_json all{{"op", name(times.op)},
                             {"type", name(times.type)},
                             {"kernel_of_plans", times.kernel},
                             {"batch_bytes", times.batch_bytes},
                             {"ways", nlohmann::ordered_json::array()}};
  for (const BatchWay& w : times.ways) {
    nlohmann::ordered_json one{
        {"way", w.name}, {"status", w.wrong.empty() ? "ok" : "wrong"}, {"make_s", w.make_seconds}};
    if (!w.wrong.empty()) one["reason"] = w.wrong;
    if (!w.timing.samples.empty()) {
      one["median_s"] = w.timing.median();
      one["best_s"] = w.timing.best();
      one["noise"] = w.timing.noise();
      one["samples_s"] = w.timing.samples;
      if (is_batch(w)) one["gain_over_single"] = times.gain(w.name);
    }
    all["ways"].push_back(one);
  }
  return all;
}

}  // namespace nz::lab
